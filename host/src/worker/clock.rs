//! A worker's clock: time since its origin (HR-Time §4), exact, or cheap for what happens many times in a microsecond.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Steps of the processor's counter for which a time that was read stays the time: a few microseconds, far below the 100 that HR-Time §7 ("coarsen
/// time") allows.
const STEPS: u64 = if cfg!(target_arch = "x86_64") {
    1 << 14
} else {
    1 << 10
};

pub(crate) struct Clock {
    origin: Instant,
    /// The last time that was read, and the counter then.
    read: Cell<(Duration, u64)>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            origin: Instant::now(),
            read: Cell::new((Duration::ZERO, counter().unwrap_or(0))),
        }
    }

    /// The exact time.
    pub(crate) fn now(&self) -> Duration {
        let now = self.origin.elapsed();
        self.read.set((now, counter().unwrap_or(0)));
        now
    }

    /// A time that is at most a few microseconds past, and not before any that was read. The system's clock is asked when the processor's counter has
    /// moved on: it costs as much as a message does.
    pub(crate) fn coarse(&self) -> Duration {
        let (time, at) = self.read.get();
        match counter() {
            // A counter that went back (the thread moved to a processor whose counter lags) is far ahead.
            Some(counter) if counter.wrapping_sub(at) < STEPS => time,
            _ => self.now(),
        }
    }
}

/// One number that the script side reads: the time of the event that is delivered.
pub(crate) struct MessageClock(pub(crate) v8::SharedRef<v8::BackingStore>);

impl MessageClock {
    pub(crate) fn new(isolate: &mut v8::Isolate) -> Self {
        let store = v8::ArrayBuffer::new_backing_store(isolate, size_of::<f64>());
        Self(store.make_shared())
    }

    /// In milliseconds.
    pub(crate) fn write(&self, time: Duration) {
        let number = (time.as_secs_f64() * 1e3).to_ne_bytes();
        if let Some(place) = self.0.get(..number.len()) {
            for (cell, byte) in place.iter().zip(number) {
                cell.set(byte);
            }
        }
    }
}

/// A counter of the processor that runs at one rate (the x86 time stamp counter does since 2008), if there is one that is cheap to read.
fn counter() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor has the instruction.
        Some(unsafe { std::arch::x86_64::_rdtsc() })
    }
    #[cfg(target_arch = "aarch64")]
    {
        let counter: u64;
        // SAFETY: reads a register that the architecture gives every program.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) counter, options(nomem, nostack)) };
        Some(counter)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reading_of_either_kind_goes_back() {
        let clock = Clock::start();
        let mut last = Duration::ZERO;
        for round in 0..100_000 {
            let time = if round % 3 == 0 {
                clock.now()
            } else {
                clock.coarse()
            };
            assert!(time >= last, "{time:?} after {last:?}");
            last = time;
        }
    }

    #[test]
    fn coarse_time_follows_the_exact_one() {
        let clock = Clock::start();
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.coarse() >= Duration::from_millis(2));
    }
}
