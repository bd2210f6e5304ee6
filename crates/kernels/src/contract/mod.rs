//! Sums of products: matrix products, convolutions and their gradients.
//!
//! The variants in WGSL are:
//! - `Tiled`: tiles of 64 x 64 outputs in workgroup memory, 4 x 4 outputs a thread.
//! - `Wide`: tiles of 128 x 128 outputs, 8 x 8 a thread. GPUs are fastest with it.
//! - `Register`: 4 x 4 outputs a thread without workgroup memory, for outputs too small for tiles.
//! - `Quad`: the threads of a quad exchange the elements that they load, for software adapters.
//! - `Simple`: a reduction, for a single row or column.
//!
//! CUDA has `Tiled`, `Wide` and `Simple`. Kernels read operands in place, through strides and
//! bounded indices, so no transposed matrix and no patches of a convolution are written to memory.
//! Terms that depend on the row or column of an output are computed once a thread, and terms that
//! depend on k once a step. A factor may be an expression of several operands, evaluated where they
//! are loaded. A long k with few outputs is split into chunks, and a second pass sums their
//! results.

mod dialects;
mod factor;
mod quad;
mod register;
mod tiled;

use crate::{
    Builder, Contraction, Dialect, MAX_ITERATIONS, Pass, Plan, Target,
    builder::{First, Launch},
    indexing::Space,
    language::word_count,
    reduce::{self, End},
};
use dialects::{Results, rules};
use lanthorn_ir::{
    Error, Result,
    expr::Type,
    kernel::{Contract, Operand, Prologue},
};

/// The index of each operand among the inputs.
const A: usize = 0;
const B: usize = 1;

/// The groups of dimensions, in the order of [`Contract::factors_over_product`].
const BATCH: usize = 0;
const M: usize = 1;
const N: usize = 2;
const K: usize = 3;

/// Number of outputs along one side of a workgroup's tile, and of a thread's tile.
const TILE: usize = 64;
const SIDE: usize = 4;

/// Number of rows or columns that share a loaded element of the other factor, on a WebGPU adapter.
pub fn gemm_tile(software: bool, quads: bool) -> usize {
    match software {
        false => TILE,
        true if quads => quad::COLUMNS,
        true => SIDE,
    }
}

/// The plan of products that share a launch: one pass if each of them is a reduction of one pass,
/// and otherwise the passes of each product in sequence.
pub(super) fn plan_together(contracts: &[Contract], launch: &Launch, target: &Target) -> Result<Plan> {
    let firsts = First::of(contracts);
    let parts = || contracts.iter().zip(&firsts);
    let mut reductions = Vec::with_capacity(contracts.len());
    for (contract, first) in parts() {
        if choose_variant(contract, target)? == Some(Contraction::Simple) {
            reductions.push((contract.as_reduction(), *first));
        }
    }
    if reductions.len() == contracts.len()
        && let Some(plan) = reduce::plan_together(&reductions, launch, target)?
    {
        return Ok(plan);
    }
    let mut all = Plan::default();
    for (contract, first) in parts() {
        let Plan { passes, scratch_bytes } = plan(contract, &Launch { first: *first, ..*launch }, target)?;
        all.passes.extend(passes);
        all.scratch_bytes = all.scratch_bytes.max(scratch_bytes);
    }
    Ok(all)
}

pub(super) fn plan(contract: &Contract, launch: &Launch, target: &Target) -> Result<Plan> {
    let Some(variant) = choose_variant(contract, target)? else { return Ok(Plan::default()) };
    if variant == Contraction::Simple {
        return reduce::plan(&contract.as_reduction(), launch, target);
    }
    let (extents, ty) = (contract.extents(), contract.ty());
    let chunks = chunks(variant, extents, ty, target);
    let mut passes = vec![product(contract, variant, chunks, launch, target)?];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        let [batch, m, n, _] = extents;
        scratch_bytes = (batch * m * n * chunks * 4 * word_count(ty)) as u64;
        let (shape, first_input) = (&contract.output(), contract.epilogue_start());
        let end = End { shape, epilogue: &contract.epilogue, first_input };
        passes.push(reduce::sum_planes(ty, chunks, &end, launch, target)?);
    }
    Ok(Plan { passes, scratch_bytes })
}

/// The variant for a product; none for a product without outputs.
fn choose_variant(contract: &Contract, target: &Target) -> Result<Option<Contraction>> {
    for operand in [A, B].into_iter().flat_map(|factor| contract.factor_operands(factor)) {
        target.language.element(operand.dtype())?;
    }
    contract.check_prologues()?;
    let ty = contract.ty();
    if !ty.is_float() || contract.factor_type(B) != ty {
        let dtype = contract.a.encoding;
        return Err(Error::dtype(
            "contract",
            format!("a product of {dtype} tensors; convert to a floating-point type of this device"),
        ));
    }
    target.language.type_name(ty)?;
    let extents @ [batch, m, n, _] = contract.extents();
    if batch * m * n == 0 {
        return Ok(None);
    }
    Ok(Some(match target.tuning.contract.unwrap_or_else(|| (rules(target).choose)(extents, ty, target)) {
        Contraction::Quad if !target.quads => Contraction::Register,
        // The reduction does not mask values outside of the bounded indices.
        Contraction::Simple if !keeps_zeros(contract) => Contraction::Register,
        variant => variant,
    }))
}

/// How the outputs are divided.
struct Tiling {
    /// Number of rows and columns that are computed together: by a workgroup if it shares memory,
    /// otherwise by a thread or a quad.
    rows: usize,
    columns: usize,
    /// Number of such tiles for each workgroup.
    a_group: usize,
    /// The threads of a workgroup.
    threads: usize,
}

impl Tiling {
    /// Tiles of both operands in workgroup memory.
    fn in_shared_memory(side: usize) -> Tiling {
        Tiling { rows: side, columns: side, a_group: 1, threads: tiled::THREADS }
    }

    fn is_shared(&self) -> bool {
        self.a_group == 1
    }

    /// The number of workgroups for `tiles` tiles.
    fn groups(&self, tiles: usize) -> usize {
        tiles.div_ceil(self.a_group)
    }
}

/// The number of chunks of k that fill the device. Each chunk is long enough to pay for the second
/// pass.
fn chunks(variant: Contraction, [batch, m, n, k]: [usize; 4], ty: Type, target: &Target) -> usize {
    let tiling = (rules(target).tiling)(variant, m, ty);
    let groups = tiling.groups(batch * m.div_ceil(tiling.rows) * n.div_ceil(tiling.columns));
    let enough: usize = match target.software {
        // A quad does the work of several threads.
        true if variant == Contraction::Quad => 4,
        true => 8,
        false => 256,
    };
    let most = |bytes: u64| (bytes / 4) as usize / word_count(ty) / (batch * m * n);
    let wanted = enough.div_ceil(groups).min(k / 256).min(most(target.max_scratch_bytes));
    wanted.max(k.div_ceil(MAX_ITERATIONS).min(most(target.max_buffer_bytes))).max(1)
}

/// Whether each factor is 0 outside of its bounded indices without a mask.
fn keeps_zeros(contract: &Contract) -> bool {
    let keeps = |(operand, prologue): (&Operand, &Option<Box<Prologue>>)| {
        operand.is_strided() || prologue.as_ref().is_none_or(|prologue| prologue.keeps_zero(operand))
    };
    [&contract.a, &contract.b].into_iter().zip(&contract.prologues).all(keeps)
}

/// The statements that differ between products, by the names of their placeholders in the template.
type Texts = Vec<(&'static str, String)>;

fn product(contract: &Contract, variant: Contraction, chunks: usize, launch: &Launch, target: &Target) -> Result<Pass> {
    let [batch, m, n, k] = contract.extents();
    // If there is a second pass, it has the epilogue.
    let reads_params =
        chunks == 1 || contract.prologues.iter().flatten().any(|prologue| prologue.program.param_count() > 0);
    let params = if reads_params { launch.params } else { &[] };
    let mut builder = Builder::of(target.language, &Launch { params, ..*launch })?;
    let groups = [&contract.batch, &contract.m, &contract.n];
    let space = Space::new(&[&contract.batch, &contract.m, &contract.n, &contract.k], contract.factors_over_product());
    // The length of a chunk is a multiple of four.
    let length = k.div_ceil(chunks).next_multiple_of(4);
    let ty = contract.ty();
    let tiling = (rules(target).tiling)(variant, m, ty);
    let (product, mut texts) = match variant {
        _ if tiling.is_shared() => {
            (target.language.pick(tiled::WGSL, tiled::CUDA), tiled::texts(contract, space, tiling.rows, &mut builder)?)
        }
        Contraction::Quad => (quad::TEMPLATE, quad::texts(contract, space, tiling.rows, k, &mut builder)?),
        _ => (register::TEMPLATE, register::texts(contract, space, k, &mut builder)?),
    };
    let epilogue = (chunks == 1).then_some((&contract.epilogue, contract.epilogue_start()));
    let store = (rules(target).store)(&Results { epilogue, groups }, &mut builder)?;
    texts.push(("store", store));

    let (tiles_m, tiles_n) = (m.div_ceil(tiling.rows), n.div_ceil(tiling.columns));
    let tiles = tiles_m * tiles_n * batch * chunks;
    let counts = [m, n, k, tiles_m, tiles_n, batch, length, tiles].map(|value| builder.count(value));
    texts.push(("type", target.language.type_name(ty)?.to_string()));
    texts.extend(
        [("tile", tiling.rows), ("depth", tiled::THREADS * SIDE / tiling.rows)]
            .map(|(name, size)| (name, size.to_string())),
    );
    let names = ["m", "n", "k", "tiles_m", "tiles_n", "batches", "chunk_length", "tiles"];
    texts.extend(names.into_iter().zip(counts));
    let values: Vec<(&str, &str)> = texts.iter().map(|(name, value)| (*name, value.as_str())).collect();
    // With two resident blocks, one computes while the other loads.
    builder.resident = 2;
    let pass = builder.finish("", product, &values, [tiling.groups(tiles), tiling.threads], target)?;
    Ok(Pass { quads: variant == Contraction::Quad, ..pass })
}
