//! What a lane tells of itself.

/// One direction of a worker's channel, at one moment. All bytes are counted as [`Worker::buffered_amount`](crate::Worker::buffered_amount) counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LaneMetrics {
    /// Messages that were sent and not received yet.
    pub depth: u64,
    /// Bytes of those messages.
    pub bytes: u64,
    /// The most bytes that waited so far, as seen when a message did not fit the ring and whenever metrics were asked for: a ring that never filled
    /// is not looked at in between.
    pub high_water_bytes: u64,
    /// Messages ever sent.
    pub messages_sent: u64,
    /// Bytes ever sent.
    pub bytes_sent: u64,
    /// Messages among them that travelled beside the ring: objects, buffers, strings of more than 128 units.
    pub parcels_sent: u64,
    /// Times that the receiver was told to look. A burst to a receiver that is awake needs one at most.
    pub wakes: u64,
    /// Times that the ring was full and a new one was opened behind it.
    pub spills: u64,
    /// Bytes of the rings; parcels are not among them.
    pub memory: u64,
}

/// Both directions of a worker's channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WorkerMetrics {
    /// From the embedding program to the worker.
    pub to_worker: LaneMetrics,
    /// From the worker to the embedding program.
    pub from_worker: LaneMetrics,
}
