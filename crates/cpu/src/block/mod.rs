//! The block interpreter: runs an expression program over thousands of elements at a time.
//!
//! [`Code`] is a prepared program: registers are assigned, and values that are equal for all
//! elements are computed outside of the loop. [`Space`] maps the elements of a block to memory.
//! [`Machine`] runs code over a space, block after block: an instruction is one typed loop over
//! registers of four kilobytes, so choosing the loop costs nothing per element, and the registers
//! stay in the first-level cache.
//!
//! Rejected: a closure tree evaluated for each element, which needs a call for each node and uses
//! no SIMD; and compiling machine code at run time, which a web page cannot do, so the native build
//! would behave differently.

mod binary;
mod cast;
mod code;
mod compute;
mod deviates;
mod form;
mod machine;
mod maxima;
mod programs;
mod run;
mod space;
mod unary;

pub(crate) use cast::cast;
pub(crate) use code::{Code, Slots, operands, remap, size_of_type};
pub(crate) use form::Form;
pub(crate) use machine::{Input, Machine, Order, Output};
pub(crate) use programs::count_compiled;
pub(crate) use run::{Bound, Run, merge_bounds, plain};
pub(crate) use space::{OperandIterator, Pattern, Space, extent};

/// The size of a register in bytes.
pub(crate) const REGISTER_BYTES: usize = 4096;
