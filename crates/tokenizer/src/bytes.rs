//! GPT-2's alphabet of bytes: each byte is a visible character, so that merges are text.

/// The character of a byte: itself where it is visible, else one from U+0100 on.
pub(crate) fn char_of(byte: u8) -> char {
    let code = match byte {
        b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF => u32::from(byte),
        0..=0x20 => 0x100 + u32::from(byte),
        0x7F..=0xA0 => 0x121 + u32::from(byte) - 0x7F,
        0xAD => 0x143,
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte of a character of the alphabet.
pub(crate) fn byte_of(character: char) -> Option<u8> {
    let code = character as u32;
    Some(match code {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => code as u8,
        0x100..=0x120 => (code - 0x100) as u8,
        0x121..=0x142 => (code - 0x121) as u8 + 0x7F,
        0x143 => 0xAD,
        _ => return None,
    })
}

/// The byte of a token such as `<0x0A>`.
pub(crate) fn byte_of_token(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// The token of a byte: `<0x0A>`.
pub(crate) fn token_of_byte(byte: u8) -> String {
    format!("<0x{byte:02X}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_visible_character() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
            assert!(!char_of(byte).is_whitespace() && !char_of(byte).is_control());
            assert_eq!(byte_of_token(&token_of_byte(byte)), Some(byte));
        }
        assert_eq!((char_of(b' '), char_of(b'\n'), byte_of('↑')), ('Ġ', 'Ċ', None));
    }
}
