//! The lane algorithm alone: one thread that pushes and pops, so that no cache line moves.

use std::hint::black_box;
use std::sync::atomic::AtomicU32;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use isolane_guest_abi::layout::segment_words;
use isolane_guest_abi::{Consumer, Producer, Segment, Value};

const CAPACITY: u32 = 1024;

fn slots(criterion: &mut Criterion) {
    let words: Vec<AtomicU32> = (0..segment_words(CAPACITY))
        .map(|_| AtomicU32::new(0))
        .collect();
    let segment = Segment::init(words.as_slice(), CAPACITY, 0)
        .expect("the words are as many as the capacity asks for");
    let mut producer = Producer::attach(segment);
    let mut consumer = Consumer::attach(segment);

    let mut group = criterion.benchmark_group("push and pop");
    group.throughput(Throughput::Elements(1));
    let text = [b'x'; 128];
    let long = Value::latin1(&text).expect("128 units fit slots");
    let short = Value::latin1(b"isolane!").expect("8 units fit slots");
    for (name, value) in [
        ("int32", Value::Int32(7)),
        ("float64", Value::Float64(0.1)),
        ("string of 8", short),
        ("string of 128", long),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let pushed = producer.push(black_box(value)).expect("the ring is empty");
                let _signal = black_box(pushed);
                black_box(consumer.pop().expect("what was pushed is well-formed"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, slots);
criterion_main!(benches);
