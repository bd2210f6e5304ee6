//! The built-in modules, a family a file.

pub mod activation;
pub mod container;
pub mod convolution;
pub mod dropout;
pub mod embedding;
pub mod linear;
pub mod loss;
pub mod normalization;
pub mod padding;
pub mod pooling;
pub mod shape;
