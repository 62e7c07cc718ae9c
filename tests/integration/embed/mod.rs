//! The embedder's messages: what is posted arrives, and comes back, as it was.

mod delivery;
mod flow;
mod lanes;
mod spares;
mod values;
mod workers;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use isolane::wire::Value;
use isolane::{
    Message, Outcome, PostError, RecvError, Runtime, SpawnError, Structured, Worker, WorkerOptions,
};
use serde::{Deserialize, Serialize};

use crate::support::{
    LIMIT, block_on, eventually, join, receive, runtime, soak, spawn, spawn_with,
};

const ECHO: &str = "onmessage = ({ data }) => postMessage(data);";

#[track_caller]
fn number(message: Message) -> f64 {
    match message {
        Message::Number(number) => number,
        other => panic!("a number was expected, not {other:?}"),
    }
}

#[track_caller]
fn text(message: Message) -> String {
    match message {
        Message::String(text) => text,
        other => panic!("a string was expected, not {other:?}"),
    }
}

#[track_caller]
fn buffer(message: Message) -> isolane::Buffer {
    match message {
        Message::Buffer(buffer) => buffer,
        other => panic!("a buffer was expected, not {other:?}"),
    }
}

#[track_caller]
fn structured(message: Message) -> Structured {
    match message {
        Message::Structured(structured) => structured,
        other => panic!("a structured value was expected, not {other:?}"),
    }
}
