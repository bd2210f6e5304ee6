//! Encodings of float32 in memory: half types, and block-quantized integers with scales.

use crate::{
    buffer::{Buffer, Shared, elements, elements_mut},
    dequantize::dequantize,
    half::Half,
    parallel,
};
use lanthorn_ir::{BlockFormat, Encoding, Result};

/// The encoding in memory of numbers that are computed as float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatEncoding {
    Half(Half),
    Blocks(BlockFormat),
}

/// Number of elements that a thread decodes at once. A multiple of every format's block.
const PART: usize = 1 << 14;

impl FloatEncoding {
    /// The encoding of an operand's numbers, if it differs from the type in which they are
    /// computed.
    pub fn of(encoding: Encoding) -> Option<FloatEncoding> {
        match encoding {
            Encoding::Blocks(format) => Some(FloatEncoding::Blocks(format)),
            Encoding::Plain(dtype) => Half::of(dtype).map(FloatEncoding::Half),
        }
    }

    pub fn is_blocks(self) -> bool {
        matches!(self, FloatEncoding::Blocks(_))
    }

    /// Decodes the first `count` numbers to a new buffer.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn widen(self, op: &str, encoded: &[u8], count: usize) -> Result<Buffer> {
        let mut numbers = Buffer::new(op, count * size_of::<f32>(), 0)?;
        match self {
            FloatEncoding::Half(half) => half.widen(&elements(encoded)[..count], elements_mut(numbers.bytes_mut())),
            FloatEncoding::Blocks(format) => {
                let shared = Shared::new(numbers.bytes_mut());
                parallel::split(count.div_ceil(PART), &[count], |tasks| {
                    for part in tasks {
                        let range = part * PART..count.min((part + 1) * PART);
                        // SAFETY: one task decodes each part.
                        let target = unsafe { shared.part(range.start * 4..range.end * 4) };
                        decode(format, encoded, range.start, elements_mut(target));
                    }
                    Ok(())
                })?;
            }
        }
        Ok(numbers)
    }
}

/// Decodes the numbers from `first` on.
pub(crate) fn decode(format: BlockFormat, encoded: &[u8], first: usize, numbers: &mut [f32]) {
    let (each, bytes) = (format.elements(), format.bytes());
    let mut block = [0f32; 256];
    let (mut at, mut rest) = (first, numbers);
    while !rest.is_empty() {
        let from = at % each;
        let blocks = &encoded[at / each * bytes..];
        let count = if from == 0 && rest.len() >= each {
            let whole = rest.len() / each * each;
            dequantize(format, blocks, &mut rest[..whole]);
            whole
        } else {
            dequantize(format, blocks, &mut block[..each]);
            let count = rest.len().min(each - from);
            rest[..count].copy_from_slice(&block[from..from + count]);
            count
        };
        (at, rest) = (at + count, &mut rest[count..]);
    }
}
