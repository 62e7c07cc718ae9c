//! Every atomic, lock and thread operation of this crate: the real ones, or loom's models under `--cfg loom`.
//!
//! The sequentially consistent accesses are functions here because loom cannot model them as they are: it
//! treats a `SeqCst` access as acquire/release, which would let it report wake-ups lost that no machine
//! loses. Under loom each such *store* is a release store followed by a `SeqCst` fence, and each such *load*
//! an acquire load. This is the trailing-fence mapping by which C++ compilers build sequentially consistent
//! accesses for POWER, so every run that loom explores is one that the real accesses allow. The reverse does not
//! hold: a fence also orders its thread's other accesses. The argument in `segment` does not lean on that.
//!
//! Words of published slots are read relaxed, because a hostile producer may be writing them. An honest one is not,
//! so under loom they are read as if they were not atomic at all, and loom reports the race if an ordering that
//! should keep the producer away is missing. By itself it would not: it never lets a load see a later store. One
//! such ordering is beyond it: that the producer's load of `head` acquires. The fence of the push before always lies
//! between that load and the overwriting, since each push leaves a slot free.

#[cfg(not(loom))]
pub use core::sync::atomic::AtomicU32;
#[cfg(loom)]
pub use loom::sync::atomic::AtomicU32;

#[cfg(not(loom))]
use core::sync::atomic::Ordering::SeqCst;
pub(crate) use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn load_seq_cst(word: &AtomicU32) -> u32 {
    word.load(SeqCst)
}

#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn store_seq_cst(word: &AtomicU32, value: u32) {
    word.store(value, SeqCst);
}

#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn swap_seq_cst(word: &AtomicU32, value: u32) -> u32 {
    word.swap(value, SeqCst)
}

/// Reads a word by a read-modify-write: it reads the newest value, and what came before it is seen by whoever changes the
/// word next.
#[inline(always)]
pub(crate) fn add_zero(word: &AtomicU32) -> u32 {
    word.fetch_add(0, core::sync::atomic::Ordering::AcqRel)
}

/// Reads a word of a published slot.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn load_slot_word(word: &AtomicU32) -> u32 {
    word.load(Relaxed)
}

#[cfg(loom)]
mod modelled {
    use super::{Acquire, AtomicU32, Release};
    use core::sync::atomic::Ordering::{AcqRel, SeqCst};
    use loom::sync::atomic::fence;

    pub(crate) fn load_seq_cst(word: &AtomicU32) -> u32 {
        word.load(Acquire)
    }

    pub(crate) fn store_seq_cst(word: &AtomicU32, value: u32) {
        word.store(value, Release);
        fence(SeqCst);
    }

    pub(crate) fn swap_seq_cst(word: &AtomicU32, value: u32) -> u32 {
        let before = word.swap(value, AcqRel);
        fence(SeqCst);
        before
    }

    pub(crate) fn load_slot_word(word: &AtomicU32) -> u32 {
        // SAFETY: a race that this would be part of is a panic in the model.
        unsafe { word.unsync_load() }
    }
}
#[cfg(loom)]
pub(crate) use modelled::{load_seq_cst, load_slot_word, store_seq_cst, swap_seq_cst};

#[cfg(feature = "std")]
pub(crate) use self::threads::{current, park, park_timeout, Deadline, Mutex, Thread};

#[cfg(all(feature = "std", not(loom)))]
#[allow(clippy::disallowed_methods)] // the one place that may call them
mod threads {
    use std::thread;
    use std::time::{Duration, Instant};

    pub(crate) use std::sync::Mutex;
    pub(crate) use std::thread::Thread;

    // Functions, not re-exports: the lint that keeps the raw ones out of the rest sees through the latter.
    pub(crate) fn current() -> Thread {
        thread::current()
    }

    pub(crate) fn park() {
        thread::park();
    }

    pub(crate) fn park_timeout(timeout: Duration) {
        thread::park_timeout(timeout);
    }

    /// When a bounded wait ends.
    pub(crate) struct Deadline(Option<Instant>);

    impl Deadline {
        /// A deadline beyond what the clock can express never comes.
        pub(crate) fn after(timeout: Duration) -> Self {
            Deadline(Instant::now().checked_add(timeout))
        }

        /// What is left; `None` once it is over.
        pub(crate) fn remaining(&mut self) -> Option<Duration> {
            match self.0 {
                None => Some(Duration::MAX),
                Some(end) => end
                    .checked_duration_since(Instant::now())
                    .filter(|left| !left.is_zero()),
            }
        }
    }
}

#[cfg(all(feature = "std", loom))]
mod threads {
    use std::time::Duration;

    pub(crate) use loom::sync::Mutex;
    pub(crate) use loom::thread::{current, park, Thread};

    /// A model has no clock: the time is up at some point that the scheduler chooses.
    pub(crate) fn park_timeout(_: Duration) {
        loom::thread::yield_now();
    }

    /// Over after the first park, so that a model cannot wait for ever.
    pub(crate) struct Deadline(Option<Duration>);

    impl Deadline {
        pub(crate) fn after(timeout: Duration) -> Self {
            Deadline(Some(timeout))
        }

        pub(crate) fn remaining(&mut self) -> Option<Duration> {
            self.0.take()
        }
    }
}
