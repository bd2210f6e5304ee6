//! Printers: a [`Program`](crate::expr::Program) as text of a shading language.
//!
//! A printer writes straight-line statements and knows nothing of kernels: which name an input has, where a parameter comes
//! from, and what the index is, its caller says. Functions that the language lacks, or that it has in a quality too low for PyTorch's
//! tolerance, are called by name and reported, so that a kernel includes only those that it needs.
//!
//! Rejected: one printer a kernel kind. The scalar part is the same in all of them, and it is where numbers go wrong.

pub mod wgsl;
