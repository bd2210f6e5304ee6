//! Scatters: elements added to, or stored at, the positions along one dimension that an index
//! contains.
//!
//! Elements are processed strictly in row-major order, so that a launch always returns the same
//! bits and the last of several stores wins. As in a gather, whole rows that share an index are the
//! typical case and run as one loop.

use crate::{
    block::{Input, Space},
    buffer::{elements, elements_mut},
    gather::rows,
    kernel::{CpuKernel, data},
};
use bytemuck::Pod;
use lanthorn_ir::{
    DType, Error, Layout, Result,
    expr::Constant,
    failed_check,
    kernel::{self, ScatterOp},
};

/// A prepared scatter. The operands of its space are the source, the index, and the target without
/// its part along the scattered dimension.
pub(crate) struct Scatter {
    dtype: DType,
    op: ScatterOp,
    space: Space,
    stride: isize,
    extent: usize,
}

impl Scatter {
    pub fn new(op: &str, kernel: &kernel::Scatter) -> Result<Scatter> {
        let (shape, output, dim) = (&kernel.shape, &kernel.output, kernel.dim);
        let fits = shape.rank() == output.rank()
            && (dim < shape.rank() || shape.rank() == 0)
            && (0..shape.rank()).all(|d| d == dim || shape[d] <= output[d])
            && [&kernel.source, &kernel.index].iter().all(|layout| layout.shape() == shape);
        if !fits {
            return Err(Error::kernel(
                op,
                format!("a scatter of shape {shape} along dimension {dim} into shape {output}"),
            ));
        }
        let mut strides = output.contiguous_strides();
        let stride = strides.get_mut(dim).map_or(0, std::mem::take);
        let extent = output.get(dim).copied().unwrap_or(1);
        let target = Layout::new(shape.clone(), strides, 0);
        let space = Space::new(&[&kernel.source, &kernel.index, &target]);
        Ok(Scatter { dtype: kernel.dtype, op: kernel.op, space, stride, extent })
    }

    /// Calls `combine` with the starts of source and target, the distances between neighbours, and
    /// their number, for parts of rows that share an index. Returns the first index out of range.
    fn runs(&self, index: &[i32], combine: &mut dyn FnMut([usize; 2], [isize; 2], usize)) -> Option<i32> {
        let mut wrong = None;
        let row = self.space.row();
        for [(from, from_step), (at, at_step), (to, to_step)] in rows(&self.space) {
            let (parts, length) = if at_step == 0 { (1, row) } else { (row as isize, 1) };
            for j in 0..parts {
                let i = index[(at + j * at_step) as usize];
                match usize::try_from(i).ok().filter(|&i| i < self.extent) {
                    Some(i) => {
                        let to = to + j * to_step + i as isize * self.stride;
                        combine([(from + j * from_step) as usize, to as usize], [from_step, to_step], length);
                    }
                    None => wrong = wrong.or(Some(i)),
                }
            }
        }
        wrong
    }

    /// Scatters, and returns the first index out of range.
    fn scatter<T: Pod>(
        &self,
        source: &[u8],
        index: &[i32],
        target: &mut [u8],
        combine: impl Fn(T, T) -> T,
    ) -> Option<i32> {
        let (source, target) = (elements::<T>(source), elements_mut::<T>(target));
        self.runs(index, &mut |[from, to], steps: [isize; 2], length| {
            if steps == [1, 1] {
                let pairs = target[to..][..length].iter_mut().zip(&source[from..][..length]);
                return pairs.for_each(|(target, &source)| *target = combine(*target, source));
            }
            for j in 0..length as isize {
                let [from, to] =
                    [(from, steps[0]), (to, steps[1])].map(|(start, step)| (start as isize + j * step) as usize);
                target[to] = combine(target[to], source[from]);
            }
        })
    }
}

/// The larger value. A NaN stays.
fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
    // A value unequal to itself is NaN.
    #[expect(clippy::eq_op, reason = "the test for NaN of a type that is not known to be a float")]
    let arrives = b > a || b != b;
    if arrives { b } else { a }
}

impl CpuKernel for Scatter {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, _params: &[Constant]) -> Result<()> {
        let [source, index] = inputs else { return Err(Error::kernel(op, "a scatter has two inputs")) };
        let (source, index) = (data(source), data(index));
        if self.space.elements() == 0 {
            return Ok(());
        }
        let index = elements(index);
        let mut wrong = None;
        for target in outputs {
            wrong = match (self.op, self.dtype) {
                (ScatterOp::Add, DType::F32) => self.scatter(source, index, target, |a: f32, b: f32| a + b),
                (ScatterOp::Add, DType::F64) => self.scatter(source, index, target, |a: f64, b: f64| a + b),
                (ScatterOp::Add, DType::I64) => self.scatter(source, index, target, i64::wrapping_add),
                (ScatterOp::Add, DType::I32) => self.scatter(source, index, target, i32::wrapping_add),
                (ScatterOp::Add, DType::U8) => self.scatter(source, index, target, u8::wrapping_add),
                (ScatterOp::Add, DType::Bool) => self.scatter(source, index, target, |a: u8, b: u8| a | b),
                (ScatterOp::Mul, DType::F32) => self.scatter(source, index, target, |a: f32, b: f32| a * b),
                (ScatterOp::Mul, DType::F64) => self.scatter(source, index, target, |a: f64, b: f64| a * b),
                (ScatterOp::Mul, DType::I64) => self.scatter(source, index, target, i64::wrapping_mul),
                (ScatterOp::Max, DType::I64) => self.scatter(source, index, target, i64::max),
                (ScatterOp::Min, DType::I64) => self.scatter(source, index, target, i64::min),
                (ScatterOp::Mul, DType::I32) => self.scatter(source, index, target, i32::wrapping_mul),
                (ScatterOp::Max, DType::F32) => self.scatter(source, index, target, larger::<f32>),
                (ScatterOp::Max, DType::F64) => self.scatter(source, index, target, larger::<f64>),
                (ScatterOp::Max, DType::I32) => self.scatter(source, index, target, i32::max),
                (ScatterOp::Min, DType::F32) => self.scatter(source, index, target, |a: f32, b: f32| -larger(-a, -b)),
                (ScatterOp::Min, DType::F64) => self.scatter(source, index, target, |a: f64, b: f64| -larger(-a, -b)),
                (ScatterOp::Min, DType::I32) => self.scatter(source, index, target, i32::min),
                (ScatterOp::Add, dtype @ (DType::F16 | DType::BF16)) => {
                    return Err(Error::kernel(
                        op,
                        format!("{dtype} is not combined where it is stored, but as float32"),
                    ));
                }
                // To keep the download small, these types are converted to int32 or float32 and
                // back.
                (ScatterOp::Mul | ScatterOp::Max | ScatterOp::Min, dtype) => {
                    return Err(Error::kernel(op, format!("{dtype} is not combined where it is stored, but as int32")));
                }
                (ScatterOp::Set, dtype) => match dtype.size() {
                    1 => self.scatter(source, index, target, |_: u8, new| new),
                    2 => self.scatter(source, index, target, |_: u16, new| new),
                    4 => self.scatter(source, index, target, |_: u32, new| new),
                    _ => self.scatter(source, index, target, |_: u64, new| new),
                },
            };
        }
        wrong.map_or(Ok(()), |index| Err(failed_check(op, Some(index), self.extent as i32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::*;
    use lanthorn_ir::{Kernel, Shape};
    use proptest::prelude::*;

    fn scatter(op: ScatterOp, dtype: DType, dim: usize, source: &Layout, index: &Layout, output: &[usize]) -> Kernel {
        let (shape, output) = (source.shape().clone(), Shape::from_dims(output.iter().copied()));
        Kernel::Scatter(kernel::Scatter { shape, dim, dtype, op, source: source.clone(), index: index.clone(), output })
    }

    proptest! {
        #[test]
        fn agrees_with_the_naive_scatter(
            (dim, source, index) in prop::collection::vec(0usize..6, 1..4).prop_flat_map(|dims| {
                (0..dims.len(), layout_of(dims.clone()), layout_of(dims))
            }),
            along in 1usize..6,
            op in prop::sample::select(vec![ScatterOp::Add, ScatterOp::Mul, ScatterOp::Max, ScatterOp::Min, ScatterOp::Set]),
        ) {
            let shape = source.shape().clone();
            let output: Vec<usize> = shape.iter().enumerate().map(|(d, &size)| if d == dim { along } else { size + 1 }).collect();
            let data: Vec<f32> = (0..extent(&source)).map(|i| i as f32 + 0.5).collect();
            let indices: Vec<i32> = (0..extent(&index)).map(|i| ((i * 31) % along) as i32).collect();
            let base = vec![3f32; output.iter().product()];
            let mut expected = base.clone();
            let strides = Shape::from_dims(output.iter().copied()).contiguous_strides();
            for (point, (from, at)) in source.offsets().zip(index.offsets()).enumerate() {
                let (mut rest, mut to) = (point, 0);
                for d in (0..shape.rank()).rev() {
                    to += strides[d] as usize * if d == dim { indices[at] as usize } else { rest % shape[d] };
                    rest /= shape[d];
                }
                expected[to] = match op {
                    ScatterOp::Add => expected[to] + data[from],
                    ScatterOp::Mul => expected[to] * data[from],
                    ScatterOp::Max => expected[to].max(data[from]),
                    ScatterOp::Min => expected[to].min(data[from]),
                    ScatterOp::Set => data[from],
                };
            }
            let kernel = scatter(op, DType::F32, dim, &source, &index, &output);
            let result = run_onto(&kernel, &[bytes(&data), bytes(&indices)], vec![bytes(&base)], &[]).unwrap();
            prop_assert_eq!(read::<f32>(&result[0]), expected);
        }
    }

    #[test]
    fn gradients_of_rows_add_up_in_order() {
        let source = dense(&[3, 4]);
        let index = Layout::new(source.shape().clone(), [1, 0], 0);
        let kernel = scatter(ScatterOp::Add, DType::F64, 0, &source, &index, &[2, 4]);
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let inputs = [bytes(&values), bytes(&[1, 0, 1])];
        let result = run_onto(&kernel, &inputs, vec![bytes(&[0.0f64; 8])], &[]).unwrap();
        assert_eq!(read::<f64>(&result[0]), [4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0]);
    }

    #[test]
    fn every_type_and_no_dimension() {
        let point = dense(&[]);
        for (dtype, one, two) in [
            (DType::F32, bytes(&[1f32]), bytes(&[2f32])),
            (DType::F64, bytes(&[1f64]), bytes(&[2f64])),
            (DType::I32, bytes(&[1]), bytes(&[2])),
            (DType::I64, bytes(&[1i64]), bytes(&[2i64])),
            (DType::U8, vec![1], vec![2]),
            (DType::Bool, vec![1], vec![1]),
        ] {
            for (op, expected) in [(ScatterOp::Add, &two), (ScatterOp::Set, &one)] {
                let kernel = scatter(op, dtype, 0, &point, &point, &[]);
                let result = run_onto(&kernel, &[one.clone(), bytes(&[0])], vec![one.clone()], &[]).unwrap();
                assert_eq!(&result[0], expected, "{dtype} {op:?}");
            }
        }
    }

    #[test]
    fn halves_are_stored_and_not_added() {
        let point = dense(&[]);
        let run = |op| {
            run_onto(
                &scatter(op, DType::F16, 0, &point, &point, &[]),
                &[vec![1, 2], bytes(&[0])],
                vec![vec![3, 4]],
                &[],
            )
        };
        assert_eq!(run(ScatterOp::Set).unwrap()[0], [1, 2]);
        assert!(run(ScatterOp::Add).unwrap_err().is_kernel());
    }

    #[test]
    fn an_index_out_of_range_writes_nothing_and_fails() {
        let line = dense(&[3]);
        let kernel = scatter(ScatterOp::Set, DType::U8, 0, &line, &line, &[2]);
        let error = run_onto(&kernel, &[vec![7, 8, 9], bytes(&[0, 2, -1])], vec![vec![1, 1]], &[]).unwrap_err();
        assert_eq!(error.to_string(), "test: index 2 is out of range for a dimension of size 2");
    }
}
