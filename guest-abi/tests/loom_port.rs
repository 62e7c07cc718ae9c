//! A port under loom: who is woken when its ends move between threads in mid-stream, and when one of them closes.
//!
//! Segment, ends and doorbell are the crate's own. Around them the host keeps, of each lane, who receives it, under a lock (`host/src/lane/queue.rs`,
//! `endpoint.rs`); `Lane` here has the same steps in the same order. A thread that misses a wake-up sleeps for ever, which loom reports as a deadlock.
#![cfg(all(loom, feature = "std"))]

mod common;

use common::{lane, Memory};
use isolane_guest_abi::{Consumer, Doorbell, Message, Producer, Pushed, Segment, Value};
use loom::sync::atomic::{AtomicBool, Ordering::Relaxed};
use loom::sync::{Arc, Mutex};
use loom::thread;

fn model(preemptions: impl Into<Option<usize>>, f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions.into();
    builder.max_branches = 10_000;
    builder.check(f);
}

/// What the host keeps beside the ring.
struct Lane {
    /// The thread that receives, by the number of its bell; none while the port is on its way.
    receiver: Mutex<Option<usize>>,
    bells: [Doorbell; 2],
    /// A port on its way: its segment, which the lane that it is sent by hands over.
    parcel: Mutex<Option<Segment<Memory>>>,
    /// The receiving end is gone.
    abandoned: AtomicBool,
    /// The sender wants to be told when the lane runs low. Under the lock of the chain of segments.
    mark: Mutex<bool>,
    sender: Doorbell,
}

impl Lane {
    fn new(receiver: usize) -> Arc<Self> {
        Arc::new(Lane {
            receiver: Mutex::new(Some(receiver)),
            bells: [Doorbell::new(), Doorbell::new()],
            parcel: Mutex::new(None),
            abandoned: AtomicBool::new(false),
            mark: Mutex::new(false),
            sender: Doorbell::new(),
        })
    }

    /// `Lane::signal`: with nobody there, the next receiver looks by itself.
    fn signal(&self) {
        let receiver = *self.receiver.lock().unwrap();
        if let Some(receiver) = receiver {
            self.bells[receiver].ring();
        }
    }

    fn sent(&self, pushed: Pushed) {
        if pushed == Pushed::Signal {
            self.signal();
        }
    }

    /// `Endpoint::unsettle`, then the parcel that carries the endpoint, and its signal.
    fn send_to(&self, receiver: usize, end: Segment<Memory>) {
        *self.receiver.lock().unwrap() = None;
        *self.parcel.lock().unwrap() = Some(end);
        self.bells[receiver].ring();
    }

    /// The parcel, if it has come; then `Endpoint::settle`. It posts a first look at the lane, which the caller has to take.
    fn arrive(&self, receiver: usize) -> Option<Consumer<Memory>> {
        let end = self.parcel.lock().unwrap().take()?;
        *self.receiver.lock().unwrap() = Some(receiver);
        Some(Consumer::attach(end))
    }

    /// `Lane::watch`, of a sender that waits until it is told. False: nobody receives.
    fn watch(&self) -> bool {
        let mut mark = self.mark.lock().unwrap();
        if self.abandoned.load(Relaxed) {
            return false;
        }
        *mark = true;
        true
    }

    /// `Lane::abandon`.
    fn abandon(&self) {
        self.abandoned.store(true, Relaxed);
        *self.receiver.lock().unwrap() = None;
        let watched = std::mem::take(&mut *self.mark.lock().unwrap());
        if watched {
            self.sender.ring();
        }
    }
}

/// Drains after a ring, as a worker does.
fn drain(consumer: &mut Consumer<Memory>, messages: &mut Vec<Message>) {
    consumer.clear_signal();
    while let Some(message) = consumer.pop().unwrap() {
        messages.push(message);
    }
}

/// The receiving end moves while messages and the close are being sent. All arrive, in order, at one of its places.
fn receiver_moves(preemptions: impl Into<Option<usize>>, count: i32) {
    model(preemptions, move || {
        let (mut producer, mut consumer) = lane(4, u32::MAX);
        let port = Lane::new(0);
        let there = port.clone();
        let sender = thread::spawn(move || {
            for n in 1..=count {
                there.sent(producer.push(Value::Int32(n)).unwrap());
            }
            there.sent(producer.push_close().unwrap());
        });
        let there = port.clone();
        let second = thread::spawn(move || {
            let mut messages = Vec::new();
            let mut consumer = None;
            while messages.last() != Some(&Message::Close) {
                there.bells[1].wait(None);
                consumer = consumer.or_else(|| there.arrive(1));
                if let Some(consumer) = &mut consumer {
                    drain(consumer, &mut messages);
                }
            }
            messages
        });
        // It takes one message at most, at whatever time, and goes on.
        let mut messages: Vec<_> = consumer.pop().unwrap().into_iter().collect();
        let closed = messages.last() == Some(&Message::Close);
        assert!(!closed, "there is a message before it");
        port.send_to(1, consumer.detach());
        messages.extend(second.join().unwrap());
        sender.join().unwrap();
        let sent = (1..=count).map(Message::Int32).chain([Message::Close]);
        assert!(messages.into_iter().eq(sent));
    });
}

/// Four preemptions, and three for the longer one: in full each takes more than ten minutes.
#[test]
fn loom_receiver_moves_before_the_close() {
    receiver_moves(4, 1);
}

#[test]
fn loom_receiver_moves_in_mid_stream() {
    receiver_moves(3, 2);
}

/// The sending end moves: what both owners send arrives in the order of the move, and then the close. Four preemptions, as above.
#[test]
fn loom_sender_moves_in_mid_stream() {
    model(4, || {
        let (mut producer, mut consumer) = lane(4, u32::MAX);
        let port = Lane::new(0);
        let there = port.clone();
        let first = thread::spawn(move || {
            there.sent(producer.push(Value::Int32(1)).unwrap());
            *there.parcel.lock().unwrap() = Some(producer.detach());
            there.bells[1].ring();
        });
        let there = port.clone();
        let second = thread::spawn(move || {
            there.bells[1].wait(None);
            let end = there.parcel.lock().unwrap().take().unwrap();
            // SYNC: end-moved — it goes on from the indices in memory.
            let mut producer = Producer::attach(end);
            there.sent(producer.push(Value::Int32(2)).unwrap());
            there.sent(producer.push_close().unwrap());
        });
        let mut messages = Vec::new();
        while messages.last() != Some(&Message::Close) {
            port.bells[0].wait(None);
            drain(&mut consumer, &mut messages);
        }
        let sent = [Message::Int32(1), Message::Int32(2), Message::Close];
        assert_eq!(messages, sent);
        first.join().unwrap();
        second.join().unwrap();
    });
}

/// A port whose parcel nobody takes closes where it lies: its other side gets what was sent, then the close, also if it sleeps.
#[test]
fn loom_close_of_a_port_on_its_way() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, 0);
        let port = Lane::new(0);
        let there = port.clone();
        let dropped = thread::spawn(move || {
            there.sent(producer.push(Value::Int32(1)).unwrap());
            let end = producer.detach();
            // The parcel is dropped with the lane that it was sent by: `Endpoint::drop`.
            let mut producer = Producer::attach(end);
            there.sent(producer.push_close().unwrap());
        });
        let mut messages = Vec::new();
        while messages.last() != Some(&Message::Close) {
            port.bells[0].wait(None);
            drain(&mut consumer, &mut messages);
        }
        assert_eq!(messages, [Message::Int32(1), Message::Close]);
        dropped.join().unwrap();
    });
}

/// Both sides close at once: each lane has one close at its end, and nobody waits for more.
#[test]
fn loom_both_sides_close() {
    model(None, || {
        let (mut there_out, mut here_in) = lane(4, 0);
        let (mut here_out, mut there_in) = lane(4, 0);
        let (here, there) = (Lane::new(0), Lane::new(1));
        let (to_here, to_there) = (here.clone(), there.clone());
        let other = thread::spawn(move || {
            // `Endpoint::drop`: nothing that comes is read, and the other side is told.
            to_there.abandon();
            to_here.sent(there_out.push_close().unwrap());
            there_in.pop().unwrap()
        });
        here.abandon();
        there.sent(here_out.push_close().unwrap());
        let _ = here_in.pop().unwrap();
        let _ = other.join().unwrap();
        assert!(here.abandoned.load(Relaxed) && there.abandoned.load(Relaxed));
    });
}

/// A sender that waits until little is left is told when the receiving end goes away, or learns that it has gone.
#[test]
fn loom_a_sender_that_waits_is_told_of_the_end() {
    model(None, || {
        let port = Lane::new(0);
        let there = port.clone();
        let receiver = thread::spawn(move || there.abandon());
        if port.watch() {
            port.sender.wait(None);
        }
        assert!(port.abandoned.load(Relaxed));
        receiver.join().unwrap();
    });
}
