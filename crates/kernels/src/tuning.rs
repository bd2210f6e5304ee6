//! The variants of kernels by name. The default chooses among them by adapter and shape, and a
//! tuner measures them.
//!
//! A variant is a [`Tuning`] that forces it, so measured choices, choices of tests and the default
//! share one code path. Rejected: free parameters such as tile sizes. A test would have to compare
//! each combination with the naive form, and a short list of variants covers the differences
//! between adapters.

use crate::{Target, plan};
use lanthorn_ir::{Kernel, Result};

/// The variants to use instead of the default choice by adapter and shape.
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
    /// 4 x 4 outputs a thread, without workgroup memory. In CUDA, the same as `Tiled`.
    Register,
    /// Up to 16 x 16 outputs a quad of threads, which exchange the elements that they load. On
    /// adapters without quads, the same as `Register`.
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
    /// The name under which a measured choice is stored.
    pub name: &'static str,
    /// The settings that force it.
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

/// The variant of kinds without a choice. It forces nothing.
const ONLY: &[Variant] =
    &[Variant { name: "only", tuning: Tuning { contract: None, reduce: None, rows: None, software: None } }];

fn of_kind(kind: &str) -> Option<&'static [Variant]> {
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, variants)| *variants)
}

impl Variant {
    /// The class to which a measured choice applies: the kind, the type of the first operand, and
    /// the sizes rounded to powers of two. None for a kind without variants.
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
    pub fn find(kernel: &Kernel, name: &str) -> Option<Variant> {
        of_kind(kernel.kind())?.iter().copied().find(|variant| variant.name == name)
    }

    /// The variants by which a device can run a kernel, without duplicates; none if the device
    /// cannot run the kernel. A kind without variants has one variant, which forces nothing.
    pub fn of(kernel: &Kernel, target: &Target) -> Vec<Variant> {
        let mut known: Vec<Vec<String>> = Vec::new();
        let mut is_new = |variant: &Variant| {
            let sources = sources("kernel", kernel, &target.with_tuning(variant.tuning)).ok();
            let fresh = sources.filter(|sources| !known.contains(sources));
            fresh.map(|sources| known.push(sources)).is_some()
        };
        of_kind(kernel.kind()).unwrap_or(ONLY).iter().copied().filter(|variant| is_new(variant)).collect()
    }

    /// The variant that a device uses for a kernel: the variant with the same passes as
    /// [`plan`](crate::plan).
    pub fn in_use(kernel: &Kernel, target: &Target) -> Option<Variant> {
        let used = sources("kernel", kernel, target).ok()?;
        let same = |variant: &Variant| {
            sources("kernel", kernel, &target.with_tuning(variant.tuning)).is_ok_and(|sources| sources == used)
        };
        Variant::of(kernel, target).into_iter().find(same)
    }
}

/// The texts of a kernel's passes as a device compiles them, for readers, profiles and snapshot
/// tests.
///
/// # Errors
/// The errors of [`plan`](crate::plan).
pub fn sources(op: &str, kernel: &Kernel, target: &Target) -> Result<Vec<String>> {
    Ok(plan(op, kernel, &[], target)?.passes.into_iter().map(|pass| pass.source.text()).collect())
}
