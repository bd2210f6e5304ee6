//! Ops written in other ops: no kernel and no derivative of their own.

pub(crate) mod clamp;
pub(crate) mod convolution;
pub(crate) mod correlation;
pub(crate) mod distance;
pub(crate) mod dropout;
pub(crate) mod einsum;
pub(crate) mod like;
pub(crate) mod linear;
pub(crate) mod loss;
pub(crate) mod normalization;
pub(crate) mod pooling;
pub(crate) mod products;
pub(crate) mod promotion;
pub(crate) mod shape;
pub(crate) mod softmax;
pub(crate) mod statistics;

use super::Op;

/// The families of composite ops.
pub(crate) static FAMILIES: &[&[&Op]] = &[
    clamp::OPS,
    convolution::OPS,
    correlation::OPS,
    distance::OPS,
    dropout::OPS,
    einsum::OPS,
    like::OPS,
    linear::OPS,
    loss::OPS,
    normalization::OPS,
    pooling::OPS,
    products::OPS,
    promotion::OPS,
    shape::OPS,
    softmax::OPS,
    statistics::OPS,
];
