//! The variants of kernels, by name: what the choice by adapter and shape is made from, and what a
//! tuner measures.
//!
//! A variant is a [`Tuning`] that forces it, so that a choice that was measured, one that a test
//! makes and the default go the same way. Rejected: numbers for tile sizes and the like as free
//! parameters; each would have to be held to its naive form, and a short list of variants covers
//! what adapters differ in.

use crate::{Target, plan};
use lanthorn_ir::{Kernel, Result};

/// Which variants of kernels to use, where the choice by adapter and shape is not wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// The variant of every contraction.
    pub contract: Option<Contraction>,
    /// The variant of the first pass of every reduction.
    pub reduce: Option<Reduction>,
    /// The variant of every fused reduction and every scan.
    pub rows: Option<Rows>,
    /// Choose as for a software adapter, or as for a GPU.
    pub software: Option<bool>,
}

/// Variants of a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// Tiles of both operands in workgroup memory, for 64 x 64 outputs, 4 x 4 a thread.
    Tiled,
    /// As `Tiled`, for 128 x 128 outputs, 8 x 8 a thread.
    Wide,
    /// 4 x 4 outputs a thread, without workgroup memory. In CUDA as `Tiled`.
    Register,
    /// Up to 16 x 16 outputs a quad of threads, which exchange what they read. On adapters without
    /// quads as `Register`.
    Quad,
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

/// Variants of a kernel that processes independent rows: fused reductions and scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One thread per row.
    Thread,
    /// One workgroup per row.
    Workgroup,
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
            contract("wide", Contraction::Wide),
            contract("register", Contraction::Register),
            contract("quad", Contraction::Quad),
            contract("simple", Contraction::Simple),
        ],
    ),
    ("reduce", &[reduce("thread", Reduction::Thread), reduce("tree", Reduction::Tree)]),
    ("fused_reduction", &[rows("thread", Rows::Thread), rows("workgroup", Rows::Workgroup)]),
    ("scan", &[rows("thread", Rows::Thread), rows("workgroup", Rows::Workgroup)]),
];

/// Of a kind that has no choice: the one that forces nothing.
const ONLY: &[Variant] =
    &[Variant { name: "only", tuning: Tuning { contract: None, reduce: None, rows: None, software: None } }];

fn of_kind(kind: &str) -> Option<&'static [Variant]> {
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, variants)| *variants)
}

impl Variant {
    /// The class that a measured choice holds for: the kind, the type of the first operand, and the
    /// sizes as powers of two. None for a kind without variants.
    pub fn class(kernel: &Kernel) -> Option<String> {
        let sizes = match kernel {
            Kernel::Contract(contract) => contract.extents().to_vec(),
            Kernel::Reduce(reduce) => vec![reduce.outer.elements(), reduce.inner.elements()],
            Kernel::FusedReduction(row) => vec![row.outer.elements(), row.inner.elements()],
            Kernel::Scan(scan) => scan.extents().to_vec(),
            _ => return None,
        };
        let encoding = kernel.operands().first()?.encoding;
        let sizes: Vec<String> = sizes.iter().map(|size| size.next_power_of_two().to_string()).collect();
        Some(format!("{}/{encoding}/{}", kernel.kind(), sizes.join("x")))
    }

    /// The variant of a class by its name.
    pub fn in_class(class: &str, name: &str) -> Option<Variant> {
        of_kind(class.split('/').next()?)?.iter().copied().find(|variant| variant.name == name)
    }

    /// The variant of a kernel that has this name.
    pub fn named(kernel: &Kernel, name: &str) -> Option<Variant> {
        of_kind(kernel.kind())?.iter().copied().find(|variant| variant.name == name)
    }

    /// The variants that a device can run a kernel by, each of which gives other passes; none if it
    /// cannot run the kernel. A kernel whose kind has no variants has the one that forces nothing.
    pub fn of(kernel: &Kernel, target: &Target) -> Vec<Variant> {
        let mut known: Vec<Vec<String>> = Vec::new();
        let mut is_new = |variant: &Variant| {
            let sources = sources("kernel", kernel, &target.tuned(variant.tuning)).ok();
            let fresh = sources.filter(|sources| !known.contains(sources));
            fresh.map(|sources| known.push(sources)).is_some()
        };
        of_kind(kernel.kind()).unwrap_or(ONLY).iter().copied().filter(|variant| is_new(variant)).collect()
    }

    /// The variant that a kernel is run by on a device: the one whose passes are those of
    /// [`plan`](crate::plan).
    pub fn in_use(kernel: &Kernel, target: &Target) -> Option<Variant> {
        let used = sources("kernel", kernel, target).ok()?;
        let same = |variant: &Variant| {
            sources("kernel", kernel, &target.tuned(variant.tuning)).is_ok_and(|sources| sources == used)
        };
        Variant::of(kernel, target).into_iter().find(same)
    }
}

/// The texts of a kernel's passes, as they would be compiled: for people, profiles and snapshot
/// tests.
///
/// # Errors
/// Those of [`plan`](crate::plan).
pub fn sources(op: &str, kernel: &Kernel, target: &Target) -> Result<Vec<String>> {
    Ok(plan(op, kernel, &[], target)?.passes.into_iter().map(|pass| pass.source.text()).collect())
}
