//! Tensors joined in further ways: stacks by direction, block diagonals, combinations, padded
//! sequences.

use crate::{
    DType, Error, PadMode, Result, Shape, Side, Tensor,
    ops::Op,
    samples::{self, Sample, SampleArg},
};
use lanthorn_macros::op;

/// A sample with tensors of these shapes.
fn several(shapes: &[&[i64]]) -> Sample {
    let specs = shapes.iter().map(|shape| samples::spec(shape, DType::F32, -2.0, 2.0)).collect();
    Sample { args: vec![SampleArg::Tensors(specs)] }
}

/// Concatenates the tensors after `raise`, along the dimension that `dim` returns for the first
/// one.
fn join(op: &str, tensors: &[Tensor], raise: fn(&Tensor) -> Result<Tensor>, dim: fn(&Tensor) -> i64) -> Result<Tensor> {
    let tensors = tensors.iter().map(raise).collect::<Result<Vec<_>>>()?;
    let Some(first) = tensors.first() else { return Err(Error::argument(op, "expected at least one tensor")) };
    Tensor::cat(&tensors, dim(first)).map_err(|error| error.in_op(op))
}

/// Joins tensors horizontally, as `torch.hstack`: vectors along dimension 0, other tensors along
/// dimension 1.
///
/// `[n, m_i, *]` each give `[n, sum of m_i, *]`; `[n_i]` give `[sum of n_i]`, and 0-d tensors count
/// as `[1]`. Types are promoted.
///
/// Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
#[op(
    composite,
    "hstack(Tensor[] tensors) -> Tensor",
    samples = || vec![several(&[&[3], &[2]]), several(&[&[2, 3], &[2, 1]]), several(&[&[], &[2]])]
)]
fn hstack(tensors: &[Tensor]) -> Result<Tensor> {
    join("hstack", tensors, Tensor::atleast_1d, |first| i64::from(first.rank() > 1))
}

/// Joins tensors vertically, along dimension 0, as `torch.vstack`.
///
/// `[n_i, m, *]` each give `[sum of n_i, m, *]`; a vector `[m]` counts as `[1, m]`, a 0-d tensor as
/// `[1, 1]`. Types are promoted.
///
/// Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
#[op(
    composite,
    "vstack(Tensor[] tensors) -> Tensor",
    aliases = ["row_stack"],
    samples = || vec![several(&[&[3], &[2, 3]])]
)]
fn vstack(tensors: &[Tensor]) -> Result<Tensor> {
    join("vstack", tensors, Tensor::atleast_2d, |_| 0)
}

/// Joins tensors along dimension 2, as `torch.dstack`.
///
/// `[n, m, k_i, *]` each give `[n, m, sum of k_i, *]`; a matrix `[n, m]` counts as `[n, m, 1]`, a
/// vector `[m]` as `[1, m, 1]`. Types are promoted.
///
/// Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
#[op(composite, "dstack(Tensor[] tensors) -> Tensor", samples = || vec![several(&[&[3], &[1, 3]]), several(&[&[2, 1, 3], &[2, 1]])])]
fn dstack(tensors: &[Tensor]) -> Result<Tensor> {
    join("dstack", tensors, Tensor::atleast_3d, |_| 2)
}

/// Joins tensors along dimension 1, with vectors as columns, as `torch.column_stack`.
///
/// `[n, m_i, *]` each give `[n, sum of m_i, *]`; a vector `[n]` counts as `[n, 1]`, a 0-d tensor as
/// `[1, 1]`. Types are promoted.
///
/// Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
#[op(composite, "column_stack(Tensor[] tensors) -> Tensor", samples = || vec![several(&[&[3], &[3, 2]]), several(&[&[], &[1, 2]])])]
fn column_stack(tensors: &[Tensor]) -> Result<Tensor> {
    let column = |tensor: &Tensor| if tensor.rank() < 2 { tensor.reshape([-1, 1]) } else { Ok(tensor.clone()) };
    join("column_stack", tensors, column, |_| 1)
}

/// The block diagonal matrix of the given matrices, as `torch.block_diag`.
///
/// `[n_i, m_i]` become `[sum of n_i, sum of m_i]`; a vector `[m]` counts as `[1, m]`, a 0-d tensor
/// as `[1, 1]`. The result of an empty list is `[1, 0]`. Types are promoted.
///
/// Errors: `shape` if a tensor has more than 2 dimensions.
#[op(
    composite,
    "block_diag(Tensor[] tensors) -> Tensor",
    samples = || vec![several(&[&[2, 1], &[3], &[]]), several(&[&[1, 2], &[0, 1], &[2, 2]])]
)]
fn block_diag(tensors: &[Tensor]) -> Result<Tensor> {
    let blocks = tensors.iter().map(Tensor::atleast_2d).collect::<Result<Vec<_>>>()?;
    if let Some(block) = blocks.iter().find(|block| block.rank() > 2) {
        return Err(Error::shape("block_diag", format!("takes at most 2 dimensions, not shape {}", block.shape())));
    }
    let width = |blocks: &[Tensor]| blocks.iter().map(|block| block.shape()[1] as i64).sum::<i64>();
    let rows = blocks
        .iter()
        .enumerate()
        .map(|(i, block)| block.pad([width(&blocks[..i]), width(&blocks[i + 1..])], PadMode::Constant, None));
    let rows = rows.collect::<Result<Vec<_>>>().map_err(|error| error.in_op("block_diag"))?;
    if rows.is_empty() {
        Tensor::zeros([1, 0])
    } else {
        Tensor::cat(&rows, 0).map_err(|error| error.in_op("block_diag"))
    }
}

/// The Cartesian product of vectors, one combination a row, in the order of nested loops, as
/// `torch.cartesian_prod`.
///
/// `[n_1]` to `[n_k]` give `[n_1 * ... * n_k, k]`; one vector is returned as it is.
///
/// Errors: `argument` if the list is empty; `shape` if a tensor is not a vector.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0, 2, 1)?;
/// let pairs = Tensor::cartesian_prod(&[x.clone(), x])?;
/// assert_eq!(pollster::block_on(pairs.to_vec::<i32>())?, [0, 0, 0, 1, 1, 0, 1, 1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "cartesian_prod(Tensor[] tensors) -> Tensor", samples = || vec![several(&[&[2], &[3], &[2]]), several(&[&[3]])])]
fn cartesian_prod(tensors: &[Tensor]) -> Result<Tensor> {
    if let Some(tensor) = tensors.iter().find(|tensor| tensor.rank() != 1) {
        return Err(Error::shape("cartesian_prod", format!("takes vectors, not shape {}", tensor.shape())));
    }
    match tensors {
        [] => Err(Error::argument("cartesian_prod", "expected at least one tensor")),
        [one] => Ok(one.clone()),
        _ => {
            let sizes: Vec<i64> = tensors.iter().map(|tensor| tensor.numel() as i64).collect();
            let grid = Shape::new("cartesian_prod", &sizes)?;
            let columns = tensors.iter().enumerate().map(|(d, tensor)| {
                let along: Vec<i64> = (0..sizes.len()).map(|other| if other == d { sizes[d] } else { 1 }).collect();
                tensor.reshape(along)?.expand(&grid)?.reshape([-1])
            });
            Tensor::stack(&columns.collect::<Result<Vec<_>>>()?, 1).map_err(|error| error.in_op("cartesian_prod"))
        }
    }
}

/// All combinations of `r` elements of a vector, one a row, in lexicographic order of their
/// positions, as `torch.combinations`. With `with_replacement` an element may occur several times.
///
/// `self: [n]`; the result is `[N, r]`, where `N` is the binomial coefficient `n! / (r! (n - r)!)`,
/// or `(n + r - 1)! / (r! (n - 1)!)` with replacement. For `r = 0` it is `[0]`.
///
/// Errors: `shape` if `self` is not a vector or the result would be too large; `argument` if `r` is
/// negative.
#[op(
    composite,
    "combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4], -2.0, 2.0)],
        vec![samples::real(&[3], -2.0, 2.0), samples::int(3), samples::flag(true)],
        vec![samples::real(&[2], -2.0, 2.0), samples::int(3)],
    ])
)]
fn combinations(x: &Tensor, r: i64, with_replacement: bool) -> Result<Tensor> {
    let op = "combinations";
    if x.rank() != 1 {
        return Err(Error::shape(op, format!("takes a vector, not shape {}", x.shape())));
    }
    let Some(r) = usize::try_from(r).ok() else {
        return Err(Error::argument(op, format!("r must not be negative: {r}")));
    };
    if r == 0 {
        return Tensor::zeros_with([0], x.dtype(), Some(x.device()));
    }
    // Refuses a row that is too large for a tensor before the combinations are counted.
    Shape::new(op, &[r as i64])?;
    let n = x.numel();
    // (n + r - 1)! / (r! (n - 1)!) with replacement, n! / (r! (n - r)!) without.
    let top = if with_replacement { (n + r).saturating_sub(1) } else { n };
    let mut count = usize::from(top >= r) as i64;
    for i in 0..r.min(top) {
        count = count.saturating_mul((top - i) as i64) / (i as i64 + 1);
        Shape::new(op, &[count.min(i64::from(i32::MAX)), 1])?;
    }
    let shape = Shape::new(op, &[count, r as i64])?;
    let gap = usize::from(!with_replacement);
    let mut row: Vec<usize> = (0..r).map(|position| position * gap).collect();
    let mut indices = Vec::with_capacity(shape.elements());
    for _ in 0..count {
        indices.extend(row.iter().map(|&index| index as i32));
        // Advances the last index that can be advanced, and resets those after it.
        if let Some(position) = (0..r).rev().find(|&position| row[position] + 1 < n - (r - 1 - position) * gap) {
            let next = row[position] + 1;
            row[position..].iter_mut().enumerate().for_each(|(i, index)| *index = next + i * gap);
        }
    }
    x.index_select(0, &Tensor::from_slice(&indices, [indices.len() as i64], x.device())?)?.reshape(&shape)
}

/// Stacks sequences of different lengths, padded to the longest with `padding_value`, as
/// `torch.nn.utils.rnn.pad_sequence`.
///
/// `sequences: [length_i, *]` each, with the same other sizes; the result is `[longest, N, *]`, or
/// `[N, longest, *]` with `batch_first`. `padding_side` is `"right"` or `"left"`, the end at which
/// the padding is added.
///
/// Errors: `argument` if the list is empty or `padding_side` is unknown; `shape` if a sequence is
/// 0-d or the other sizes differ.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{Side, Tensor};
/// let sequences = [Tensor::ones([3])?, Tensor::ones([1])?];
/// let padded = Tensor::pad_sequence(&sequences, true, 0.0, Side::Right)?;
/// assert_eq!(pollster::block_on(padded.to_vec::<f32>())?, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str{left|right} padding_side=\"right\") -> Tensor",
    samples = || {
        let call = |shapes: &[&[i64]], options: Vec<SampleArg>| {
            Sample { args: several(shapes).args.into_iter().chain(options).collect() }
        };
        vec![
            call(&[&[3, 2], &[1, 2], &[2, 2]], vec![]),
            call(&[&[2], &[4]], vec![samples::flag(true), samples::float(-1.0), samples::text("left")]),
        ]
    }
)]
fn pad_sequence(sequences: &[Tensor], batch_first: bool, padding_value: f64, padding_side: Side) -> Result<Tensor> {
    const NAME: &str = "pad_sequence";
    let lengths = sequences.iter().map(|sequence| match sequence.shape().first() {
        Some(&length) => Ok(length as i64),
        None => Err(Error::shape(NAME, "a 0-d tensor is no sequence")),
    });
    let lengths = lengths.collect::<Result<Vec<i64>>>()?;
    let Some(&longest) = lengths.iter().max() else {
        return Err(Error::argument(NAME, "expected at least one sequence"));
    };
    let filled = sequences.iter().zip(lengths).map(|(sequence, length)| {
        let missing = longest - length;
        let [before, after] = if padding_side == Side::Left { [missing, 0] } else { [0, missing] };
        // `pad` takes the last dimension first.
        let mut pad = vec![0; 2 * sequence.rank() - 2];
        pad.extend([before, after]);
        sequence.pad(pad, PadMode::Constant, Some(padding_value.into()))
    });
    Tensor::stack(&filled.collect::<Result<Vec<_>>>()?, i64::from(!batch_first)).map_err(|error| error.in_op(NAME))
}

pub(crate) static OPS: &[&Op] =
    &[&HSTACK, &VSTACK, &DSTACK, &COLUMN_STACK, &BLOCK_DIAG, &CARTESIAN_PROD, &COMBINATIONS, &PAD_SEQUENCE];
