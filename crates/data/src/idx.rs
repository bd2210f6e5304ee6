//! The file format of MNIST (LeCun, Cortes and Burges): two zero bytes, a type, the number of
//! dimensions, the sizes and the elements, all big-endian.

use crate::HostArray;
use lanthorn_tensor::{Error, Result};

/// The largest number of dimensions. No such file has more.
const MAX_DIMENSIONS: usize = 8;

/// Reads the array of an IDX file. Signed bytes and 16-bit integers become int32.
///
/// A truncated file, or a file with bytes after its elements, is rejected before allocation.
///
/// # Errors
///
/// `file` for a file of another format, a truncated one, or one with bytes after its elements.
///
/// ```
/// let file = [0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9];
/// let labels = lanthorn::data::read_idx(&file)?;
/// assert_eq!(labels.values::<u8>()?, [7, 8, 9]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn read_idx(file: &[u8]) -> Result<HostArray> {
    let (kind, rank) = match *file {
        [0, 0, kind, rank, ..] => (kind, usize::from(rank)),
        [0x1f, 0x8b, ..] => return Err(file_error("the file is compressed with gzip; decompress it first")),
        _ => return Err(file_error("the file does not begin with the two zero bytes of the format")),
    };
    if rank == 0 || rank > MAX_DIMENSIONS {
        return Err(file_error(format!("{rank} dimensions are not from 1 to {MAX_DIMENSIONS}")));
    }
    let (sizes, elements) =
        file[4..].split_at_checked(4 * rank).ok_or_else(|| file_error("the file ends in its header"))?;
    let shape: Vec<usize> = sizes.chunks_exact(4).map(|size| u32::from_be_bytes(array(size)) as usize).collect();
    let width = match kind {
        0x08 | 0x09 => 1,
        0x0B => 2,
        0x0C | 0x0D => 4,
        0x0E => 8,
        _ => return Err(file_error(format!("there is no element type {kind:#04x}"))),
    };
    let wanted = shape.iter().try_fold(width, |product: usize, &size| product.checked_mul(size));
    if wanted != Some(elements.len()) {
        return Err(file_error(format!(
            "{} bytes do not fit the shape {shape:?} of {width} bytes an element",
            elements.len()
        )));
    }
    match kind {
        0x08 => HostArray::new(elements.to_vec(), shape),
        0x09 => HostArray::new(elements.iter().map(|&byte| i32::from(byte as i8)).collect(), shape),
        0x0B => HostArray::new(
            elements.chunks_exact(2).map(|bytes| i32::from(i16::from_be_bytes(array(bytes)))).collect(),
            shape,
        ),
        0x0C => HostArray::new(elements.chunks_exact(4).map(|bytes| i32::from_be_bytes(array(bytes))).collect(), shape),
        0x0D => HostArray::new(elements.chunks_exact(4).map(|bytes| f32::from_be_bytes(array(bytes))).collect(), shape),
        _ => HostArray::new(elements.chunks_exact(8).map(|bytes| f64::from_be_bytes(array(bytes))).collect(), shape),
    }
}

/// Converts a chunk of exactly `N` bytes to an array.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|at| bytes[at])
}

fn file_error(message: impl Into<String>) -> Error {
    Error::file("read_idx", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_tensor::DType;
    use proptest::prelude::*;

    #[test]
    fn every_type_is_read() {
        let read = |kind: u8, bytes: &[u8], count: u8| {
            read_idx(&[&[0, 0, kind, 2, 0, 0, 0, count, 0, 0, 0, 1], bytes].concat()).unwrap()
        };
        assert_eq!(read(8, &[1, 255], 2).values::<u8>().unwrap(), [1, 255]);
        assert_eq!(read(9, &[1, 255], 2).values::<i32>().unwrap(), [1, -1]);
        assert_eq!(read(0x0B, &[1, 2, 255, 255], 2).values::<i32>().unwrap(), [258, -1]);
        assert_eq!(read(0x0C, &[0, 0, 1, 0], 1).values::<i32>().unwrap(), [256]);
        assert_eq!(read(0x0D, &1.5f32.to_be_bytes(), 1).values::<f32>().unwrap(), [1.5]);
        let double = read(0x0E, &1.5f64.to_be_bytes(), 1);
        assert_eq!((double.dtype(), double.shape()), (DType::F64, &[1, 1][..]));
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        let file = [0, 0, 0x0C, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2];
        assert_eq!(read_idx(&file).unwrap().shape(), [2, 1]);
        for end in 0..file.len() {
            assert!(read_idx(&file[..end]).unwrap_err().is_file(), "{end}");
        }
        assert!(read_idx(&[&file[..], &[0]].concat()).unwrap_err().is_file());
        let overflowing = [&[0, 0, 8, 4][..], &[255; 16]].concat();
        assert!(read_idx(&overflowing).unwrap_err().is_file());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(mut file: Vec<u8>, headed: bool) {
            if headed && file.len() > 3 {
                file[..2].fill(0);
                file[2] = 8 + file[2] % 7;
                file[3] %= 4;
            }
            if let Err(error) = read_idx(&file) {
                prop_assert!(error.is_file());
            }
        }
    }
}
