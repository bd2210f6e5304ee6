//! The built-in modules, a family a file.

pub mod activation;
pub mod container;
pub mod linear;
pub mod loss;
pub mod shape;
