//! The doorbell under loom. A lost ring is a deadlock.
#![cfg(all(loom, feature = "std"))]

use isolane_guest_abi::sync::AtomicU32;
use isolane_guest_abi::Doorbell;
use loom::sync::Arc;
use loom::thread;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A bell, and words that ringers write (relaxed) before they ring.
struct Bench {
    bell: Doorbell,
    words: [AtomicU32; 2],
}

fn bench() -> Arc<Bench> {
    Arc::new(Bench {
        bell: Doorbell::new(),
        words: [AtomicU32::new(0), AtomicU32::new(0)],
    })
}

fn ringer(bench: &Arc<Bench>, word: usize) -> thread::JoinHandle<()> {
    let bench = bench.clone();
    thread::spawn(move || {
        bench.words[word].store(1, Relaxed);
        bench.bell.ring();
    })
}

/// The ring arrives, and what was written before it is visible.
#[test]
fn loom_ring_against_wait() {
    loom::model(|| {
        let bench = bench();
        bench.bell.claim();
        let ringer = ringer(&bench, 0);
        assert!(bench.bell.wait(None));
        assert_eq!(bench.words[0].load(Relaxed), 1);
        assert!(!bench.bell.try_consume());
        ringer.join().unwrap();
    });
}

/// The ring may come before the owner has claimed the bell; `wait` then claims it by itself.
#[test]
fn loom_ring_against_first_wait() {
    loom::model(|| {
        let bench = bench();
        let ringer = ringer(&bench, 0);
        assert!(bench.bell.wait(None));
        assert_eq!(bench.words[0].load(Relaxed), 1);
        ringer.join().unwrap();
    });
}

/// Two ringers: one ring may swallow the other, but not what was written before it.
#[test]
fn loom_two_ringers() {
    loom::model(|| {
        let bench = bench();
        bench.bell.claim();
        let ringers = [ringer(&bench, 0), ringer(&bench, 1)];
        while bench.words.iter().any(|word| word.load(Relaxed) == 0) {
            assert!(bench.bell.wait(None));
        }
        for ringer in ringers {
            ringer.join().unwrap();
        }
    });
}

/// A wait that may run out of time, then one that may not: the ring is taken by one of them, and by one alone.
#[test]
fn loom_ring_against_timeout() {
    loom::model(|| {
        let bench = bench();
        bench.bell.claim();
        let ringer = ringer(&bench, 0);
        if !bench.bell.wait(Some(Duration::from_secs(1))) {
            assert!(bench.bell.wait(None));
        }
        assert_eq!(bench.words[0].load(Relaxed), 1);
        ringer.join().unwrap();
        assert!(!bench.bell.try_consume());
    });
}

/// A ring on top of one that is being taken starts a new one.
#[test]
fn loom_two_rings_two_waits() {
    loom::model(|| {
        let bench = bench();
        bench.bell.claim();
        let other = bench.clone();
        let ringer = thread::spawn(move || {
            other.words[0].store(1, Relaxed);
            other.bell.ring();
            other.words[1].store(1, Relaxed);
            other.bell.ring();
        });
        assert!(bench.bell.wait(None));
        assert_eq!(bench.words[0].load(Relaxed), 1);
        if bench.words[1].load(Relaxed) == 0 {
            assert!(bench.bell.wait(None));
            assert_eq!(bench.words[1].load(Relaxed), 1);
        }
        ringer.join().unwrap();
    });
}
