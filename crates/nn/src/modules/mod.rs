//! The built-in modules, one file per family.

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
