//! How much may wait for one worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A message was refused: what waits for the receiver has reached its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotaExceeded {
    pub(crate) limit: usize,
    /// What would be held with the message, in bytes.
    pub(crate) requested: usize,
}

/// A limit on the undelivered messages of one worker, in bytes.
///
/// Held against it are parcels, and the slots of rings that were left full; a [`Charge`] gives its part back when it is dropped. The ring that a
/// sender is filling is looked at when that sender wants more than it has, and costs nothing until then: posting a primitive stays free of it.
pub(crate) struct Quota {
    limit: usize,
    held: AtomicUsize,
}

impl Quota {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: AtomicUsize::new(0),
        })
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Holds so many bytes, if there is room for them and for others `beside` them, which are not held.
    pub(crate) fn charge(
        self: &Arc<Self>,
        bytes: usize,
        beside: usize,
    ) -> Result<Charge, QuotaExceeded> {
        let add = |held: usize| {
            let after = held.saturating_add(bytes);
            (after.saturating_add(beside) <= self.limit).then_some(after)
        };
        // Relaxed: only the number matters; what it counts is handed over by the lanes.
        self.held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .map_err(|held| QuotaExceeded {
                limit: self.limit,
                requested: held.saturating_add(bytes).saturating_add(beside),
            })?;
        Ok(Charge {
            quota: Arc::clone(self),
            bytes,
        })
    }

    /// Holds them whatever the limit says: for what cannot be refused any more.
    pub(crate) fn charge_anyway(self: &Arc<Self>, bytes: usize) -> Charge {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Charge {
            quota: Arc::clone(self),
            bytes,
        }
    }
}

/// Bytes that are held against a quota until this is dropped.
pub(crate) struct Charge {
    quota: Arc<Quota>,
    bytes: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.quota.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_whole_again_when_its_charges_are_dropped() {
        let quota = Quota::new(100);
        let first = quota.charge(60, 0).expect("there is room");
        let refused = quota.charge(30, 20).err();
        assert_eq!(
            refused,
            Some(QuotaExceeded {
                limit: 100,
                requested: 110
            })
        );
        let beside = quota.charge(30, 10).expect("just fits");
        let forced = quota.charge_anyway(50);
        assert!(quota.charge(0, 0).is_err());
        drop((first, beside, forced));
        assert!(quota.charge(100, 0).is_ok());
        assert!(quota.charge(usize::MAX, usize::MAX).is_err());
    }
}
