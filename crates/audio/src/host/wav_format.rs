//! The layout of WAV files.
//!
//! Source: IBM and Microsoft, "Multimedia Programming Interface and Data Specifications", 1991, and
//! Microsoft, "Multiple Channel Audio Data and WAVE Files", 2007.

use lanthorn_tensor::{Error, Result};

/// How a file stores samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AudioEncoding {
    /// Signed integers.
    PcmS,
    /// Unsigned integers, of 8 bits.
    PcmU,
    /// Floats.
    PcmF,
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioMetaData {
    /// The samples of a channel in a second.
    pub sample_rate: usize,
    /// The samples of a channel.
    pub num_frames: usize,
    /// The number of channels.
    pub num_channels: usize,
    /// The bits of a sample.
    pub bits_per_sample: usize,
    /// How samples are stored.
    pub encoding: AudioEncoding,
}

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;
/// The end of the identifier of a format in an extensible header.
const SUBFORMAT: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/// The length that a writer puts down before it knows the length.
const UNKNOWN: usize = 0xffff_ffff;

fn refuse<T>(op: &str, message: impl Into<String>) -> Result<T> {
    Err(Error::file(op, message))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// The header of a file, and its samples.
///
/// # Errors
/// `file` for bytes of another format, a file that ends early, and headers that contradict
/// themselves.
pub(super) fn parse<'a>(op: &str, bytes: &'a [u8]) -> Result<(AudioMetaData, &'a [u8])> {
    if bytes.len() < 12 || &bytes[..4] != b"RIFF" || &bytes[8..12] != b"WAVE" {
        return refuse(op, "the file is no WAV file: it does not begin with RIFF and WAVE");
    }
    let mut format = None;
    let mut at = 12;
    while at + 8 <= bytes.len() {
        let (name, size) = (&bytes[at..at + 4], u32_at(bytes, at + 4));
        let rest = &bytes[at + 8..];
        if name == b"data" {
            let Some(header) = format else { return refuse(op, "the samples come before the format") };
            // A stream is written with a length of 0 or of all ones.
            let is_open = size == UNKNOWN || size == 0;
            if size > rest.len() && !is_open {
                let message = format!("the file ends within the samples: {} of {size} bytes are there", rest.len());
                return refuse(op, message);
            }
            return with_samples(op, header, if is_open { rest } else { &rest[..size] });
        }
        if size > rest.len() {
            return refuse(op, format!("the file ends within a chunk of {size} bytes"));
        }
        if name == b"fmt " {
            format = Some(parse_format(op, &rest[..size])?);
        }
        at += 8 + size + size % 2;
    }
    refuse(op, "the file ends before its samples")
}

/// The rate, the channels, the bits and the encoding of a format chunk.
fn parse_format(op: &str, chunk: &[u8]) -> Result<AudioMetaData> {
    if chunk.len() < 16 {
        return refuse(op, format!("the format has {} bytes instead of 16", chunk.len()));
    }
    let mut code = u16_at(chunk, 0);
    if code == EXTENSIBLE {
        if chunk.len() < 40 || chunk[26..40] != SUBFORMAT {
            return refuse(op, "the extensible format is incomplete or of another kind");
        }
        code = u16_at(chunk, 24);
    }
    let (channels, rate) = (u16_at(chunk, 2) as usize, u32_at(chunk, 4));
    let (block, bits) = (u16_at(chunk, 12) as usize, u16_at(chunk, 14) as usize);
    let encoding = match (code, bits) {
        (PCM, 8) => AudioEncoding::PcmU,
        (PCM, 16 | 24 | 32) => AudioEncoding::PcmS,
        (FLOAT, 32 | 64) => AudioEncoding::PcmF,
        _ => return refuse(op, format!("samples of format {code} with {bits} bits are not supported")),
    };
    if channels == 0 || rate == 0 || block != channels * bits / 8 {
        let message = format!("{channels} channels of {bits} bits at a rate of {rate} in blocks of {block} bytes");
        return refuse(op, format!("the format is invalid: {message}"));
    }
    Ok(AudioMetaData { sample_rate: rate, num_frames: 0, num_channels: channels, bits_per_sample: bits, encoding })
}

fn with_samples<'a>(op: &str, header: AudioMetaData, data: &'a [u8]) -> Result<(AudioMetaData, &'a [u8])> {
    let block = header.num_channels * header.bits_per_sample / 8;
    let num_frames = data.len() / block;
    if !data.len().is_multiple_of(block) {
        return refuse(op, format!("the file ends within a sample: {} bytes in blocks of {block}", data.len()));
    }
    Ok((AudioMetaData { num_frames, ..header }, data))
}

/// A sample as a number from -1 to 1.
pub(super) fn sample(bytes: &[u8], encoding: AudioEncoding) -> f32 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let whole = u64::from_le_bytes(word);
    match (encoding, bytes.len()) {
        (AudioEncoding::PcmF, 4) => f32::from_bits(whole as u32),
        (AudioEncoding::PcmF, _) => f64::from_bits(whole) as f32,
        (AudioEncoding::PcmU, _) => (whole as f32 - 128.0) / 128.0,
        (AudioEncoding::PcmS, count) => {
            let shift = 64 - 8 * count as u32;
            (((whole << shift) as i64 >> shift) as f64 / 2f64.powi(8 * count as i32 - 1)) as f32
        }
    }
}

/// Appends a sample; integers are rounded, and limited to their range.
pub(super) fn push_sample(bytes: &mut Vec<u8>, value: f32, encoding: AudioEncoding, bits: usize) {
    match (encoding, bits) {
        (AudioEncoding::PcmF, 32) => bytes.extend(value.to_le_bytes()),
        (AudioEncoding::PcmF, _) => bytes.extend(f64::from(value).to_le_bytes()),
        (_, bits) => {
            let scale = 2f64.powi(bits as i32 - 1);
            let whole = (f64::from(value) * scale + 0.5).floor().clamp(-scale, scale - 1.0);
            let offset = if encoding == AudioEncoding::PcmU { scale } else { 0.0 };
            bytes.extend(&((whole + offset) as i64).to_le_bytes()[..bits / 8]);
        }
    }
}

/// The header of a file with `size` bytes of samples.
///
/// # Errors
/// `file` if the sizes exceed the format's.
pub(super) fn header(op: &str, about: &AudioMetaData, size: usize) -> Result<Vec<u8>> {
    let code = if about.encoding == AudioEncoding::PcmF { FLOAT } else { PCM };
    // Programs expect the extensible form for more than two channels.
    let is_extensible = about.num_channels > 2;
    let format_size = if is_extensible { 40 } else { 16 };
    let (Ok(riff), Ok(channels), Ok(rate)) = (
        u32::try_from(size + size % 2 + 20 + format_size),
        u16::try_from(about.num_channels),
        u32::try_from(about.sample_rate),
    ) else {
        return refuse(op, "a WAV file has up to 4 GiB, 65535 channels and 4294967295 samples a second");
    };
    let block = about.num_channels * about.bits_per_sample / 8;
    let bits = about.bits_per_sample as u16;
    let mut bytes = Vec::new();
    bytes.extend(b"RIFF");
    bytes.extend(riff.to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend((format_size as u32).to_le_bytes());
    bytes.extend(if is_extensible { EXTENSIBLE } else { code }.to_le_bytes());
    bytes.extend(channels.to_le_bytes());
    bytes.extend(rate.to_le_bytes());
    bytes.extend(rate.wrapping_mul(block as u32).to_le_bytes());
    bytes.extend((block as u16).to_le_bytes());
    bytes.extend(bits.to_le_bytes());
    if is_extensible {
        bytes.extend(22u16.to_le_bytes());
        bytes.extend(bits.to_le_bytes());
        bytes.extend(0u32.to_le_bytes());
        bytes.extend(code.to_le_bytes());
        bytes.extend(SUBFORMAT);
    }
    bytes.extend(b"data");
    bytes.extend((size as u32).to_le_bytes());
    Ok(bytes)
}
