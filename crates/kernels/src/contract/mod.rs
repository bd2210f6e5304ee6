//! Sums of products: matrix products, convolutions and their gradients.
//!
//! Four variants in WGSL: `Tiled` shares tiles in workgroup memory, which a GPU wants; `Register` keeps 4 x 4 outputs a thread and no shared memory, for
//! outputs too small for tiles; `Quad` has the threads of a quad share what they read, for software adapters; `Simple` is a reduction, for a row or a column. In CUDA the
//! first two are tiles in shared memory of 64 x 64 outputs, 4 x 4 a thread, and of 128 x 128, 8 x 8 a thread. Operands are read in place through their strides and
//! windows, so neither a transposed matrix nor the patches of a convolution are ever written out. What depends on the row or the column of an output is computed once
//! a thread, what depends on k once a step. A long k over few outputs is cut into chunks, summed by a second pass.

mod quad;
mod register;
mod tiled;

use crate::{
    Builder, Contraction, Dialect, MOST_ITERATIONS, Pass, Plan, Slot, Target,
    epilogue::Tail,
    indent, prelude,
    reduce::{self, End},
    walk::Space,
};
use lanthorn_ir::{
    Error, Layout, Result, Shape,
    backend::InPlace,
    expr::{Expr, Program, Type},
    kernel::{Contract, Operand, Reduce, ReduceOp, Window},
};

/// The operands, by their place among the inputs.
const A: usize = 0;
const B: usize = 1;

/// The groups of dimensions, in the order of [`spread`].
const BATCH: usize = 0;
const M: usize = 1;
const N: usize = 2;
const K: usize = 3;

const ELEMENTS: &str = include_str!("../../../../shaders/contract/elements.wgsl");
const FOURS: &str = include_str!("../../../../shaders/contract/fours.wgsl");

/// Outputs along a side of a workgroup's tile, and of a thread's.
const TILE: usize = 64;
const SIDE: usize = 4;

pub(super) fn plan(contract: &Contract, in_place: &[InPlace], target: &Target) -> Result<Plan> {
    let dtype = contract.a.dtype;
    target.language.element(dtype)?;
    let ty = Type::from(dtype);
    if !ty.is_float() || Type::from(contract.b.dtype) != ty {
        return Err(Error::dtype(
            "contract",
            format!("a product of {dtype} tensors; convert to a floating-point type of this device"),
        ));
    }
    let extents @ [batch, m, n, _] = contract.extents();
    if batch * m * n == 0 {
        return Ok(Plan::default());
    }
    let variant = match target.tuning.contract.unwrap_or_else(|| choose(extents, ty, target)) {
        Contraction::Quad if !target.quads => Contraction::Register,
        variant => variant,
    };
    if variant == Contraction::Simple {
        return reduce::plan(&as_reduction(contract), in_place, target);
    }
    let chunks = chunks(variant, extents, ty, target);
    let mut passes = vec![product(contract, variant, chunks, in_place, target)?];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        scratch_bytes = (batch * m * n * chunks * 4 * target.language.words(ty)) as u64;
        let shape = &contract.output();
        let end = End { shape, params: &contract.params, epilogue: &contract.epilogue, first_input: 2, in_place };
        passes.push(reduce::sum_planes(ty, chunks, &end, target)?);
    }
    Ok(Plan { passes, scratch_bytes })
}

fn choose([batch, m, n, _]: [usize; 4], ty: Type, target: &Target) -> Contraction {
    if target.language.is_cuda() {
        // The wide tiles, where they keep all of a large device busy.
        let wide = Tiling::of(Contraction::Register, m, ty, target).rows;
        return match batch * m.div_ceil(wide) * n.div_ceil(wide) {
            _ if m.min(n) <= 4 => Contraction::Simple,
            96.. if m.min(n) > wide / 2 => Contraction::Register,
            _ => Contraction::Tiled,
        };
    }
    if m.min(n) <= 2 {
        Contraction::Simple
    } else if !target.software && m > 16 && n > 16 && batch * m * n >= 64 * 64 {
        Contraction::Tiled
    } else if target.quads && m > 2 && n > 8 {
        Contraction::Quad
    } else {
        Contraction::Register
    }
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
    fn of(variant: Contraction, m: usize, ty: Type, target: &Target) -> Tiling {
        match variant {
            // Eight by eight float64 take more registers than a thread has.
            Contraction::Register if target.language.is_cuda() && ty == Type::F32 => Tiling::shared(2 * TILE),
            _ if target.language.is_cuda() => Tiling::shared(TILE),
            Contraction::Tiled => Tiling::shared(TILE),
            Contraction::Quad => Tiling { rows: quad::rows(m), columns: quad::COLUMNS, a_group: 16, threads: 64 },
            Contraction::Register | Contraction::Simple => Tiling { rows: SIDE, columns: SIDE, a_group: 64, threads: 64 },
        }
    }

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
    let tiling = Tiling::of(variant, m, ty, target);
    let groups = tiling.groups(batch * m.div_ceil(tiling.rows) * n.div_ceil(tiling.columns));
    let enough: usize = match target.software {
        // A quad does the work of several threads.
        true if variant == Contraction::Quad => 4,
        true => 8,
        false => 256,
    };
    let most = |bytes: u64| (bytes / 4) as usize / target.language.words(ty) / (batch * m * n);
    let wanted = enough.div_ceil(groups).min(k / 256).min(most(target.max_scratch_bytes));
    wanted.max(k.div_ceil(MOST_ITERATIONS).min(most(target.max_buffer_bytes))).max(1)
}

/// An operand over all of batch, m, n and k: it does not vary along the group that it does not have.
fn spread(contract: &Contract, operand: usize) -> Operand {
    let groups = [&contract.batch, &contract.m, &contract.n, &contract.k];
    let (own, source) = if operand == A { ([BATCH, M, K], &contract.a) } else { ([BATCH, K, N], &contract.b) };
    // Where each group begins among the operand's own dimensions.
    let begins = |group: usize| {
        let at = own.iter().position(|&other| other == group)?;
        Some(own[..at].iter().map(|&other| groups[other].rank()).sum::<usize>())
    };
    let spread = |steps: &[isize]| -> Vec<isize> {
        let part = |group: usize| (0..groups[group].rank()).map(move |d| begins(group).map_or(0, |start| steps[start + d]));
        (BATCH..=K).flat_map(part).collect()
    };
    let shape = Shape::from_dims(groups.iter().flat_map(|shape| shape.iter().copied()));
    let window = |window: &Window| Window { steps: spread(&window.steps), ..window.clone() };
    Operand {
        layout: Layout::new(shape, spread(source.layout.strides()), source.layout.offset()),
        windows: source.windows.iter().map(window).collect(),
        ..source.clone()
    }
}

/// The product as a sum over k of the product of two expanded operands.
fn as_reduction(contract: &Contract) -> Reduce {
    Reduce {
        outer: contract.output(),
        inner: contract.k.clone(),
        inputs: vec![spread(contract, A), spread(contract, B)],
        params: contract.params.clone(),
        prologue: {
            let ty = Type::from(contract.a.dtype);
            Program::new(&[Expr::input(A, ty) * Expr::input(B, ty)])
        },
        op: ReduceOp::Sum,
        epilogue: contract.epilogue.clone(),
    }
}

/// The statements that differ from product to product, by the names of their places in the template.
type Texts = Vec<(&'static str, String)>;

fn product(contract: &Contract, variant: Contraction, chunks: usize, in_place: &[InPlace], target: &Target) -> Result<Pass> {
    let [batch, m, n, k] = contract.extents();
    // The second pass has the epilogue where there is one.
    let params: &[Type] = if chunks > 1 { &[] } else { &contract.params };
    let mut builder = Builder::new(target.language, params, in_place)?;
    let space =
        Space::new(&[&contract.batch, &contract.m, &contract.n, &contract.k], vec![spread(contract, A), spread(contract, B)]);
    // The length of a chunk keeps k in fours.
    let length = k.div_ceil(chunks).next_multiple_of(4);
    let ty = Type::from(contract.a.dtype);
    let tiling = Tiling::of(variant, m, ty, target);
    let (product, mut texts) = match variant {
        _ if tiling.is_shared() => {
            (target.language.pick(tiled::WGSL, tiled::CUDA), tiled::texts(space, tiling.rows, &mut builder)?)
        }
        Contraction::Quad => (quad::TEMPLATE, quad::texts(space, tiling.rows, k, &mut builder)?),
        _ => (register::TEMPLATE, register::texts(space, k, &mut builder)?),
    };
    let groups = [&contract.batch, &contract.m, &contract.n];
    let tail = match chunks {
        1 if target.language.is_cuda() => Some(Tail::bind(&mut builder, &contract.epilogue, 2, &groups)?),
        1 => Some(Tail::bind_fours(&mut builder, &contract.epilogue, 2, &groups)?),
        _ => None,
    };
    let fours = tail.as_ref().map_or(n.is_multiple_of(4) && !target.language.is_cuda(), Tail::by_fours);
    let column = if fours { "column4" } else { "output_column" };
    let store = match tail {
        Some(tail) => tail.print(&mut builder, "total", "o", &["batch", "output_row", column])?,
        None if target.language.is_cuda() => format!("store({}, o, total);\n", builder.output("u32", Slot::Scratch)),
        None => format!("{}[o] = total;\n", builder.output(if fours { "vec4<f32>" } else { "f32" }, Slot::Scratch)),
    };
    let store = match fours {
        // CUDA's template has the loop over elements itself.
        _ if target.language.is_cuda() => indent(&store, 4),
        true => prelude::fill(FOURS, &[("store", &indent(&store, 3))]),
        false => prelude::fill(ELEMENTS, &[("store", &indent(&store, 4))]),
    };
    texts.push(("store", store));

    let (tiles_m, tiles_n) = (m.div_ceil(tiling.rows), n.div_ceil(tiling.columns));
    let tiles = tiles_m * tiles_n * batch * chunks;
    let counts = [m, n, k, tiles_m, tiles_n, batch, length, tiles].map(|value| builder.count(value));
    texts.push(("type", target.language.type_name(ty)?.to_string()));
    texts.extend(
        [("tile", tiling.rows), ("depth", tiled::THREADS * SIDE / tiling.rows)].map(|(name, size)| (name, size.to_string())),
    );
    let names = ["m", "n", "k", "tiles_m", "tiles_n", "batches", "chunk_length", "tiles"];
    texts.extend(names.into_iter().zip(counts));
    let values: Vec<(&str, &str)> = texts.iter().map(|(name, value)| (*name, value.as_str())).collect();
    // With two, one block's sums hide the other's loads.
    builder.resident = 2;
    let pass = builder.finish("", product, &values, [tiling.groups(tiles), tiling.threads], target)?;
    Ok(Pass { quads: variant == Contraction::Quad, ..pass })
}
