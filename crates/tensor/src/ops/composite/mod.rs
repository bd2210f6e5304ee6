//! Ops written in other ops, without a kernel or a derivative.
//!
//! In an op's documentation `*` stands for any number of dimensions, and sizes are named as in
//! PyTorch. `Errors` lists the kinds of [`Error`](crate::Error) by the names of their constructors,
//! without those that every op can return: `device` for tensors on two devices, `dtype` for a type
//! that the device does not have, and `shape` for a result with more than 16 dimensions or 2^31 - 1
//! elements. An error that depends on elements is found when the kernel runs; reading a result that
//! depends on it fails.

pub(crate) mod adaptive_pooling;
pub(crate) mod attention;
pub(crate) mod clamp;
pub(crate) mod convolution;
pub(crate) mod correlation;
pub(crate) mod deform_convolution;
pub(crate) mod detection;
pub(crate) mod diagonal;
pub(crate) mod differences;
pub(crate) mod distance;
pub(crate) mod dropout;
pub(crate) mod einsum;
pub(crate) mod embedding;
pub(crate) mod equality;
pub(crate) mod fft;
pub(crate) mod fractional_pooling;
pub(crate) mod gradient;
pub(crate) mod grid;
pub(crate) mod histogram;
pub(crate) mod implicit_softmax;
pub(crate) mod index;
pub(crate) mod index_put;
pub(crate) mod join;
pub(crate) mod like;
pub(crate) mod linalg;
pub(crate) mod linear;
pub(crate) mod loss;
pub(crate) mod noise;
pub(crate) mod normalization;
pub(crate) mod permute;
pub(crate) mod pooling;
pub(crate) mod products;
pub(crate) mod promotion;
pub(crate) mod quantile;
pub(crate) mod rank;
pub(crate) mod resample;
pub(crate) mod reshape;
pub(crate) mod resize;
pub(crate) mod search;
pub(crate) mod shape;
pub(crate) mod softmax;
pub(crate) mod split;
pub(crate) mod statistics;
pub(crate) mod unique;
pub(crate) mod vector;
pub(crate) mod windows;

use super::Op;

/// The families of composite ops.
pub(crate) static FAMILIES: &[&[&Op]] = &[
    adaptive_pooling::OPS,
    attention::OPS,
    clamp::OPS,
    convolution::OPS,
    correlation::OPS,
    diagonal::OPS,
    deform_convolution::OPS,
    detection::OPS,
    differences::OPS,
    distance::OPS,
    dropout::OPS,
    einsum::OPS,
    embedding::OPS,
    equality::OPS,
    fft::OPS,
    fractional_pooling::OPS,
    gradient::OPS,
    grid::OPS,
    histogram::OPS,
    index::OPS,
    index_put::OPS,
    join::OPS,
    like::OPS,
    linalg::norm::OPS,
    linalg::solutions::OPS,
    linear::OPS,
    loss::classification::OPS,
    loss::ctc::OPS,
    loss::distance::OPS,
    loss::margin::OPS,
    loss::regression::OPS,
    noise::OPS,
    normalization::OPS,
    permute::OPS,
    pooling::OPS,
    products::OPS,
    promotion::OPS,
    quantile::OPS,
    rank::OPS,
    resample::OPS,
    reshape::OPS,
    resize::OPS,
    search::OPS,
    shape::OPS,
    softmax::OPS,
    implicit_softmax::OPS,
    split::OPS,
    statistics::OPS,
    unique::OPS,
    vector::OPS,
    windows::OPS,
];
