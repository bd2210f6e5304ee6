//! Messages on a connection: a header of fixed size, and bytes.

use super::super::{Call, Collective};
use crate::ReduceOp;
use lanthorn_ir::DType;
use std::io::{self, Read, Write};

/// What a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// A collective, by its number.
    Collective(u64),
    /// A message between two ranks, by its tag.
    Message(u32),
    /// The end of the group; the bytes are the reason as text.
    Abort,
}

/// What the sender of a frame called, to find ranks that call different things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signature {
    code: u8,
    op: u8,
    dtype: u8,
    root: u32,
    /// The bytes of one rank's share.
    total: u64,
}

pub(super) struct Frame {
    pub channel: Channel,
    pub signature: Signature,
    pub bytes: Vec<u8>,
}

const HEADER: usize = 40;

/// The names of the codes of [`Signature`], in their order.
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
    /// That of a collective.
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

    /// That of a message.
    pub fn message(dtype: DType, bytes: usize) -> Signature {
        Signature { code: 8, op: 0, dtype: dtype_code(dtype), root: 0, total: bytes as u64 }
    }

    /// The call in words: `all_reduce (sum) of 12 float32`.
    pub fn describe(&self) -> String {
        let name = NAMES.get(usize::from(self.code)).copied().unwrap_or("an unknown call");
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
}

/// Writes a frame.
pub(super) fn write(stream: &mut impl Write, channel: Channel, signature: Signature, bytes: &[u8]) -> io::Result<()> {
    let (kind, number) = match channel {
        Channel::Collective(number) => (1u8, number),
        Channel::Message(tag) => (2, u64::from(tag)),
        Channel::Abort => (3, 0),
    };
    let mut header = Vec::with_capacity(HEADER);
    header.extend([kind, signature.code, signature.op, signature.dtype]);
    header.extend(signature.root.to_le_bytes());
    header.extend(number.to_le_bytes());
    header.extend(signature.total.to_le_bytes());
    header.extend((bytes.len() as u64).to_le_bytes());
    header.resize(HEADER, 0);
    stream.write_all(&header)?;
    stream.write_all(bytes)
}

/// Reads a frame. The length comes from a rank of the group, and memory is taken as bytes arrive.
pub(super) fn read(stream: &mut impl Read) -> io::Result<Frame> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header)?;
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    let root = u32::from_le_bytes(std::array::from_fn(|i| header[4 + i]));
    let signature = Signature { code: header[1], op: header[2], dtype: header[3], root, total: number(16) };
    let channel = match header[0] {
        1 => Channel::Collective(number(8)),
        2 => Channel::Message(number(8) as u32),
        3 => Channel::Abort,
        kind => {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("there is no frame of kind {kind}")));
        }
    };
    /// The most memory that is taken before bytes arrive.
    const AHEAD: u64 = 64 << 20;
    let length = number(24);
    let mut bytes = Vec::with_capacity(length.min(AHEAD) as usize);
    if stream.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Frame { channel, signature, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written_and_a_cut_one_is_an_error() {
        let call = Call { collective: Collective::Reduce(ReduceOp::Max, 3), dtype: DType::F64, bytes: 16 };
        let mut stream = Vec::new();
        write(&mut stream, Channel::Collective(7), Signature::of(&call), &[1, 2, 3]).unwrap();
        let frame = read(&mut &stream[..]).unwrap();
        assert_eq!((frame.channel, frame.bytes), (Channel::Collective(7), vec![1, 2, 3]));
        assert_eq!(frame.signature, Signature::of(&call));
        assert_eq!(frame.signature.describe(), "reduce (max) of 2 float64 to rank 3");
        for length in 0..stream.len() {
            assert!(read(&mut &stream[..length]).is_err(), "{length} bytes");
        }
        stream[0] = 9;
        assert!(read(&mut &stream[..]).is_err());
    }
}
