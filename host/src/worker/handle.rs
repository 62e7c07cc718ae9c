//! The embedder's side of a worker.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use event_listener::{Event, EventListener, Listener};

use super::control::Control;
use super::message::{Message, Refused, Structured};
use super::outcome::{Outcome, UncaughtError};
use crate::error::{PostError, RecvError, TryPostError};
use crate::lane::endpoint::Endpoint;
use crate::lane::ends::{LaneReceiver, LaneSender, Received};
use crate::lane::metrics::WorkerMetrics;
use crate::lane::queue::{Owner, Watch};

/// A running worker.
///
/// Messages posted here reach the worker's `onmessage` in order; those that the worker posts are received here in order. All methods take `&self` and
/// may be called from any thread. Dropping the handle ends the worker.
pub struct Worker {
    control: Arc<Control>,
    thread_id: u32,
    thread: Mutex<Option<JoinHandle<Outcome>>>,
    sender: Mutex<LaneSender>,
    receiver: Mutex<LaneReceiver>,
    /// Notified when the worker's lane has messages.
    arrivals: Arc<Event>,
    /// Notified when little is left of what was posted, if somebody waits for that.
    departures: Arc<Event>,
    low_threshold: AtomicUsize,
    endpoint: Endpoint,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    pub(crate) fn new(
        control: Arc<Control>,
        thread_id: u32,
        thread: JoinHandle<Outcome>,
        endpoint: Endpoint,
    ) -> Self {
        let arrivals = Arc::new(Event::new());
        endpoint
            .incoming()
            .set_receiver(Some(Owner::Embedder(Arc::clone(&arrivals))));
        let departures = Arc::new(Event::new());
        endpoint
            .outgoing()
            .set_sender(Some(Owner::Embedder(Arc::clone(&departures))));
        Self {
            control,
            thread_id,
            thread: Mutex::new(Some(thread)),
            sender: Mutex::new(LaneSender::attach(Arc::clone(endpoint.outgoing()))),
            receiver: Mutex::new(LaneReceiver::attach(Arc::clone(endpoint.incoming()))),
            arrivals,
            departures,
            low_threshold: AtomicUsize::new(0),
            endpoint,
        }
    }

    /// The worker's `threadId`.
    #[must_use]
    pub fn thread_id(&self) -> u32 {
        self.thread_id
    }

    /// Sends a message. Never blocks; the queue grows as it must, up to [`WorkerOptions::message_bytes`](crate::WorkerOptions::message_bytes).
    /// [`Worker::ready`] waits for a worker that has fallen behind.
    ///
    /// # Errors
    /// [`PostError::Closed`] if the worker has ended, [`PostError::QuotaExceeded`] if too much waits for it. A worker may still end before it reads the
    /// message.
    pub fn post(&self, message: impl Into<Message>) -> Result<(), PostError> {
        self.try_post(message).map_err(|refused| refused.error)
    }

    /// Sends a message as [`Worker::post`] does, and gives it back if it could not be sent.
    ///
    /// # Errors
    /// As [`Worker::post`].
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use isolane::{Message, PostError, Runtime, WorkerOptions};
    /// let slow = WorkerOptions::from_source("slow.mjs", "setInterval(() => {}, 1e6); await new Promise(() => {})").message_bytes(1 << 20);
    /// let worker = Runtime::new()?.spawn(slow)?;
    /// let refused = worker.try_post(vec![1; 2 << 20]).unwrap_err();
    /// assert!(matches!(refused.error, PostError::QuotaExceeded { limit: 1_048_576, .. }));
    /// assert!(matches!(refused.message, Message::Buffer(bytes) if bytes.len() == 2 << 20));
    /// # Ok(())
    /// # }
    /// ```
    pub fn try_post(&self, message: impl Into<Message>) -> Result<(), TryPostError> {
        let message = message.into();
        if self.endpoint.outgoing().is_abandoned() {
            let error = PostError::Closed;
            return Err(TryPostError { error, message });
        }
        message
            .send(&mut lock(&self.sender))
            .map_err(|Refused { error, message }| TryPostError { error, message })
    }

    /// Sends a serde value as a JavaScript object.
    ///
    /// # Errors
    /// As [`Worker::post`], and [`PostError::Value`] if the value has no JavaScript form.
    pub fn post_structured<T: serde::Serialize + ?Sized>(
        &self,
        value: &T,
    ) -> Result<(), PostError> {
        self.post(Structured::new(value)?)
    }

    /// Bytes that were posted and not received by the worker yet: 64 for each slot of its ring (a number takes one, a string of 128 units up to five);
    /// of other messages the serialised form and the buffers. 0 once the worker has ended.
    #[must_use]
    pub fn buffered_amount(&self) -> usize {
        self.endpoint.outgoing().amount()
    }

    /// Sets how many bytes may be left when [`Worker::ready`] returns. 0 at first.
    pub fn set_buffered_amount_low_threshold(&self, bytes: usize) {
        self.low_threshold.store(bytes, Ordering::Relaxed);
    }

    /// Waits until no more bytes than the threshold are left for the worker to receive. A sender that waits like this now and then holds memory flat,
    /// however slow the worker is.
    ///
    /// # Errors
    /// [`PostError::Closed`] if the worker has ended.
    pub fn ready(&self) -> Result<(), PostError> {
        while let Some(listener) = self.low_or_listen()? {
            listener.wait();
        }
        Ok(())
    }

    /// Waits as [`Worker::ready`] does, on any executor.
    ///
    /// # Errors
    /// As [`Worker::ready`].
    pub async fn ready_async(&self) -> Result<(), PostError> {
        while let Some(listener) = self.low_or_listen()? {
            listener.await;
        }
        Ok(())
    }

    /// None: little is left.
    fn low_or_listen(&self) -> Result<Option<EventListener>, PostError> {
        // Before the lane is asked: it may run low at once.
        let listener = self.departures.listen();
        let threshold = self.low_threshold.load(Ordering::Relaxed);
        match self.endpoint.outgoing().watch(threshold) {
            Watch::Low => Ok(None),
            Watch::Waiting => Ok(Some(listener)),
            Watch::Gone => Err(PostError::Closed),
        }
    }

    /// Figures of both directions of the channel between the worker and this program.
    #[must_use]
    pub fn metrics(&self) -> WorkerMetrics {
        WorkerMetrics {
            to_worker: self.endpoint.outgoing().metrics(),
            from_worker: self.endpoint.incoming().metrics(),
        }
    }

    /// Takes a message if one is there.
    ///
    /// # Errors
    /// [`RecvError::Empty`] if none is; [`RecvError::Closed`] if none will ever be.
    pub fn try_recv(&self) -> Result<Message, RecvError> {
        match lock(&self.receiver).receive() {
            Ok(Received::Slot(slot)) => Ok(Message::from_slot(slot)),
            Ok(Received::Parcel(parcel)) => Ok(Message::from_parcel(parcel)),
            Ok(Received::Nothing) => Err(RecvError::Empty),
            Ok(Received::Closed) => Err(RecvError::Closed),
            Err(corrupt) => Err(RecvError::Corrupt(corrupt.to_string())),
        }
    }

    /// Waits for a message.
    ///
    /// # Errors
    /// [`RecvError::Closed`] when the worker has ended and everything that it sent was received.
    pub fn recv(&self) -> Result<Message, RecvError> {
        self.recv_deadline(None)
    }

    /// Waits for a message, at most so long.
    ///
    /// # Errors
    /// As [`Worker::recv`], and [`RecvError::Timeout`].
    pub fn recv_timeout(&self, timeout: Duration) -> Result<Message, RecvError> {
        self.recv_deadline(Instant::now().checked_add(timeout))
    }

    fn recv_deadline(&self, deadline: Option<Instant>) -> Result<Message, RecvError> {
        loop {
            match self.try_recv() {
                Err(RecvError::Empty) => {}
                received => return received,
            }
            // Listen first and look again: a message that came in between is not slept over.
            let listener = self.arrivals.listen();
            match self.try_recv() {
                Err(RecvError::Empty) => {}
                received => return received,
            }
            match deadline {
                None => listener.wait(),
                Some(deadline) => {
                    if listener.wait_deadline(deadline).is_none() && Instant::now() >= deadline {
                        return match self.try_recv() {
                            Err(RecvError::Empty) => Err(RecvError::Timeout),
                            received => received,
                        };
                    }
                }
            }
        }
    }

    /// Waits for a message on any executor. Dropping the future loses no message.
    ///
    /// # Errors
    /// As [`Worker::recv`].
    pub async fn recv_async(&self) -> Result<Message, RecvError> {
        loop {
            match self.try_recv() {
                Err(RecvError::Empty) => {}
                received => return received,
            }
            let listener = self.arrivals.listen();
            match self.try_recv() {
                Err(RecvError::Empty) => {}
                received => return received,
            }
            listener.await;
        }
    }

    /// Ends the worker, wherever its script or its guest is, in a wait too. Returns at once; [`Worker::join`] waits.
    ///
    /// A loop that V8 has optimised and that calls nothing but built-in functions is not looked into by V8: it goes on until something else is called.
    pub fn terminate(&self) {
        self.control.terminate();
    }

    /// Waits until the worker has ended, by itself or by [`Worker::terminate`], and says how.
    #[must_use = "an uncaught error of the script is only told here"]
    pub fn join(self) -> Outcome {
        let Some(thread) = lock(&self.thread).take() else {
            return Outcome::Terminated;
        };
        thread.join().unwrap_or_else(|_| {
            let message = "the worker's thread panicked".to_owned();
            Outcome::Threw(UncaughtError {
                stack: message.clone(),
                message,
                ..UncaughtError::default()
            })
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.control.terminate();
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Worker")
            .field("thread_id", &self.thread_id)
            .finish_non_exhaustive()
    }
}
