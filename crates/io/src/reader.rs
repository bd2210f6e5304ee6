//! A bounds-checked cursor over bytes.

use crate::{Error, Format, Result};

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    format: Format,
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        pub fn $name(&mut self, what: &str) -> Result<$name> {
            Ok($name::from_le_bytes(self.array(what)?))
        }
    )*};
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], format: Format) -> Reader<'a> {
        Reader { bytes, at: 0, format }
    }

    /// Returns the number of bytes read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of remaining bytes.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.format, self.at, message)
    }

    /// Returns the next byte without consuming it.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Consumes the byte that [`Reader::peek`] returned.
    pub fn skip(&mut self) {
        self.at = self.bytes.len().min(self.at + 1);
    }

    /// The next `count` bytes; `what` names them in errors.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8]> {
        if count > self.left() {
            return Err(self.malformed(format!("{what} should have {count} bytes, {} are left", self.left())));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// The next bytes; `count` is a number from the file.
    pub fn take_u64(&mut self, count: u64, what: &str) -> Result<&'a [u8]> {
        // A count that exceeds a usize exceeds the remaining bytes too.
        self.take(usize::try_from(count).unwrap_or(usize::MAX), what)
    }

    /// Returns the bytes before the next `end`, and consumes `end` too.
    pub fn until(&mut self, end: u8, what: &str) -> Result<&'a [u8]> {
        let found = self.bytes[self.at..].iter().position(|&byte| byte == end);
        let length = found.ok_or_else(|| self.malformed(format!("{what} does not end")))?;
        let taken = self.take(length, what)?;
        self.at += 1;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    numbers! { u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 }

    pub fn text(&self, bytes: &'a [u8], what: &str) -> Result<&'a str> {
        std::str::from_utf8(bytes).map_err(|_| self.malformed(format!("{what} is not UTF-8")))
    }
}
