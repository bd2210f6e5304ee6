//! Dense linear-algebra routines, with the matrices of a batch in parallel.

use crate::{
    block::Input,
    buffer::Shared,
    kernel::{CpuKernel, data},
    parallel,
};
use lanthorn_ir::{Result, expr::Constant, kernel};

/// A prepared routine over a batch.
pub(crate) struct Linalg(kernel::Linalg);

impl Linalg {
    pub fn new(kernel: kernel::Linalg) -> Linalg {
        Linalg(kernel)
    }
}

impl CpuKernel for Linalg {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, _params: &[Constant]) -> Result<()> {
        let (batch, inputs) = (self.0.batch, inputs.iter().map(data).collect::<Vec<_>>());
        let outputs: Vec<(Shared, usize)> = outputs
            .into_iter()
            .map(|output| (output.len() / batch.max(1), output))
            .map(|(size, output)| (Shared::new(output), size))
            .collect();
        parallel::split(batch, &[batch, self.0.routine.operations()], |range| {
            // SAFETY: the ranges do not overlap, so the outputs of their problems do not either.
            let parts =
                outputs.iter().map(|&(output, size)| unsafe { output.part(range.start * size..range.end * size) });
            let mut parts: Vec<&mut [u8]> = parts.collect();
            lanthorn_linalg::run_batch(&self.0, op, range.clone(), &inputs, &mut parts)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::*;
    use lanthorn_ir::{DType, Kernel};

    #[test]
    fn a_large_batch_is_solved_in_order() {
        let count = 5000;
        let routine =
            kernel::Routine::SolveTriangular { size: 2, columns: 1, upper: false, transposed: false, unit: false };
        let kernel = Kernel::Linalg(kernel::Linalg { routine, dtype: DType::F64, batch: count, checked: false });
        let a: Vec<f64> = (0..count).flat_map(|i| [1.0, 9.0, i as f64, 2.0]).collect();
        let b: Vec<f64> = (0..count).flat_map(|i| [2.0, 4.0 * i as f64]).collect();
        let result = run(&kernel, &[bytes(&a), bytes(&b)], &[]).unwrap();
        let want: Vec<f64> = (0..count).flat_map(|i| [2.0, i as f64]).collect();
        assert_eq!(read::<f64>(&result[0]), want);
    }

    #[test]
    fn the_first_breakdown_fails_the_launch() {
        let cholesky = |checked| {
            let routine = kernel::Routine::Cholesky { size: 1, upper: false };
            Kernel::Linalg(kernel::Linalg { routine, dtype: DType::F32, batch: 2, checked })
        };
        let error = run(&cholesky(true), &[bytes(&[1f32, -1.0])], &[]).unwrap_err();
        assert!(error.is_linalg() && error.message().starts_with("batch element 1"), "{error}");
        let result = run(&cholesky(false), &[bytes(&[4f32, -1.0])], &[]).unwrap();
        assert_eq!((read::<f32>(&result[0])[0], read::<i32>(&result[1])), (2.0, vec![0, 1]));
    }
}
