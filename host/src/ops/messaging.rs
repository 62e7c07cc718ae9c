//! Ports and their lanes. The glue writes and reads the slots itself (`js-glue/src/messaging/lane.js`); the host is asked for memory, parcels and
//! signals.

use std::sync::Arc;

use super::prelude::*;
use super::throw_quota_exceeded;
use crate::clone::parcel::Parcel;
use crate::clone::{deserialize, text};
use crate::lane::endpoint::Endpoint;
use crate::lane::ends::LaneReceiver;
use crate::lane::inbox::Event;
use crate::lane::queue::{Lane, Watch};
use crate::lane::segment::SegmentMemory;
use crate::worker::state::WorkerState;

pub(super) fn outgoing(scope: &mut v8::PinScope, key: u32) -> Option<Arc<Lane>> {
    Some(Arc::clone(
        WorkerState::of(scope)?
            .ports
            .borrow()
            .get(key as usize)?
            .outgoing(),
    ))
}

pub(super) fn incoming(scope: &mut v8::PinScope, key: u32) -> Option<Arc<Lane>> {
    Some(Arc::clone(
        WorkerState::of(scope)?
            .ports
            .borrow()
            .get(key as usize)?
            .incoming(),
    ))
}

fn set_buffer(
    scope: &mut v8::PinScope,
    rv: &mut v8::ReturnValue,
    segment: Option<Arc<SegmentMemory>>,
) {
    if let Some(segment) = segment {
        rv.set(segment.shared_buffer(scope).into());
    }
}

/// `ops.channelCreate() -> [key, key]`: two ports of this worker that are each other's other side.
pub(crate) fn channel_create(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let (one, other) = Endpoint::pair();
    let keys = [one, other].map(|endpoint| state.add_port(endpoint));
    let keys = keys.map(|key| v8::Number::new(scope, f64::from(key)).into());
    rv.set(v8::Array::new_with_elements(scope, &keys).into());
}

/// `ops.laneBuffer(key, sending) -> SharedArrayBuffer`: the segment at the port's sending or receiving end.
pub(crate) fn lane_buffer(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    let segment = if boolean(scope, args.get(1)) {
        outgoing(scope, key).and_then(|lane| lane.sending_segment())
    } else {
        incoming(scope, key).and_then(|lane| lane.receiving_segment())
    };
    set_buffer(scope, &mut rv, segment);
}

/// `ops.laneSignal(key)`: wakes the other side.
pub(crate) fn lane_signal(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    if let Some(lane) = outgoing(scope, key) {
        lane.signal();
    }
}

/// `ops.laneGrow(key, forced) -> SharedArrayBuffer | undefined`: a larger segment behind a full one, which has a link to it by then; none if nobody will
/// ever read it. Throws if the receiver's quota does not let it; never if `forced`: what is sent then cannot be refused any more.
pub(crate) fn lane_grow(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (key, forced) = (uint(scope, args.get(0)), boolean(scope, args.get(1)));
    let Some(lane) = outgoing(scope, key).filter(|lane| !lane.is_abandoned()) else {
        return;
    };
    match lane.link_segment(forced) {
        Ok(segment) => set_buffer(scope, &mut rv, Some(segment)),
        Err(refused) => throw_quota_exceeded(scope, refused),
    }
}

/// `ops.laneIsIdle(key) -> boolean`: asks to be woken for the next message, and then tells whether there is none yet.
pub(crate) fn lane_is_idle(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    let idle = incoming(scope, key)
        .is_some_and(|lane| !lane.is_used() || LaneReceiver::attach(lane).is_idle());
    rv.set_bool(idle);
}

/// `ops.laneBuffered(key) -> number`: bytes that the port sent and the other side did not receive yet.
pub(crate) fn lane_buffered(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    let amount = outgoing(scope, key).map_or(0, |lane| lane.amount());
    rv.set_double(amount as f64);
}

/// `ops.laneWatch(key, bytes, always) -> number`: asks to be told (`portLow`) when no more than so many bytes are left to receive. 0: it is so already;
/// 1: that will be told; 2: nobody receives any more. `always`: 0 and 2 are told as well, and the answer is 1.
pub(crate) fn lane_watch(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    // A number beyond `usize` is as good as its largest.
    let bytes = args.get(1).number_value(scope).unwrap_or(0.0) as usize;
    let (Some(lane), Some(state)) = (outgoing(scope, key), WorkerState::of(scope)) else {
        return rv.set_uint32(2);
    };
    let mut watch = lane.watch(bytes);
    if watch != Watch::Waiting && boolean(scope, args.get(2)) {
        state.inbox.post(Event::Low { key, lane });
        watch = Watch::Waiting;
    }
    rv.set_uint32(match watch {
        Watch::Low => 0,
        Watch::Waiting => 1,
        Watch::Gone => 2,
    });
}

/// `ops.laneReceived(key)`: the port took messages of a lane whose sender waits for few to be left.
pub(crate) fn lane_received(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    if let Some(lane) = incoming(scope, key) {
        lane.note_received();
    }
}

/// `ops.laneFollow(key) -> SharedArrayBuffer | undefined`: the segment behind the one that ended in a LINK, which is freed.
pub(crate) fn lane_follow(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    let segment = incoming(scope, key).and_then(|lane| lane.follow_link());
    set_buffer(scope, &mut rv, segment);
}

/// The units of a string in a lane's segment: `length` units of `T` from byte `offset` on. None if they are not all within the view, or not aligned.
fn units<T>(bytes: v8::Local<v8::Value>, offset: u32, length: usize) -> Option<*mut T> {
    let view = bytes.try_cast::<v8::Uint8Array>().ok()?;
    let end = (offset as usize).checked_add(length.checked_mul(size_of::<T>())?)?;
    if end > view.byte_length() {
        return None;
    }
    // SAFETY: the offset is within the view's bytes.
    let start = unsafe { view.data().cast::<u8>().add(offset as usize) }.cast::<T>();
    (!start.is_null() && start.is_aligned()).then_some(start)
}

/// `ops.laneReadText(bytes, offset, length, twoByte) -> string`: a string that lies in one piece in a segment, whose slots are the caller's.
pub(crate) fn lane_read_text(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (offset, length) = (uint(scope, args.get(1)), uint(scope, args.get(2)) as usize);
    let kind = v8::NewStringType::Normal;
    let text = if boolean(scope, args.get(3)) {
        units::<u16>(args.get(0), offset, length).and_then(|start| {
            // SAFETY: `units` found them in the segment, which its buffer keeps, and until the reader moves `head` the writer does not touch its slots
            // (`SYNC: slot-free` in `isolane_guest_abi`).
            let units = unsafe { std::slice::from_raw_parts(start, length) };
            v8::String::new_from_two_byte(scope, units, kind)
        })
    } else {
        units::<u8>(args.get(0), offset, length).and_then(|start| {
            // SAFETY: as above.
            let units = unsafe { std::slice::from_raw_parts(start, length) };
            v8::String::new_from_one_byte(scope, units, kind)
        })
    };
    match text {
        Some(text) => rv.set(text.into()),
        None => throw_error(scope, "the lane is corrupt: a string leaves its segment"),
    }
}

/// `ops.laneWriteText(bytes, offset, text) -> boolean`: writes a string in one piece into free slots of a segment; true: one byte a unit, false: two.
pub(crate) fn lane_write_text(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Ok(text) = args.get(2).try_cast::<v8::String>() else {
        return;
    };
    let (offset, length) = (uint(scope, args.get(1)), text.length());
    let one_byte = text.contains_only_onebyte();
    let flags = v8::WriteFlags::empty();
    let written = if one_byte {
        units::<u8>(args.get(0), offset, length).map(|start| {
            // SAFETY: `units` found them in the segment, which its buffer keeps, and the slots are the writer's until it moves `tail`
            // (`SYNC: slot-ready` in `isolane_guest_abi`).
            let units = unsafe { std::slice::from_raw_parts_mut(start, length) };
            text.write_one_byte_v2(scope, 0, units, flags);
        })
    } else {
        units::<u16>(args.get(0), offset, length).map(|start| {
            // SAFETY: as above.
            let units = unsafe { std::slice::from_raw_parts_mut(start, length) };
            text.write_v2(scope, 0, units, flags);
        })
    };
    match written {
        Some(()) => rv.set_bool(one_byte),
        None => throw_error(scope, "a string leaves its segment"),
    }
}

/// `ops.laneRequeue(key)`: the port has more to read, and other work gets its turn first.
pub(crate) fn lane_requeue(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    if let (Some(lane), Some(state)) = (incoming(scope, key), WorkerState::of(scope)) {
        state.inbox.post(Event::Lane { key, lane });
    }
}

/// `ops.lanePushParcel(key, parcel) -> number | undefined`: the number for the PARCEL slot, which must be pushed next; none if nobody will read it.
pub(crate) fn lane_push_parcel(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (key, parcel) = (uint(scope, args.get(0)), uint(scope, args.get(1)));
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let Some(parcel) = state.parcels.borrow_mut().try_remove(parcel as usize) else {
        return;
    };
    let Some(lane) = outgoing(scope, key).filter(|lane| !lane.is_abandoned()) else {
        return;
    };
    // A port that is sent through its own channel could be read by nobody but itself: the message is lost, and the channel with it (HTML §9.4.4, "doomed").
    // Dropping the parcel closes the port.
    if !parcel
        .ports
        .iter()
        .any(|port| Arc::ptr_eq(port.incoming(), &lane))
    {
        rv.set_uint32(lane.push_parcel(parcel));
    }
}

/// `ops.lanePushText(key, text) -> number | undefined`: as `lanePushParcel`, of a parcel that is a string. Throws, and sends nothing, if the receiver's quota
/// is used up.
pub(crate) fn lane_push_text(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    let Ok(text) = args.get(1).try_cast::<v8::String>() else {
        return;
    };
    let Some(lane) = outgoing(scope, key).filter(|lane| !lane.is_abandoned()) else {
        return;
    };
    let Some(bytes) = text::write(scope, text) else {
        throw_error(scope, "a string is too long to be sent");
        return;
    };
    let mut parcel = Parcel {
        bytes,
        ..Parcel::default()
    };
    match lane.charge_parcel(parcel.byte_length()) {
        Ok(charge) => parcel.charge = charge,
        Err(refused) => return throw_quota_exceeded(scope, refused),
    }
    rv.set_uint32(lane.push_parcel(parcel));
}

/// `ops.lanePopParcel(key, number, ports) -> any`: reads the parcel of the slot that was popped last; its ports are added to the array. Throws if the
/// value cannot be made here.
pub(crate) fn lane_pop_parcel<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let (key, number) = (uint(scope, args.get(0)), uint(scope, args.get(1)));
    let ports = args.get(2).try_cast::<v8::Array>().ok();
    match incoming(scope, key).and_then(|lane| lane.pop_parcel(number)) {
        Some(parcel) => {
            if let Some(value) = deserialize::deserialize(scope, parcel, ports) {
                rv.set(value);
            }
        }
        None => throw_error(
            scope,
            "the lane is corrupt: a slot names a parcel that is not there",
        ),
    }
}

/// `ops.portClose(key)`: the other side reads what was sent, and then a close.
pub(crate) fn port_close(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let key = uint(scope, args.get(0));
    drop(WorkerState::of(scope).and_then(|state| state.remove_port(key)));
}
