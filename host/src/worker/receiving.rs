//! What a worker does when one of its ports has messages.

use std::rc::Rc;
use std::sync::Arc;

use super::state::WorkerState;
use super::thread::call_reporting;
use crate::lane::polled::Polled;
use crate::lane::queue::Lane;

/// A ring, or the port's own wish to come back: the port receives. True: it is still there.
pub(crate) fn receive(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    key: u32,
    lane: &Arc<Lane>,
) -> bool {
    // The port may have moved on since the signal; its new owner looks by itself.
    if !is_current(state, key, lane) {
        return false;
    }
    drain(scope, state, key, false);
    is_current(state, key, lane)
}

/// Looks at the polled lane. False: there was nothing.
pub(crate) fn poll(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    polled: &mut Option<Polled>,
) -> bool {
    let Some(lane) = polled.take_if(|lane| lane.has_messages()) else {
        return false;
    };
    let (key, position) = (lane.key(), lane.position());
    if !is_current(state, key, lane.lane()) {
        return false;
    }
    drain(scope, state, key, true);
    if lane.position() == position {
        // Nothing was taken: the port is stopped, or goes on in another segment.
        lane.retire(&state.inbox);
    } else {
        *polled = Some(lane);
    }
    true
}

/// From now on the lane is polled that was received from last.
pub(crate) fn follow(
    state: &Rc<WorkerState>,
    key: u32,
    lane: &Arc<Lane>,
    polled: &mut Option<Polled>,
) {
    if let Some(former) = polled.take() {
        former.retire(&state.inbox);
    }
    *polled = Polled::new(key, lane);
}

fn is_current(state: &WorkerState, key: u32, lane: &Arc<Lane>) -> bool {
    let ports = state.ports.borrow();
    ports
        .get(key as usize)
        .is_some_and(|port| Arc::ptr_eq(port.incoming(), lane))
}

/// `polled`: the signal stays set.
fn drain(scope: &mut v8::PinScope, state: &Rc<WorkerState>, key: u32, polled: bool) {
    v8::scope!(let scope, scope);
    let key = v8::Number::new(scope, f64::from(key)).into();
    let polled = v8::Boolean::new(scope, polled).into();
    call_reporting(scope, state, "drainPort", &[key, polled]);
}
