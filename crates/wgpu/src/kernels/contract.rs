//! Batched matrix products.
//!
//! Three variants: `Tiled` shares tiles in workgroup memory, which a GPU wants; `Register` keeps 4 x 4 outputs a thread and no shared memory, for
//! outputs too small for tiles and for software adapters; `Simple` is a reduction, for a row or a column. Operands are read in place by their
//! strides, so a transposed matrix costs no copy. A long k over few outputs is cut into chunks, summed by a second pass.

use super::{Builder, MOST_ITERATIONS, Pass, Plan, Slot, Target, element_type, indent, reduce};
use crate::Contraction;
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Expr, Program, Type},
    kernel::{Contract, Operand, Reduce, ReduceOp},
};

const TILED: &str = include_str!("../../../../shaders/contract/tiled.wgsl");
const REGISTER: &str = include_str!("../../../../shaders/contract/register.wgsl");

pub(super) fn plan(contract: &Contract, target: &Target) -> Result<Plan> {
    let dtype = contract.a.dtype;
    element_type(dtype)?;
    if dtype != DType::F32 {
        return Err(Error::dtype("contract", format!("a product of {dtype} tensors; only float32 is supported on this device")));
    }
    let extents @ [batch, m, n, k] = contract.extents();
    if batch * m * n == 0 {
        return Ok(Plan::default());
    }
    let variant = target.tuning.contract.unwrap_or_else(|| choose(extents, target));
    if variant == Contraction::Simple {
        return reduce::plan(&as_reduction(contract), target);
    }
    let chunks = chunks(variant, extents, target);
    let outputs = batch * m * n;
    let mut passes = vec![product(contract, variant, chunks, target)?];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        scratch_bytes = (outputs * chunks * 4) as u64;
        passes.push(reduce::sum_planes(outputs, chunks, &contract.params, &contract.epilogue, target)?);
    }
    debug_assert!(k > 0 || chunks == 1);
    Ok(Plan { passes, scratch_bytes })
}

fn choose([batch, m, n, _]: [usize; 4], target: &Target) -> Contraction {
    if m.min(n) <= 2 {
        Contraction::Simple
    } else if !target.software && m > 16 && n > 16 && batch * m * n >= 64 * 64 {
        Contraction::Tiled
    } else {
        Contraction::Register
    }
}

/// How many chunks of k fill the device, each long enough to pay for the second pass.
fn chunks(variant: Contraction, [batch, m, n, k]: [usize; 4], target: &Target) -> usize {
    let groups = match variant {
        Contraction::Tiled => batch * m.div_ceil(64) * n.div_ceil(64),
        _ => (batch * m.div_ceil(4) * n.div_ceil(4)).div_ceil(64),
    };
    let enough: usize = if target.software { 8 } else { 256 };
    let most = |bytes: u64| (bytes / 4) as usize / (batch * m * n);
    let wanted = enough.div_ceil(groups).min(k / 256).min(most(target.max_scratch_bytes));
    wanted.max(k.div_ceil(MOST_ITERATIONS).min(most(target.max_buffer_bytes))).max(1)
}

/// The product as a sum over k of the product of two expanded operands.
fn as_reduction(contract: &Contract) -> Reduce {
    let (a, b) = (&contract.a.layout, &contract.b.layout);
    let rank = a.shape().rank();
    let batch = &a.shape()[..rank - 2];
    let [_, m, n, k] = contract.extents();
    let shape = |tail: &[usize]| Shape::from_dims(batch.iter().copied().chain(tail.iter().copied()));
    let expand = |layout: &Layout, tail: [isize; 3]| {
        let strides: Vec<isize> = layout.strides()[..rank - 2].iter().copied().chain(tail).collect();
        Operand::new(contract.a.dtype, Layout::new(shape(&[m, n, k]), strides, layout.offset()))
    };
    let inputs = vec![
        expand(a, [a.strides()[rank - 2], 0, a.strides()[rank - 1]]),
        expand(b, [0, b.strides()[rank - 1], b.strides()[rank - 2]]),
    ];
    Reduce {
        outer: shape(&[m, n]),
        inner: Shape::from_dims([k]),
        inputs,
        params: contract.params.clone(),
        prologue: Program::new(&[Expr::input(0, Type::F32) * Expr::input(1, Type::F32)]),
        op: ReduceOp::Sum,
        epilogue: contract.epilogue.clone(),
    }
}

/// The batch dimensions of an operand.
fn batch_part(layout: &Layout) -> Layout {
    let rank = layout.shape().rank() - 2;
    let sizes = layout.shape()[..rank].iter().copied();
    Layout::new(Shape::from_dims(sizes), layout.strides()[..rank].iter().copied(), layout.offset())
}

fn product(contract: &Contract, variant: Contraction, chunks: usize, target: &Target) -> Result<Pass> {
    let [batch, m, n, k] = contract.extents();
    // The second pass has the epilogue where there is one.
    let params: &[Type] = if chunks > 1 { &[] } else { &contract.params };
    let mut builder = Builder::new(params)?;
    let a = builder.input("f32", Slot::Input(0));
    let b = builder.input("f32", Slot::Input(1));
    let (a_batch, b_batch) = (batch_part(&contract.a.layout), batch_part(&contract.b.layout));
    let whole = Layout::contiguous(a_batch.shape().clone());
    let merged = Layout::coalesce(&[&whole, &a_batch, &b_batch]);
    let coordinates = indent(&builder.coordinates(merged[0].shape(), "batch", "c"), 1);
    let a_base = builder.place(merged[1].offset(), merged[1].strides(), "c");
    let b_base = builder.place(merged[2].offset(), merged[2].strides(), "c");
    let rank = contract.a.shape().rank();
    let (a_layout, b_layout) = (&contract.a.layout, &contract.b.layout);
    let strides =
        [a_layout.strides()[rank - 2], a_layout.strides()[rank - 1], b_layout.strides()[rank - 2], b_layout.strides()[rank - 1]]
            .map(|stride| builder.stride(stride));

    let (own, store) = if chunks > 1 {
        let output = builder.output("f32", Slot::Scratch);
        (String::new(), format!("{output}[o] = total;\n"))
    } else {
        let own = builder.epilogue(&contract.epilogue, Type::F32)?;
        let output = builder.output(element_type(contract.epilogue.dtypes[0])?, Slot::Output(0));
        (own, format!("{output}[o] = epilogue(total, o);\n"))
    };
    let tile = if variant == Contraction::Tiled { 64 } else { 4 };
    let (tiles_m, tiles_n) = (m.div_ceil(tile), n.div_ceil(tile));
    let tiles = tiles_m * tiles_n * batch * chunks;
    let (template, groups) = if variant == Contraction::Tiled { (TILED, tiles) } else { (REGISTER, tiles.div_ceil(64)) };
    let counts = [m, n, k, tiles_m, tiles_n, batch, k.div_ceil(chunks), tiles].map(|value| builder.count(value));
    let store = indent(&store, 4);
    let values = [
        ("batch_coordinates", coordinates.as_str()),
        ("store", &store),
        ("a_base", &a_base),
        ("b_base", &b_base),
        ("a", &a),
        ("b", &b),
        ("a_m", &strides[0]),
        ("a_k", &strides[1]),
        ("b_k", &strides[2]),
        ("b_n", &strides[3]),
        ("m", &counts[0]),
        ("n", &counts[1]),
        ("k", &counts[2]),
        ("tiles_m", &counts[3]),
        ("tiles_n", &counts[4]),
        ("batches", &counts[5]),
        ("chunk_length", &counts[6]),
        ("groups", &counts[7]),
        ("threads", &counts[7]),
    ];
    builder.finish(&own, template, &values, groups, target)
}
