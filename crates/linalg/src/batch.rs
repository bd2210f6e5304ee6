//! A batch of problems, from and to the bytes that backends exchange.

use crate::run;
use lanthorn_ir::{DType, Error, Result, kernel::Linalg};
use std::ops::Range;

/// Solves the problems of `range`. `inputs` hold the whole batch in host format, `outputs` the part
/// of `range`.
///
/// # Errors
/// If the kernel is checked, the first breakdown as an error of op `op`, with the number of the
/// matrix if there are several. The other problems are solved all the same.
pub fn run_batch(
    linalg: &Linalg,
    op: &str,
    range: Range<usize>,
    inputs: &[&[u8]],
    outputs: &mut [&mut [u8]],
) -> Result<()> {
    let of_problem = |(dtype, elements): (DType, usize)| (dtype, elements.checked_div(linalg.batch).unwrap_or(0));
    let sources: Vec<(DType, usize)> = linalg.inputs().into_iter().map(of_problem).collect();
    let targets: Vec<(DType, usize)> = linalg.outputs().into_iter().map(of_problem).collect();
    let buffers = |of: &[(DType, usize)]| of.iter().map(|&(_, count)| vec![0.0; count]).collect::<Vec<Vec<f64>>>();
    let (mut arguments, mut results) = (buffers(&sources), buffers(&targets));
    let mut outcome = Ok(());
    for (position, problem) in range.enumerate() {
        for (values, (bytes, &(dtype, count))) in arguments.iter_mut().zip(inputs.iter().zip(&sources)) {
            let size = count * dtype.size();
            load(dtype, &bytes[problem * size..][..size], values);
        }
        let slices: Vec<&[f64]> = arguments.iter().map(Vec::as_slice).collect();
        let broken = run(&linalg.routine, &slices, &mut results.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        for (values, (bytes, &(dtype, count))) in results.iter().zip(outputs.iter_mut().zip(&targets)) {
            let size = count * dtype.size();
            store(dtype, values, &mut bytes[position * size..][..size]);
        }
        if let (Err(broken), true, Ok(())) = (broken, linalg.checked, &outcome) {
            let which = if linalg.batch > 1 { format!("batch element {problem}: ") } else { String::new() };
            outcome = Err(Error::linalg(op, format!("{which}{broken}")));
        }
    }
    outcome
}

fn load(dtype: DType, bytes: &[u8], values: &mut [f64]) {
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
    // Each chunk has the size of its type.
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
    use lanthorn_ir::kernel::Routine;

    #[test]
    fn the_error_of_a_batch_names_the_matrix_that_broke_down() {
        let cholesky = |checked| Linalg {
            routine: Routine::Cholesky { size: 1, upper: false },
            dtype: DType::F32,
            batch: 3,
            checked,
        };
        let input: Vec<u8> = [4f32, -1.0, 9.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(cholesky(true).outputs(), [(DType::F32, 3), (DType::I32, 3)]);
        let (mut factor, mut info) = ([0; 12], [0; 12]);
        let error = run_batch(&cholesky(true), "cholesky", 0..3, &[&input], &mut [&mut factor, &mut info]).unwrap_err();
        assert!(error.is_linalg());
        let message = "cholesky: batch element 1: the matrix is not positive-definite: its leading minor of order 1 is not positive";
        assert_eq!(error.to_string(), message);
        assert_eq!((&factor[8..], &info), (&3f32.to_le_bytes()[..], &[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]));
        run_batch(&cholesky(false), "cholesky_ex", 1..3, &[&input], &mut [&mut factor[..8], &mut info[..8]]).unwrap();
        assert_eq!(&factor[4..8], &3f32.to_le_bytes());
    }
}
