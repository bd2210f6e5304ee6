//! WAV files: written samples are read, and files that are wrong are typed errors.

use lanthorn_audio::{AudioEncoding, decode, encode, info};
use lanthorn_tensor::{Device, Tensor};
use pollster::block_on;

fn device() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::new())
}

#[test]
fn every_encoding_keeps_the_samples_up_to_its_step() {
    let device = device();
    let samples: Vec<f32> = (0..36).map(|index| (index as f32 * 0.37).sin()).chain([1.0, -1.0, 2.0]).collect();
    for (encoding, bits) in [
        (AudioEncoding::PcmU, 8),
        (AudioEncoding::PcmS, 16),
        (AudioEncoding::PcmS, 24),
        (AudioEncoding::PcmS, 32),
        (AudioEncoding::PcmF, 32),
        (AudioEncoding::PcmF, 64),
    ] {
        for channels in [1, 3] {
            let waveform = Tensor::from_slice(&samples, [channels, 39 / channels], &device).unwrap();
            let bytes = block_on(encode(&waveform, 8000, true, Some(encoding), Some(bits))).unwrap();
            let (read, rate) = decode(&bytes, 0, None, true).unwrap();
            assert_eq!((rate, read.shape().to_i64()), (8000, vec![channels, 39 / channels]));
            let step = if encoding == AudioEncoding::PcmF { 0.0 } else { 2f32.powi(1 - bits as i32) };
            for (got, want) in block_on(read.to_vec::<f32>()).unwrap().iter().zip(&samples) {
                let want = if encoding == AudioEncoding::PcmF { *want } else { want.clamp(-1.0, 1.0 - step) };
                assert!((got - want).abs() <= step, "{encoding:?} of {bits} bits: {got} instead of {want}");
            }
        }
    }
}

#[test]
fn a_part_of_a_file_is_read_and_time_can_come_first() {
    let device = device();
    let waveform = Tensor::from_slice(&[0.0f32, 0.25, 0.5, 0.75, -0.25, -0.5], [2, 3], &device).unwrap();
    let bytes = block_on(encode(&waveform, 16000, true, None, None)).unwrap();
    let (part, _) = decode(&bytes, 1, Some(2), false).unwrap();
    assert_eq!(part.shape().to_vec(), [2, 2]);
    assert_eq!(block_on(part.contiguous().unwrap().to_vec::<f32>()).unwrap(), [0.25, -0.25, 0.5, -0.5]);
    assert_eq!(decode(&bytes, 9, None, true).unwrap().0.shape().to_vec(), [2, 0]);
}

#[test]
fn files_that_are_wrong_are_errors_of_their_kind() {
    let device = device();
    let waveform = Tensor::zeros([2, 4]).unwrap();
    let bytes = block_on(encode(&waveform, 8000, true, None, Some(16))).unwrap();
    // Each prefix, and each byte of the header with another value, is read or refused.
    for length in 0..bytes.len() {
        let error = decode(&bytes[..length], 0, None, true).err().unwrap();
        assert!(error.is_file(), "{length}: {error}");
    }
    for at in 0..44 {
        for value in [0, 1, 0x7f, 0xff] {
            let mut hostile = bytes.clone();
            hostile[at] = value;
            if let Err(error) = decode(&hostile, 0, None, true) {
                assert!(error.is_file(), "{at}: {error}");
            }
        }
    }
    // A stream of unknown length is read to its end.
    let mut open = bytes.clone();
    open[40..44].copy_from_slice(&[0xff; 4]);
    assert_eq!(decode(&open, 0, None, true).unwrap().0.shape().to_vec(), [2, 4]);
    assert!(info("no such file.wav").err().unwrap().is_file());
    assert!(block_on(encode(&waveform, 8000, true, Some(AudioEncoding::PcmU), Some(16))).err().unwrap().is_argument());
    assert!(block_on(encode(&Tensor::zeros([4]).unwrap(), 8000, true, None, None)).err().unwrap().is_shape());
    drop(device);
}
