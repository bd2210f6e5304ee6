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

/// The shape of a bind group: read-only buffers, writable ones, and whether the status buffer
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
    /// How many buffers of which kind it binds.
    pub bindings: Bindings,
    /// The buffers in the order of their bindings, but for the status buffer.
    pub slots: Vec<Slot>,
    /// The kernel arguments, as 32-bit words: the uniform buffer of a WGSL pass, an argument by
    /// value in CUDA. In WGSL the first [`PARAMS`](crate::PARAMS) belong to the dispatch, and the
    /// launch's parameters follow; the rest are sizes and strides. In CUDA there are only these, at
    /// least one.
    pub arguments: Vec<u32>,
    /// The number of launch parameters. They are written to the arguments, or in CUDA to a buffer
    /// of 32-bit words, where float64 and int64 take two, the lower one first.
    pub params: usize,
    /// The workgroups along both dimensions.
    pub grid: [u32; 2],
    /// The threads of a workgroup. WGSL's text has them too.
    pub threads: u32,
    /// The argument that holds the index of the pass in the status buffer, if it may report an
    /// index that is out of range.
    pub status: Option<usize>,
    /// Whether the threads of a quad exchange values, which WebGPU has as a feature: subgroups.
    pub quads: bool,
    /// The parts of the text that come from outside.
    pub user: Vec<UserText>,
}

/// A part of a pass's text that comes from outside: a compiler's messages are told in its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserText {
    /// The line of the pass's text that it begins in, from 1.
    pub first_line: usize,
    /// The text.
    pub text: String,
}

impl UserText {
    /// The line of this text, from 1, that is a line of the pass's, and what stands there.
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

/// What the choice of a variant depends on.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The language that the device compiles.
    pub language: Language,
    /// Whether the adapter is a processor: barriers cost, and few threads suffice.
    pub software: bool,
    /// Whether four neighbouring threads can exchange values, at less cost than each of them reads
    /// memory.
    pub quads: bool,
    /// The most workgroups along a dimension of a dispatch.
    pub max_groups: u32,
    /// Scratch memory that a kernel takes for the sake of speed, and that it may take if it must.
    pub max_scratch_bytes: u64,
    /// The most bytes of a buffer.
    pub max_buffer_bytes: u64,
    /// Variants that are forced.
    pub tuning: Tuning,
}

impl Target {
    /// The same device with other variants forced.
    pub fn tuned(&self, tuning: Tuning) -> Target {
        Target { software: tuning.software.unwrap_or(self.software), tuning, ..*self }
    }
}

/// A number of workgroups spread over two dimensions. The last row may hold some that have nothing
/// to do.
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
