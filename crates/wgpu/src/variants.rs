//! The variants of kernels, by name: what the choice by adapter and shape is made from, and what a tuner measures.
//!
//! A variant is a [`Tuning`] that forces it, so that a choice that was measured, one that a test makes and the default go the same way. Rejected: numbers for tile sizes and
//! the like as free parameters; each would have to be held to its naive form, and a short list of variants covers what adapters differ in.

use crate::{State, WgpuBackend, kernels};
use lanthorn_ir::{Kernel, Result};

/// Which variants of kernels to use, where the choice by adapter and shape is not wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// The variant of every contraction.
    pub contract: Option<Contraction>,
    /// The variant of the first pass of every reduction.
    pub reduce: Option<Reduction>,
    /// The variant of every kernel over rows, and of every scan.
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

const fn contract(name: &'static str, contract: Contraction) -> Variant {
    Variant { name, tuning: Tuning { contract: Some(contract), reduce: None, rows: None, software: None } }
}

const fn reduce(name: &'static str, reduce: Reduction) -> Variant {
    Variant { name, tuning: Tuning { contract: None, reduce: Some(reduce), rows: None, software: None } }
}

const fn rows(name: &'static str, rows: Rows) -> Variant {
    Variant { name, tuning: Tuning { contract: None, reduce: None, rows: Some(rows), software: None } }
}

/// The kinds of kernels that have variants.
const KINDS: &[(&str, &[Variant])] = &[
    (
        "contract",
        &[
            contract("tiled", Contraction::Tiled),
            contract("register", Contraction::Register),
            contract("simple", Contraction::Simple),
        ],
    ),
    ("reduce", &[reduce("thread", Reduction::Thread), reduce("tree", Reduction::Tree)]),
    ("row", &[rows("thread", Rows::Thread), rows("team", Rows::Team)]),
    ("scan", &[rows("thread", Rows::Thread), rows("team", Rows::Team)]),
];

/// The variants of a kind of kernels.
fn of_kind(kind: &str) -> &'static [Variant] {
    KINDS.iter().find(|(known, _)| *known == kind).map_or(&[], |(_, variants)| variants)
}

/// The class that a choice holds for: the kind, the type of the first operand, and the sizes as powers of two. None for a kind without variants.
pub(crate) fn class(kernel: &Kernel) -> Option<String> {
    let sizes = match kernel {
        Kernel::Contract(contract) => contract.extents().to_vec(),
        Kernel::Reduce(reduce) => vec![reduce.outer.elements(), reduce.inner.elements()],
        Kernel::Row(row) => vec![row.outer.elements(), row.inner.elements()],
        Kernel::Scan(scan) => scan.extents().to_vec(),
        _ => return None,
    };
    let dtype = kernel.operands().first()?.dtype;
    let sizes: Vec<String> = sizes.iter().map(|size| size.next_power_of_two().to_string()).collect();
    Some(format!("{}/{dtype}/{}", kernel.kind(), sizes.join("x")))
}

/// The variant of a class by its name.
pub(crate) fn in_class(class: &str, name: &str) -> Option<Variant> {
    of_kind(class.split('/').next()?).iter().copied().find(|variant| variant.name == name)
}

/// What forces the variant of a kernel that has this name.
pub(crate) fn named(kernel: &Kernel, name: &str) -> Option<Tuning> {
    of_kind(kernel.kind()).iter().find(|variant| variant.name == name).map(|variant| variant.tuning)
}

impl State {
    /// What a kernel is compiled by: what is forced for all, else what was measured for its class, else nothing, which leaves the choice to the rules.
    pub(crate) fn tuning(&self, kernel: &Kernel) -> Tuning {
        let forced = self.target.tuning;
        let preferred = self.preferred.borrow();
        if forced != Tuning::default() || preferred.is_empty() {
            return forced;
        }
        class(kernel).and_then(|class| preferred.get(&class).map(|variant| variant.tuning)).unwrap_or(forced)
    }
}

impl WgpuBackend {
    /// The variants that this device can run a kernel by, each of which gives other shaders; none if it cannot run the kernel. A kernel whose kind has
    /// no variants has the one that forces nothing.
    pub fn variants(&self, kernel: &Kernel) -> Vec<Variant> {
        let mut known: Vec<Vec<String>> = Vec::new();
        let mut is_new = |variant: &Variant| {
            let shaders = self.shaders_by("kernel", kernel, variant.tuning).ok();
            let fresh = shaders.filter(|shaders| !known.contains(shaders));
            fresh.map(|shaders| known.push(shaders)).is_some()
        };
        const ONLY: &[Variant] =
            &[Variant { name: "only", tuning: Tuning { contract: None, reduce: None, rows: None, software: None } }];
        let variants = of_kind(kernel.kind());
        let variants = if variants.is_empty() { ONLY } else { variants };
        variants.iter().copied().filter(|variant| is_new(variant)).collect()
    }

    /// The name of the variant that a kernel is compiled by now.
    pub(crate) fn variant_in_use(&self, kernel: &Kernel) -> Option<&'static str> {
        let used = self.shaders_by("kernel", kernel, self.0.tuning(kernel)).ok()?;
        let same = |variant: &Variant| self.shaders_by("kernel", kernel, variant.tuning).is_ok_and(|shaders| shaders == used);
        self.variants(kernel).into_iter().find(same).map(|variant| variant.name)
    }

    /// The shaders of a kernel, as they would be compiled: for people, profiles and snapshot tests.
    ///
    /// # Errors
    /// Those of compiling that do not need the device.
    pub fn shaders(&self, op: &str, kernel: &Kernel) -> Result<Vec<String>> {
        self.shaders_by(op, kernel, self.0.tuning(kernel))
    }

    fn shaders_by(&self, op: &str, kernel: &Kernel, tuning: Tuning) -> Result<Vec<String>> {
        let plan = kernels::plan(op, kernel, &[], &self.0.target.tuned(tuning))?;
        Ok(plan.passes.into_iter().map(|pass| pass.source).collect())
    }
}
