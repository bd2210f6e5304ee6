//! The checksum of zip archives.
//!
//! Natively, `crc32fast` computes it with special instructions. The tables of that crate are 16 KB
//! and do not compress, which is an eighth of the page's module of readers. So WebAssembly has a
//! table that is computed at its first use.

/// The checksum of the bytes.
#[cfg(not(target_family = "wasm"))]
pub(crate) use crc32fast::hash;

/// The checksum of the bytes.
#[cfg(target_family = "wasm")]
pub(crate) use tables::hash;

/// A checksum of bytes that arrive in chunks.
#[derive(Clone, Default)]
pub(crate) struct Checksum(State);

#[cfg(not(target_family = "wasm"))]
type State = crc32fast::Hasher;

/// The checksum of the bytes so far.
#[cfg(target_family = "wasm")]
type State = u32;

impl Checksum {
    pub fn new() -> Checksum {
        Checksum::default()
    }

    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        #[cfg(not(target_family = "wasm"))]
        self.0.update(bytes);
        #[cfg(target_family = "wasm")]
        {
            self.0 = tables::add(self.0, bytes);
        }
    }

    /// Returns the checksum of all bytes.
    pub fn value(&self) -> u32 {
        #[cfg(not(target_family = "wasm"))]
        return self.0.clone().finalize();
        #[cfg(target_family = "wasm")]
        self.0
    }
}

#[cfg(any(test, target_family = "wasm"))]
mod tables {
    use std::sync::OnceLock;

    /// The polynomial, lowest power first.
    const POLYNOMIAL: u32 = 0xedb8_8320;

    /// The number of bytes per step.
    const STEP: usize = 8;

    /// For each distance from the end of a step, the remainder of each byte there.
    type Tables = [[u32; 256]; STEP];

    fn tables() -> Tables {
        let mut tables = [[0; 256]; STEP];
        for (byte, remainder) in (0..).zip(&mut tables[0]) {
            let divided = |rest: u32, _| if rest & 1 == 0 { rest >> 1 } else { (rest >> 1) ^ POLYNOMIAL };
            *remainder = (0..8).fold(byte, divided);
        }
        for distance in 1..STEP {
            for byte in 0..256 {
                let nearer = tables[distance - 1][byte];
                tables[distance][byte] = (nearer >> 8) ^ tables[0][(nearer & 255) as usize];
            }
        }
        tables
    }

    pub(crate) fn hash(bytes: &[u8]) -> u32 {
        add(0, bytes)
    }

    /// Continues a checksum with more bytes.
    pub(crate) fn add(checksum: u32, bytes: &[u8]) -> u32 {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        let tables = TABLES.get_or_init(tables);
        let (steps, rest) = bytes.as_chunks::<STEP>();
        let mut crc = !checksum;
        for step in steps {
            let bytes = u64::from_le_bytes(*step) ^ u64::from(crc);
            crc =
                (0..STEP).fold(0, |sum, index| sum ^ tables[STEP - 1 - index][((bytes >> (8 * index)) & 255) as usize]);
        }
        !rest.iter().fold(crc, |crc, byte| (crc >> 8) ^ tables[0][(crc as u8 ^ byte) as usize])
    }

    #[cfg(all(test, not(target_family = "wasm")))]
    mod tests {
        #[test]
        fn checksums_are_those_of_the_standard() {
            assert_eq!(super::hash(b"123456789"), 0xcbf4_3926);
            let bytes: Vec<u8> = (0..999u32).map(|index| ((index * index) >> 3) as u8).collect();
            for length in [0, 1, 7, 8, 9, 64, 999] {
                let expected = crc32fast::hash(&bytes[..length]);
                assert_eq!(super::hash(&bytes[..length]), expected);
                let (front, back) = bytes[..length].split_at(length / 3);
                assert_eq!(super::add(super::hash(front), back), expected);
            }
        }
    }
}
