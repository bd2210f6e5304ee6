//! Attention without its matrix of weights.
//!
//! All passes except [`decode`], the pass for few queries, have one form. A thread owns a row of
//! queries (for the result and the gradient of queries) or of keys (for the gradients of keys and
//! values) in registers. It meets the rows of the other side, which the workgroup loads tile by
//! tile to its memory, four at a time. Each sum therefore has one owner and needs no atomic
//! addition.
//!
//! The head width is part of the code, not an argument, because registers cannot be indexed. A
//! model has one or two widths.
//!
//! Rejected:
//! - Scores in workgroup memory, as in the tiled product. Together with tiles of both sides they
//!   exceed 16 KiB for heads of 128.
//! - A variant for software adapters. It took twice as long as the separate products and softmax,
//!   and seconds to compile; see [`Capabilities::prefers_fused_attention`].
//!
//! [`Capabilities::prefers_fused_attention`]: lanthorn_ir::backend::Capabilities::prefers_fused_attention

mod bounds;
mod cuda;
mod decode;

use crate::{
    Builder, Language, MAX_ITERATIONS, Pass, Plan, Slot, Target,
    buffer::{Buffer, Element},
    indent,
    indexing::{COMPONENTS, Lanes, Space},
    prelude,
};
use bounds::Bounds;
use lanthorn_ir::{
    DType, Error, Layout, Result,
    kernel::{Attention, AttentionPass, KernelKind, Operand},
};
use std::fmt::Write;

const TEMPLATE: &str = include_str!("../../shaders/attention/attention.wgsl");
const FILL: &str = include_str!("../../shaders/attention/fill.wgsl");
const WEIGH: &str = include_str!("../../shaders/attention/weigh.wgsl");
const DIFFERENTIATE: &str = include_str!("../../shaders/attention/differentiate.wgsl");

/// Maximum head width. For a wider head, the owned rows exceed a thread's registers, and the rows
/// it meets exceed the workgroup's memory.
const MAX_WIDTH: usize = 128;

/// Number of rows that a workgroup owns.
const ROWS: usize = 64;

/// Vectors of four in 16 KiB of workgroup memory.
const TILE_VECTORS: usize = 1024;

/// Number of rows that are met at once.
const MET: usize = 4;

pub(super) fn plan(attention: &Attention, target: &Target) -> Result<Plan> {
    if !attention.is_consistent() {
        return Err(Error::kernel("attention", "operands of shapes that do not fit one another"));
    }
    let [batch, m, n, d, e] = attention.extents();
    if d.max(e) > MAX_WIDTH {
        return Err(Error::limit("attention", format!("heads of {d} and {e}; this device takes at most {MAX_WIDTH}")));
    }
    let keys_own = matches!(attention.pass, AttentionPass::Keys(_));
    let (owned, met) = if keys_own { (n, m) } else { (m, n) };
    if met / MET > MAX_ITERATIONS {
        let most = MAX_ITERATIONS * MET;
        return Err(Error::limit("attention", format!("{met} rows; this device takes at most {most}")));
    }
    if batch * owned == 0 {
        return Ok(Plan::default());
    }
    let writer = Writer::new(attention, keys_own, target.language)?;
    let extents = [batch, owned, met];
    let pass = match target.language.is_cuda() {
        _ if attention.has_few_queries() => return writer.decode(extents, target),
        true => writer.cuda(extents, target)?,
        false => writer.pass(extents, target)?,
    };
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}

/// An operand as batches of rows. Its base and its strides between rows and elements are variables
/// with these names. They count vectors if the rows are read as vectors.
struct Rows {
    name: &'static str,
    buffer: Buffer,
    row: String,
    column: String,
    width: usize,
}

impl Rows {
    /// The number of vectors in a row. The last one may be padded with zeros.
    fn vectors(&self) -> usize {
        self.width.div_ceil(4)
    }

    /// A vector of one of the four rows that are met.
    fn load_met(&self, t: usize, c: usize) -> String {
        let name = self.name;
        format!("tile_{name}[{name}_at{t} + {c}u]")
    }

    /// The element `at` of a row of statistics.
    fn element(&self, at: &str, which: usize) -> String {
        format!("{}[{at} + {which}u * {}]", self.buffer, self.column)
    }

    /// The function that returns a vector of a row.
    fn loading(&self, by_vectors: bool) -> String {
        let Rows { name, buffer, .. } = self;
        let head = format!("fn load_{name}(at: u32, c: u32, step: u32) -> vec4<f32> {{\n");
        if by_vectors {
            return format!("{head}    return {buffer}[at + c];\n}}\n\n");
        }
        let elements = |count: usize| {
            let each = |lane: usize| {
                if lane < count { format!("{buffer}[begin + {lane}u * step]") } else { "0.0f".to_string() }
            };
            format!("vec4<f32>({})", (0..4).map(each).collect::<Vec<_>>().join(", "))
        };
        let mut body = "    let begin = at + c * 4u * step;\n".to_string();
        if !self.width.is_multiple_of(4) {
            let (last, rest) = (self.vectors() - 1, elements(self.width % 4));
            // Writing to a String does not fail.
            let _ = writeln!(body, "    if (c == {last}u) {{\n        return {rest};\n    }}");
        }
        format!("{head}{body}    return {};\n}}\n\n", elements(4))
    }
}

/// Whether the rows of an operand consist of whole, aligned vectors.
fn is_of_vectors(operand: &Operand) -> bool {
    let (strides, rank) = (operand.layout.strides(), operand.shape().rank());
    let aligned = strides[..rank - 1].iter().all(|stride| stride % 4 == 0) && operand.layout.offset().is_multiple_of(4);
    operand.dtype().is_floating_point()
        && operand.shape()[rank - 1].is_multiple_of(4)
        && strides[rank - 1] == 1
        && aligned
}

/// The parts of a shader, while they are written.
struct Writer<'a> {
    attention: &'a Attention,
    keys_own: bool,
    bounds: Bounds,
    builder: Builder,
    /// Loading functions.
    own: String,
    /// Statements before the loop.
    before: String,
    query: Rows,
    key: Rows,
    value: Rows,
    mask: Option<Rows>,
    /// The gradient of the result, and the statistics of rows.
    gradient: Option<[Rows; 2]>,
}

const NAMES: [&str; 3] = ["query", "key", "value"];

impl<'a> Writer<'a> {
    fn new(attention: &'a Attention, keys_own: bool, language: Language) -> Result<Writer<'a>> {
        let mut builder = Builder::new(language, attention.params(), &[])?;
        let operands = attention.operands();
        let optional = [attention.mask.as_ref().map(|_| "mask"), attention.lengths.as_ref().map(|_| "lengths")];
        let names = NAMES.into_iter().chain(optional.into_iter().flatten()).chain(["grad", "statistics"]);
        let rank = attention.batch.rank();
        // A mask is read element by element.
        let is_mask = |operand: &Operand| attention.mask.as_ref().is_some_and(|mask| std::ptr::eq(mask, operand));
        let unit = |operand: &Operand| if is_of_vectors(operand) && !is_mask(operand) { 4 } else { 1 };
        let of_batch = |operand: &&Operand| {
            let unit = unit(operand);
            let strides = operand.layout.strides()[..rank].iter().map(|stride| stride / unit as isize);
            Operand::new(
                operand.encoding,
                Layout::new(attention.batch.clone(), strides, operand.layout.offset() / unit),
            )
        };
        let indexer = Space::new(&[&attention.batch], operands.iter().map(of_batch).collect()).bind(&mut builder);
        let (mut own, mut before) = (String::new(), indexer.coordinates(0, "batch", "z"));
        let mut rows = Vec::new();
        for (at, (&operand, name)) in operands.iter().zip(names).enumerate() {
            let unit = unit(operand);
            let element = Element::of(language, operand.encoding);
            let buffer = builder.reads(element, if unit == 4 { Lanes::Vector } else { Lanes::One }, Slot::Input(at))?;
            let base = indexer.advance(&indexer.start(at), at, 0, "batch", "z").offset();
            // Writing to a String does not fail.
            let _ = writeln!(before, "let {name}_base = {base};");
            let steps = operand.layout.strides();
            let (row, column) = (builder.stride(steps[rank] / unit as isize), builder.stride(steps[rank + 1]));
            let part = Rows { name, buffer, row, column, width: operand.shape()[rank + 1] };
            match (matches!(name, "mask" | "lengths" | "statistics"), language.is_cuda()) {
                (true, _) => {}
                (false, true) => before.push_str(&part.loading_in_cuda(element.ty()?, unit == 4)),
                (false, false) => own.push_str(&part.loading(unit == 4)),
            }
            rows.push(part);
        }
        let mut rows = rows.into_iter();
        let mut next = || rows.next().ok_or_else(|| Error::kernel("attention", "an operand is missing"));
        let (query, key, value) = (next()?, next()?, next()?);
        let mask = attention.mask.as_ref().map(|_| next()).transpose()?;
        let lengths = attention.lengths.as_ref().map(|_| next()).transpose()?;
        let gradient = attention.gradient().map(|_| Ok([next()?, next()?])).transpose()?;
        let bounds = Bounds::new(attention, keys_own);
        let length = lengths.map(|rows| rows.buffer.at("lengths_base"));
        before.push_str(&bounds.definitions(length.as_deref()));
        Ok(Writer { attention, keys_own, bounds, builder, own, before, query, key, value, mask, gradient })
    }

    /// The rows that a thread owns, and the rows that it meets.
    fn sides(&self) -> (Vec<&Rows>, Vec<&Rows>) {
        let queries: Vec<&Rows> =
            std::iter::once(&self.query).chain(self.gradient.as_ref().map(|[grad, _]| grad)).collect();
        let keys = vec![&self.key, &self.value];
        if self.keys_own { (keys, queries) } else { (queries, keys) }
    }

    fn pass(mut self, [batch, owned, met]: [usize; 3], target: &Target) -> Result<Pass> {
        self.builder.functions.extend(["exp_f32", "log_f32", "select_bits"].map(String::from));
        self.builder.functions.extend(self.attention.capped.then(|| "tanh_f32".to_string()));
        self.own_rows();
        let step = indent(&(self.met_rows() + &self.step()), 3);
        let store = self.store(batch * owned);
        let (tile, fill) = self.tiles();
        let tile = tile.to_string();
        let start = self.bounds.start("first");
        let end = self.bounds.end_of("first", &format!("min(first + {}u, owned - 1u)", ROWS - 1));
        let blocks = owned.div_ceil(ROWS);
        let counts = [batch * blocks, blocks, owned, met].map(|value| self.builder.count(value));
        let (before, store) = (indent(&self.before, 1), indent(&store, 2));
        let mut values: Vec<(&str, &str)> = vec![
            ("before", &before),
            ("tile", &tile),
            ("fill", &fill),
            ("step", &step),
            ("store", &store),
            ("start", &start),
            ("end", &end),
        ];
        values.extend(["groups", "blocks", "owned", "met"].into_iter().zip(counts.iter().map(String::as_str)));
        self.builder.finish(&self.own, TEMPLATE, &values, [batch * blocks, ROWS], target)
    }

    /// The rows of a tile, and the statements that fill the tiles.
    fn tiles(&mut self) -> (usize, String) {
        let (_, met) = self.sides();
        let vectors: usize = met.iter().map(|rows| rows.vectors()).sum();
        let tile = (TILE_VECTORS / vectors / MET * MET).min(ROWS);
        let (mut memory, mut fill) = (String::new(), String::new());
        for Rows { name, row, column, width, .. } in met {
            let vectors = width.div_ceil(4);
            // Writing to a String does not fail.
            let _ = writeln!(memory, "var<workgroup> tile_{name}: array<vec4<f32>, {}>;", tile * vectors);
            let (vectors, tile) = (vectors.to_string(), tile.to_string());
            let values =
                [("vectors", vectors.as_str()), ("tile", &tile), ("row", row), ("column", column), ("name", name)];
            let _ = writeln!(fill, "{}", prelude::fill(FILL, &values));
        }
        self.own.push_str(&memory);
        (tile, fill)
    }

    /// Statements that load the owned rows and initialize the sums.
    fn own_rows(&mut self) {
        let mut text = String::new();
        let (own, met) = self.sides();
        // Writing to a String does not fail.
        for rows in &own {
            let name = rows.name;
            let _ = writeln!(text, "let {name}_at = {name}_base + own * {};", rows.row);
            for c in 0..rows.vectors() {
                let _ = writeln!(text, "let own_{name}{c} = load_{name}({name}_at, {c}u, {});", rows.column);
            }
        }
        for rows in self.select_summed(&met) {
            (0..rows.vectors()).for_each(|c| {
                let _ = writeln!(text, "var sum_{}{c} = vec4<f32>();", rows.name);
            });
        }
        match &self.gradient {
            None => {
                text.push_str("let lowest = bitcast<f32>(0xff7fffffu);\nvar largest = lowest;\nvar total = 0.0f;\n")
            }
            Some([_, statistics]) if !self.keys_own => {
                let _ = writeln!(text, "let statistics_at = statistics_base + own * {};", statistics.row);
                let _ = writeln!(text, "let logarithm = vec4<f32>({});", statistics.element("statistics_at", 0));
                let _ = writeln!(text, "let product = vec4<f32>({});", statistics.element("statistics_at", 1));
            }
            Some(_) => {}
        }
        let _ =
            writeln!(text, "let own_start = {};\nlet own_end = {};", self.bounds.start("own"), self.bounds.end("own"));
        let _ = writeln!(text, "let scale = p0;");
        self.before.push_str(&text);
    }

    /// The rows among those met that the pass sums.
    fn select_summed<'r>(&self, met: &[&'r Rows]) -> Vec<&'r Rows> {
        match self.attention.pass {
            AttentionPass::Forward => vec![met[1]],
            AttentionPass::Queries(_) => vec![met[0]],
            AttentionPass::Keys(_) => met.to_vec(),
        }
    }

    /// Statements that define the offsets of the rows that are met.
    fn met_rows(&self) -> String {
        let (_, met) = self.sides();
        let mut text = String::new();
        for t in 0..MET {
            // Writing to a String does not fail. Rows past the end are read from the last row and
            // take no part.
            let _ = writeln!(text, "let other{t} = min(other + {t}u, last);");
            for rows in &met {
                let name = rows.name;
                let _ = writeln!(text, "let {name}_at{t} = (other{t} - tile) * {}u;", rows.vectors());
            }
        }
        text
    }

    /// Statements for four pairs: scores, weights, and additions to the sums.
    fn step(&self) -> String {
        let (own, met) = self.sides();
        let mut text = products("score", own[0], met[0]);
        text.push_str("score = score * scale;\n");
        text.push_str(&self.soft_cap());
        text.push_str(&self.taking_part());
        if self.gradient.is_none() {
            text.push_str(WEIGH);
            add(met[1], "weight", Some("shrink"), &mut text);
            return text;
        }
        text.push_str(&products("slope", own[1], met[1]));
        if let (Some([_, statistics]), true) = (&self.gradient, self.keys_own) {
            for (which, name) in ["logarithm", "product"].into_iter().enumerate() {
                let each = (0..MET)
                    .map(|t| statistics.element(&format!("statistics_base + other{t} * {}", statistics.row), which));
                // Writing to a String does not fail.
                let _ = writeln!(text, "let {name} = vec4<f32>({});", each.collect::<Vec<_>>().join(", "));
            }
        }
        text.push_str(DIFFERENTIATE);
        add(met[0], "difference", None, &mut text);
        if self.keys_own {
            add(met[1], "weight", None, &mut text);
        }
        text
    }

    /// Statements that cap the four scores. For a backward pass they also compute the derivative of
    /// each score with respect to its dot product.
    fn soft_cap(&self) -> String {
        let mut text = String::new();
        let mut derivative = "vec4<f32>(scale)";
        if let Some(slot) = self.attention.cap_param() {
            let ratio = COMPONENTS.map(|component| format!("tanh_f32(score.{component} / p{slot})")).join(", ");
            // Writing to a String does not fail.
            let _ = writeln!(text, "let ratio = vec4<f32>({ratio});\nscore = ratio * p{slot};");
            derivative = "scale * (vec4<f32>(1.0f) - ratio * ratio)";
        }
        if self.gradient.is_some() {
            let _ = writeln!(text, "let derivative = {derivative};");
        }
        text
    }

    /// Statements that set which of the four pairs take part, and add the mask to their scores.
    fn taking_part(&self) -> String {
        let mut text = "let others = vec4<u32>(other, other + 1u, other + 2u, other + 3u);\n".to_string();
        text.push_str("var keep = (others >= vec4<u32>(own_start)) & (others < vec4<u32>(own_end));\n");
        let (Some(rows), Some(operand)) = (&self.mask, &self.attention.mask) else { return text };
        let each = |t: usize| {
            let other = format!("other{t}");
            let (query, key) = if self.keys_own { (other.as_str(), "own") } else { ("own", other.as_str()) };
            rows.buffer.at(&format!("mask_base + {query} * {} + {key} * {}", rows.row, rows.column))
        };
        let values = (0..MET).map(each).collect::<Vec<_>>().join(", ");
        if operand.encoding == DType::Bool {
            let _ = writeln!(text, "keep = keep & (vec4<u32>({values}) != vec4<u32>());");
        } else {
            let _ = writeln!(text, "let added = vec4<f32>({values});\nscore += added;");
            text.push_str("keep = keep & (bitcast<vec4<u32>>(added) != vec4<u32>(0xff800000u));\n");
        }
        text
    }

    /// Statements that store the results of the row. `rows` is the number of all rows.
    fn store(&mut self, rows: usize) -> String {
        let (_, met) = self.sides();
        let summed: Vec<(&str, usize)> = self.select_summed(&met).iter().map(|rows| (rows.name, rows.width)).collect();
        let by_vectors = summed.iter().all(|(_, width)| width.is_multiple_of(4));
        let output = self.builder.output(if by_vectors { "vec4<f32>" } else { "f32" }, Slot::Output(0));
        let mut text = "let row = batch * owned + own;\n".to_string();
        let mut factor = "";
        // Writing to a String does not fail.
        if self.gradient.is_none() {
            let logarithms = self.builder.output("f32", Slot::Output(1));
            let _ = writeln!(
                text,
                "{logarithms}[row] = select_bits(largest + log_f32(total), 0xff800000u, total == 0.0f);"
            );
            let _ = writeln!(text, "let inverse = select(1.0f / total, 0.0f, total == 0.0f);");
            factor = " * inverse";
        }
        let mut begin = 0;
        for (name, width) in summed {
            let unit = if by_vectors { 4 } else { 1 };
            let begin_word = self.builder.count(begin / unit);
            let _ = writeln!(text, "let {name}_out = {begin_word} + row * {}u;", width / unit);
            for c in 0..width.div_ceil(4) {
                let value = format!("(sum_{name}{c}{factor})");
                if by_vectors {
                    let _ = writeln!(text, "{output}[{name}_out + {c}u] = {value};");
                    continue;
                }
                for (lane, component) in COMPONENTS.iter().enumerate().take(width - 4 * c) {
                    let _ = writeln!(text, "{output}[{name}_out + {}u] = {value}.{component};", 4 * c + lane);
                }
            }
            begin += rows * width;
        }
        text
    }
}

/// Statements that multiply an owned row by the four rows that are met.
fn products(name: &str, own: &Rows, met: &Rows) -> String {
    let mut text = format!("var {name} = vec4<f32>();\n");
    for c in 0..own.vectors() {
        let each = (0..MET).map(|t| format!("dot(own_{}{c}, {})", own.name, met.load_met(t, c)));
        // Writing to a String does not fail.
        let _ = writeln!(text, "{name} += vec4<f32>({});", each.collect::<Vec<_>>().join(", "));
    }
    text
}

/// Statements that add the four rows that are met to their sum, each multiplied by its component of
/// `weights`.
fn add(rows: &Rows, weights: &str, shrink: Option<&str>, text: &mut String) {
    let name = rows.name;
    for c in 0..rows.vectors() {
        let each = COMPONENTS.iter().enumerate();
        let terms =
            each.map(|(t, component)| format!("{weights}.{component} * {}", rows.load_met(t, c))).collect::<Vec<_>>();
        let before = shrink.map_or(format!("sum_{name}{c}"), |shrink| format!("sum_{name}{c} * {shrink}"));
        // Writing to a String does not fail.
        let _ = writeln!(text, "sum_{name}{c} = {before} + ({});", terms.join(" + "));
    }
}
