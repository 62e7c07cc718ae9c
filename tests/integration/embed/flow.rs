//! Flow control of the embedder's handle.

use super::*;

/// A worker that is busy for a while before it reads.
const SLOW: &str = "
    let seen = 0;
    const until = performance.now() + 50;
    while (performance.now() < until);
    onmessage = ({ data }) => { seen++; if (data === 'count') postMessage(seen); };";

/// A worker that reads nothing and lives on.
const STUCK: &str =
    "setInterval(() => {}, 1e6); await new Promise(() => {}); onmessage = () => {};";

#[test]
fn a_handle_waits_until_the_worker_has_caught_up() {
    let worker = spawn(SLOW);
    worker.set_buffered_amount_low_threshold(1000);
    let mut most = 0;
    for index in 0..50_000 {
        worker.post(index).unwrap();
        let amount = worker.buffered_amount();
        most = most.max(amount);
        if amount > 100_000 {
            worker.ready().unwrap();
            assert!(worker.buffered_amount() <= 1000);
        }
    }
    assert!((1000..=100_064).contains(&most), "{most}");
    block_on(worker.ready_async()).unwrap();
    worker.post("count").unwrap();
    assert_eq!(number(receive(&worker)), 50_001.0);
    worker.set_buffered_amount_low_threshold(0);
    worker.ready().unwrap();
    assert_eq!(worker.buffered_amount(), 0);
}

#[test]
fn waiting_for_a_worker_that_ends_is_an_error() {
    let waiting = spawn(STUCK);
    let waiting = Arc::new(waiting);
    waiting.post(1).unwrap();
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let waiting = Arc::clone(&waiting);
            std::thread::spawn(move || waiting.ready())
        })
        .collect();
    std::thread::sleep(Duration::from_millis(20));
    waiting.terminate();
    for thread in threads {
        assert!(matches!(thread.join().unwrap(), Err(PostError::Closed)));
    }
    assert!(matches!(waiting.ready(), Err(PostError::Closed)));
    assert_eq!(waiting.buffered_amount(), 0);
}

#[test]
fn a_refused_message_comes_back_as_it_was() {
    let options = WorkerOptions::from_source("/test/stuck.mjs", STUCK);
    let worker = spawn_with(options.message_bytes(100_000));
    let big = "語".repeat(60_000);
    let object = Structured::new(&vec![7; 60_000]).unwrap();
    let messages = [
        Message::from(vec![1; 200_000]),
        Message::from(big.as_str()),
        Message::from(object),
    ];
    for message in messages {
        let shown = format!("{message:?}");
        let refused = worker.try_post(message).unwrap_err();
        assert!(matches!(
            refused.error,
            PostError::QuotaExceeded { limit: 100_000, requested } if requested > 100_000
        ));
        assert_eq!(format!("{:?}", refused.message), shown);
        assert!(refused.to_string().contains("100000 bytes"), "{refused}");
    }
    assert_eq!(worker.buffered_amount(), 0, "nothing was sent");
    // Numbers, until the ring cannot grow.
    let refused = (0..)
        .find_map(|index| worker.try_post(index).err())
        .unwrap();
    assert!(matches!(refused.error, PostError::QuotaExceeded { .. }));
    let sent = worker.metrics().to_worker.messages_sent;
    assert_eq!(refused.message, Message::Number(sent as f64));
    assert!(
        worker.buffered_amount() <= 100_000,
        "{}",
        worker.buffered_amount()
    );
    worker.terminate();
    eventually("the end", || {
        matches!(
            worker.try_post(1).map_err(|refused| refused.error),
            Err(PostError::Closed)
        )
    });
}

#[test]
fn metrics_count_messages_bytes_and_what_waits() {
    let worker = spawn(SLOW);
    assert_eq!(worker.metrics().to_worker.depth, 0);
    for index in 0..1000 {
        worker.post(index).unwrap();
    }
    worker.post(vec![0; 10_000]).unwrap();
    worker.post("x".repeat(128)).unwrap();
    worker.post("count").unwrap();
    assert_eq!(number(receive(&worker)), 1003.0);
    let metrics = worker.metrics();
    let down = metrics.to_worker;
    assert_eq!((down.depth, down.bytes), (0, 0));
    assert_eq!((down.messages_sent, down.parcels_sent), (1003, 1));
    let slots = 1000 + 1 + 3 + 1;
    assert_eq!(down.bytes_sent, slots * 64 + 10_004);
    assert!(down.spills >= 2 && down.memory >= 64 * 64, "{down:?}");
    assert!(down.high_water_bytes >= 10_000, "{down:?}");
    assert!(down.wakes >= 1 && down.wakes <= 1003, "{down:?}");
    let up = metrics.from_worker;
    assert_eq!((up.depth, up.messages_sent, up.bytes_sent), (0, 1, 64));
}
