//! How long a worker looks for its next event before it sleeps.
//!
//! To sleep and be woken costs a worker about as much as tens of messages do. To look for the next event all that time instead costs at most twice what
//! the better choice would have (the competitive choice of ski rental), and often nothing, since between workers that talk the answer is there long
//! before. But a core that looks is one that does not work, so a worker looks only
//! - if its recent waits were short: one that is idle sleeps at once, and a process of idle workers uses no processor;
//! - if no more workers are awake than there are cores: where others want the core, it is theirs.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

/// What a wake-up costs until it has been measured, in nanoseconds.
const ASSUMED: u32 = 25_000;
/// Bounds of what is believed of a measurement, on a machine that others use too.
const BELIEVED: std::ops::RangeInclusive<u32> = 10_000..=60_000;
/// Waits up to so many wake-ups count as short. Two workers that still sleep between their messages wait for two each, and what they do besides.
const SHORT: u32 = 6;
/// Longer waits count as this one, so that a few short ones outweigh it, in nanoseconds.
const LONGEST: u32 = 1_000_000;

/// Looks before the clock is asked, and what they are taken to last.
const GLANCES: u32 = 40;
const GLANCED: Duration = Duration::from_micros(1);

/// Nanoseconds that it takes to wake a thread.
// Relaxed, as all words here: each is a figure by itself, and one that is late costs a little time.
static WAKE_UP: AtomicU32 = AtomicU32::new(ASSUMED);
/// Workers' threads that do not sleep.
static AWAKE: AtomicUsize = AtomicUsize::new(0);

/// A worker's thread that runs. Counted until it is dropped.
pub(crate) struct Awake(());

impl Awake {
    pub(crate) fn new() -> Self {
        AWAKE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        AWAKE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sleeps by `sleep`, which counts as sleep.
pub(crate) fn asleep<R>(sleep: impl FnOnce() -> R) -> R {
    AWAKE.fetch_sub(1, Ordering::Relaxed);
    let result = sleep();
    AWAKE.fetch_add(1, Ordering::Relaxed);
    result
}

/// What a worker has seen of its waits.
#[derive(Default)]
pub(crate) struct Patience {
    /// A moving mean of the recent waits, in nanoseconds. Only the waiting thread uses it.
    recent: AtomicU32,
}

impl Patience {
    /// Whether what comes next is likely to come soon, and no other worker wants the core.
    pub(crate) fn is_worthwhile(&self) -> bool {
        let wake_up = WAKE_UP.load(Ordering::Relaxed);
        self.recent.load(Ordering::Relaxed) <= wake_up.saturating_mul(SHORT) && !is_crowded()
    }

    /// Looks whether `has_come` for less time than it takes to read the clock some times. What is there by then is noted as a short wait.
    pub(crate) fn glance(&self, has_come: impl Fn() -> bool) -> bool {
        for _ in 0..GLANCES {
            if has_come() {
                self.note(GLANCED);
                return true;
            }
            std::hint::spin_loop();
        }
        false
    }

    /// Looks for a while whether `has_come`. For when it [is worthwhile](Self::is_worthwhile).
    pub(crate) fn look(&self, timeout: Option<Duration>, has_come: impl Fn() -> bool) -> bool {
        let wake_up = WAKE_UP.load(Ordering::Relaxed);
        let most = Duration::from_nanos(u64::from(wake_up));
        let most = timeout.map_or(most, |timeout| timeout.min(most));
        let begin = Instant::now();
        loop {
            // The clock costs more than a look.
            for _ in 0..32 {
                if has_come() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if begin.elapsed() >= most || is_crowded() {
                return false;
            }
        }
    }

    /// Takes note of how long a wait was.
    pub(crate) fn note(&self, wait: Duration) {
        let wait = u32::try_from(wait.as_nanos())
            .unwrap_or(LONGEST)
            .min(LONGEST);
        let recent = self.recent.load(Ordering::Relaxed);
        self.recent
            .store(recent - recent / 4 + wait / 4, Ordering::Relaxed);
    }
}

fn is_crowded() -> bool {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES
        .get_or_init(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    cores == 1 || AWAKE.load(Ordering::Relaxed) > cores
}

/// Measures, once in the process and beside all else, what a wake-up costs here.
pub(crate) fn measure() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let thread = std::thread::Builder::new().name("isolane-measure".to_owned());
        // Without it, the assumption has to do.
        let _thread = thread.spawn(|| {
            if let Some(wake_up) = time_of_wake_up() {
                let wake_up = wake_up.clamp(*BELIEVED.start(), *BELIEVED.end());
                WAKE_UP.store(wake_up, Ordering::Relaxed);
            }
        });
    });
}

/// The median of some wake-ups of a thread that has slept long enough for its core to sleep as well: one of a thread that has just gone to sleep, perhaps
/// on the same core, is much cheaper and not what workers see.
fn time_of_wake_up() -> Option<u32> {
    const ROUNDS: usize = 15;
    const SLEEP: Duration = Duration::from_micros(200);
    let (send, receive) = std::sync::mpsc::sync_channel::<Instant>(1);
    let thread = std::thread::Builder::new().name("isolane-measure".to_owned());
    // A thread that waits for a channel sleeps as a worker does: by a futex.
    let thread = thread
        .spawn(move || {
            receive
                .iter()
                .map(|sent| sent.elapsed())
                .collect::<Vec<_>>()
        })
        .ok()?;
    for _ in 0..ROUNDS {
        std::thread::sleep(SLEEP);
        send.send(Instant::now()).ok()?;
    }
    drop(send);
    let mut wake_ups = thread.join().ok()?;
    wake_ups.sort();
    let median = wake_ups.get(wake_ups.len() / 2)?;
    u32::try_from(median.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_workers_do_not_look_and_busy_ones_do() {
        let patience = Patience::default();
        assert!(
            patience.is_worthwhile() || is_crowded(),
            "at first it is worth a look"
        );
        for _ in 0..10 {
            patience.note(Duration::from_secs(1));
        }
        assert!(
            !patience.is_worthwhile(),
            "long waits make it sleep at once"
        );
        for _ in 0..40 {
            patience.note(Duration::from_micros(1));
        }
        assert!(
            patience.is_worthwhile() || is_crowded(),
            "short ones make it look again"
        );
    }

    #[test]
    fn a_look_ends_by_itself() {
        let patience = Patience::default();
        assert!(!patience.glance(|| false));
        assert!(!patience.look(None, || false));
        assert!(!patience.look(Some(Duration::ZERO), || false));
    }

    #[test]
    fn a_wake_up_can_be_measured() {
        assert!(time_of_wake_up().is_some());
    }
}
