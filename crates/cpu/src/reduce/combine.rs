//! How each reduction combines two values of each type, and loops over many values.
//!
//! Only the innermost loops are generic, and callers use them as functions of bytes. The code
//! around them is compiled once, not once for each reduction and type, which used to be a quarter
//! of the page's download.
//!
//! Bytes are reduced as int32 ([`reduction_type`]). A sum or product of them has the same low bits,
//! and each reduction needs one loop less.
//!
//! A row is folded in lanes that LLVM keeps in vector registers, and the lanes are folded in the
//! type of the total, which is float64 for float32 sums and products. So no float32 chain is longer
//! than a block has rows of lanes.

use crate::{
    buffer::{elements, elements_mut},
    simd::dispatch,
};
use bytemuck::Pod;
use lanthorn_ir::{DType, kernel::ReduceOp};

/// How to combine values of `T`.
trait Combine<T: Pod> {
    /// The neutral value, which is the reduction of no values.
    const EMPTY: T;
    fn pair(a: T, b: T) -> T;

    /// `combine` for values of which none is [`Combine::odd`].
    #[inline(always)]
    fn usual(a: T, b: T) -> T {
        Self::pair(a, b)
    }

    /// Whether a value needs more than [`Combine::usual`]: a NaN.
    #[inline(always)]
    fn odd(_: T) -> bool {
        false
    }
}

struct Sum;
struct Prod;
struct Max;
struct Min;
struct Any;

macro_rules! combine {
    ($($name:ident $ty:ty, $empty:expr, |$a:ident, $b:ident| $pair:expr;)*) => { $(
        impl Combine<$ty> for $name {
            const EMPTY: $ty = $empty;
            #[inline(always)]
            fn pair($a: $ty, $b: $ty) -> $ty { $pair }
        }
    )* };
}

/// The largest or smallest float. A comparison with NaN is false, so a NaN in `a` stays, and a NaN
/// in `b` needs a test. Testing each value within the chain takes longer than testing all of them
/// separately.
macro_rules! extremes {
    ($($name:ident $ty:ident, $empty:expr, $before:tt;)*) => { $(
        impl Combine<$ty> for $name {
            const EMPTY: $ty = $empty;
            #[inline(always)]
            fn pair(a: $ty, b: $ty) -> $ty { if b $before a || b.is_nan() { b } else { a } }
            #[inline(always)]
            fn usual(a: $ty, b: $ty) -> $ty { if b $before a { b } else { a } }
            #[inline(always)]
            fn odd(value: $ty) -> bool { value.is_nan() }
        }
    )* };
}

extremes! {
    Max f32, f32::NEG_INFINITY, >;
    Max f64, f64::NEG_INFINITY, >;
    Min f32, f32::INFINITY, <;
    Min f64, f64::INFINITY, <;
}

combine! {
    Sum f32, 0.0, |a, b| a + b;
    Sum f64, 0.0, |a, b| a + b;
    Sum i32, 0, |a, b| a.wrapping_add(b);
    Sum i64, 0, |a, b| a.wrapping_add(b);
    Prod f32, 1.0, |a, b| a * b;
    Prod f64, 1.0, |a, b| a * b;
    Prod i32, 1, |a, b| a.wrapping_mul(b);
    Prod i64, 1, |a, b| a.wrapping_mul(b);
    Max i32, i32::MIN, |a, b| a.max(b);
    Max i64, i64::MIN, |a, b| a.max(b);
    Min i32, i32::MAX, |a, b| a.min(b);
    Min i64, i64::MAX, |a, b| a.min(b);
    Any i32, 0, |a, b| a | b;
}

/// The type whose loops reduce values of a type.
pub(super) fn reduction_type(dtype: DType) -> DType {
    if dtype.size() == 1 { DType::I32 } else { dtype }
}

const LANES: usize = 32;

#[inline(always)]
fn fold<C: Combine<T> + Combine<W>, T: Pod, W: Pod + From<T>>(values: &[T]) -> W {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut total: W = C::EMPTY;
    if chunks.as_flattened().iter().fold(false, |odd, &value| odd | C::odd(value)) {
        return values.iter().fold(total, |total, &value| C::pair(total, W::from(value)));
    }
    if !chunks.is_empty() {
        let mut lanes: [T; LANES] = [C::EMPTY; LANES];
        for chunk in chunks {
            for (lane, &value) in lanes.iter_mut().zip(chunk) {
                *lane = C::usual(*lane, value);
            }
        }
        // Otherwise LLVM arranges the lanes for the sum below, and shuffles every chunk.
        let mut totals = std::hint::black_box(lanes).map(W::from);
        let mut width = LANES / 2;
        while width >= 4 {
            let (low, high) = totals.split_at_mut(width);
            low.iter_mut().zip(high).for_each(|(low, high)| *low = C::pair(*low, *high));
            width /= 2;
        }
        total = totals[..4].iter().fold(total, |total, &lane| C::pair(total, lane));
    }
    // A short row is summed in four independent chains.
    let (quads, last) = rest.as_chunks::<4>();
    if !quads.is_empty() {
        let mut totals: [W; 4] = [C::EMPTY; 4];
        for four in quads {
            totals.iter_mut().zip(four).for_each(|(total, &value)| *total = C::pair(*total, W::from(value)));
        }
        let pairs = [C::pair(totals[0], totals[1]), C::pair(totals[2], totals[3])];
        total = C::pair(total, C::pair(pairs[0], pairs[1]));
    }
    last.iter().fold(total, |total, &value| C::pair(total, W::from(value)))
}

dispatch! {
    /// Computes the total of each row of a block of whole rows.
    fn fold_rows<C: Folds<T, W>, T: Pod, W: Wide<T>>(values: &[u8], row: usize, totals: &mut [u8]) {
        let values: &[T] = elements(values);
        for (number, total) in elements_mut::<W>(totals).iter_mut().enumerate() {
            *total = fold::<C, T, W>(&values[number * row..][..row]);
        }
    }
}

dispatch! {
    /// Combines values with as many held ones.
    fn accumulate<C: Combine<T>, T: Pod>(held: &mut [u8], values: &[u8]) {
        for (held, &value) in elements_mut::<T>(held).iter_mut().zip(elements::<T>(values)) {
            *held = C::pair(*held, value);
        }
    }
}

/// How to combine values of `T` whose totals are `W`.
trait Folds<T: Pod, W: Pod>: Combine<T> + Combine<W> {}
impl<C: Combine<T> + Combine<W>, T: Pod, W: Pod> Folds<T, W> for C {}

/// The type of totals of `T`.
trait Wide<T>: Pod + From<T> {}
impl<T, W: Pod + From<T>> Wide<T> for W {}

/// The loops of a reduction of one type.
#[derive(Clone, Copy)]
pub(super) struct Loops {
    /// Writes the total of each row of a block whose rows have `row` elements.
    pub fold: fn(values: &[u8], row: usize, totals: &mut [u8]),
    /// Combines values with as many held ones.
    pub accumulate: fn(held: &mut [u8], values: &[u8]),
    /// Combines totals with as many held ones.
    pub join: fn(held: &mut [u8], totals: &[u8]),
    /// The type of totals.
    pub wide: DType,
}

impl Loops {
    const fn new<C: Folds<T, W>, T: Pod, W: Wide<T>>(wide: DType) -> Loops {
        Loops { fold: fold_rows::<C, T, W>, accumulate: accumulate::<C, T>, join: accumulate::<C, W>, wide }
    }

    /// The loops that reduce values to a value, with bytes as int32. `None` for reductions to
    /// positions.
    pub fn of(op: ReduceOp, dtype: DType) -> Option<Loops> {
        Some(match (op, dtype) {
            (ReduceOp::ArgMax | ReduceOp::ArgMin, _) => return None,
            (ReduceOp::Sum, DType::F32) => Loops::new::<Sum, f32, f64>(DType::F64),
            (ReduceOp::Sum, DType::F64) => Loops::new::<Sum, f64, f64>(dtype),
            (ReduceOp::Prod, DType::F32) => Loops::new::<Prod, f32, f64>(DType::F64),
            (ReduceOp::Prod, DType::F64) => Loops::new::<Prod, f64, f64>(dtype),
            (ReduceOp::Max, DType::F32) => Loops::new::<Max, f32, f32>(dtype),
            (ReduceOp::Max, DType::F64) => Loops::new::<Max, f64, f64>(dtype),
            (ReduceOp::Min, DType::F32) => Loops::new::<Min, f32, f32>(dtype),
            (ReduceOp::Min, DType::F64) => Loops::new::<Min, f64, f64>(dtype),
            (ReduceOp::Sum, DType::I64) => Loops::new::<Sum, i64, i64>(dtype),
            (ReduceOp::Prod, DType::I64) => Loops::new::<Prod, i64, i64>(dtype),
            (ReduceOp::Max, DType::I64) => Loops::new::<Max, i64, i64>(dtype),
            (ReduceOp::Min, DType::I64) => Loops::new::<Min, i64, i64>(dtype),
            (ReduceOp::Sum | ReduceOp::Max, DType::Bool) => Loops::new::<Any, i32, i32>(DType::I32),
            (ReduceOp::Sum, _) => Loops::new::<Sum, i32, i32>(DType::I32),
            (ReduceOp::Prod, _) => Loops::new::<Prod, i32, i32>(DType::I32),
            (ReduceOp::Max, _) => Loops::new::<Max, i32, i32>(DType::I32),
            (ReduceOp::Min, _) => Loops::new::<Min, i32, i32>(DType::I32),
        })
    }
}
