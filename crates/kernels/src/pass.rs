//! A plan: the dispatches of a kernel.

use crate::{Language, Source, Tuning};
use lanthorn_ir::{Error, Result};

/// Where a binding of a pass comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An input buffer of the launch.
    Input(usize),
    /// An output buffer of the launch.
    Output(usize),
    /// The device's scratch buffer.
    Scratch,
}

/// The layout of a bind group: read-only buffers, writable buffers, and whether the status buffer
/// follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bindings {
    /// Read-only buffers, which come first.
    pub inputs: u32,
    /// Buffers that are written, or both written and read.
    pub outputs: u32,
    /// Whether the status buffer follows.
    pub status: bool,
}

/// One dispatch.
#[derive(Debug)]
pub struct Pass {
    /// The text of the pass.
    pub source: Source,
    /// The number of bound buffers of each kind.
    pub bindings: Bindings,
    /// The buffers in the order of their bindings, without the status buffer.
    pub slots: Vec<Slot>,
    /// The kernel arguments, as 32-bit words: the uniform buffer of a WGSL pass, or an argument by
    /// value in CUDA. In WGSL the first [`PARAMS`](crate::PARAMS) words belong to the dispatch,
    /// then come the launch's parameters, and then sizes and strides. In CUDA there are only sizes
    /// and strides, and at least one word.
    pub arguments: Vec<u32>,
    /// The number of launch parameters. They are written to the arguments, or in CUDA to a buffer
    /// of 32-bit words. There, float64 and int64 have two words, the lower one first.
    pub params: usize,
    /// The workgroups along both dimensions.
    pub grid: [u32; 2],
    /// The threads of a workgroup. The text of a WGSL pass contains this number too.
    pub threads: u32,
    /// The argument that holds the index of the pass in the status buffer, if it may report an
    /// index that is out of range.
    pub status: Option<usize>,
    /// Whether the threads of a quad exchange values. In WebGPU this needs the feature `subgroups`.
    pub quads: bool,
    /// The user's parts of the text.
    pub user: Vec<UserText>,
}

/// A part of a pass's text that the user wrote. Compiler messages refer to its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserText {
    /// The line of the pass's text at which it starts, from 1.
    pub first_line: usize,
    /// The text.
    pub text: String,
}

impl UserText {
    /// The line of this text, from 1, for a line of the pass's text, and the content of that line.
    pub fn line(&self, line: usize) -> Option<(usize, &str)> {
        let index = line.checked_sub(self.first_line)?;
        self.text.lines().nth(index).map(|text| (index + 1, text))
    }
}

/// The dispatches of a kernel, in order, and the scratch memory between them.
#[derive(Debug, Default)]
pub struct Plan {
    /// The dispatches.
    pub passes: Vec<Pass>,
    /// The size of the scratch memory that they share.
    pub scratch_bytes: u64,
}

/// The properties of a device on which the choice of variants depends.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The language that the device compiles.
    pub language: Language,
    /// Whether the adapter is a processor, on which barriers are expensive and few threads suffice.
    pub software: bool,
    /// Whether exchanging values among four adjacent threads costs less than reading memory in each
    /// thread.
    pub quads: bool,
    /// Maximum number of workgroups along a dimension of a dispatch.
    pub max_groups: u32,
    /// Maximum scratch memory of a kernel: the amount it may use to be faster, and the amount it
    /// may use if it has no other variant.
    pub max_scratch_bytes: u64,
    /// Maximum size of a buffer in bytes.
    pub max_buffer_bytes: u64,
    /// Variants that are forced.
    pub tuning: Tuning,
}

impl Target {
    /// The same device with other forced variants.
    pub fn with_tuning(&self, tuning: Tuning) -> Target {
        Target { software: tuning.software.unwrap_or(self.software), tuning, ..*self }
    }
}

/// Spreads workgroups over two dimensions. The last row may contain idle workgroups.
pub(crate) fn grid(groups: usize, most: u32) -> Result<[u32; 2]> {
    let x = groups.min(most as usize);
    let y = if x == 0 { 0 } else { groups.div_ceil(x) };
    if y > most as usize {
        return Err(Error::limit(
            "kernel",
            format!("{groups} workgroups; the device dispatches at most {most} x {most}"),
        ));
    }
    Ok([x as u32, y as u32])
}
