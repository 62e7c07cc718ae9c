//! A bell that any thread rings and one thread, its owner, waits for.
//!
//! # State
//! One word:
//! | value | meaning | set by |
//! |---|---|---|
//! | `QUIET` | nobody rang since the owner last looked | owner, when it takes a ring or gives up waiting |
//! | `RUNG` | somebody did | anyone |
//! | `PARKED` | nobody did, and the owner sleeps or is about to | owner |
//!
//! and the owner's thread handle under a lock. The owner writes the handle before it goes from `QUIET` to `PARKED`;
//! ringers read it only after they have swapped `PARKED` for `RUNG`.
//!
//! # Orderings
//! `SYNC: ring` — a ring is a release swap; the owner takes it by an acquire exchange. What a ringer wrote before it
//! rang is visible to the owner after it has taken the ring, also if another ring came on top: swaps continue a release
//! sequence. Nothing more than release and acquire is needed, as all is decided on one word.
//!
//! # No ring is lost
//! - *Ring, then wait.* The owner's exchange `QUIET` → `PARKED` fails on `RUNG`: it takes the ring and does not sleep.
//! - *Wait, then ring.* The swap finds `PARKED`, so this ringer unparks the owner. If the owner has not gone to sleep
//!   yet, the unpark token makes its park return at once.
//! - *Several rings on a sleeper.* Exactly one swap finds `PARKED`: one system call. The owner takes all as one.
//! - *Park returns for no reason,* or through the token of a ring that the owner had already taken: the word still
//!   reads `PARKED`, and the owner parks again.
//! - *Time is up.* The owner swaps in `QUIET` and believes what it finds: a ring that came at the last moment counts.

use crate::sync::{
    current, park, park_timeout, Acquire, AtomicU32, Deadline, Mutex, Relaxed, Release, Thread,
};
use std::sync::PoisonError;
use std::time::Duration;

const QUIET: u32 = 0;
const RUNG: u32 = 1;
const PARKED: u32 = 2;

/// Wakes one thread. Rings are counted as one until the owner takes them.
///
/// With a lane: the producer rings when a push answers [`Signal`](crate::Pushed::Signal); the owner waits, then clears
/// the lane's signal, then drains.
///
/// ```
/// use isolane_guest_abi::Doorbell;
/// use std::{sync::Arc, thread};
///
/// let bell = Arc::new(Doorbell::new());
/// bell.claim();
/// let ringer = thread::spawn({
///     let bell = Arc::clone(&bell);
///     move || bell.ring()
/// });
/// assert!(bell.wait(None));
/// assert!(!bell.try_consume());
/// # ringer.join().unwrap();
/// ```
#[derive(Debug)]
pub struct Doorbell {
    state: AtomicU32,
    /// Whom to unpark.
    owner: Mutex<Option<Thread>>,
}

impl Doorbell {
    /// A quiet bell without an owner. It may be rung at once; the ring is kept.
    pub fn new() -> Self {
        Doorbell {
            state: AtomicU32::new(QUIET),
            owner: Mutex::new(None),
        }
    }

    /// Makes the calling thread the owner: the only one that may [wait](Doorbell::wait) from now on. A former owner must
    /// have stopped waiting.
    pub fn claim(&self) {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        *owner = Some(current());
    }

    /// Rings. Never blocks on the owner; makes at most one system call, and only if the owner sleeps.
    pub fn ring(&self) {
        // SYNC: ring
        if self.state.swap(RUNG, Release) == PARKED {
            self.unpark();
        }
    }

    #[cold]
    fn unpark(&self) {
        // The lock, not the swap, makes the handle visible: the owner held it before it parked. It is not held while
        // the owner is woken, or the owner could wake only to wait for it.
        let owner = self
            .owner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(owner) = owner {
            owner.unpark();
        }
    }

    /// Takes a ring if there is one. For the owner.
    pub fn try_consume(&self) -> bool {
        // SYNC: ring — on failure nothing is taken and nothing need be visible. The load keeps the word in the caches of those who look again and again.
        self.state.load(Relaxed) == RUNG
            && self
                .state
                .compare_exchange(RUNG, QUIET, Acquire, Relaxed)
                .is_ok()
    }

    /// Sleeps until there is a ring, and takes it: `true`. `false` if the time is up first; without a timeout it waits
    /// for ever. For the owner; a thread that is not becomes it, as by [`claim`](Doorbell::claim).
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        if self.try_consume() {
            return true;
        }
        self.claim_if_not_owner();
        let mut deadline = timeout.map(Deadline::after);
        if self
            .state
            .compare_exchange(QUIET, PARKED, Relaxed, Relaxed)
            .is_err()
        {
            // Rung in the meantime. Nobody but this thread takes a ring, so it is still there.
            return self.try_consume();
        }
        loop {
            match &mut deadline {
                None => park(),
                Some(deadline) => match deadline.remaining() {
                    Some(left) => park_timeout(left),
                    // SYNC: ring
                    None => return self.state.swap(QUIET, Acquire) == RUNG,
                },
            }
            if self.try_consume() {
                return true;
            }
        }
    }

    fn claim_if_not_owner(&self) {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        let this = current();
        if owner.as_ref().map(Thread::id) != Some(this.id()) {
            *owner = Some(this);
        }
    }
}

impl Default for Doorbell {
    fn default() -> Self {
        Self::new()
    }
}
