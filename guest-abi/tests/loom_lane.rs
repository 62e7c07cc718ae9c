//! One segment under loom: every order of the accesses, and every value that the memory model lets a load see.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p isolane-guest-abi --release --features std loom_`
//!
//! A model that is not given a bound on preemptions is explored in full. A consumer that misses a wake-up sleeps for
//! ever, which loom reports as a deadlock.
#![cfg(all(loom, feature = "std"))]

mod common;

use common::{lane, Memory};
use isolane_guest_abi::{Consumer, Doorbell, Message, Producer, Pushed, Segment, Value};
use loom::sync::{Arc, Mutex};
use loom::thread;

fn model(preemptions: impl Into<Option<usize>>, f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions.into();
    builder.max_branches = 10_000;
    builder.check(f);
}

fn send(producer: &mut Producer<Memory>, bell: &Doorbell, value: Value<'_>) {
    if producer.push(value).unwrap() == Pushed::Signal {
        bell.ring();
    }
}

/// Sleeps, clears, drains; until the `last` message.
fn receive(consumer: &mut Consumer<Memory>, bell: &Doorbell, last: Message) -> Vec<Message> {
    let mut messages = Vec::new();
    while messages.last() != Some(&last) {
        bell.wait(None);
        consumer.clear_signal();
        drain(consumer, &mut messages);
    }
    messages
}

/// Takes what is there. False: nothing.
fn drain(consumer: &mut Consumer<Memory>, messages: &mut Vec<Message>) -> bool {
    let before = messages.len();
    while let Some(message) = consumer.pop().unwrap() {
        messages.push(message);
    }
    messages.len() > before
}

/// SYNC: wake, slot-ready, ring.
#[test]
fn loom_no_wakeup_lost() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, u32::MAX);
        let bell = Arc::new(Doorbell::new());
        let ringer = bell.clone();
        let sender = thread::spawn(move || {
            send(&mut producer, &ringer, Value::Int32(1));
            send(&mut producer, &ringer, Value::Int32(2));
        });
        let messages = receive(&mut consumer, &bell, Message::Int32(2));
        assert_eq!(messages, [Message::Int32(1), Message::Int32(2)]);
        sender.join().unwrap();
    });
}

/// The same with a third message, which can meet a `signaled` of every age.
#[test]
fn loom_no_wakeup_lost_in_a_longer_run() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, 0);
        let bell = Arc::new(Doorbell::new());
        let ringer = bell.clone();
        let sender = thread::spawn(move || {
            for n in 1..=3 {
                send(&mut producer, &ringer, Value::Int32(n));
            }
        });
        let messages = receive(&mut consumer, &bell, Message::Int32(3));
        assert_eq!(messages, [1, 2, 3].map(Message::Int32));
        sender.join().unwrap();
    });
}

/// SYNC: slot-free. The slot of the first message is that of the third: nothing is overwritten before it is read.
#[test]
fn loom_slots_are_reused() {
    model(None, || {
        let (mut producer, mut consumer) = lane(2, u32::MAX);
        let sender = thread::spawn(move || {
            for n in 1..=3 {
                // Nobody waits here, so signals are of no use.
                while producer.push(Value::Int32(n)).is_err() {
                    thread::yield_now();
                }
            }
        });
        for n in 1..=3 {
            let message = loop {
                match consumer.pop().unwrap() {
                    Some(message) => break message,
                    None => thread::yield_now(),
                }
            };
            assert_eq!(message, Message::Int32(n));
        }
        assert_eq!(consumer.pop(), Ok(None));
        sender.join().unwrap();
    });
}

/// SYNC: slot-ready. A string of two slots, across the ring's end, is there in full or not at all.
#[test]
fn loom_text_is_published_whole() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, 3);
        let text = [0xd800_u16; 30];
        let sender = thread::spawn(move || {
            let _ = producer.push(Value::utf16(&text).unwrap()).unwrap();
        });
        match consumer.pop().unwrap() {
            None => {}
            Some(Message::Utf16(units)) => assert_eq!(*units, text),
            other => panic!("{other:?}"),
        }
        sender.join().unwrap();
    });
}

/// Close comes after everything, and wakes like any message.
#[test]
fn loom_close_is_last() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, 0);
        let bell = Arc::new(Doorbell::new());
        let ringer = bell.clone();
        let sender = thread::spawn(move || {
            send(&mut producer, &ringer, Value::Int32(1));
            if producer.push_close().unwrap() == Pushed::Signal {
                ringer.ring();
            }
        });
        let messages = receive(&mut consumer, &bell, Message::Close);
        assert_eq!(messages, [Message::Int32(1), Message::Close]);
        sender.join().unwrap();
    });
}

/// Where the consumer's segment lies on its way, with what was taken out so far.
type Post = Mutex<Option<(Segment<Memory>, Vec<Message>)>>;

/// SYNC: end-moved. The consumer is handed to another thread in mid-stream, under a lock, and started again from the
/// indices in memory; the producer is sending all the while.
#[test]
fn loom_consumer_moves() {
    model(None, || {
        let (mut producer, consumer) = lane(4, 0);
        let post: Arc<Post> = Arc::new(Mutex::new(None));
        let sender = thread::spawn(move || {
            for n in 1..=2 {
                while producer.push(Value::Int32(n)).is_err() {
                    thread::yield_now();
                }
            }
        });
        let inbox = post.clone();
        let receiver = thread::spawn(move || {
            let (segment, mut messages) = loop {
                if let Some(parcel) = inbox.lock().unwrap().take() {
                    break parcel;
                }
                thread::yield_now();
            };
            let mut consumer = Consumer::attach(segment);
            while messages.len() < 2 {
                match consumer.pop().unwrap() {
                    Some(message) => messages.push(message),
                    None => thread::yield_now(),
                }
            }
            assert_eq!(messages, [1, 2].map(Message::Int32));
        });
        let mut consumer = consumer;
        let messages = consumer.pop().unwrap().into_iter().collect();
        *post.lock().unwrap() = Some((consumer.detach(), messages));
        sender.join().unwrap();
        receiver.join().unwrap();
    });
}

/// The wake-up survives the move: messages rung for before it are found by the drain that an attaching consumer
/// makes. Four preemptions: in full it takes more than a minute and a half.
#[test]
fn loom_moved_consumer_is_woken() {
    model(4, || {
        let (mut producer, mut consumer) = lane(4, 0);
        let bells = Arc::new([Doorbell::new(), Doorbell::new()]);
        let (ringers, inbox) = (bells.clone(), Arc::new(Mutex::new(None)));
        let outbox = inbox.clone();
        let sender = thread::spawn(move || {
            for n in 1..=2 {
                if producer.push(Value::Int32(n)).unwrap() == Pushed::Signal {
                    // Whoever has the consumer: both, for the sender does not know.
                    ringers[0].ring();
                    ringers[1].ring();
                }
            }
        });
        let other = bells.clone();
        let receiver = thread::spawn(move || {
            let mut consumer: Option<Consumer<Memory>> = None;
            let mut last = None;
            while last != Some(Message::Int32(2)) {
                other[1].wait(None);
                if consumer.is_none() {
                    consumer = inbox.lock().unwrap().take().map(Consumer::attach);
                }
                if let Some(consumer) = &mut consumer {
                    consumer.clear_signal();
                    while let Some(message) = consumer.pop().unwrap() {
                        last = Some(message);
                    }
                }
            }
        });
        // One message is enough for this thread; the rest goes with the consumer, whose arrival is rung for.
        bells[0].wait(None);
        consumer.clear_signal();
        assert_eq!(consumer.pop(), Ok(Some(Message::Int32(1))));
        *outbox.lock().unwrap() = Some(consumer.detach());
        bells[1].ring();
        sender.join().unwrap();
        receiver.join().unwrap();
    });
}

/// SYNC: low-water. A sender that stops until nothing is left is told, or sees for itself that nothing is.
#[test]
fn loom_a_sender_that_waits_for_room_is_told() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, u32::MAX);
        let told = Arc::new(Doorbell::new());
        let teller = told.clone();
        let sender = thread::spawn(move || {
            for n in 1..=2 {
                let _ = producer.push(Value::Int32(n)).unwrap();
            }
            let segment = producer.segment();
            segment.watch();
            if segment.outstanding() == 0 {
                segment.unwatch();
            } else {
                told.wait(None);
            }
            assert_eq!(producer.segment().outstanding(), 0);
        });
        let mut taken = 0;
        while taken < 2 {
            if consumer.pop().unwrap().is_none() {
                thread::yield_now();
                continue;
            }
            taken += 1;
            let segment = consumer.segment();
            if segment.is_watched() && segment.outstanding() == 0 && segment.unwatch() {
                teller.ring();
            }
        }
        sender.join().unwrap();
    });
}

/// SYNC: poll. A consumer that polls is not rung for, and still sleeps over nothing: it looks after it has put the signal, and after it has taken it back.
#[test]
fn loom_a_consumer_that_polls_misses_nothing() {
    model(None, || {
        let (mut producer, mut consumer) = lane(4, u32::MAX);
        let bell = Arc::new(Doorbell::new());
        let ringer = bell.clone();
        let sender = thread::spawn(move || {
            send(&mut producer, &ringer, Value::Int32(1));
            send(&mut producer, &ringer, Value::Int32(2));
        });
        let mut messages = Vec::new();
        consumer.segment().begin_polling();
        drain(&mut consumer, &mut messages);
        consumer.segment().end_polling();
        drain(&mut consumer, &mut messages);
        while messages.len() < 2 {
            bell.wait(None);
            consumer.clear_signal();
            drain(&mut consumer, &mut messages);
        }
        sender.join().unwrap();
        assert_eq!(messages, [1, 2].map(Message::Int32));
    });
}

/// The same twice over: what is sent while nobody polls rings.
#[test]
fn loom_polling_and_sleeping_take_turns() {
    model(3, || {
        let (mut producer, mut consumer) = lane(4, 0);
        let bell = Arc::new(Doorbell::new());
        let ringer = bell.clone();
        let sender = thread::spawn(move || {
            for n in 1..=3 {
                send(&mut producer, &ringer, Value::Int32(n));
            }
        });
        let mut messages = Vec::new();
        while messages.len() < 3 {
            consumer.segment().begin_polling();
            if drain(&mut consumer, &mut messages) {
                continue;
            }
            consumer.segment().end_polling();
            if !drain(&mut consumer, &mut messages) {
                bell.wait(None);
            }
        }
        sender.join().unwrap();
        assert_eq!(messages, [1, 2, 3].map(Message::Int32));
    });
}
