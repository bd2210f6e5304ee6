//! The rules of contractions that differ by language: how to choose the variant, how to divide the
//! outputs, and how a thread stores its results.

use super::{SIDE, TILE, Tiling, quad};
use crate::{Builder, Contraction, Slot, Target, epilogue::Tail, indent, prelude};
use lanthorn_ir::{Result, Shape, expr::Type, kernel::Epilogue};

const ELEMENTS: &str = include_str!("../../shaders/contract/elements.wgsl");
const VEC4: &str = include_str!("../../shaders/contract/vec4.wgsl");

/// The results of a thread, before they are stored.
pub(super) struct Results<'a> {
    /// The epilogue and its first input; none if a second pass sums the results from scratch
    /// memory.
    pub(super) epilogue: Option<(&'a Epilogue, usize)>,
    /// Batch, m and n.
    pub(super) groups: [&'a Shape; 3],
}

/// The rules of one language.
pub(super) struct Rules {
    /// Chooses the variant for sizes of batch, m, n and k.
    pub(super) choose: fn([usize; 4], Type, &Target) -> Contraction,
    /// How a variant divides outputs of m rows.
    pub(super) tiling: fn(Contraction, usize, Type) -> Tiling,
    /// Binds the remaining buffers, and returns the statements that store.
    pub(super) store: fn(&Results, &mut Builder) -> Result<String>,
}

/// The rules of a device's language.
pub(super) fn rules(target: &Target) -> &'static Rules {
    target.language.pick(
        &Rules { choose: wgsl_choose, tiling: wgsl_tiling, store: wgsl_store },
        &Rules { choose: cuda_choose, tiling: cuda_tiling, store: cuda_store },
    )
}

fn wgsl_choose([batch, m, n, _]: [usize; 4], _: Type, target: &Target) -> Contraction {
    if m.min(n) <= 2 {
        Contraction::Simple
    } else if !target.software && m > 16 && n > 16 && batch * m * n >= 64 * 64 {
        // While its sums were in an array, `Wide` took six times as long on an H200. The current
        // version has not been measured.
        Contraction::Tiled
    } else if target.quads && m > 2 && n > 8 {
        Contraction::Quad
    } else {
        Contraction::Register
    }
}

fn cuda_choose([batch, m, n, _]: [usize; 4], ty: Type, _: &Target) -> Contraction {
    // Wide tiles, if they fill a large device.
    let wide = cuda_tiling(Contraction::Wide, m, ty).rows;
    match batch * m.div_ceil(wide) * n.div_ceil(wide) {
        _ if m.min(n) <= 4 => Contraction::Simple,
        96.. if m.min(n) > wide / 2 => Contraction::Wide,
        _ => Contraction::Tiled,
    }
}

fn wgsl_tiling(variant: Contraction, m: usize, _: Type) -> Tiling {
    match variant {
        Contraction::Tiled => Tiling::in_shared_memory(TILE),
        Contraction::Wide => Tiling::in_shared_memory(2 * TILE),
        Contraction::Quad => Tiling { rows: quad::rows(m), columns: quad::COLUMNS, a_group: 16, threads: 64 },
        Contraction::Register | Contraction::Simple => Tiling { rows: SIDE, columns: SIDE, a_group: 64, threads: 64 },
    }
}

fn cuda_tiling(variant: Contraction, _: usize, ty: Type) -> Tiling {
    match variant {
        // 8 x 8 float64 sums exceed a thread's registers.
        Contraction::Wide if ty == Type::F32 => Tiling::in_shared_memory(2 * TILE),
        _ => Tiling::in_shared_memory(TILE),
    }
}

/// The statements that store the total at `o`, once the epilogue is bound.
fn store_total(
    tail: Option<Tail>,
    to_scratch: impl Fn(&mut Builder) -> String,
    column: &str,
    builder: &mut Builder,
) -> Result<String> {
    match tail {
        Some(tail) => tail.print(builder, "total", "o", &["batch", "output_row", column]),
        None => Ok(to_scratch(builder)),
    }
}

fn wgsl_store(results: &Results, builder: &mut Builder) -> Result<String> {
    let tail = results
        .epilogue
        .map(|(epilogue, first)| Tail::bind_vec4(builder, epilogue, first, &results.groups))
        .transpose()?;
    let vec4 = tail.as_ref().map_or(results.groups[2].elements().is_multiple_of(4), Tail::by_vec4);
    let element = if vec4 { "vec4<f32>" } else { "f32" };
    let to_scratch = |builder: &mut Builder| format!("{}[o] = total;\n", builder.output(element, Slot::Scratch));
    let store = store_total(tail, to_scratch, if vec4 { "column4" } else { "output_column" }, builder)?;
    Ok(match vec4 {
        true => prelude::fill(VEC4, &[("store", &indent(&store, 3))]),
        false => prelude::fill(ELEMENTS, &[("store", &indent(&store, 4))]),
    })
}

fn cuda_store(results: &Results, builder: &mut Builder) -> Result<String> {
    let tail =
        results.epilogue.map(|(epilogue, first)| Tail::bind(builder, epilogue, first, &results.groups)).transpose()?;
    let to_scratch = |builder: &mut Builder| format!("store({}, o, total);\n", builder.output("u32", Slot::Scratch));
    // The template contains the loop over elements.
    Ok(indent(&store_total(tail, to_scratch, "output_column", builder)?, 4))
}
