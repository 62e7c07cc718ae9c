//! A port's two lanes, as one thing that moves between threads.

use std::sync::Arc;

use super::ends::LaneSender;
use super::inbox::{Event, Inbox};
use super::queue::{Lane, Owner};
use super::quota::Quota;

/// One side of a channel. Dropping it closes the channel: the other side reads what was sent, and then a close.
pub(crate) struct Endpoint {
    outgoing: Arc<Lane>,
    incoming: Arc<Lane>,
}

impl Endpoint {
    /// Two endpoints that are each other's other side.
    pub(crate) fn pair() -> (Self, Self) {
        let (one, other) = (Lane::new(), Lane::new());
        (
            Self {
                outgoing: Arc::clone(&one),
                incoming: Arc::clone(&other),
            },
            Self {
                outgoing: other,
                incoming: one,
            },
        )
    }

    pub(crate) fn outgoing(&self) -> &Arc<Lane> {
        &self.outgoing
    }

    pub(crate) fn incoming(&self) -> &Arc<Lane> {
        &self.incoming
    }

    /// The endpoint now belongs to port `key` of the worker behind `inbox`, whose quota what it receives counts against. Posts a first look at the
    /// lane: signals that came while it had no receiver woke nobody.
    pub(crate) fn settle(&self, inbox: &Arc<Inbox>, key: u32, quota: Option<&Arc<Quota>>) {
        let owner = Owner::Worker {
            inbox: Arc::clone(inbox),
            key,
        };
        self.outgoing.set_sender(Some(owner.clone()));
        self.incoming.set_quota(quota.cloned());
        self.incoming.set_receiver(Some(owner));
        inbox.post(Event::Lane {
            key,
            lane: Arc::clone(&self.incoming),
        });
    }

    /// The endpoint leaves its owner; until it settles again nobody is woken, and what comes counts against the old owner's quota.
    pub(crate) fn unsettle(&self) {
        self.incoming.set_receiver(None);
        self.outgoing.set_sender(None);
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.incoming.abandon();
        LaneSender::attach(Arc::clone(&self.outgoing)).close();
    }
}
