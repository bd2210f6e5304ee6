//! Scatters that first sort their indices in scratch memory, so that equal indices are adjacent.

use super::split;
use crate::{
    BLOCK, Builder, Dialect, Pass, Plan, Slot, Target,
    buffer::Element,
    indent,
    indexing::{Lanes, Space},
    prelude,
    reducer::Reducer,
    sort::Rows,
};
use lanthorn_ir::{
    Layout, Result, Shape,
    expr::Type,
    kernel::{Operand, Scatter},
};

const RUN: &str = include_str!("../../shaders/scatter/run.wgsl");
const ADD_RUN: &str = include_str!("../../shaders/scatter/add_run.wgsl");
const SET_RUN: &str = include_str!("../../shaders/scatter/set_run.wgsl");
const RUN_CUDA: &str = include_str!("../../shaders/scatter/run.cu");

/// Minimum number of index reads by the other variants from which on sorting pays for its
/// dispatches. It was measured on a software adapter (`docs/performance/log-2026-11.md`), and
/// estimated for a GPU, which reads many indices in parallel and waits for each dispatch.
fn min_reads(target: &Target) -> usize {
    if target.software { 1 << 20 } else { 1 << 23 }
}

/// The cost of sorting one index, in index reads.
const SORT_COST: usize = 512;

/// Maximum number of sorted indices in one dispatch. It limits how many equal indices one thread
/// combines.
const MAX_INDICES: usize = 32_768;

/// The plan, if sorting pays.
pub(super) fn plan(scatter: &Scatter, target: &Target) -> Result<Option<Plan>> {
    let dim = scatter.dim;
    let extent = scatter.output.get(dim).copied().unwrap_or(1);
    let length = scatter.shape.get(dim).copied().unwrap_or(1);
    let (others, along) = split(&scatter.index, &scatter.shape, dim);
    let columns = others.shape().elements();
    // Each value is looked at once per output element, in every column.
    let reads = columns.saturating_mul(extent.min(length).min(super::MAX_INDICES));
    if reads.saturating_mul(length) < min_reads(target) {
        return Ok(None);
    }
    // Columns that share an index, such as the columns of an embedding's row, sort it once.
    let differs = |d: &usize| others.strides()[*d] != 0;
    let kept: Vec<usize> = (0..others.shape().rank()).filter(differs).collect();
    let sizes = kept.iter().map(|&d| others.shape()[d]).chain([length]);
    let strides = kept.iter().map(|&d| others.strides()[d]).chain([along]);
    let source = Layout::new(Shape::from_dims(sizes), strides, others.offset());
    if reads / (source.shape().elements() / length).max(1) < SORT_COST {
        return Ok(None);
    }
    let rows = Rows { source, slot: Slot::Input(1), order: None, after: 1 };
    let (mut passes, words) = rows.sort_in_scratch(target)?;
    let scratch_bytes = 4 * words as u64;
    if scratch_bytes > target.max_scratch_bytes {
        return Ok(None);
    }
    // The first sorted index of each column's row.
    let mut begins = vec![0; others.shape().rank()];
    let mut stride = length as isize;
    for &d in kept.iter().rev() {
        begins[d] = stride;
        stride *= others.shape()[d] as isize;
    }
    let begins = Layout::new(others.shape().clone(), begins, 0);
    for first in (0..length).step_by(MAX_INDICES) {
        passes.push(print_range(scatter, &begins, stride as usize, first..length.min(first + MAX_INDICES), target)?);
    }
    Ok(Some(Plan { passes, scratch_bytes }))
}

/// The dispatch over a range of the sorted indices. There are `pairs` sorted indices, in rows that
/// start at `begins`.
fn print_range(
    scatter: &Scatter,
    begins: &Layout,
    pairs: usize,
    range: std::ops::Range<usize>,
    target: &Target,
) -> Result<Pass> {
    let extent = scatter.output.get(scatter.dim).copied().unwrap_or(1);
    let (output_layout, output_along) = split(&Layout::contiguous(scatter.output.clone()), &scatter.shape, scatter.dim);
    let (source_layout, source_along) = split(&scatter.source, &scatter.shape, scatter.dim);
    let others = output_layout.shape().elements();
    let walked = [&output_layout, &source_layout, begins].map(|layout| Operand::new(scatter.dtype, layout.clone()));

    let (language, ty) = (target.language, Type::from(scatter.dtype));
    let reducer = scatter.op.reduction().map(|op| Reducer { language, op, ty, suffix: String::new() });
    let element = Element { moved: reducer.is_none(), ..Element::of(language, scatter.dtype) };
    let mut builder = Builder::new(language, &[], &[])?;
    let source = builder.reads(element, Lanes::One, Slot::Input(0))?;
    let sorted = builder.input("u32", Slot::Scratch);
    let output = builder.writes(element, Lanes::One, Slot::Output(0))?;
    let status = builder.status();
    let indexer = Space::new(&[output_layout.shape()], walked.to_vec()).bind(&mut builder);
    let coordinates = indent(&indexer.coordinates(0, "o", "c"), 1);
    let [output_offset, source_offset, row] =
        [0, 1, 2].map(|operand| indexer.advance(&indexer.start(operand), operand, 0, "o", "c").offset());
    let [others_word, first, end, extent, pairs] =
        [others, range.start, range.end, extent, pairs].map(|value| builder.count(value));
    let [output_stride, source_stride] = [output_along, source_along].map(|value| builder.stride(value));

    let mut own = String::new();
    let mut values = vec![("sorted", sorted.as_str()), ("pairs", &pairs)];
    let from = source.at(&format!("source_base + q * {source_stride}"));
    let (nothing, load, load_output, store);
    let combine = match &reducer {
        Some(reducer) => {
            own = reducer.definitions(&mut builder)?;
            nothing = reducer.nothing(&mut builder)?;
            load = element.value(&from);
            load_output = element.value(&output.at("target_offset"));
            let result = language.to_element(scatter.dtype, "result", ty, &mut builder.functions)?;
            store = output.store("target_offset", &result);
            values.extend([
                ("nothing", nothing.as_str()),
                ("load", &load),
                ("load_output", &load_output),
                ("store", &store),
            ]);
            prelude::fill(ADD_RUN, &values)
        }
        None => {
            store = output.store("target_offset", &from);
            values.push(("store", &store));
            prelude::fill(SET_RUN, &values)
        }
    };
    let values = [
        ("combine", combine.as_str()),
        ("coordinates", &coordinates),
        ("output_offset", &output_offset),
        ("source_offset", &source_offset),
        ("row", &row),
        ("sorted", &sorted),
        ("others", &others_word),
        ("first", &first),
        ("end", &end),
        ("extent", &extent),
        ("output_stride", &output_stride),
        ("status", &status),
    ];
    let threads = language.pick(64, BLOCK);
    builder.finish(
        &own,
        language.pick(RUN, RUN_CUDA),
        &values,
        [(others * range.len()).div_ceil(threads), threads],
        target,
    )
}
