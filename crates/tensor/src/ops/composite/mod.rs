//! Ops written in other ops: no kernel and no derivative of their own.

pub(crate) mod adaptive_pooling;
pub(crate) mod clamp;
pub(crate) mod convolution;
pub(crate) mod dropout;
pub(crate) mod grid;
pub(crate) mod like;
pub(crate) mod linear;
pub(crate) mod loss;
pub(crate) mod normalization;
pub(crate) mod pooling;
pub(crate) mod resample;
pub(crate) mod shape;
pub(crate) mod softmax;
pub(crate) mod statistics;

use super::Op;

/// The families of composite ops.
pub(crate) static FAMILIES: &[&[&Op]] = &[
    adaptive_pooling::OPS,
    clamp::OPS,
    convolution::OPS,
    dropout::OPS,
    grid::OPS,
    like::OPS,
    linear::OPS,
    loss::classification::OPS,
    loss::distance::OPS,
    loss::margin::OPS,
    loss::regression::OPS,
    normalization::OPS,
    pooling::OPS,
    resample::OPS,
    shape::OPS,
    softmax::OPS,
    statistics::OPS,
];
