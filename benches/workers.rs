//! Messages between the embedding program and a worker, and the start of a worker. Every bench checks what it got.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use isolane::{Message, Runtime, WorkerOptions};
use isolane_benches::ready;

const ECHO: &str = "onmessage = ({ data }) => postMessage(data);";
const ECHO_BY_TRANSFER: &str = "onmessage = ({ data }) => postMessage(data, [data]);";
/// Counts, and answers with the sum when it gets -1.
const SINK: &str = "let sum = 0; onmessage = ({ data }) => { if (data === -1) { postMessage(sum); sum = 0; } else sum += data; };";
const BURST: i32 = 10_000;

fn runtime() -> Runtime {
    Runtime::new().expect("a machine that builds Isolane runs it")
}

fn ping_pong(criterion: &mut Criterion) {
    let runtime = runtime();
    let worker = ready(&runtime, ECHO);
    let mut group = criterion.benchmark_group("ping-pong");
    group.throughput(Throughput::Elements(1));
    group.bench_function("int32", |bencher| {
        bencher.iter(|| {
            worker.post(7).expect("the worker lives");
            assert_eq!(worker.recv().ok(), Some(Message::Number(7.0)));
        });
    });
    group.bench_function("string of 32", |bencher| {
        bencher.iter(|| {
            worker
                .post("abcdefghijklmnopqrstuvwxyz012345")
                .expect("the worker lives");
            assert!(matches!(worker.recv(), Ok(Message::String(text)) if text.len() == 32));
        });
    });
    group.finish();
}

fn one_way(criterion: &mut Criterion) {
    let runtime = runtime();
    let worker = ready(&runtime, SINK);
    let mut group = criterion.benchmark_group("one-way");
    group.throughput(Throughput::Elements(u64::from(BURST.unsigned_abs())));
    group.bench_function("int32", |bencher| {
        bencher.iter(|| {
            for number in 0..BURST {
                worker.post(number).expect("the worker lives");
            }
            worker.post(-1).expect("the worker lives");
            let sum = f64::from(BURST) * f64::from(BURST - 1) / 2.0;
            assert_eq!(worker.recv().ok(), Some(Message::Number(sum)));
        });
    });
    group.finish();
}

fn transfer(criterion: &mut Criterion) {
    let runtime = runtime();
    let worker = ready(&runtime, ECHO_BY_TRANSFER);
    let mut group = criterion.benchmark_group("transfer there and back");
    for (name, size) in [
        ("16 KiB", 16 << 10),
        ("4 MiB", 4 << 20),
        ("64 MiB", 64 << 20),
    ] {
        let mut buffer = Some(Message::from(vec![1_u8; size]));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                worker
                    .post(buffer.take().expect("it came back"))
                    .expect("the worker lives");
                let message = worker.recv().expect("the worker answers");
                assert!(matches!(&message, Message::Buffer(buffer) if buffer.len() == size));
                buffer = Some(message);
            });
        });
    }
    group.finish();
}

fn start(criterion: &mut Criterion) {
    let runtime = runtime();
    criterion.bench_function("worker start to first message", |bencher| {
        bencher.iter_batched(
            || WorkerOptions::from_source("start.mjs", "postMessage(1)"),
            |options| {
                let worker = runtime.spawn(options).expect("there is a thread");
                assert_eq!(worker.recv().ok(), Some(Message::Number(1.0)));
                worker
            },
            BatchSize::PerIteration,
        );
    });
}

criterion_group!(benches, ping_pong, one_way, transfer, start);
criterion_main!(benches);
