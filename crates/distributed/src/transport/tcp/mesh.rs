//! A connection to every other rank, with a thread for each that reads it.
//!
//! The threads read frames as soon as they arrive. So a rank that sends never waits for a rank that
//! computes, and no order of sends and receives can cause a deadlock.

use super::frame::{self, Channel, Frame};
use crate::transport::signature::Signature;
use lanthorn_ir::{Error, Result};
use std::{
    collections::VecDeque,
    io,
    net::{Shutdown, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The frames of all peers that no call has received yet.
#[derive(Default)]
struct Inbox {
    frames: Mutex<Frames>,
    arrived: Condvar,
}

#[derive(Default)]
struct Frames {
    /// By rank.
    queues: Vec<VecDeque<Frame>>,
    /// For each rank, the reason why its connection ended.
    closed: Vec<Option<String>>,
    /// The first rank that aborted, with its reason.
    aborted: Option<(usize, String)>,
}

/// A thread that panics leaves a queue before or after a complete frame, so a poisoned lock is
/// usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inbox {
    fn push(&self, from: usize, frame: Frame) {
        let mut frames = lock(&self.frames);
        if frame.channel == Channel::Abort {
            let reason = String::from_utf8_lossy(&frame.bytes).into_owned();
            frames.aborted.get_or_insert((from, reason));
        } else {
            frames.queues[from].push_back(frame);
        }
        self.arrived.notify_all();
    }

    fn close(&self, from: usize, error: &io::Error) {
        let reason = match error.kind() {
            io::ErrorKind::UnexpectedEof => "it ended, or left the group".to_string(),
            _ => error.to_string(),
        };
        lock(&self.frames).closed[from] = Some(reason);
        self.arrived.notify_all();
    }
}

/// A connection to every other rank.
pub(super) struct Mesh {
    pub rank: usize,
    timeout: Duration,
    /// By rank; `None` for this rank.
    peers: Vec<Option<Mutex<TcpStream>>>,
    inbox: Arc<Inbox>,
}

impl Mesh {
    /// Starts a thread that reads each connection. `connections` are by rank.
    pub fn new(rank: usize, connections: Vec<Option<TcpStream>>, timeout: Duration) -> Result<Mesh> {
        let failed =
            |error: io::Error| Error::distributed("init_process_group", format!("a connection failed: {error}"));
        let count = connections.len();
        let inbox = Arc::new(Inbox::default());
        {
            let mut frames = lock(&inbox.frames);
            frames.queues.resize_with(count, VecDeque::new);
            frames.closed.resize(count, None);
        }
        let mut peers = Vec::new();
        for (from, connection) in connections.into_iter().enumerate() {
            let Some(stream) = connection else {
                peers.push(None);
                continue;
            };
            let set_up = || {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(None)?;
                stream.set_write_timeout(Some(timeout))?;
                let (mut reader, inbox) = (stream.try_clone()?, inbox.clone());
                let name = format!("lanthorn-tcp-{from}");
                std::thread::Builder::new().name(name).spawn(move || {
                    let error = loop {
                        match frame::read(&mut reader) {
                            Ok(frame) => inbox.push(from, frame),
                            Err(error) => break error,
                        }
                    };
                    inbox.close(from, &error);
                })
            };
            set_up().map_err(failed)?;
            peers.push(Some(Mutex::new(stream)));
        }
        Ok(Mesh { rank, timeout, peers, inbox })
    }

    /// Returns the number of ranks.
    pub fn world_size(&self) -> usize {
        self.peers.len()
    }

    /// Sends a frame to another rank.
    pub fn send(&self, to: usize, channel: Channel, signature: Signature, bytes: &[u8]) -> Result<()> {
        let Some(peer) = &self.peers[to] else { return Ok(()) };
        let written = frame::write(&mut *lock(peer), channel, signature, bytes);
        written.map_err(|error| {
            let frames = lock(&self.inbox.frames);
            match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => self.late(to, &signature),
                _ => self.connection_error(&frames, to, &signature, &error.to_string()),
            }
        })
    }

    /// Waits for the next frame of a channel from another rank, which must belong to the same call.
    pub fn recv(&self, from: usize, channel: Channel, signature: Signature) -> Result<Vec<u8>> {
        let deadline = Instant::now().checked_add(self.timeout);
        let mut frames = lock(&self.inbox.frames);
        loop {
            let queue = &mut frames.queues[from];
            if let Some(index) = queue.iter().position(|frame| frame.channel == channel)
                && let Some(frame) = queue.remove(index)
            {
                if frame.signature == signature {
                    return Ok(frame.bytes);
                }
                return Err(signature.different(self.rank, from, &frame.signature));
            }
            if let Some(reason) = frames.closed[from].clone() {
                return Err(self.connection_error(&frames, from, &signature, &reason));
            }
            if let Some((rank, reason)) = &frames.aborted {
                return Err(gave_up(*rank, reason, &signature));
            }
            let left = deadline.map_or(self.timeout, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(self.late(from, &signature));
            }
            let waited = self.inbox.arrived.wait_timeout(frames, left);
            frames = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn late(&self, rank: usize, signature: &Signature) -> Error {
        let call = signature.describe();
        let message = format!("rank {rank} did not answer within {:?} ({call})", self.timeout);
        Error::distributed(signature.name(), message)
    }

    /// Returns the error for a connection that ended. A reason that a rank sent has priority.
    fn connection_error(&self, frames: &Frames, rank: usize, signature: &Signature, reason: &str) -> Error {
        if let Some((rank, reason)) = &frames.aborted {
            return gave_up(*rank, reason, signature);
        }
        let call = signature.describe();
        Error::distributed(signature.name(), format!("the connection to rank {rank} is gone: {reason} ({call})"))
    }

    /// Sends all other ranks the reason why this one aborts.
    pub fn abort(&self, reason: &str) {
        /// The longest time that a rank which does not read can delay this one's end.
        const PATIENCE: Duration = Duration::from_millis(200);
        for peer in self.peers.iter().flatten() {
            let mut stream = lock(peer);
            // A rank that does not receive the reason finds the connection closed.
            let _ = stream.set_write_timeout(Some(PATIENCE));
            let _ = frame::write(&mut *stream, Channel::Abort, Signature::default(), reason.as_bytes());
        }
        self.close();
    }

    /// Closes the connections in this direction. Sent data still arrive, because the threads read
    /// until the peers have closed their direction.
    pub fn close(&self) {
        for peer in self.peers.iter().flatten() {
            let _ = lock(peer).shutdown(Shutdown::Write);
        }
    }
}

fn gave_up(rank: usize, reason: &str, signature: &Signature) -> Error {
    let call = signature.describe();
    Error::distributed(signature.name(), format!("rank {rank} gave up ({reason}) during {call}"))
}
