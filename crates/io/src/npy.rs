//! npy: a short header in Python syntax, and one array.
//!
//! The format is described at
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. A parser for exactly
//! its three entries reads the header; nothing is evaluated. Arrays of objects, text, records and
//! complex numbers are rejected; big-endian and Fortran-ordered arrays are converted.

use crate::{DType, Error, Format, Reader, Result, TensorData, tensor::checked_shape};
use std::borrow::Cow;

/// The first bytes of a npy file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header in bytes; NumPy itself reads at most 10,000.
const HEADER_LIMIT: usize = 65_535;

/// The highest rank, as in NumPy.
const RANK_LIMIT: usize = 64;

const FORMAT: Format = Format::Npy;

struct Header {
    dtype: DType,
    big_endian: bool,
    fortran_order: bool,
    sizes: Vec<u64>,
}

/// Reads the array of a file.
///
/// # Errors
///
/// For a file of another format or a damaged one, and for elements of a type that is not supported.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, TensorData, npy};
/// let tensor = TensorData::new(DType::F32, vec![2, 3], vec![0; 24]).unwrap();
/// assert_eq!(npy::load(&npy::save(&tensor)?)?, tensor);
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn load(bytes: &[u8]) -> Result<TensorData<'_>> {
    let array = Array::parse(bytes, bytes.len() as u64)?;
    let mut data = Cow::Borrowed(&bytes[array.start..]);
    let size = array.dtype.size();
    if array.big_endian {
        data.to_mut().chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    if let Some(strides) = array.strides() {
        let strides: Vec<usize> = strides.iter().map(|stride| stride * size).collect();
        data = Cow::Owned(crate::tensor::gather(&data, 0, &array.shape, &strides, size));
    }
    TensorData::new(array.dtype, array.shape, data)
        .ok_or_else(|| Error::malformed(FORMAT, array.start, "the bytes do not fit the shape"))
}

/// The header of an array.
pub(crate) struct Array {
    pub dtype: DType,
    /// Whether the bytes of each element are reversed.
    pub big_endian: bool,
    fortran_order: bool,
    pub shape: Vec<usize>,
    /// The offset of the elements, which take the rest of the file.
    pub start: usize,
}

/// The most bytes before the text of a header.
const LEAD: usize = 12;

impl Array {
    /// The number of first bytes of a file that [`Array::parse`] needs, by some of them: a lower
    /// bound if these are too few.
    ///
    /// # Errors
    ///
    /// For a file of another format.
    pub fn prefix_length(start: &[u8]) -> Result<usize> {
        if start.len() < LEAD {
            return Ok(LEAD);
        }
        let mut reader = Reader::new(start, FORMAT);
        let length = header_length(&mut reader)?;
        Ok((reader.at() + length).max(LEAD))
    }

    /// Parses the beginning of a file of `length` bytes.
    ///
    /// # Errors
    ///
    /// For a damaged header, and for a length that does not fit the shape.
    pub fn parse(start: &[u8], length: u64) -> Result<Array> {
        let mut reader = Reader::new(start, FORMAT);
        let header = header_length(&mut reader)?;
        let header = parse_header(&mut Reader::new(reader.take(header, "the header")?, FORMAT))?;
        let (shape, bytes) = checked_shape(FORMAT, header.dtype, &header.sizes, "the array")?;
        let left = length.saturating_sub(reader.at() as u64);
        if bytes as u64 != left {
            let dtype = header.dtype;
            return Err(reader.malformed(format!("{dtype} of shape {shape:?} takes {bytes} bytes, {left} follow")));
        }
        let big_endian = header.big_endian && header.dtype.size() > 1;
        let fortran_order = header.fortran_order && shape.len() > 1;
        Ok(Array { dtype: header.dtype, big_endian, fortran_order, shape, start: reader.at() })
    }

    /// Returns the strides in elements, or `None` for row-major order.
    pub fn strides(&self) -> Option<Vec<usize>> {
        let mut stride = 1usize;
        // A product is at most the number of elements, or irrelevant if there are none.
        let step = |&length: &usize| {
            let next = stride.saturating_mul(length);
            std::mem::replace(&mut stride, next)
        };
        self.fortran_order.then(|| self.shape.iter().map(step).collect())
    }
}

/// Returns the length of the header, which follows.
fn header_length(reader: &mut Reader) -> Result<usize> {
    if reader.take(MAGIC.len(), "the signature")? != MAGIC {
        return Err(Error::malformed(FORMAT, 0u64, "the file does not begin with the signature of npy"));
    }
    let length = match (reader.u8("the version")?, reader.u8("the version")?) {
        (1, 0) => reader.u16("the length of the header")?.into(),
        (2 | 3, 0) => reader.u32("the length of the header")? as usize,
        (major, minor) => return Err(Error::unsupported(FORMAT, format!("version {major}.{minor}"))),
    };
    match length <= HEADER_LIMIT {
        true => Ok(length),
        false => {
            let message = format!("the header is said to have {length} bytes, more than {HEADER_LIMIT}");
            Err(Error::too_large(FORMAT, message))
        }
    }
}

/// A value of the header.
struct Parser<'r, 'a>(&'r mut Reader<'a>);

fn parse_header(reader: &mut Reader) -> Result<Header> {
    let mut parser = Parser(reader);
    let (mut descriptor, mut fortran_order, mut sizes) = (None, None, None);
    parser.expect(b'{')?;
    while !parser.accept(b'}')? {
        let key = parser.text()?;
        parser.expect(b':')?;
        let repeated = match key {
            "descr" => descriptor.replace(parser.text()?).is_some(),
            "fortran_order" => fortran_order.replace(parser.truth()?).is_some(),
            "shape" => sizes.replace(parser.tuple()?).is_some(),
            _ => return Err(parser.0.malformed(format!("the header has an entry {:?}", key))),
        };
        if repeated {
            return Err(parser.0.malformed(format!("the header has two entries {key:?}")));
        }
        if !parser.accept(b',')? {
            parser.expect(b'}')?;
            break;
        }
    }
    parser.end()?;
    let (Some(descriptor), Some(fortran_order), Some(sizes)) = (descriptor, fortran_order, sizes) else {
        return Err(parser.0.malformed("the header lacks one of descr, fortran_order and shape"));
    };
    let big_endian = descriptor.starts_with('>');
    let known = |dtype: &DType| dtype.numpy().is_some_and(|name| name[1..] == descriptor[1..]);
    let dtype = if descriptor.is_ascii() && descriptor.starts_with(['<', '>', '|', '=']) {
        DType::all().find(known)
    } else {
        None
    };
    let dtype = dtype.ok_or_else(|| Error::unsupported(FORMAT, format!("an array of element type {descriptor:?}")))?;
    Ok(Header { dtype, big_endian, fortran_order, sizes })
}

impl<'a> Parser<'_, 'a> {
    /// The next byte that is not a space, without consuming it; `None` at the end.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.0.peek() {
            if !byte.is_ascii_whitespace() {
                return Some(byte);
            }
            self.0.skip();
        }
        None
    }

    fn accept(&mut self, byte: u8) -> Result<bool> {
        let found = self.peek() == Some(byte);
        if found {
            self.0.skip();
        }
        Ok(found)
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.accept(byte)? {
            Ok(())
        } else {
            Err(self.0.malformed(format!("the header should have {:?} here", char::from(byte))))
        }
    }

    fn end(&mut self) -> Result<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.0.malformed("the header goes on behind its dictionary")) }
    }

    fn text(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(quote @ (b'\'' | b'"')) => {
                self.0.skip();
                let text = self.0.until(quote, "a text of the header")?;
                self.0.text(text, "a text of the header")
            }
            Some(b'[') => Err(Error::unsupported(FORMAT, "an array of records")),
            _ => Err(self.0.malformed("the header should have a text here")),
        }
    }

    fn truth(&mut self) -> Result<bool> {
        let value = self.peek() == Some(b'T');
        let name: &[u8] = if value { b"True" } else { b"False" };
        if self.0.take(name.len(), "fortran_order")? != name {
            return Err(self.0.malformed("fortran_order is neither True nor False"));
        }
        Ok(value)
    }

    fn tuple(&mut self) -> Result<Vec<u64>> {
        let mut sizes = Vec::new();
        self.expect(b'(')?;
        while !self.accept(b')')? {
            sizes.push(self.number()?);
            if sizes.len() > RANK_LIMIT {
                return Err(Error::too_large(FORMAT, format!("an array of more than {RANK_LIMIT} dimensions")));
            }
            if !self.accept(b',')? {
                self.expect(b')')?;
                break;
            }
        }
        Ok(sizes)
    }

    fn number(&mut self) -> Result<u64> {
        let mut number: Option<u64> = None;
        self.peek();
        while let Some(digit) = self.0.peek().filter(u8::is_ascii_digit) {
            let next = number.unwrap_or(0).checked_mul(10).and_then(|tens| tens.checked_add(u64::from(digit - b'0')));
            number = Some(next.ok_or_else(|| Error::too_large(FORMAT, "a size of more than 64 bits"))?);
            self.0.skip();
        }
        number.ok_or_else(|| self.0.malformed("the shape should have a size here"))
    }
}

/// Writes a file of this array: version 1.0, with data aligned to 64 bytes.
///
/// # Errors
///
/// For bfloat16, which NumPy lacks.
pub fn save(tensor: &TensorData) -> Result<Vec<u8>> {
    let unsupported = || Error::unsupported(FORMAT, format!("NumPy has no {}; convert it to float32", tensor.dtype()));
    let descriptor = tensor.dtype().numpy().ok_or_else(unsupported)?;
    let sizes: String = tensor.shape().iter().map(|size| format!("{size}, ")).collect();
    // A tuple of one keeps its comma.
    let sizes = sizes.strip_suffix(if tensor.rank() == 1 { " " } else { ", " }).unwrap_or("");
    let mut header = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let before = MAGIC.len() + 2 + 2;
    let length = (before + header.len() + 1).next_multiple_of(64) - before;
    header.extend(std::iter::repeat_n(' ', length - 1 - header.len()));
    header.push('\n');
    let length = u16::try_from(length).map_err(|_| Error::too_large(FORMAT, "an array of too many dimensions"))?;
    let mut file = Vec::with_capacity(before + header.len() + tensor.bytes().len());
    file.extend(MAGIC);
    file.extend([1, 0]);
    file.extend(length.to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(tensor.bytes());
    Ok(file)
}
