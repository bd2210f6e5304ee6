//! The interface of a prepared kernel: the trait that each kernel kind implements, and its buffers.
//!
//! The module names no kernel kind. So the kinds depend on it and not on [`crate::launch`], which
//! depends on all of them.

use crate::{
    block::{Input, Output},
    buffer::Shared,
    contract::Packing,
};
use lanthorn_ir::{DType, Result, expr::Constant};
use std::sync::Arc;

/// A prepared kernel. Each launch is checked against its buffers before.
pub(crate) trait CpuKernel {
    /// Computes the outputs of one launch.
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()>;

    /// The panels in which the kernel reads an input. A launch passes them as [`Input::Packed`], or
    /// the kernel packs the input.
    fn packing(&self, _input: usize) -> Option<&Arc<Packing>> {
        None
    }
}

/// The outputs of a kernel that writes them in the order of its iteration space.
pub(crate) fn linear<'a>(outputs: Vec<&'a mut [u8]>, dtypes: &[DType]) -> Vec<Output<'a>> {
    outputs.into_iter().zip(dtypes).map(|(output, &dtype)| Output::linear(Shared::new(output), dtype)).collect()
}

/// The bytes of an input, for kinds whose outputs replace no input.
pub(crate) fn data<'a>(input: &Input<'a>) -> &'a [u8] {
    match input {
        Input::Data(data) | Input::Packed { data, .. } => data,
        _ => &[],
    }
}
