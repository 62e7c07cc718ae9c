//! Where threads wait for words of guest memory, each until it is notified, its time is over, or its worker ends.
//!
//! The queues are keyed by the word's address, which no two memories share while both live. As with a futex, the word is compared and the thread
//! queued under one lock, the lock that a notification takes too, so that none falls between. What then becomes of a waiter is decided by one
//! compare-and-swap of its state: notified, timed out and interrupted exclude each other, and a notification counts those alone that it woke.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Instant;

/// How a wait ended. The first three have the numbers of `memory.atomic.wait32` (threads proposal, "Wait").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    Notified = 0,
    NotEqual = 1,
    TimedOut = 2,
    Interrupted = 3,
}

const WAITING: u8 = 0;
const NOTIFIED: u8 = 1;
const TIMED_OUT: u8 = 2;
const INTERRUPTED: u8 = 3;

/// A thread that waits.
pub(crate) struct Waiter {
    thread: Thread,
    state: AtomicU8,
}

impl Waiter {
    /// The calling thread, before it waits.
    pub(crate) fn current() -> Arc<Self> {
        Arc::new(Self {
            thread: std::thread::current(),
            state: AtomicU8::new(WAITING),
        })
    }

    /// Ends the wait, or keeps it from beginning.
    pub(crate) fn interrupt(&self) {
        self.settle(INTERRUPTED);
    }

    /// Whether this call decided how the wait ended.
    fn settle(&self, outcome: u8) -> bool {
        // SYNC: settle — Release: who woke the thread did what it did before; pairs with the Acquire loads of `state`.
        let decided = self
            .state
            .compare_exchange(WAITING, outcome, Ordering::AcqRel, Ordering::Acquire)
            .is_ok();
        if decided {
            self.thread.unpark();
        }
        decided
    }

    fn state(&self) -> u8 {
        // SYNC: settle
        self.state.load(Ordering::Acquire)
    }
}

type Queues = HashMap<usize, VecDeque<Arc<Waiter>>>;

/// A lot for every word of the process.
pub(crate) static LOT: Lot = Lot::new();

/// Neighbours in memory fall into different shards, so that threads that wait for different words seldom share a lock.
const SHARDS: usize = 32;

pub(crate) struct Lot {
    shards: [Mutex<Option<Queues>>; SHARDS],
}

impl Lot {
    const fn new() -> Self {
        Self {
            shards: [const { Mutex::new(None) }; SHARDS],
        }
    }

    fn shard(&self, address: usize) -> MutexGuard<'_, Option<Queues>> {
        self.shards[(address >> 2) % SHARDS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as `is_expected` was true at the start. Without a deadline, for ever.
    pub(crate) fn wait(
        &self,
        address: usize,
        is_expected: impl FnOnce() -> bool,
        deadline: Option<Instant>,
        waiter: &Arc<Waiter>,
    ) -> Woken {
        {
            let mut shard = self.shard(address);
            if !is_expected() {
                return Woken::NotEqual;
            }
            let queues = shard.get_or_insert_default();
            let queue = queues.entry(address).or_default();
            queue.push_back(Arc::clone(waiter));
        }
        // Whatever else may unpark this thread, the state alone ends the wait.
        let outcome = loop {
            let state = waiter.state();
            if state != WAITING {
                break state;
            }
            match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => std::thread::park(),
                Some(left) if left.is_zero() => {
                    waiter.settle(TIMED_OUT);
                }
                Some(left) => std::thread::park_timeout(left),
            }
        };
        match outcome {
            NOTIFIED => return Woken::Notified,
            TIMED_OUT => self.leave(address, waiter),
            _ => {
                self.leave(address, waiter);
                return Woken::Interrupted;
            }
        }
        Woken::TimedOut
    }

    /// Wakes up to `most` threads, those that wait longest first, and says how many it woke.
    pub(crate) fn notify(&self, address: usize, most: u32) -> u32 {
        let mut woken = 0;
        let mut shard = self.shard(address);
        let Some(queues) = shard.as_mut() else {
            return 0;
        };
        let Some(queue) = queues.get_mut(&address) else {
            return 0;
        };
        while woken < most {
            let Some(waiter) = queue.pop_front() else {
                break;
            };
            woken += u32::from(waiter.settle(NOTIFIED));
        }
        if queue.is_empty() {
            queues.remove(&address);
        }
        woken
    }

    /// Takes a waiter that nobody notified out of its queue.
    fn leave(&self, address: usize, waiter: &Arc<Waiter>) {
        let mut shard = self.shard(address);
        let Some(queues) = shard.as_mut() else {
            return;
        };
        let Some(queue) = queues.get_mut(&address) else {
            return;
        };
        queue.retain(|queued| !Arc::ptr_eq(queued, waiter));
        if queue.is_empty() {
            queues.remove(&address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    /// Threads that wait for a word, all queued.
    fn waiting(
        word: &'static AtomicU32,
        count: usize,
    ) -> Vec<(Arc<Waiter>, std::thread::JoinHandle<Woken>)> {
        let (send, receive) = std::sync::mpsc::channel();
        let threads: Vec<_> = (0..count)
            .map(|_| {
                let send = send.clone();
                std::thread::spawn(move || {
                    let waiter = Waiter::current();
                    let address = word.as_ptr() as usize;
                    let queued = || {
                        send.send(Arc::clone(&waiter)).expect("the test listens");
                        true
                    };
                    LOT.wait(address, queued, None, &waiter)
                })
            })
            .collect();
        // `is_expected` runs under the lock that the queue is filled under, so a waiter that was heard of is queued for all who take it later.
        let waiters: Vec<_> = (0..count)
            .map(|_| receive.recv().expect("a waiter"))
            .collect();
        let by_thread = |thread: &std::thread::JoinHandle<Woken>| {
            let id = thread.thread().id();
            waiters
                .iter()
                .find(|waiter| waiter.thread.id() == id)
                .map(Arc::clone)
        };
        threads
            .into_iter()
            .map(|thread| (by_thread(&thread).expect("its waiter"), thread))
            .collect()
    }

    fn word() -> &'static AtomicU32 {
        Box::leak(Box::new(AtomicU32::new(0)))
    }

    #[test]
    fn a_notification_wakes_no_more_than_it_may_and_counts_them() {
        let word = word();
        let address = word.as_ptr() as usize;
        let threads = waiting(word, 3);
        assert_eq!(LOT.notify(address, 0), 0);
        assert_eq!(LOT.notify(address, 2), 2);
        assert_eq!(LOT.notify(address, u32::MAX), 1);
        assert_eq!(LOT.notify(address, u32::MAX), 0);
        for (_, thread) in threads {
            assert_eq!(thread.join().expect("no panic"), Woken::Notified);
        }
    }

    #[test]
    fn an_interrupted_waiter_is_not_counted_and_its_neighbours_wait_on() {
        let word = word();
        let address = word.as_ptr() as usize;
        let mut threads = waiting(word, 3);
        let (waiter, thread) = threads.remove(1);
        waiter.interrupt();
        assert_eq!(thread.join().expect("no panic"), Woken::Interrupted);
        assert_eq!(LOT.notify(address, u32::MAX), 2);
        for (_, thread) in threads {
            assert_eq!(thread.join().expect("no panic"), Woken::Notified);
        }
    }

    #[test]
    fn an_interruption_before_the_wait_keeps_it_from_beginning() {
        let waiter = Waiter::current();
        waiter.interrupt();
        let address = word().as_ptr() as usize;
        assert_eq!(
            LOT.wait(address, || true, None, &waiter),
            Woken::Interrupted
        );
        assert_eq!(LOT.notify(address, 1), 0);
    }

    #[test]
    fn a_word_of_another_value_and_a_deadline_end_a_wait() {
        let address = word().as_ptr() as usize;
        let waiter = Waiter::current();
        assert_eq!(LOT.wait(address, || false, None, &waiter), Woken::NotEqual);
        for ahead in [Duration::ZERO, Duration::from_millis(1)] {
            let waiter = Waiter::current();
            let deadline = Some(Instant::now() + ahead);
            assert_eq!(
                LOT.wait(address, || true, deadline, &waiter),
                Woken::TimedOut
            );
        }
        assert_eq!(LOT.notify(address, 1), 0);
    }
}
