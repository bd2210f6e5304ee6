//! Ops with a lowering to kernels and a derivative each, or an expression from which both follow.
//!
//! The documentation of an op names the kinds of its errors (`shape` is
//! [`Error::is_shape`](crate::Error::is_shape), and `error.kind` in JavaScript). It does not repeat
//! those that every op may return: `device` if tensors are on different devices, `shape` if a
//! result has more elements than kernels can index, and `dtype` if the device does not support the
//! type of a result.

pub(crate) mod activation;
pub(crate) mod arithmetic;
pub(crate) mod attention;
pub(crate) mod bitwise;
pub(crate) mod cast;
pub(crate) mod comparison;
pub(crate) mod contract;
pub(crate) mod convolution;
pub(crate) mod create;
pub(crate) mod diagonal;
pub(crate) mod division;
pub(crate) mod exponential;
pub(crate) mod fake_quantize;
pub(crate) mod flip;
pub(crate) mod index;
pub(crate) mod join;
pub(crate) mod linalg;
pub(crate) mod matmul;
pub(crate) mod pad;
pub(crate) mod parts;
mod polyphase;
pub(crate) mod pooling;
pub(crate) mod quantized;
pub(crate) mod random;
mod random_gamma;
pub(crate) mod range;
pub(crate) mod recurrent;
pub(crate) mod reduce;
pub(crate) mod rounding;
pub(crate) mod scan;
pub(crate) mod scatter_reduce;
pub(crate) mod sliding_window;
pub(crate) mod sort;
pub(crate) mod special;
pub(crate) mod standardize;
pub(crate) mod strided;
pub(crate) mod triangle;
pub(crate) mod trigonometric;
pub(crate) mod unfold;
pub(crate) mod view;
pub(crate) mod view_scatter;

use super::Op;

/// The families of leaf ops.
pub(crate) static FAMILIES: &[&[&Op]] = &[
    activation::OPS,
    arithmetic::OPS,
    attention::OPS,
    bitwise::OPS,
    cast::OPS,
    comparison::OPS,
    create::OPS,
    diagonal::OPS,
    division::OPS,
    exponential::OPS,
    fake_quantize::OPS,
    flip::OPS,
    index::OPS,
    join::OPS,
    linalg::factor::OPS,
    linalg::function::OPS,
    linalg::pseudoinverse::OPS,
    linalg::solve::OPS,
    linalg::spectral::OPS,
    matmul::OPS,
    pad::OPS,
    parts::OPS,
    pooling::max::OPS,
    pooling::unpool::OPS,
    quantized::OPS,
    random::OPS,
    random_gamma::OPS,
    range::OPS,
    recurrent::OPS,
    recurrent::step::OPS,
    reduce::OPS,
    rounding::OPS,
    scan::OPS,
    scatter_reduce::OPS,
    sort::OPS,
    special::OPS,
    strided::OPS,
    triangle::OPS,
    trigonometric::OPS,
    unfold::OPS,
    view::OPS,
    view_scatter::OPS,
];
