//! Dense routines over batches of small matrices, on the processor whatever the device.

use crate::{DType, Error, Result};
use lanthorn_linalg::Elements;
pub use lanthorn_linalg::Routine;
use std::ops::Range;

/// A routine of [`lanthorn_linalg`] on each matrix of a batch: factorizations and what is solved with them.
///
/// Inputs and outputs are contiguous: those of one problem behind those of the other. Real numbers are of type `dtype` and whole ones int32; the arithmetic is float64. A
/// backend whose memory is elsewhere brings the inputs to the host and the outputs back, in the order of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linalg {
    /// What is done.
    pub routine: Routine,
    /// The type of the real numbers: float32 or float64.
    pub dtype: DType,
    /// How many problems.
    pub batch: usize,
    /// Whether a breakdown is an error of the launch. If not, `info` tells of it, or the result is what came out.
    pub checked: bool,
}

impl Linalg {
    fn all(&self, one: Vec<Elements>) -> Vec<(DType, usize)> {
        let typed = |elements: Elements| match elements {
            Elements::Reals(count) => (self.dtype, count * self.batch),
            Elements::Integers(count) => (DType::I32, count * self.batch),
        };
        one.into_iter().map(typed).collect()
    }

    /// The element type and number of elements of each input.
    pub fn inputs(&self) -> Vec<(DType, usize)> {
        self.all(self.routine.inputs())
    }

    /// The element type and number of elements of each output.
    pub fn outputs(&self) -> Vec<(DType, usize)> {
        self.all(self.routine.outputs())
    }

    /// Solves the problems of `range`. Inputs are the whole batch in host format, outputs the part of `range`. The first breakdown is given back; the
    /// other problems are solved all the same.
    pub fn run(&self, op: &str, range: Range<usize>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        let (takes, gives) = (self.inputs(), self.outputs());
        let part = |(dtype, elements): (DType, usize)| (dtype, elements.checked_div(self.batch).unwrap_or(0));
        let buffer = |(_, count): (DType, usize)| vec![0.0; count];
        let (takes, gives) = (takes.into_iter().map(part), gives.into_iter().map(part));
        let (takes, gives): (Vec<_>, Vec<_>) = (takes.collect(), gives.collect());
        let mut read: Vec<Vec<f64>> = takes.iter().copied().map(buffer).collect();
        let mut made: Vec<Vec<f64>> = gives.iter().copied().map(buffer).collect();
        let mut outcome = Ok(());
        for (place, problem) in range.enumerate() {
            for (values, (bytes, &(dtype, count))) in read.iter_mut().zip(inputs.iter().zip(&takes)) {
                let size = count * dtype.size();
                load(dtype, &bytes[problem * size..][..size], values);
            }
            let inputs: Vec<&[f64]> = read.iter().map(Vec::as_slice).collect();
            let broken = self.routine.run(&inputs, &mut made.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            for (values, (bytes, &(dtype, count))) in made.iter().zip(outputs.iter_mut().zip(&gives)) {
                let size = count * dtype.size();
                store(dtype, values, &mut bytes[place * size..][..size]);
            }
            if let (Err(broken), true, Ok(())) = (broken, self.checked, &outcome) {
                let which = if self.batch > 1 { format!("batch element {problem}: ") } else { String::new() };
                outcome = Err(Error::linalg(op, format!("{which}{broken}")));
            }
        }
        outcome
    }
}

fn load(dtype: DType, bytes: &[u8], values: &mut [f64]) {
    // Each chunk is as long as its type.
    match dtype {
        DType::F64 => convert(bytes, values, f64::from_le_bytes),
        DType::F32 => convert(bytes, values, |chunk| f64::from(f32::from_le_bytes(chunk))),
        _ => convert(bytes, values, |chunk| f64::from(i32::from_le_bytes(chunk))),
    }
}

fn convert<const N: usize>(bytes: &[u8], values: &mut [f64], element: impl Fn([u8; N]) -> f64) {
    let (chunks, _) = bytes.as_chunks::<N>();
    values.iter_mut().zip(chunks).for_each(|(value, chunk)| *value = element(*chunk));
}

fn store(dtype: DType, values: &[f64], bytes: &mut [u8]) {
    for (&value, chunk) in values.iter().zip(bytes.chunks_exact_mut(dtype.size())) {
        match dtype {
            DType::F64 => chunk.copy_from_slice(&value.to_le_bytes()),
            DType::F32 => chunk.copy_from_slice(&(value as f32).to_le_bytes()),
            _ => chunk.copy_from_slice(&(value as i32).to_le_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_says_which_matrix_broke_down() {
        let cholesky =
            |checked| Linalg { routine: Routine::Cholesky { size: 1, upper: false }, dtype: DType::F32, batch: 3, checked };
        let input: Vec<u8> = [4f32, -1.0, 9.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(cholesky(true).outputs(), [(DType::F32, 3), (DType::I32, 3)]);
        let (mut factor, mut info) = ([0; 12], [0; 12]);
        let error = cholesky(true).run("cholesky", 0..3, &[&input], &mut [&mut factor, &mut info]).unwrap_err();
        assert!(error.is_linalg());
        let message =
            "cholesky: batch element 1: the matrix is not positive-definite: its leading minor of order 1 is not positive";
        assert_eq!(error.to_string(), message);
        assert_eq!((&factor[8..], &info), (&3f32.to_le_bytes()[..], &[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]));
        cholesky(false).run("cholesky_ex", 1..3, &[&input], &mut [&mut factor[..8], &mut info[..8]]).unwrap();
        assert_eq!(&factor[4..8], &3f32.to_le_bytes());
    }
}
