//! Ops written in other ops: no kernel and no derivative of their own.

pub(crate) mod clamp;
pub(crate) mod convolution;
pub(crate) mod dropout;
pub(crate) mod like;
pub(crate) mod linear;
pub(crate) mod loss;
pub(crate) mod normalization;
pub(crate) mod pooling;
pub(crate) mod shape;
pub(crate) mod softmax;
pub(crate) mod statistics;

use super::Op;

/// The families of composite ops.
pub(crate) static FAMILIES: &[&[&Op]] = &[
    clamp::OPS,
    convolution::OPS,
    dropout::OPS,
    like::OPS,
    linear::OPS,
    loss::classification::OPS,
    loss::distance::OPS,
    loss::margin::OPS,
    loss::regression::OPS,
    normalization::OPS,
    pooling::OPS,
    shape::OPS,
    softmax::OPS,
    statistics::OPS,
];
