//! The embedder's side of a worker.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use event_listener::{Event, Listener};

use super::control::Control;
use super::message::{Message, Structured};
use super::outcome::{Outcome, UncaughtError};
use crate::error::{PostError, RecvError};
use crate::lane::endpoint::Endpoint;
use crate::lane::queue::{LaneReceiver, LaneSender, Received, Receiver};

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
            .set_receiver(Some(Receiver::Embedder(Arc::clone(&arrivals))));
        Self {
            control,
            thread_id,
            thread: Mutex::new(Some(thread)),
            sender: Mutex::new(LaneSender::attach(Arc::clone(endpoint.outgoing()))),
            receiver: Mutex::new(LaneReceiver::attach(Arc::clone(endpoint.incoming()))),
            arrivals,
            endpoint,
        }
    }

    /// The worker's `threadId`.
    #[must_use]
    pub fn thread_id(&self) -> u32 {
        self.thread_id
    }

    /// Sends a message. Never blocks; the queue grows as it must.
    ///
    /// # Errors
    /// [`PostError::Closed`] if the worker has ended. A worker may still end before it reads the message.
    pub fn post(&self, message: impl Into<Message>) -> Result<(), PostError> {
        if self.endpoint.outgoing().is_abandoned() {
            return Err(PostError::Closed);
        }
        message.into().send(&mut lock(&self.sender))?;
        Ok(())
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
