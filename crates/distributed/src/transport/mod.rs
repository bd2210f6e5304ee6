//! The exchange of bytes between ranks: the trait that a backend implements.
//!
//! A transport does not know tensors. A collective takes the bytes of this rank's tensors in
//! row-major order, and returns the bytes of the result. [`crate::ProcessGroup`] reads and writes
//! the tensors. So a backend is one or two files, and all backends behave alike.
//!
//! Rejected: a trait with the operations of a process group. Each backend would have to check
//! arguments, widen half types and keep the order of calls.

#[cfg(feature = "mpi")]
pub(crate) mod mpi;
#[cfg(feature = "nccl")]
pub(crate) mod nccl;
pub(crate) mod shm;
pub(crate) mod signature;
pub(crate) mod tcp;

use crate::ReduceOp;
use lanthorn_ir::{DType, Result};

/// A collective that every rank calls in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    /// Every rank passes and receives the same number of bytes.
    AllReduce(ReduceOp),
    /// Like [`Collective::AllReduce`], but only rank `root` keeps the result. The others receive
    /// their own bytes.
    Reduce(ReduceOp, usize),
    /// Every rank receives the bytes of rank `root`. The other ranks pass the same number of bytes.
    Broadcast(usize),
    /// Every rank receives the bytes of all ranks in order. All ranks pass the same number of
    /// bytes.
    AllGather,
    /// Like [`Collective::AllGather`], but only rank `root` receives the result. The others receive
    /// none.
    Gather(usize),
    /// Every rank passes a block for each rank. Rank `r` receives the reduction of the blocks `r`.
    ReduceScatter(ReduceOp),
    /// Every rank receives a block of rank `root`'s bytes. The other ranks pass none, and know the
    /// size.
    Scatter(usize),
    /// No bytes. It ends when every rank has called it.
    Barrier,
}

impl Collective {
    /// Returns PyTorch's name of the call.
    pub fn name(self) -> &'static str {
        match self {
            Collective::AllReduce(_) => "all_reduce",
            Collective::Reduce(..) => "reduce",
            Collective::Broadcast(_) => "broadcast",
            Collective::AllGather => "all_gather",
            Collective::Gather(_) => "gather",
            Collective::ReduceScatter(_) => "reduce_scatter",
            Collective::Scatter(_) => "scatter",
            Collective::Barrier => "barrier",
        }
    }
}

/// A collective, with everything that all ranks must agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub collective: Collective,
    /// The element type, equal on all ranks. Reductions have no half types.
    pub dtype: DType,
    /// The bytes of one rank's tensor or block.
    pub bytes: usize,
}

/// Waits for a message that began.
pub(crate) type Completion = Box<dyn FnOnce() -> Result<()>>;

/// The exchange of bytes between the ranks of a group.
///
/// A thread of the group runs the collectives one after another. The thread that has the tensors
/// sends and receives messages between two ranks. Every call returns within the group's timeout,
/// with an error of kind `distributed` if another rank ended, did not call, or made a different
/// call.
pub(crate) trait Transport: Send + Sync {
    /// Returns this rank.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn world_size(&self) -> usize;

    /// Runs a collective.
    fn collective(&self, call: &Call, bytes: Vec<u8>) -> Result<Vec<u8>>;

    /// Begins to send a message.
    fn send(&self, to: usize, tag: u32, dtype: DType, bytes: Vec<u8>) -> Result<Completion>;

    /// Waits for a message of `bytes` bytes.
    fn recv(&self, from: usize, tag: u32, dtype: DType, bytes: usize) -> Result<Vec<u8>>;

    /// Reports to the other ranks that this one stops, if the backend can.
    fn abort(&self, reason: &str);

    /// Closes the transport. No call follows.
    fn close(&self);
}
