//! What the machine itself needs: a cache line that two threads bounce, threads that wake each other, a copy in memory.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// Name and nanoseconds of each limit.
pub(crate) fn limits() -> Vec<(String, f64)> {
    let mut limits = vec![
        (
            "a cache line there and back".to_owned(),
            bounce(200_000, std::hint::spin_loop),
        ),
        ("park and unpark, there and back".to_owned(), unpark(2_000)),
    ];
    for (name, size) in [
        ("1 KiB", 1 << 10),
        ("16 KiB", 16 << 10),
        ("256 KiB", 256 << 10),
        ("4 MiB", 4 << 20),
        ("64 MiB", 64 << 20),
    ] {
        limits.push((format!("memcpy {name}"), copy(size)));
    }
    limits
}

/// Two threads take turns in adding to one word.
fn bounce(rounds: u32, wait: fn()) -> f64 {
    let word = Arc::new(AtomicU32::new(0));
    let other = Arc::clone(&word);
    let turn = move |word: &AtomicU32, odd: u32| {
        for round in 0..rounds {
            // Acquire and Release: each sees the other's store, as a lane's ends do.
            while word.load(Ordering::Acquire) != 2 * round + odd {
                wait();
            }
            word.store(2 * round + odd + 1, Ordering::Release);
        }
    };
    let begin = Instant::now();
    let thread = std::thread::spawn(move || turn(&other, 1));
    turn(&word, 0);
    let _ended = thread.join();
    begin.elapsed().as_nanos() as f64 / f64::from(rounds)
}

/// Two threads that sleep until the other wakes them.
fn unpark(rounds: u32) -> f64 {
    let word = Arc::new(AtomicU32::new(0));
    let other = Arc::clone(&word);
    let main = std::thread::current();
    let wait_for = |word: &AtomicU32, value: u32| {
        while word.load(Ordering::Acquire) != value {
            std::thread::park();
        }
    };
    let begin = Instant::now();
    let thread = std::thread::spawn(move || {
        for round in 0..rounds {
            wait_for(&other, 2 * round + 1);
            other.store(2 * round + 2, Ordering::Release);
            main.unpark();
        }
    });
    for round in 0..rounds {
        word.store(2 * round + 1, Ordering::Release);
        thread.thread().unpark();
        wait_for(&word, 2 * round + 2);
    }
    let _ended = thread.join();
    begin.elapsed().as_nanos() as f64 / f64::from(rounds)
}

/// A copy into memory that is warm.
fn copy(size: usize) -> f64 {
    let source = vec![1_u8; size];
    let mut target = vec![0_u8; size];
    let rounds = (64 << 20) / size + 4;
    target.copy_from_slice(&source);
    let begin = Instant::now();
    for _ in 0..rounds {
        target.copy_from_slice(black_box(&source));
        black_box(&mut target);
    }
    begin.elapsed().as_nanos() as f64 / rounds as f64
}
