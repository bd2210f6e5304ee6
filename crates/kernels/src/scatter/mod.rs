//! Scatters: elements combined or stored at the positions that an index tensor contains, in a fixed
//! order.
//!
//! WebGPU has no atomic addition of floats, and an addition by compare-and-exchange has a different
//! rounding on every run. Both variants here follow the order of the index:
//!
//! - `owner` has a thread for each output element, which reads all indices.
//! - `leader` has a thread for each value. The first value of a position combines all values of
//!   that position.
//!
//! In both, each thread reads all indices, so the variant with fewer threads is chosen. A long
//! index is split into ranges, with a dispatch each, in order. Two variants avoid the repeated
//! reads if the index and the output are both long:
//!
//! - [`sorted`] sorts the indices first. Sorting takes several dispatches, and each thread then
//!   reads only the values of one position.
//! - `line` has a thread for each line of the index along the dimension, which combines the line's
//!   values one after the other. It is for many lines that share no index.

mod sorted;

use crate::{
    BLOCK, Builder, Dialect, Language, Pass, Plan, Slot, Target,
    buffer::Element,
    indent,
    indexing::{Lanes, Space},
    prelude,
    reducer::Reducer,
};
use lanthorn_ir::{
    Error, Layout, Result, Shape,
    expr::Type,
    kernel::{Operand, Scatter, ScatterOp},
};

const OWNER: &str = include_str!("../../shaders/scatter/owner.wgsl");
const LEADER: &str = include_str!("../../shaders/scatter/leader.wgsl");
const LINE: &str = include_str!("../../shaders/scatter/line.wgsl");
// These texts are valid in both languages.
const ADD: &str = include_str!("../../shaders/scatter/add.wgsl");
const SET_OWNER: &str = include_str!("../../shaders/scatter/set_owner.wgsl");
const SET_LEADER: &str = include_str!("../../shaders/scatter/set_leader.wgsl");
const ADD_LINE: &str = include_str!("../../shaders/scatter/add_line.wgsl");
const OWNER_CUDA: &str = include_str!("../../shaders/scatter/owner.cu");
const LEADER_CUDA: &str = include_str!("../../shaders/scatter/leader.cu");
const LINE_CUDA: &str = include_str!("../../shaders/scatter/line.cu");

/// The layout without dimension `dim`, and the stride of `dim`. A 0-d layout is one element along
/// the dimension.
fn split(layout: &Layout, shape: &Shape, dim: usize) -> (Layout, isize) {
    let kept = |d: &usize| *d != dim;
    let sizes = (0..shape.rank()).filter(kept).map(|d| shape[d]);
    let strides: Vec<isize> = (0..shape.rank()).filter(kept).map(|d| layout.strides()[d]).collect();
    let along = layout.strides().get(dim).copied().unwrap_or(0);
    (Layout::new(Shape::from_dims(sizes), strides, layout.offset()), along)
}

/// Maximum number of indices in one dispatch. Each thread reads all of them.
const MAX_INDICES: usize = 8192;

/// The work of a thread of a scatter.
#[derive(Clone, Copy, PartialEq)]
enum Variant {
    /// An output element.
    Owner,
    /// The values of one position, if the thread's value is the first of them.
    Leader,
    /// A line of the index along the dimension.
    Line,
}

/// The cost of one value in `line`, which reads and writes the output, in index reads of the other
/// variants. It is an estimate.
const LINE_COST: usize = 8;

impl Variant {
    /// The variant with the fewest reads for a thread. `line` reads each index once, on `count`
    /// threads.
    fn choose(scatter: &Scatter, target: &Target) -> Variant {
        let extent = scatter.output.get(scatter.dim).copied().unwrap_or(1);
        let length = scatter.shape.get(scatter.dim).copied().unwrap_or(1);
        let (lines, _) = split(&scatter.index, &scatter.shape, scatter.dim);
        let count = lines.shape().elements();
        // The threads that run at once, as an estimate.
        let concurrent = if target.software { 16 } else { 1 << 14 };
        // Lines that share an index are sorted once, which is faster than a thread a line.
        let is_shared =
            lines.strides().iter().zip(lines.shape().iter()).any(|(&stride, &size)| stride == 0 && size > 1);
        if !is_shared && count.saturating_mul(extent.min(length)) > LINE_COST * count.max(concurrent) {
            return Variant::Line;
        }
        if extent <= length { Variant::Owner } else { Variant::Leader }
    }

    fn template(self, language: Language) -> &'static str {
        match self {
            Variant::Owner => language.pick(OWNER, OWNER_CUDA),
            Variant::Leader => language.pick(LEADER, LEADER_CUDA),
            Variant::Line => language.pick(LINE, LINE_CUDA),
        }
    }
}

pub(super) fn plan(scatter: &Scatter, target: &Target) -> Result<Plan> {
    target.language.element(scatter.dtype)?;
    let computed = scatter.dtype.computed();
    if scatter.dtype != computed && scatter.op != ScatterOp::Set {
        return Err(Error::kernel(
            "scatter",
            format!("{} is not combined where it is stored, but as {computed}", scatter.dtype),
        ));
    }
    if scatter.shape.elements() == 0 {
        return Ok(Plan::default());
    }
    let length = scatter.shape.get(scatter.dim).copied().unwrap_or(1);
    let variant = Variant::choose(scatter, target);
    if variant != Variant::Line
        && let Some(plan) = sorted::plan(scatter, target)?
    {
        return Ok(plan);
    }
    let passes = (0..length)
        .step_by(MAX_INDICES)
        .map(|start| print_range(scatter, variant, start, MAX_INDICES.min(length - start), target));
    Ok(Plan { passes: passes.collect::<Result<_>>()?, scratch_bytes: 0 })
}

/// The dispatch over `length` indices from `start` on.
fn print_range(scatter: &Scatter, variant: Variant, start: usize, length: usize, target: &Target) -> Result<Pass> {
    let (language, dim) = (target.language, scatter.dim);
    let extent = scatter.output.get(dim).copied().unwrap_or(1);
    let (output_layout, output_along) = split(&Layout::contiguous(scatter.output.clone()), &scatter.shape, dim);
    let from = |layout: &Layout| if start == 0 { layout.clone() } else { layout.slice(dim, start, length, 1) };
    let (source_layout, source_along) = split(&from(&scatter.source), &scatter.shape, dim);
    let (index_layout, index_along) = split(&from(&scatter.index), &scatter.shape, dim);
    let others = output_layout.shape().elements();
    let walked =
        [&output_layout, &source_layout, &index_layout].map(|layout| Operand::new(scatter.dtype, layout.clone()));

    let ty = Type::from(scatter.dtype);
    let reducer = scatter.op.reduction().map(|op| Reducer { language, op, ty, suffix: String::new() });
    let element = Element { moved: reducer.is_none(), ..Element::of(language, scatter.dtype) };
    let mut builder = Builder::new(language, &[], &[])?;
    let source = builder.reads(element, Lanes::One, Slot::Input(0))?;
    let index = builder.input("i32", Slot::Input(1));
    let output = builder.writes(element, Lanes::One, Slot::Output(0))?;
    let status = builder.status();
    let indexer = Space::new(&[output_layout.shape()], walked.to_vec()).bind(&mut builder);
    let coordinates = indent(&indexer.coordinates(0, "o", "c"), 1);
    let [output_offset, source_offset, index_offset] =
        [0, 1, 2].map(|operand| indexer.advance(&indexer.start(operand), operand, 0, "o", "c").offset());
    let counts = [others, length, extent].map(|value| builder.count(value));
    let strides = [output_along, source_along, index_along].map(|value| builder.stride(value));

    let mut own = String::new();
    let set = |q: &str| output.store("target_offset", &source.at(&format!("source_base + {q} * {}", strides[1])));
    let combine = match (&reducer, variant) {
        (Some(reducer), _) => {
            own = reducer.definitions(&mut builder)?;
            let nothing = reducer.nothing(&mut builder)?;
            let position = if variant == Variant::Line { "j" } else { "q" };
            let at = format!("source_base + {position} * {}", strides[1]);
            let result = language.to_element(scatter.dtype, "result", ty, &mut builder.functions)?;
            prelude::fill(
                if variant == Variant::Line { ADD_LINE } else { ADD },
                &[
                    ("nothing", &nothing),
                    ("first", if variant == Variant::Owner { "0u" } else { "j" }),
                    ("load", &element.value(&source.at(&at))),
                    ("load_output", &element.value(&output.at("target_offset"))),
                    ("store", &output.store("target_offset", &result)),
                    ("index", &index),
                    ("index_stride", &strides[2]),
                ],
            )
        }
        (None, Variant::Owner) => {
            prelude::fill(SET_OWNER, &[("store", &set("(q - 1u)")), ("index", &index), ("index_stride", &strides[2])])
        }
        (None, Variant::Leader | Variant::Line) => prelude::fill(SET_LEADER, &[("store", &set("j"))]),
    };
    let values = [
        ("combine", combine.as_str()),
        ("coordinates", &coordinates),
        ("output_offset", &output_offset),
        ("source_offset", &source_offset),
        ("index_offset", &index_offset),
        ("others", &counts[0]),
        ("length", &counts[1]),
        ("extent", &counts[2]),
        ("output_stride", &strides[0]),
        ("index_stride", &strides[2]),
        ("index", &index),
        ("status", &status),
        ("rival_start", if reducer.is_some() { "0u" } else { "j + 1u" }),
        ("rival_end", if reducer.is_some() { "j" } else { "length" }),
    ];
    let threads = match variant {
        Variant::Line => others,
        // The threads of `owner` also check the indices, which may outnumber the positions.
        Variant::Owner | Variant::Leader => others * length,
    };
    let of_group = language.pick(64, BLOCK);
    builder.finish(&own, variant.template(language), &values, [threads.div_ceil(of_group), of_group], target)
}
