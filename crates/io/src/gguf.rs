//! GGUF: ggml's file format for metadata and tensors, quantized or not.
//!
//! The format is described at <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>; versions
//! 2 and 3, little-endian. [`Header::parse`] reads the header. [`load`] returns the tensors, and
//! dequantizes quantized ones to float32 ([`BlockFormat`]). ggml lists the fastest dimension first;
//! shapes here are in PyTorch's order.

mod quantization;

pub use lanthorn_ir::BlockFormat;
pub use quantization::Kind;

use crate::{Error, Format, Reader, Result, TensorData, Tensors, Value, safetensors::duplicate, tensor::checked_shape};
use std::ops::Range;

/// The first bytes of a GGUF file.
pub const MAGIC: &[u8] = b"GGUF";

const FORMAT: Format = Format::Gguf;
const STRING_LIMIT: u64 = 10_000_000;
const RANK_LIMIT: u32 = 8;
const ARRAY_DEPTH_LIMIT: usize = 4;
const ALIGNMENT_LIMIT: u64 = 1 << 20;
/// The most elements of all arrays of the metadata. A tokenizer has several hundred thousand.
const ELEMENT_LIMIT: u64 = 8 << 20;

/// The header of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The metadata, in the file's order.
    pub metadata: Vec<(String, Value<()>)>,
    /// The tensors, in the file's order.
    pub tensors: Vec<Entry>,
}

/// The header's entry for a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The tensor's name.
    pub name: String,
    /// The storage format of its elements.
    pub kind: Kind,
    /// The size of each dimension, the slowest first.
    pub shape: Vec<usize>,
    /// The range of its bytes in the file.
    pub range: Range<u64>,
}

impl Entry {
    /// Returns the tensor of the bytes of [`Entry::range`], dequantized to float32 if it is
    /// quantized.
    ///
    /// # Errors
    ///
    /// The number of bytes is wrong.
    pub fn dequantized<'b>(&self, data: &'b [u8]) -> Result<TensorData<'b>> {
        let tensor = match self.kind {
            Kind::Plain(dtype) => TensorData::new(dtype, self.shape.clone(), data),
            Kind::Quantized(format) => {
                let mut numbers = vec![0f32; data.len() / format.bytes() * format.elements()];
                format.dequantize(data, &mut numbers);
                let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
                TensorData::new(self.kind.dtype(), self.shape.clone(), bytes)
            }
        };
        tensor.ok_or_else(|| Error::malformed(FORMAT, self.range.start, "the bytes do not fit the shape"))
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    elements: u64,
}

impl Header {
    /// Reads the header of a whole file, and checks the ranges of the tensors.
    ///
    /// # Errors
    ///
    /// For a file of another format, a damaged header, or tensors beyond the end of the file.
    pub fn parse(bytes: &[u8]) -> Result<Header> {
        Header::parse_start(bytes, bytes.len() as u64)
    }

    /// Reads the header from the first bytes of a file of `length` bytes. The bytes may end
    /// anywhere after the header, so a file can be read in parts: the header, and then each
    /// [`Entry::range`].
    ///
    /// # Errors
    ///
    /// The bytes are not GGUF, end within the header, or declare tensors outside of the file.
    pub fn parse_start(bytes: &[u8], length: u64) -> Result<Header> {
        let (mut parser, tensors, entries) = Parser::start(bytes)?;
        // The smallest entry has a length and a type; a tensor has two more counts.
        let least = tensors.saturating_mul(24).saturating_add(entries.saturating_mul(13));
        let left = parser.reader.left();
        if least > left as u64 {
            return Err(parser
                .reader
                .malformed(format!("{tensors} tensors and {entries} entries do not fit in {left} bytes")));
        }
        let metadata = parser.metadata(entries)?;
        let tensors = (0..tensors).map(|_| parser.tensor()).collect::<Result<Vec<_>>>()?;
        let start = parser.reader.at();
        let tensors = locate_all(tensors, start, alignment(&metadata)?, length)?;
        Ok(Header { metadata, tensors })
    }
}

/// Reads the metadata of a file in order. The bytes may end anywhere after it, so a tokenizer can
/// be read without the tensors.
///
/// # Errors
///
/// The bytes are not GGUF, or end within the metadata.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// # let header = b"GGUF\x03\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0";
/// let entry = b"\x01\0\0\0\0\0\0\0x\x07\0\0\0\x01";
/// let metadata = lanthorn::io::gguf::metadata(&[&header[..], entry].concat())?;
/// assert_eq!(metadata, [("x".to_string(), lanthorn::io::Value::Bool(true))]);
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn metadata(bytes: &[u8]) -> Result<Vec<(String, Value<()>)>> {
    let (mut parser, _, entries) = Parser::start(bytes)?;
    parser.metadata(entries)
}

fn alignment(metadata: &[(String, Value<()>)]) -> Result<u64> {
    let Some((_, value)) = metadata.iter().find(|(name, _)| name == "general.alignment") else { return Ok(32) };
    let alignment = value.as_int().and_then(|value| u64::try_from(value).ok());
    match alignment.filter(|value| value.is_power_of_two() && *value >= 8) {
        Some(value) if value <= ALIGNMENT_LIMIT => Ok(value),
        Some(value) => Err(Error::too_large(FORMAT, format!("an alignment of {value}, more than {ALIGNMENT_LIMIT}"))),
        None => Err(Error::malformed(FORMAT, 0u64, format!("an alignment of {}", value.short()))),
    }
}

/// Returns the ranges of the tensors from their offsets relative to `start`, the end of the header.
fn locate_all(tensors: Vec<Unplaced>, start: usize, alignment: u64, length: u64) -> Result<Vec<Entry>> {
    let malformed = |message: String| Error::malformed(FORMAT, start, message);
    let data = (start as u64).next_multiple_of(alignment);
    let locate = |tensor: Unplaced| {
        let first = tensor.offset.checked_add(data);
        let last = first.and_then(|first| first.checked_add(tensor.length as u64));
        match (first, last) {
            (Some(first), Some(last)) if last <= length && tensor.offset.is_multiple_of(alignment) => {
                Ok(Entry { name: tensor.name, kind: tensor.kind, shape: tensor.shape, range: first..last })
            }
            _ => {
                let what =
                    format!("{} bytes at {} after the header, aligned to {alignment}", tensor.length, tensor.offset);
                Err(malformed(format!("tensor {:?} would have {what}; the file has {length} in all", tensor.name)))
            }
        }
    };
    let entries = tensors.into_iter().map(locate).collect::<Result<Vec<Entry>>>()?;
    if let Some(name) = duplicate(entries.iter().map(|entry| &entry.name)) {
        return Err(malformed(format!("the tensor {name:?} occurs twice")));
    }
    let mut ranges: Vec<&Entry> = entries.iter().filter(|entry| !entry.range.is_empty()).collect();
    ranges.sort_by_key(|entry| entry.range.start);
    if let Some(pair) = ranges.windows(2).find(|pair| pair[0].range.end > pair[1].range.start) {
        return Err(malformed(format!("the tensors {:?} and {:?} overlap", pair[0].name, pair[1].name)));
    }
    Ok(entries)
}

struct Unplaced {
    name: String,
    kind: Kind,
    shape: Vec<usize>,
    length: usize,
    offset: u64,
}

impl<'a> Parser<'a> {
    /// Reads the start of a file: a parser of the rest, and the numbers of tensors and entries.
    fn start(bytes: &'a [u8]) -> Result<(Parser<'a>, u64, u64)> {
        let mut parser = Parser { reader: Reader::new(bytes, FORMAT), elements: 0 };
        let reader = &mut parser.reader;
        if reader.take(MAGIC.len(), "the signature")? != MAGIC {
            return Err(Error::malformed(FORMAT, 0u64, "the file does not begin with GGUF"));
        }
        let version = reader.u32("the version")?;
        if !(2..=3).contains(&version) {
            return Err(Error::unsupported(FORMAT, format!("version {version}; 2 and 3 are read, little-endian")));
        }
        let (tensors, entries) = (reader.u64("the number of tensors")?, reader.u64("the number of entries")?);
        Ok((parser, tensors, entries))
    }

    fn metadata(&mut self, entries: u64) -> Result<Vec<(String, Value<()>)>> {
        let metadata = (0..entries).map(|_| self.entry()).collect::<Result<Vec<_>>>()?;
        if let Some(name) = duplicate(metadata.iter().map(|(name, _)| name)) {
            return Err(self.reader.malformed(format!("the entry {name:?} occurs twice")));
        }
        Ok(metadata)
    }

    fn text(&mut self, what: &str) -> Result<String> {
        let length = self.reader.u64(what)?;
        if length > STRING_LIMIT {
            return Err(Error::too_large(FORMAT, format!("{what} of {length} bytes, more than {STRING_LIMIT}")));
        }
        let bytes = self.reader.take_u64(length, what)?;
        self.reader.text(bytes, what).map(str::to_string)
    }

    fn entry(&mut self) -> Result<(String, Value<()>)> {
        let name = self.text("the name of an entry")?;
        let kind = self.reader.u32("the type of an entry")?;
        let value = self.value(kind, 0).map_err(|error| error.concerning(&name))?;
        Ok((name, value))
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value<()>> {
        let what = "a value";
        let reader = &mut self.reader;
        Ok(match kind {
            0 => Value::Int(reader.u8(what)?.into()),
            1 => Value::Int(reader.i8(what)?.into()),
            2 => Value::Int(reader.u16(what)?.into()),
            3 => Value::Int(reader.i16(what)?.into()),
            4 => Value::Int(reader.u32(what)?.into()),
            5 => Value::Int(reader.i32(what)?.into()),
            6 => Value::Float(reader.f32(what)?.into()),
            7 => match reader.u8(what)? {
                0 => Value::Bool(false),
                1 => Value::Bool(true),
                other => return Err(reader.malformed(format!("a truth value of {other}"))),
            },
            8 => Value::Str(self.text(what)?),
            9 => self.array(depth)?,
            10 => {
                let value = reader.u64(what)?;
                // A number above the largest int64 becomes the nearest float.
                i64::try_from(value).map_or(Value::Float(value as f64), Value::Int)
            }
            11 => Value::Int(reader.i64(what)?),
            12 => Value::Float(reader.f64(what)?),
            _ => return Err(reader.malformed(format!("a value of type {kind}"))),
        })
    }

    fn array(&mut self, depth: usize) -> Result<Value<()>> {
        if depth == ARRAY_DEPTH_LIMIT {
            return Err(Error::too_large(FORMAT, format!("arrays more than {ARRAY_DEPTH_LIMIT} deep")));
        }
        let (kind, count) = (self.reader.u32("an array")?, self.reader.u64("an array")?);
        if count > self.reader.left() as u64 {
            return Err(self.reader.malformed(format!("an array of {count} elements in {} bytes", self.reader.left())));
        }
        self.elements = self.elements.saturating_add(count);
        if self.elements > ELEMENT_LIMIT {
            return Err(Error::too_large(FORMAT, format!("arrays of more than {ELEMENT_LIMIT} elements")));
        }
        Ok(Value::List((0..count).map(|_| self.value(kind, depth + 1)).collect::<Result<_>>()?))
    }

    fn tensor(&mut self) -> Result<Unplaced> {
        let name = self.text("the name of a tensor")?;
        let rank = self.reader.u32("the rank of a tensor")?;
        if rank > RANK_LIMIT {
            return Err(Error::too_large(
                FORMAT,
                format!("tensor {name:?} of {rank} dimensions, more than {RANK_LIMIT}"),
            ));
        }
        let mut sizes = (0..rank).map(|_| self.reader.u64("the shape of a tensor")).collect::<Result<Vec<u64>>>()?;
        sizes.reverse();
        let code = self.reader.u32("the type of a tensor")?;
        let offset = self.reader.u64("the offset of a tensor")?;
        let concerning = format!("tensor {name:?}");
        let kind = Kind::from_code(code)
            .ok_or_else(|| Error::unsupported(FORMAT, format!("{concerning}: type {code} of ggml")))?;
        // Checks the dequantized length too, so both lengths fit a usize.
        let (shape, length) = checked_shape(FORMAT, kind.dtype(), &sizes, &concerning)?;
        let length = kind.stored_length(&shape, length).ok_or_else(|| {
            self.reader
                .malformed(format!("{concerning}: rows of shape {shape:?} are not made of whole blocks of {kind}"))
        })?;
        Ok(Unplaced { name, kind, shape, length, offset })
    }
}

/// Reads the tensors of a file. Tensors that are not quantized borrow from it.
///
/// # Errors
///
/// As [`Header::parse`], and for tensors of a type that is not supported.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// // A file without metadata and tensors.
/// let file = [b"GGUF".as_slice(), &3u32.to_le_bytes(), &[0; 16]].concat();
/// assert!(lanthorn::io::gguf::load(&file)?.is_empty());
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn load(bytes: &[u8]) -> Result<Tensors<'_>> {
    let header = Header::parse(bytes)?;
    let load = |entry: Entry| {
        // The ranges are within the bytes.
        let tensor = entry.dequantized(&bytes[entry.range.start as usize..entry.range.end as usize])?;
        Ok((entry.name, tensor))
    };
    header.tensors.into_iter().map(load).collect()
}
