//! Two segments under loom: the link between them, with the signals of both.
#![cfg(all(loom, feature = "std"))]

mod common;

use common::{memory, Memory};
use isolane_guest_abi::{Consumer, Doorbell, Full, Message, Producer, Pushed, Segment, Value};
use loom::sync::Arc;
use loom::thread;

/// Sends `count` messages and a close; opens `next` when `first` is full.
fn sender(first: Segment<Memory>, next: Memory, capacity: u32, count: i32, bell: &Doorbell) {
    let ring = |pushed| match pushed {
        Pushed::Signal => bell.ring(),
        Pushed::Quiet => {}
    };
    let mut producer = Producer::attach(first);
    let mut next = Some(next);
    for n in 1..=count + 1 {
        let push = |producer: &mut Producer<Memory>| match n {
            n if n > count => producer.push_close(),
            n => producer.push(Value::Int32(n)),
        };
        match push(&mut producer) {
            Ok(pushed) => ring(pushed),
            Err(Full { .. }) => {
                // SYNC: segment-open — nothing but the link tells the consumer that it may look.
                let segment = Segment::init(next.take().unwrap(), capacity, u32::MAX).unwrap();
                ring(producer.push_link(1).unwrap());
                producer = Producer::attach(segment);
                ring(push(&mut producer).unwrap());
            }
        }
    }
}

/// Sleeps, clears, drains, follows the link; until the close.
fn receiver(first: Segment<Memory>, next: Memory, capacity: u32, count: i32, bell: &Doorbell) {
    let mut consumer = Consumer::attach(first);
    let mut expected = 1;
    loop {
        bell.wait(None);
        consumer.clear_signal();
        while let Some(message) = consumer.pop().unwrap() {
            match message {
                Message::Int32(n) => {
                    assert_eq!(n, expected);
                    expected += 1;
                }
                Message::Link(1) => {
                    let segment = Segment::attach(next.clone(), capacity).unwrap();
                    consumer = Consumer::attach(segment);
                    consumer.clear_signal();
                }
                Message::Close => {
                    assert_eq!(expected, count + 1);
                    return;
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

fn model(preemptions: Option<usize>, count: i32) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 10_000;
    builder.check(move || {
        let first = Segment::init(memory(2), 2, 0).unwrap();
        let next = memory(4);
        let bell = Arc::new(Doorbell::new());
        let (there, memory, ringer) = (first.clone(), next.clone(), bell.clone());
        let handle = thread::spawn(move || sender(there, memory, 4, count, &ringer));
        receiver(first, next, 4, count, &bell);
        handle.join().unwrap();
    });
}

/// One message, close: the second may or may not find room. Every order.
#[test]
fn loom_link_to_close() {
    model(None, 1);
}

/// Messages on both sides of the link, or all in the first segment if the consumer is quick. Six
/// preemptions: in full it takes more than eight minutes.
#[test]
fn loom_link_in_mid_stream() {
    model(Some(6), 2);
}

/// One more message after the link, so that the new segment's signal is met both set and cleared. Five
/// preemptions, for the same reason.
#[test]
fn loom_link_then_more() {
    model(Some(5), 3);
}
