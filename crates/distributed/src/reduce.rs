//! Reductions over the elements of several ranks, on the host.
//!
//! No function here receives half types: collectives widen them to float32 and round the result
//! once.

use lanthorn_ir::{DType, Error, Result};

/// The combination of the elements of all ranks, like `torch.distributed.ReduceOp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The smallest element.
    Min,
    /// The largest element.
    Max,
    /// The sum divided by the number of ranks, for floating-point tensors only.
    Avg,
}

impl ReduceOp {
    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "sum",
            ReduceOp::Product => "product",
            ReduceOp::Min => "min",
            ReduceOp::Max => "max",
            ReduceOp::Avg => "avg",
        }
    }

    /// Rejects element types that the reduction does not support.
    pub(crate) fn check(self, call: &str, dtype: DType) -> Result<()> {
        let fits = match self {
            ReduceOp::Sum | ReduceOp::Product => dtype != DType::Bool,
            ReduceOp::Avg => dtype.is_floating_point(),
            ReduceOp::Min | ReduceOp::Max => true,
        };
        if fits {
            return Ok(());
        }
        Err(Error::dtype(call, format!("{} of {dtype} tensors; convert them to a type that has it", self.name())))
    }
}

/// Combines the elements of `other` into `total`: `total = op(total, other)`. An average is a sum
/// here, which [`divide`] completes. `min` and `max` propagate NaN.
pub(crate) fn combine(op: ReduceOp, dtype: DType, total: &mut [u8], other: &[u8]) {
    match dtype {
        DType::Bool | DType::U8 => {
            for (a, &b) in total.iter_mut().zip(other) {
                *a = integer(op, *a, b, u8::wrapping_add, u8::wrapping_mul);
            }
        }
        DType::I32 => zip(total, other, i32::from_le_bytes, i32::to_le_bytes, |a, b| {
            integer(op, a, b, i32::wrapping_add, i32::wrapping_mul)
        }),
        DType::I64 => zip(total, other, i64::from_le_bytes, i64::to_le_bytes, |a, b| {
            integer(op, a, b, i64::wrapping_add, i64::wrapping_mul)
        }),
        DType::F64 => floats(op, total, other, f64::from_le_bytes, f64::to_le_bytes),
        DType::F32 | DType::F16 | DType::BF16 => floats(op, total, other, f32::from_le_bytes, f32::to_le_bytes),
    }
}

fn integer<T: Ord>(op: ReduceOp, a: T, b: T, add: fn(T, T) -> T, mul: fn(T, T) -> T) -> T {
    match op {
        ReduceOp::Sum | ReduceOp::Avg => add(a, b),
        ReduceOp::Product => mul(a, b),
        ReduceOp::Min => a.min(b),
        ReduceOp::Max => a.max(b),
    }
}

/// A separate loop for each reduction, so the compiler vectorizes it.
fn floats<T, const SIZE: usize>(
    op: ReduceOp,
    total: &mut [u8],
    other: &[u8],
    load: fn([u8; SIZE]) -> T,
    store: fn(T) -> [u8; SIZE],
) where
    T: Copy + PartialOrd + std::ops::Add<Output = T> + std::ops::Mul<Output = T>,
{
    // Only NaN differs from itself.
    #[allow(clippy::eq_op)]
    let is_nan = |x: T| x != x;
    match op {
        ReduceOp::Sum | ReduceOp::Avg => zip(total, other, load, store, |a, b| a + b),
        ReduceOp::Product => zip(total, other, load, store, |a, b| a * b),
        ReduceOp::Min => zip(total, other, load, store, |a, b| if a < b || is_nan(a) { a } else { b }),
        ReduceOp::Max => zip(total, other, load, store, |a, b| if a > b || is_nan(a) { a } else { b }),
    }
}

fn zip<T, const SIZE: usize>(
    total: &mut [u8],
    other: &[u8],
    load: impl Fn([u8; SIZE]) -> T,
    store: impl Fn(T) -> [u8; SIZE],
    combine: impl Fn(T, T) -> T,
) {
    for (a, b) in total.as_chunks_mut::<SIZE>().0.iter_mut().zip(other.as_chunks::<SIZE>().0) {
        *a = store(combine(load(*a), load(*b)));
    }
}

/// Divides a sum by the number of ranks if the reduction is an average.
pub(crate) fn divide(op: ReduceOp, dtype: DType, total: &mut [u8], ranks: usize) {
    if op != ReduceOp::Avg {
        return;
    }
    match dtype {
        DType::F64 => {
            total.as_chunks_mut().0.iter_mut().for_each(|x| *x = (f64::from_le_bytes(*x) / ranks as f64).to_le_bytes())
        }
        _ => {
            total.as_chunks_mut().0.iter_mut().for_each(|x| *x = (f32::from_le_bytes(*x) / ranks as f32).to_le_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::element::{from_bytes, to_bytes};

    fn combine_all(op: ReduceOp, dtype: DType, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut total = to_bytes(dtype, a);
        combine(op, dtype, &mut total, &to_bytes(dtype, b));
        divide(op, dtype, &mut total, 2);
        from_bytes(dtype, &total)
    }

    #[test]
    fn every_reduction_of_every_type_is_that_of_plain_numbers() {
        for dtype in [DType::U8, DType::I32, DType::I64, DType::F32, DType::F64] {
            let (a, b) = ([7.0, 2.0, 0.0], [3.0, 9.0, 5.0]);
            assert_eq!(combine_all(ReduceOp::Sum, dtype, &a, &b), [10.0, 11.0, 5.0], "{dtype}");
            assert_eq!(combine_all(ReduceOp::Product, dtype, &a, &b), [21.0, 18.0, 0.0], "{dtype}");
            assert_eq!(combine_all(ReduceOp::Min, dtype, &a, &b), [3.0, 2.0, 0.0], "{dtype}");
            assert_eq!(combine_all(ReduceOp::Max, dtype, &a, &b), [7.0, 9.0, 5.0], "{dtype}");
        }
        assert_eq!(combine_all(ReduceOp::Avg, DType::F32, &[1.0], &[2.0]), [1.5]);
        assert_eq!(combine_all(ReduceOp::Avg, DType::F64, &[1.0], &[2.0]), [1.5]);
    }

    #[test]
    fn extremes_are_nan_where_an_operand_is() {
        for op in [ReduceOp::Min, ReduceOp::Max] {
            let result = combine_all(op, DType::F32, &[f64::NAN, 1.0, 2.0], &[1.0, f64::NAN, 3.0]);
            assert!(result[0].is_nan() && result[1].is_nan() && !result[2].is_nan(), "{op:?} {result:?}");
        }
    }

    #[test]
    fn reductions_without_meaning_are_refused() {
        assert!(ReduceOp::Avg.check("all_reduce", DType::I32).unwrap_err().is_dtype());
        assert!(ReduceOp::Sum.check("all_reduce", DType::Bool).unwrap_err().is_dtype());
        assert!(ReduceOp::Max.check("all_reduce", DType::Bool).is_ok());
    }
}
