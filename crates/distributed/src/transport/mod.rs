//! How ranks exchange bytes: the one trait that a backend implements.
//!
//! A transport knows no tensor. A collective takes the bytes of this rank's tensors, in row-major
//! order, and gives those of the result; [`crate::ProcessGroup`] reads and writes the tensors. So a
//! backend is a file or two, and all of them behave the same to their callers.
//!
//! Rejected: the operations of a process group as the trait. Each backend would then check
//! arguments, widen half types and keep the order of calls again.

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
    /// As many bytes on every rank, and as many of the result.
    AllReduce(ReduceOp),
    /// [`Collective::AllReduce`] of which rank `root` keeps the result; the others get their own
    /// bytes back.
    Reduce(ReduceOp, usize),
    /// The bytes of rank `root`; the other ranks give as many.
    Broadcast(usize),
    /// The bytes of all ranks in their order; as many on every rank.
    AllGather,
    /// [`Collective::AllGather`] whose result only rank `root` gets; the others get none.
    Gather(usize),
    /// A part of the reduction for every rank: a block for each is given, and one is the result.
    ReduceScatter(ReduceOp),
    /// A block of rank `root`'s bytes for every rank; the others give none, and know the size.
    Scatter(usize),
    /// No bytes; ends when every rank has called it.
    Barrier,
}

impl Collective {
    /// PyTorch's name of the call.
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

/// A collective with what all ranks must agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub collective: Collective,
    /// The element type: of all ranks the same, and no half type where elements are reduced.
    pub dtype: DType,
    /// The bytes of one rank's share: of its own tensor, or of one block.
    pub bytes: usize,
}

/// A message between two ranks that began; the caller waits for it.
pub(crate) type Completion = Box<dyn FnOnce() -> Result<()>>;

/// The exchange of bytes between the ranks of a group.
///
/// A thread of the group runs the collectives one after another; messages between two ranks come
/// from the thread that has the tensors. Every call ends within the group's timeout, with an error
/// of kind `distributed` if another rank ended, did not come, or called something else.
pub(crate) trait Transport: Send + Sync {
    /// This rank.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn world_size(&self) -> usize;

    /// Runs a collective.
    fn collective(&self, call: &Call, bytes: Vec<u8>) -> Result<Vec<u8>>;

    /// Begins to send a message.
    fn send(&self, to: usize, tag: u32, dtype: DType, bytes: Vec<u8>) -> Result<Completion>;

    /// Waits for a message of `bytes` bytes.
    fn recv(&self, from: usize, tag: u32, dtype: DType, bytes: usize) -> Result<Vec<u8>>;

    /// Tells the other ranks that this one cannot go on, as far as the backend can.
    fn abort(&self, reason: &str);

    /// Ends the exchange. Nothing is called after it.
    fn close(&self);
}
