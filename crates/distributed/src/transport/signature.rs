//! A compact description of a call, which other ranks compare with their own call.

use super::{Call, Collective};
use crate::ReduceOp;
use lanthorn_ir::{DType, Error};

/// The call of a sender. Ranks compare signatures to detect different calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signature {
    code: u8,
    op: u8,
    dtype: u8,
    root: u32,
    /// The bytes of one rank's tensor or block.
    total: u64,
}

/// The names of the codes of [`Signature`], in order.
const NAMES: [&str; 9] =
    ["all_reduce", "reduce", "broadcast", "all_gather", "gather", "reduce_scatter", "scatter", "barrier", "send"];
const OPS: [ReduceOp; 5] = [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Min, ReduceOp::Max, ReduceOp::Avg];

fn op_code(op: ReduceOp) -> u8 {
    OPS.iter().position(|known| *known == op).unwrap_or_default() as u8 + 1
}

fn dtype_code(dtype: DType) -> u8 {
    DType::ALL.iter().position(|known| *known == dtype).unwrap_or_default() as u8
}

impl Signature {
    /// The number of bytes of a signature.
    pub const SIZE: usize = 15;

    /// Encodes the signature.
    pub fn to_bytes(self) -> [u8; Signature::SIZE] {
        let mut bytes = [0; Signature::SIZE];
        bytes[..3].copy_from_slice(&[self.code, self.op, self.dtype]);
        bytes[3..7].copy_from_slice(&self.root.to_le_bytes());
        bytes[7..].copy_from_slice(&self.total.to_le_bytes());
        bytes
    }

    /// Decodes a signature.
    pub fn from_bytes(bytes: [u8; Signature::SIZE]) -> Signature {
        let root = u32::from_le_bytes(std::array::from_fn(|i| bytes[3 + i]));
        let total = u64::from_le_bytes(std::array::from_fn(|i| bytes[7 + i]));
        Signature { code: bytes[0], op: bytes[1], dtype: bytes[2], root, total }
    }

    /// Returns the signature of a collective.
    pub fn of(call: &Call) -> Signature {
        let (op, root) = match call.collective {
            Collective::AllReduce(op) | Collective::ReduceScatter(op) => (op_code(op), 0),
            Collective::Reduce(op, root) => (op_code(op), root),
            Collective::Broadcast(root) | Collective::Gather(root) | Collective::Scatter(root) => (0, root),
            Collective::AllGather | Collective::Barrier => (0, 0),
        };
        let code = NAMES.iter().position(|name| *name == call.collective.name()).unwrap_or_default() as u8;
        Signature { code, op, dtype: dtype_code(call.dtype), root: root as u32, total: call.bytes as u64 }
    }

    /// Returns the signature of a message.
    pub fn message(dtype: DType, bytes: usize) -> Signature {
        Signature { code: 8, op: 0, dtype: dtype_code(dtype), root: 0, total: bytes as u64 }
    }

    /// Describes the call: `all_reduce (sum) of 12 float32`.
    pub fn describe(&self) -> String {
        let name = self.name();
        let op = usize::from(self.op).checked_sub(1).and_then(|op| OPS.get(op));
        let op = op.map_or(String::new(), |op| format!(" ({})", op.name()));
        let Some(dtype) = DType::ALL.get(usize::from(self.dtype)) else { return format!("{name}{op}") };
        let root = match name {
            "broadcast" | "scatter" => format!(" from rank {}", self.root),
            "reduce" | "gather" => format!(" to rank {}", self.root),
            "barrier" => return name.to_string(),
            _ => String::new(),
        };
        format!("{name}{op} of {} {dtype}{root}", self.total / dtype.size() as u64)
    }

    /// Returns the error for a rank that made a different call.
    pub fn different(&self, rank: usize, other: usize, theirs: &Signature) -> Error {
        let (ours, theirs) = (self.describe(), theirs.describe());
        let message =
            format!("rank {other} called {theirs}, and rank {rank} {ours}: all ranks must make the same calls");
        Error::distributed(self.name(), message)
    }

    /// Compares the encoded signatures of all ranks with this one.
    pub fn compare(&self, rank: usize, all: &[u8]) -> lanthorn_ir::Result<()> {
        let signatures = all.as_chunks().0.iter().map(|bytes| Signature::from_bytes(*bytes));
        match signatures.enumerate().find(|(_, theirs)| theirs != self) {
            None => Ok(()),
            Some((other, theirs)) => Err(self.different(rank, other, &theirs)),
        }
    }

    /// Returns PyTorch's name of the call.
    pub fn name(&self) -> &'static str {
        NAMES.get(usize::from(self.code)).copied().unwrap_or("an unknown call")
    }
}
