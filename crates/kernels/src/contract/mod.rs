//! Sums of products: matrix products, convolutions and their gradients.
//!
//! Five variants in WGSL: `Tiled` shares tiles of 64 x 64 outputs in workgroup memory, 4 x 4 outputs a thread, and `Wide` tiles of 128 x 128, 8 x 8 a thread, which a GPU
//! wants; `Register` keeps 4 x 4 outputs a thread and no shared memory, for outputs too small for tiles; `Quad` has the threads of a quad share what they read, for software
//! adapters; `Simple` is a reduction, for a row or a column. CUDA has the first two and the last. Operands are read in place through their strides and
//! bounded indices, so neither a transposed matrix nor the patches of a convolution are ever written out. What depends on the row or the column of an output is computed once
//! a thread, what depends on k once a step. A factor may be a formula of several operands, computed where they are loaded. A long k over few outputs is cut into chunks, summed by
//! a second pass.

mod dialects;
mod factor;
mod quad;
mod register;
mod tiled;

use crate::{
    Builder, Contraction, Dialect, MOST_ITERATIONS, Pass, Plan, Target,
    indexing::Space,
    language::word_count,
    reduce::{self, End},
};
use dialects::{Results, rules};
use lanthorn_ir::{
    Error, Layout, Result, Shape,
    backend::InPlace,
    expr::{Expr, Program, Type},
    kernel::{BoundedIndex, Contract, Operand, Prologue, Reduce, ReduceOp},
};

/// The operands, by their place among the inputs.
const A: usize = 0;
const B: usize = 1;

/// The groups of dimensions, in the order of [`spread`].
const BATCH: usize = 0;
const M: usize = 1;
const N: usize = 2;
const K: usize = 3;

/// Outputs along a side of a workgroup's tile, and of a thread's.
const TILE: usize = 64;
const SIDE: usize = 4;

/// How many rows or columns of a product share what is computed of the other factor's elements, on an adapter in WebGPU.
pub fn gemm_tile(software: bool, quads: bool) -> usize {
    match software {
        false => TILE,
        true if quads => quad::COLUMNS,
        true => SIDE,
    }
}

pub(super) fn plan(contract: &Contract, in_place: &[InPlace], target: &Target) -> Result<Plan> {
    for operand in [A, B].into_iter().flat_map(|factor| contract.factor_operands(factor)) {
        target.language.element(operand.dtype)?;
    }
    contract.check_prologues()?;
    let ty = contract.ty();
    if !ty.is_float() || contract.factor_type(B) != ty {
        let dtype = contract.a.dtype;
        return Err(Error::dtype(
            "contract",
            format!("a product of {dtype} tensors; convert to a floating-point type of this device"),
        ));
    }
    target.language.type_name(ty)?;
    let extents @ [batch, m, n, _] = contract.extents();
    if batch * m * n == 0 {
        return Ok(Plan::default());
    }
    let variant = match target.tuning.contract.unwrap_or_else(|| (rules(target).choose)(extents, ty, target)) {
        Contraction::Quad if !target.quads => Contraction::Register,
        // A reduction does not know what is outside of the bounded indices of what it reads.
        Contraction::Simple if !keeps_zeros(contract) => Contraction::Register,
        variant => variant,
    };
    if variant == Contraction::Simple {
        return reduce::plan(&as_reduction(contract), in_place, target);
    }
    let chunks = chunks(variant, extents, ty, target);
    let mut passes = vec![product(contract, variant, chunks, in_place, target)?];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        scratch_bytes = (batch * m * n * chunks * 4 * word_count(ty)) as u64;
        let (shape, first_input) = (&contract.output(), contract.epilogue_start());
        let end = End { shape, params: &contract.params, epilogue: &contract.epilogue, first_input, in_place };
        passes.push(reduce::sum_planes(ty, chunks, &end, target)?);
    }
    Ok(Plan { passes, scratch_bytes })
}

/// How the outputs are divided.
struct Tiling {
    /// The rows and columns that are computed together: by a workgroup where it shares memory, by a thread or by a quad of threads.
    rows: usize,
    columns: usize,
    /// How many of these a workgroup computes.
    a_group: usize,
    /// The threads of a workgroup.
    threads: usize,
}

impl Tiling {
    /// A tile of each operand in workgroup memory.
    fn shared(side: usize) -> Tiling {
        Tiling { rows: side, columns: side, a_group: 1, threads: tiled::THREADS }
    }

    fn is_shared(&self) -> bool {
        self.a_group == 1
    }

    /// The workgroups for so many tiles.
    fn groups(&self, tiles: usize) -> usize {
        tiles.div_ceil(self.a_group)
    }
}

/// How many chunks of k fill the device, each long enough to pay for the second pass.
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
    wanted.max(k.div_ceil(MOST_ITERATIONS).min(most(target.max_buffer_bytes))).max(1)
}

/// What factor 0 or 1 reads, over all of batch, m, n and k: it does not vary along the group that it does not have.
fn spread(contract: &Contract, factor: usize, source: &Operand) -> Operand {
    let groups = [&contract.batch, &contract.m, &contract.n, &contract.k];
    let own = if factor == A { [BATCH, M, K] } else { [BATCH, K, N] };
    // Where each group begins among the operand's own dimensions.
    let begins = |group: usize| {
        let at = own.iter().position(|&other| other == group)?;
        Some(own[..at].iter().map(|&other| groups[other].rank()).sum::<usize>())
    };
    let spread = |steps: &[isize]| -> Vec<isize> {
        let part =
            |group: usize| (0..groups[group].rank()).map(move |d| begins(group).map_or(0, |start| steps[start + d]));
        (BATCH..=K).flat_map(part).collect()
    };
    let shape = Shape::from_dims(groups.iter().flat_map(|shape| shape.iter().copied()));
    let bound = |bound: &BoundedIndex| BoundedIndex { steps: spread(&bound.steps), ..bound.clone() };
    Operand {
        layout: Layout::new(shape, spread(source.layout.strides()), source.layout.offset()),
        bounded: source.bounded.iter().map(bound).collect(),
        ..source.clone()
    }
}

/// All that the factors read, in the order of the kernel's inputs.
fn spread_all(contract: &Contract) -> Vec<Operand> {
    let others = |factor: usize| contract.prologues[factor].iter().flat_map(|prologue| &prologue.inputs);
    let own = [(A, &contract.a), (B, &contract.b)];
    let beside = [A, B].into_iter().flat_map(|factor| others(factor).map(move |input| (factor, input)));
    own.into_iter().chain(beside).map(|(factor, source)| spread(contract, factor, source)).collect()
}

/// Whether each factor is 0 outside of its bounded indices without being told.
fn keeps_zeros(contract: &Contract) -> bool {
    let keeps = |(operand, prologue): (&Operand, &Option<Box<Prologue>>)| {
        operand.is_strided() || prologue.as_ref().is_none_or(|prologue| prologue.keeps_zero(operand))
    };
    [&contract.a, &contract.b].into_iter().zip(&contract.prologues).all(keeps)
}

/// The product as a sum over k of the product of two expanded factors.
fn as_reduction(contract: &Contract) -> Reduce {
    let inputs = spread_all(contract);
    let value = |factor: usize| {
        let slot = |at: usize| Expr::input(at, inputs[at].dtype.into());
        let slots: Vec<Expr> = factor::inputs(contract, factor).into_iter().map(slot).collect();
        match &contract.prologues[factor] {
            Some(prologue) => prologue.program.over(&slots, 0, &Expr::index()).swap_remove(0),
            None => slots[0].clone(),
        }
    };
    Reduce {
        indices: vec![],
        outer: contract.output(),
        inner: contract.k.clone(),
        params: contract.params.clone(),
        prologue: Program::new(&[value(A) * value(B)]),
        op: ReduceOp::Sum,
        epilogue: contract.epilogue.clone(),
        inputs,
    }
}

/// The statements that differ from product to product, by the names of their places in the template.
type Texts = Vec<(&'static str, String)>;

fn product(
    contract: &Contract,
    variant: Contraction,
    chunks: usize,
    in_place: &[InPlace],
    target: &Target,
) -> Result<Pass> {
    let [batch, m, n, k] = contract.extents();
    // The second pass has the epilogue where there is one.
    let reads_params =
        chunks == 1 || contract.prologues.iter().flatten().any(|prologue| prologue.program.param_count() > 0);
    let mut builder = Builder::new(target.language, if reads_params { &contract.params } else { &[] }, in_place)?;
    let groups = [&contract.batch, &contract.m, &contract.n];
    let space = Space::new(&[&contract.batch, &contract.m, &contract.n, &contract.k], spread_all(contract));
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
    // With two, one block's sums hide the other's loads.
    builder.resident = 2;
    let pass = builder.finish("", product, &values, [tiling.groups(tiles), tiling.threads], target)?;
    Ok(Pass { quads: variant == Contraction::Quad, ..pass })
}
