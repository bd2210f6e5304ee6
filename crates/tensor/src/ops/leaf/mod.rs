//! Ops with kernels of their own: a lowering and a derivative each, or one formula from which both follow.

pub(crate) mod activation;
pub(crate) mod arithmetic;
pub(crate) mod attention;
pub(crate) mod cast;
pub(crate) mod comparison;
pub(crate) mod contract;
pub(crate) mod convolution;
pub(crate) mod create;
pub(crate) mod diagonal;
pub(crate) mod exponential;
pub(crate) mod flip;
pub(crate) mod index;
pub(crate) mod join;
pub(crate) mod matmul;
pub(crate) mod pad;
mod phases;
pub(crate) mod pooling;
pub(crate) mod random;
pub(crate) mod range;
pub(crate) mod reduce;
pub(crate) mod rounding;
pub(crate) mod scan;
pub(crate) mod slide;
pub(crate) mod sort;
pub(crate) mod strided;
pub(crate) mod triangle;
pub(crate) mod unfold;
pub(crate) mod view;
pub(crate) mod view_scatter;

use super::Op;

/// The families of leaf ops.
pub(crate) static FAMILIES: &[&[&Op]] = &[
    activation::OPS,
    arithmetic::OPS,
    attention::OPS,
    cast::OPS,
    comparison::OPS,
    create::OPS,
    diagonal::OPS,
    exponential::OPS,
    flip::OPS,
    index::OPS,
    join::OPS,
    matmul::OPS,
    pad::OPS,
    pooling::OPS,
    random::OPS,
    range::OPS,
    reduce::OPS,
    rounding::OPS,
    scan::OPS,
    sort::OPS,
    strided::OPS,
    triangle::OPS,
    unfold::OPS,
    view::OPS,
    view_scatter::OPS,
];
