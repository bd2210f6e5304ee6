//! The built-in modules, a family a file.

pub mod activation;
pub mod attention;
pub mod container;
pub mod convolution;
pub mod dropout;
pub mod embedding;
pub mod linear;
pub mod loss;
pub mod normalization;
pub mod padding;
pub mod pooling;
pub mod recurrent;
pub mod shape;
pub mod transformer;
