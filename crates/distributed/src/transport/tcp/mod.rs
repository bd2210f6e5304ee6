//! The backend `tcp`: connections between all ranks with `std` only, and the algorithms of the
//! collectives.
//!
//! A reduction is a ring: for every element, a chain of ranks computes the sum, and then passes it
//! on. The order of ranks depends only on their number and the element's position. So all ranks
//! have bitwise equal results, and repeated runs too. Rejected: a tree for small tensors. It is
//! faster on many machines, but its results would differ from the ring's, so the size of a tensor
//! would change the bits.

mod frame;
mod mesh;
mod rendezvous;

use super::{Call, Collective, Completion, Transport, signature::Signature};
use crate::{
    InitOptions, ReduceOp,
    reduce::{combine, divide},
};
use frame::Channel;
use lanthorn_ir::{DType, Result};
use mesh::Mesh;
use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

/// The transport over TCP.
pub(crate) struct Tcp {
    mesh: Mesh,
    /// The number of collectives so far.
    calls: AtomicU64,
}

/// A collective in progress.
struct Exchange<'a> {
    mesh: &'a Mesh,
    channel: Channel,
    signature: Signature,
}

impl Tcp {
    /// Connects to all ranks.
    pub fn new(options: &InitOptions) -> Result<Tcp> {
        let connections = rendezvous::connect(options)?;
        let rank = options.rank("init_process_group")?;
        Ok(Tcp { mesh: Mesh::new(rank, connections, options.timeout)?, calls: AtomicU64::new(0) })
    }
}

impl Tcp {
    /// Compares the calls of the ranks, for a backend that does not.
    pub fn compare(&self, call: &Call) -> Result<()> {
        let own = Signature::of(call);
        let gather = Call { collective: Collective::AllGather, dtype: DType::U8, bytes: Signature::SIZE };
        let all = self.collective(&gather, own.to_bytes().to_vec())?;
        own.compare(self.rank(), &all)
    }
}

impl Exchange<'_> {
    fn rank(&self) -> usize {
        self.mesh.rank
    }

    fn ranks(&self) -> usize {
        self.mesh.world_size()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        self.mesh.send(to, self.channel, self.signature, bytes)
    }

    fn recv(&self, from: usize) -> Result<Vec<u8>> {
        self.mesh.recv(from, self.channel, self.signature)
    }

    /// Sends to the next rank of the ring, and receives from the previous one.
    fn shift(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        self.send((self.rank() + 1) % self.ranks(), bytes)?;
        self.recv((self.rank() + self.ranks() - 1) % self.ranks())
    }

    /// The first half of the ring. Afterwards rank `r` has the reduction of chunk `r`. Chunk `c` is
    /// combined in the order of ranks from `c + 1`.
    fn reduce_chunks(&self, op: ReduceOp, dtype: DType, bytes: &mut [u8], chunks: &[Range<usize>]) -> Result<()> {
        let (rank, ranks) = (self.rank(), self.ranks());
        for step in 1..ranks {
            let sent = &bytes[chunks[(rank + ranks - step) % ranks].clone()];
            let mut total = self.shift(sent)?;
            let own = chunks[(rank + 2 * ranks - step - 1) % ranks].clone();
            combine(op, dtype, &mut total, &bytes[own.clone()]);
            bytes[own].copy_from_slice(&total);
        }
        divide(op, dtype, &mut bytes[chunks[rank].clone()], ranks);
        Ok(())
    }

    /// The second half: rank `r` begins with chunk `r`, and ends with all chunks.
    fn gather_chunks(&self, bytes: &mut [u8], chunks: &[Range<usize>]) -> Result<()> {
        let (rank, ranks) = (self.rank(), self.ranks());
        for step in 0..ranks - 1 {
            let received = self.shift(&bytes[chunks[(rank + ranks - step) % ranks].clone()])?;
            bytes[chunks[(rank + 2 * ranks - step - 1) % ranks].clone()].copy_from_slice(&received);
        }
        Ok(())
    }

    /// A binomial tree from `root`: in every round, the number of ranks with the bytes doubles.
    fn broadcast(&self, root: usize, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let ranks = self.ranks();
        let relative = (self.rank() + ranks - root) % ranks;
        let absolute = |relative: usize| (relative + root) % ranks;
        let mut distance = ranks.next_power_of_two();
        if relative > 0 {
            distance = 1 << relative.trailing_zeros();
            bytes = self.recv(absolute(relative - distance))?;
        }
        while distance > 1 {
            distance /= 2;
            if relative + distance < ranks {
                self.send(absolute(relative + distance), &bytes)?;
            }
        }
        Ok(bytes)
    }

    fn gather(&self, root: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
        if self.rank() != root {
            self.send(root, &bytes)?;
            return Ok(vec![]);
        }
        let mut all = Vec::with_capacity(bytes.len() * self.ranks());
        for from in 0..self.ranks() {
            if from == root {
                all.extend_from_slice(&bytes);
            } else {
                all.extend(self.recv(from)?);
            }
        }
        Ok(all)
    }

    fn scatter(&self, root: usize, share: usize, bytes: &[u8]) -> Result<Vec<u8>> {
        if self.rank() != root {
            return self.recv(root);
        }
        let block = |rank: usize| &bytes[rank * share..(rank + 1) * share];
        for to in (0..self.ranks()).filter(|to| *to != root) {
            self.send(to, block(to))?;
        }
        Ok(block(root).to_vec())
    }

    fn all_gather(&self, share: usize, bytes: &[u8]) -> Result<Vec<u8>> {
        let blocks: Vec<Range<usize>> = (0..self.ranks()).map(|rank| rank * share..(rank + 1) * share).collect();
        let mut all = vec![0; share * self.ranks()];
        all[blocks[self.rank()].clone()].copy_from_slice(bytes);
        self.gather_chunks(&mut all, &blocks)?;
        Ok(all)
    }
}

/// Splits elements into a part for each rank, in bytes. The first parts may have one element more.
pub(super) fn parts(bytes: usize, size: usize, ranks: usize) -> Vec<Range<usize>> {
    let elements = bytes / size;
    let begin = |rank: usize| (rank * (elements / ranks) + rank.min(elements % ranks)) * size;
    (0..ranks).map(|rank| begin(rank)..begin(rank + 1)).collect()
}

impl Transport for Tcp {
    fn rank(&self) -> usize {
        self.mesh.rank
    }

    fn world_size(&self) -> usize {
        self.mesh.world_size()
    }

    fn collective(&self, call: &Call, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let channel = Channel::Collective(self.calls.fetch_add(1, Ordering::Relaxed));
        let exchange = Exchange { mesh: &self.mesh, channel, signature: Signature::of(call) };
        let (rank, ranks) = (self.mesh.rank, self.mesh.world_size());
        match call.collective {
            Collective::AllReduce(op) => {
                let chunks = parts(bytes.len(), call.dtype.size(), ranks);
                exchange.reduce_chunks(op, call.dtype, &mut bytes, &chunks)?;
                exchange.gather_chunks(&mut bytes, &chunks)?;
                Ok(bytes)
            }
            Collective::Reduce(op, root) => {
                let chunks = parts(bytes.len(), call.dtype.size(), ranks);
                let mut total = bytes.clone();
                exchange.reduce_chunks(op, call.dtype, &mut total, &chunks)?;
                // The chunks of the ranks differ in length, and follow in the order of ranks.
                let all = exchange.gather(root, total[chunks[rank].clone()].to_vec())?;
                Ok(if rank == root { all } else { bytes })
            }
            Collective::ReduceScatter(op) => {
                let blocks: Vec<_> = (0..ranks).map(|rank| rank * call.bytes..(rank + 1) * call.bytes).collect();
                exchange.reduce_chunks(op, call.dtype, &mut bytes, &blocks)?;
                Ok(bytes[blocks[rank].clone()].to_vec())
            }
            Collective::Broadcast(root) => exchange.broadcast(root, bytes),
            Collective::AllGather => exchange.all_gather(call.bytes, &bytes),
            Collective::Gather(root) => exchange.gather(root, bytes),
            Collective::Scatter(root) => exchange.scatter(root, call.bytes, &bytes),
            Collective::Barrier => exchange.all_gather(0, &[]),
        }
    }

    fn send(&self, to: usize, tag: u32, dtype: DType, bytes: Vec<u8>) -> Result<Completion> {
        self.mesh.send(to, Channel::Message(tag), Signature::message(dtype, bytes.len()), &bytes)?;
        Ok(Box::new(|| Ok(())))
    }

    fn recv(&self, from: usize, tag: u32, dtype: DType, bytes: usize) -> Result<Vec<u8>> {
        self.mesh.recv(from, Channel::Message(tag), Signature::message(dtype, bytes))
    }

    fn abort(&self, reason: &str) {
        self.mesh.abort(reason);
    }

    fn close(&self) {
        self.mesh.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_elements_in_order() {
        for (elements, ranks) in [(0, 3), (1, 4), (7, 3), (12, 4)] {
            let parts = parts(elements * 4, 4, ranks);
            assert_eq!(parts.len(), ranks);
            assert_eq!((parts[0].start, parts[ranks - 1].end), (0, elements * 4));
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].len() >= pair[1].len()));
        }
    }
}
