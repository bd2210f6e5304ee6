//! The variants of kernels, by name: what the choice by adapter and shape is made from, and what a tuner measures.
//!
//! A variant is a [`Tuning`] that forces it, so that a choice that was measured, one that a test makes and the default go the same way. Rejected: numbers for tile sizes and
//! the like as free parameters; each would have to be held to its naive form, and a short list of variants covers what adapters differ in.

use crate::{WgpuBackend, kernels};
use lanthorn_ir::{
    Kernel, Result,
    backend::{Compiled, InPlace},
};
use std::rc::Rc;

/// Which variants of kernels to use, where the choice by adapter and shape is not wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// The variant of every contraction.
    pub contract: Option<Contraction>,
    /// The variant of the first pass of every reduction.
    pub reduce: Option<Reduction>,
    /// The variant of every kernel over rows.
    pub rows: Option<Rows>,
    /// Choose as for a software adapter, or as for a GPU.
    pub software: Option<bool>,
}

/// Variants of a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// Tiles of both operands in workgroup memory.
    Tiled,
    /// 4 x 4 outputs a thread in registers.
    Register,
    /// A reduction over k.
    Simple,
}

/// Variants of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// One thread an output and chunk.
    Thread,
    /// One workgroup an output and chunk.
    Tree,
}

/// Variants of a kernel over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One thread a row.
    Thread,
    /// One workgroup a row.
    Team,
}

/// One way to run a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name under which a measured choice is remembered.
    pub name: &'static str,
    /// What forces it.
    pub tuning: Tuning,
}

/// The variants of a kernel's kind.
fn of_kind(kernel: &Kernel) -> Vec<Variant> {
    let contract = |name, contract| Variant { name, tuning: Tuning { contract: Some(contract), ..Tuning::default() } };
    let reduce = |name, reduce| Variant { name, tuning: Tuning { reduce: Some(reduce), ..Tuning::default() } };
    let rows = |name, rows| Variant { name, tuning: Tuning { rows: Some(rows), ..Tuning::default() } };
    match kernel {
        Kernel::Contract(_) => vec![
            contract("tiled", Contraction::Tiled),
            contract("register", Contraction::Register),
            contract("simple", Contraction::Simple),
        ],
        Kernel::Reduce(_) => vec![reduce("thread", Reduction::Thread), reduce("tree", Reduction::Tree)],
        Kernel::Row(_) => vec![rows("thread", Rows::Thread), rows("team", Rows::Team)],
        Kernel::Map(_) | Kernel::Maps(_) | Kernel::Attention(_) | Kernel::Gather(_) | Kernel::Scatter(_) | Kernel::Copy(_) => {
            vec![Variant { name: "only", tuning: Tuning::default() }]
        }
    }
}

impl WgpuBackend {
    /// The variants that this device can run a kernel by, each of which gives other shaders; none if it cannot run the kernel.
    pub fn variants(&self, kernel: &Kernel) -> Vec<Variant> {
        let mut known: Vec<Vec<String>> = Vec::new();
        let mut is_new = |variant: &Variant| {
            let shaders = self.shaders_by("kernel", kernel, variant.tuning).ok();
            let fresh = shaders.filter(|shaders| !known.contains(shaders));
            fresh.map(|shaders| known.push(shaders)).is_some()
        };
        of_kind(kernel).into_iter().filter(|variant| is_new(variant)).collect()
    }

    /// As [`lanthorn_ir::Backend::compile`], by one of the [`WgpuBackend::variants`].
    ///
    /// # Errors
    /// Those of compiling.
    pub fn compile_variant(&self, op: &'static str, kernel: &Kernel, in_place: &[InPlace], variant: Variant) -> Result<Compiled> {
        Ok(Rc::new(self.0.compile(op, kernel, in_place, variant.tuning)?))
    }

    /// The shaders of a kernel, as they would be compiled: for people, profiles and snapshot tests.
    ///
    /// # Errors
    /// Those of compiling that do not need the device.
    pub fn shaders(&self, op: &str, kernel: &Kernel) -> Result<Vec<String>> {
        self.shaders_by(op, kernel, self.0.target.tuning)
    }

    fn shaders_by(&self, op: &str, kernel: &Kernel, tuning: Tuning) -> Result<Vec<String>> {
        let plan = kernels::plan(op, kernel, &[], &self.0.target.tuned(tuning))?;
        Ok(plan.passes.into_iter().map(|pass| pass.source).collect())
    }
}
