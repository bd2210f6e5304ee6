//! Reads and writes WAV files.

use super::wav_format::{AudioEncoding, AudioMetaData, header, parse, push_sample, sample};
use lanthorn_tensor::{DType, Device, Error, Result, Tensor};
use std::path::Path;

fn read(op: &str, path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::file(op, format!("{}: {error}", path.display())))
}

/// The rate, the length and the encoding of a WAV file, of its header.
///
/// # Errors
/// `file` if it cannot be read, is of another format, or ends early.
///
/// ```
/// let path = std::env::temp_dir().join("lanthorn-audio-info.wav");
/// # let device = lanthorn::cpu();
/// let waveform = lanthorn::Tensor::zeros([2, 80])?;
/// pollster::block_on(lanthorn::audio::save(&path, &waveform, 8000, true, None, None))?;
/// let about = lanthorn::audio::info(&path)?;
/// assert_eq!((about.sample_rate, about.num_frames, about.num_channels), (8000, 80, 2));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn info(path: impl AsRef<Path>) -> Result<AudioMetaData> {
    Ok(parse("info", &read("info", path.as_ref())?)?.0)
}

/// The waveform of a WAV file as float32 from -1 to 1, and its sample rate: `[channels, time]`, or
/// `[time, channels]` without `channels_first`. `num_frames` samples after `frame_offset` are read,
/// or all that are left.
///
/// # Errors
/// `file` if it cannot be read, is of another format, or ends early.
///
/// ```
/// let path = std::env::temp_dir().join("lanthorn-audio-load.wav");
/// # let device = lanthorn::cpu();
/// let waveform = lanthorn::Tensor::zeros([2, 80])?;
/// pollster::block_on(lanthorn::audio::save(&path, &waveform, 8000, true, None, None))?;
/// let (loaded, sample_rate) = lanthorn::audio::load(&path, 0, None, true)?;
/// assert_eq!((loaded.shape().to_vec(), sample_rate), (vec![2, 80], 8000));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn load(
    path: impl AsRef<Path>,
    frame_offset: usize,
    num_frames: Option<usize>,
    channels_first: bool,
) -> Result<(Tensor, usize)> {
    decode(&read("load", path.as_ref())?, frame_offset, num_frames, channels_first)
}

/// [`load`] of the bytes of a file.
///
/// # Errors
/// `file` for another format, or bytes that end early.
///
/// ```
/// # let device = lanthorn::cpu();
/// let waveform = lanthorn::Tensor::zeros([1, 80])?;
/// let bytes = pollster::block_on(lanthorn::audio::encode(&waveform, 8000, true, None, Some(16)))?;
/// assert_eq!(bytes.len(), 44 + 160);
/// assert_eq!(lanthorn::audio::decode(&bytes, 0, None, true)?.1, 8000);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn decode(
    bytes: &[u8],
    frame_offset: usize,
    num_frames: Option<usize>,
    channels_first: bool,
) -> Result<(Tensor, usize)> {
    let (about, data) = parse("load", bytes)?;
    let (channels, size) = (about.num_channels, about.bits_per_sample / 8);
    let start = frame_offset.min(about.num_frames);
    let count = num_frames.unwrap_or(usize::MAX).min(about.num_frames - start);
    let words = data[start * channels * size..(start + count) * channels * size].chunks_exact(size);
    let samples: Vec<f32> = words.map(|word| sample(word, about.encoding)).collect();
    let rows = Tensor::from_slice(&samples, [count as i64, channels as i64], &Device::default_device()?)?;
    let waveform = if channels_first { rows.t()?.contiguous()? } else { rows };
    Ok((waveform, about.sample_rate))
}

/// Writes a waveform `[channels, time]`, or `[time, channels]` without `channels_first`, as a WAV
/// file. Without `encoding` and `bits_per_sample` samples are stored as floats of 32 bits; 8 bits
/// are unsigned. Integers are rounded and limited to -1 and 1.
///
/// # Errors
/// `shape` unless the waveform has two dimensions; `argument` for bits that the encoding does not
/// have; `file` if the file cannot be written.
///
/// ```
/// let path = std::env::temp_dir().join("lanthorn-audio-save.wav");
/// # let device = lanthorn::cpu();
/// let waveform = lanthorn::Tensor::zeros([2, 80])?;
/// pollster::block_on(lanthorn::audio::save(&path, &waveform, 8000, true, None, Some(24)))?;
/// assert_eq!(lanthorn::audio::info(&path)?.bits_per_sample, 24);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn save(
    path: impl AsRef<Path>,
    src: &Tensor,
    sample_rate: usize,
    channels_first: bool,
    encoding: Option<AudioEncoding>,
    bits_per_sample: Option<usize>,
) -> Result<()> {
    let bytes = encode(src, sample_rate, channels_first, encoding, bits_per_sample).await?;
    let path = path.as_ref();
    std::fs::write(path, bytes).map_err(|error| Error::file("save", format!("{}: {error}", path.display())))
}

/// The encoding and the bits of a sample.
fn storage_of(encoding: Option<AudioEncoding>, bits: Option<usize>) -> Result<(AudioEncoding, usize)> {
    let chosen = match (encoding, bits) {
        (None, None) => (AudioEncoding::PcmF, 32),
        (None, Some(8)) => (AudioEncoding::PcmU, 8),
        (None, Some(bits)) => (AudioEncoding::PcmS, bits),
        (Some(AudioEncoding::PcmS), bits) => (AudioEncoding::PcmS, bits.unwrap_or(16)),
        (Some(AudioEncoding::PcmU), bits) => (AudioEncoding::PcmU, bits.unwrap_or(8)),
        (Some(AudioEncoding::PcmF), bits) => (AudioEncoding::PcmF, bits.unwrap_or(32)),
    };
    match chosen {
        (AudioEncoding::PcmS, 16 | 24 | 32) | (AudioEncoding::PcmU, 8) | (AudioEncoding::PcmF, 32 | 64) => Ok(chosen),
        (encoding, bits) => {
            let message = format!("bits_per_sample must be one that {encoding:?} has in a WAV file, and is {bits}");
            Err(Error::argument("save", message))
        }
    }
}

/// The bytes of the file that [`save`] writes.
///
/// # Errors
/// The errors of [`save`].
///
/// ```
/// # let device = lanthorn::cpu();
/// let waveform = lanthorn::Tensor::zeros([1, 80])?;
/// let bytes = pollster::block_on(lanthorn::audio::encode(&waveform, 8000, true, None, None))?;
/// assert_eq!(bytes.len(), 44 + 320);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn encode(
    src: &Tensor,
    sample_rate: usize,
    channels_first: bool,
    encoding: Option<AudioEncoding>,
    bits_per_sample: Option<usize>,
) -> Result<Vec<u8>> {
    if src.rank() != 2 {
        let message = format!("src has shape {}, and takes (channels, time) or (time, channels)", src.shape());
        return Err(Error::shape("save", message));
    }
    let (encoding, bits) = storage_of(encoding, bits_per_sample)?;
    let rows = if channels_first { src.t()? } else { src.clone() };
    let (num_frames, num_channels) = (rows.shape()[0], rows.shape()[1]);
    if num_channels == 0 || sample_rate == 0 {
        return Err(Error::argument("save", "a file has at least one channel and one sample a second"));
    }
    let samples = rows.to(DType::F32)?.contiguous()?.to_vec::<f32>().await?;
    let about = AudioMetaData { sample_rate, num_frames, num_channels, bits_per_sample: bits, encoding };
    let mut bytes = header("save", &about, samples.len() * bits / 8)?;
    for value in samples {
        push_sample(&mut bytes, value, encoding, bits);
    }
    if bytes.len() % 2 == 1 {
        bytes.push(0);
    }
    Ok(bytes)
}
