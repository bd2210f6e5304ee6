//! Frames on a connection: a header of fixed size, and bytes.

use crate::transport::signature::Signature;
use std::io::{self, Read, Write};

/// The call that a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// A collective, by its index.
    Collective(u64),
    /// A message between two ranks, by its tag.
    Message(u32),
    /// The end of the group. The bytes are the reason as text.
    Abort,
}

pub(super) struct Frame {
    pub channel: Channel,
    pub signature: Signature,
    pub bytes: Vec<u8>,
}

const HEADER: usize = 1 + Signature::SIZE + 8 + 8;

/// Writes a frame.
pub(super) fn write(stream: &mut impl Write, channel: Channel, signature: Signature, bytes: &[u8]) -> io::Result<()> {
    let (kind, number) = match channel {
        Channel::Collective(number) => (1u8, number),
        Channel::Message(tag) => (2, u64::from(tag)),
        Channel::Abort => (3, 0),
    };
    let mut header = Vec::with_capacity(HEADER);
    header.push(kind);
    header.extend(signature.to_bytes());
    header.extend(number.to_le_bytes());
    header.extend((bytes.len() as u64).to_le_bytes());
    stream.write_all(&header)?;
    stream.write_all(bytes)
}

/// Reads a frame. Its length comes from a rank of the group, so memory is allocated as bytes
/// arrive.
pub(super) fn read(stream: &mut impl Read) -> io::Result<Frame> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header)?;
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    let signature = Signature::from_bytes(std::array::from_fn(|i| header[1 + i]));
    let sequence = number(1 + Signature::SIZE);
    let channel = match header[0] {
        1 => Channel::Collective(sequence),
        2 => Channel::Message(sequence as u32),
        3 => Channel::Abort,
        kind => {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("there is no frame of kind {kind}")));
        }
    };
    /// The most memory that is allocated before bytes arrive.
    const AHEAD: u64 = 64 << 20;
    let length = number(1 + Signature::SIZE + 8);
    let mut bytes = Vec::with_capacity(length.min(AHEAD) as usize);
    if stream.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Frame { channel, signature, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ReduceOp,
        transport::{Call, Collective},
    };
    use lanthorn_ir::DType;

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
