//! Two real threads, and the doorbell between them.
#![cfg(all(feature = "std", not(loom)))]

mod common;

use common::{lane, memory, rounds, Memory, Random};
use isolane_guest_abi::{Consumer, Doorbell, Full, Message, Producer, Pushed, Segment, Value};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Message number `n`: sizes from 1 to 5 slots, each word of it telling `n`.
fn text(n: u32) -> Vec<u16> {
    let unit = (n % 65_521) as u16;
    vec![unit; (n % 129) as usize]
}

fn send(producer: &mut Producer<Memory>, bell: &Doorbell, value: Value<'_>) {
    loop {
        match producer.push(value) {
            Ok(Pushed::Signal) => return bell.ring(),
            Ok(Pushed::Quiet) => return,
            Err(Full { .. }) => thread::yield_now(),
        }
    }
}

/// A consumer that sleeps whenever it finds nothing: a lost wake-up hangs it.
#[test]
fn every_message_in_order() {
    let count = rounds(200_000);
    for capacity in [8, 64] {
        let (mut producer, mut consumer) = lane(capacity, u32::MAX - 1_000);
        let bell = Arc::new(Doorbell::new());
        let ringer = Arc::clone(&bell);
        let sender = thread::spawn(move || {
            for n in 0..count {
                if n % 3 == 0 {
                    send(&mut producer, &ringer, Value::utf16(&text(n)).unwrap());
                } else {
                    send(&mut producer, &ringer, Value::Int32(n as i32));
                }
            }
        });
        bell.claim();
        let mut n = 0;
        while n < count {
            assert!(bell.wait(None));
            consumer.clear_signal();
            while let Some(message) = consumer.pop().unwrap() {
                match message {
                    Message::Utf16(units) => assert_eq!(*units, text(n)),
                    Message::Int32(number) => assert_eq!(number, n as i32),
                    other => panic!("{other:?}"),
                }
                n += 1;
            }
        }
        sender.join().unwrap();
        assert_eq!(consumer.pop(), Ok(None));
    }
}

/// A producer that opens a new segment whenever one is full; the table of segments stands in for the host's.
#[test]
fn growth() {
    let count = rounds(50_000) as i32;
    let table: Arc<Mutex<Vec<Segment<Memory>>>> = Arc::default();
    let open = |table: &Mutex<Vec<Segment<Memory>>>, capacity| {
        let segment = Segment::init(memory(capacity), capacity, 0).unwrap();
        let mut table = table.lock().unwrap();
        table.push(segment.clone());
        (segment, table.len() as u32 - 1)
    };
    let (first, _) = open(&table, 4);
    let bell = Arc::new(Doorbell::new());
    let (ringer, segments) = (Arc::clone(&bell), Arc::clone(&table));
    let mut producer = Producer::attach(first.clone());
    let sender = thread::spawn(move || {
        let ring = |pushed| match pushed {
            Pushed::Signal => ringer.ring(),
            Pushed::Quiet => {}
        };
        for n in 0..count {
            match producer.push(Value::Int32(n)) {
                Ok(pushed) => ring(pushed),
                Err(_) => {
                    let (next, number) = open(&segments, 4);
                    ring(producer.push_link(number).unwrap());
                    producer = Producer::attach(next);
                    ring(producer.push(Value::Int32(n)).unwrap());
                }
            }
        }
        match producer.push_close() {
            Ok(pushed) => ring(pushed),
            Err(_) => {
                let (next, number) = open(&segments, 4);
                ring(producer.push_link(number).unwrap());
                producer = Producer::attach(next);
                ring(producer.push_close().unwrap());
            }
        }
    });
    let mut consumer = Consumer::attach(first);
    let mut expected = 0;
    'lane: loop {
        assert!(bell.wait(None));
        consumer.clear_signal();
        while let Some(message) = consumer.pop().unwrap() {
            match message {
                Message::Int32(n) => {
                    assert_eq!(n, expected);
                    expected += 1;
                }
                Message::Link(number) => {
                    consumer = Consumer::attach(table.lock().unwrap()[number as usize].clone());
                    consumer.clear_signal();
                }
                Message::Close => break 'lane,
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(expected, count);
    sender.join().unwrap();
}

/// The receiving end goes from thread to thread while the producer sends.
#[test]
fn the_receiving_end_moves() {
    let count = rounds(100_000) as i32;
    let (mut producer, consumer) = lane(16, 0);
    let sender = thread::spawn(move || {
        for n in 0..count {
            while producer.push(Value::Int32(n)).is_err() {
                thread::yield_now();
            }
        }
    });
    let (there, here) = (mpsc::channel(), mpsc::channel());
    let play = move |inbox: mpsc::Receiver<(Consumer<Memory>, i32)>, outbox: mpsc::Sender<_>| {
        while let Ok((consumer, mut expected)) = inbox.recv() {
            let mut consumer = Consumer::attach(Consumer::detach(consumer));
            for _ in 0..7 {
                if let Some(message) = consumer.pop().unwrap() {
                    assert_eq!(message, Message::Int32(expected));
                    expected += 1;
                }
            }
            if expected == count || outbox.send((consumer, expected)).is_err() {
                return;
            }
        }
    };
    there.0.send((consumer, 0)).unwrap();
    let other = thread::spawn(move || play(there.1, here.0));
    play(here.1, there.0);
    other.join().unwrap();
    sender.join().unwrap();
}

/// Another thread scribbles over the whole segment while both ends work: any result, but no panic and no data race.
#[test]
fn scribbler() {
    let (mut producer, mut consumer) = lane(8, 0);
    let words = consumer.segment().memory().clone();
    let vandal = thread::spawn(move || {
        let mut random = Random(5);
        for _ in 0..rounds(300_000) {
            let place = random.below(words.len() as u32) as usize;
            let value = if random.below(2) == 0 {
                random.below(130)
            } else {
                random.next() as u32
            };
            words[place].store(value, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let mut n = 0;
    while !vandal.is_finished() {
        n += 1;
        let _ = producer.push(Value::utf16(&text(n)).unwrap());
        consumer.clear_signal();
        let _ = consumer.pop();
    }
    vandal.join().unwrap();
}

#[test]
fn a_ring_before_the_claim_is_kept() {
    let bell = Doorbell::default();
    bell.ring();
    bell.ring();
    bell.claim();
    assert!(bell.wait(None));
    assert!(!bell.try_consume());
    assert!(!bell.wait(Some(Duration::ZERO)));
}

#[test]
fn the_time_is_up() {
    let bell = Doorbell::new();
    let start = Instant::now();
    assert!(!bell.wait(Some(Duration::from_millis(20))));
    assert!(start.elapsed() >= Duration::from_millis(20));
    bell.ring();
    assert!(bell.wait(Some(Duration::MAX)));
}

#[test]
#[allow(clippy::disallowed_methods)] // an unpark that the bell knows nothing of
fn a_stray_unpark_wakes_nobody() {
    let bell = Arc::new(Doorbell::new());
    let (ringer, owner) = (Arc::clone(&bell), thread::current());
    let other = thread::spawn(move || {
        owner.unpark();
        thread::sleep(Duration::from_millis(10));
        ringer.ring();
    });
    assert!(bell.wait(Some(Duration::from_secs(60))));
    other.join().unwrap();
}

/// Rings from many threads against waits with and without a timeout: the last ring is never missed.
#[test]
fn many_ringers() {
    let bell = Arc::new(Doorbell::new());
    bell.claim();
    let done: Arc<Mutex<u32>> = Arc::default();
    let ringers: Vec<_> = (0..4)
        .map(|_| {
            let (bell, done) = (Arc::clone(&bell), Arc::clone(&done));
            thread::spawn(move || {
                for _ in 0..rounds(5_000) {
                    *done.lock().unwrap() += 1;
                    bell.ring();
                }
            })
        })
        .collect();
    let mut waits = 0_u32;
    while *done.lock().unwrap() < 4 * rounds(5_000) {
        waits += 1;
        if waits % 2 == 0 {
            assert!(bell.wait(None));
        } else {
            bell.wait(Some(Duration::from_micros(u64::from(waits % 50))));
        }
    }
    for ringer in ringers {
        ringer.join().unwrap();
    }
}
