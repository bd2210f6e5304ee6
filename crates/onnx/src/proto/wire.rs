//! Parses the encoding of protocol buffers: keys and lengths of fields.

use lanthorn_program::{Error, Result};

/// The most bytes of a varint.
const MAX_VARINT: usize = 10;

/// A field: its number, and the encoding of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub number: u64,
    /// The number of bytes from the start of the key to the start of the payload.
    pub header: usize,
    /// The number of bytes of the payload; 0 for a varint, which is in the header.
    pub payload: u64,
    /// Whether the payload has a length, as in texts and messages.
    pub delimited: bool,
}

/// Parses the key and length of a field. Returns `None` if the bytes end before its payload.
///
/// # Errors
///
/// [`Error::Malformed`] for invalid keys. ONNX never used groups, so these are invalid too.
pub(crate) fn field(bytes: &[u8]) -> Result<Option<Field>> {
    let Some((key, key_length)) = varint(bytes)? else { return Ok(None) };
    let number = key >> 3;
    let fixed = |payload| Ok(Some(Field { number, header: key_length, payload, delimited: false }));
    if number == 0 {
        return Err(Error::malformed("protocol buffer: a field has the number 0"));
    }
    match key & 7 {
        1 => fixed(8),
        5 => fixed(4),
        kind @ (0 | 2) => Ok(varint(&bytes[key_length..])?.map(|(value, length)| {
            let delimited = kind == 2;
            Field { number, header: key_length + length, payload: if delimited { value } else { 0 }, delimited }
        })),
        kind => Err(Error::malformed(format!("protocol buffer: field {number} is of the unknown kind {kind}"))),
    }
}

/// Parses a varint, and returns its length.
fn varint(bytes: &[u8]) -> Result<Option<(u64, usize)>> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().take(MAX_VARINT).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        // The tenth byte holds only the highest bit.
        if index + 1 == MAX_VARINT && byte > 1 {
            break;
        }
        if byte < 0x80 {
            return Ok(Some((value, index + 1)));
        }
    }
    if bytes.len() < MAX_VARINT {
        return Ok(None);
    }
    Err(Error::malformed("protocol buffer: a number has more than 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_begin_with_a_key_and_a_length() {
        let field = |bytes: &[u8]| field(bytes).unwrap();
        let of = |number, header, payload, delimited| Some(Field { number, header, payload, delimited });
        assert_eq!(field(&[0x08, 0x96, 0x01]), of(1, 3, 0, false));
        assert_eq!(field(&[0x12, 0x80, 0x01]), of(2, 3, 128, true));
        assert_eq!(field(&[0xca, 0x01, 0x05, 9]), of(25, 3, 5, true));
        assert_eq!(field(&[0x15]), of(2, 1, 4, false));
        assert_eq!(field(&[0x11]), of(2, 1, 8, false));
        let highest = [0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(field(&highest), of(1, 11, u64::MAX, true));
        for incomplete in [&[][..], &[0x88], &[0x08], &[0x08, 0x80], &highest[..10]] {
            assert_eq!(field(incomplete), None);
        }
    }

    #[test]
    fn what_no_field_begins_with_is_refused() {
        let too_long = [0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2];
        for malformed in [&[0x00][..], &[0x0b], &[0x0c], &[0x0e], &[0x0f], &too_long, &[0x80; 11]] {
            assert!(field(malformed).is_err(), "{malformed:?}");
        }
    }
}
