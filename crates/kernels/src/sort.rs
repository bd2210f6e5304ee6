//! Sorts: runs in workgroup memory, and passes that merge them.
//!
//! A sort moves pairs of a key and a position. Keys are 32-bit words (64-bit for 64-bit dtypes)
//! whose unsigned order is the order of the elements. The position is the element's index in its
//! row.
//!
//! One dispatch sorts rows of up to 2048 elements. Longer rows need a merge pass for each doubling
//! of the length. The passes alternate between scratch memory and the outputs, so that the last one
//! writes the outputs. The last pass also gathers the elements by position, because keys do not
//! keep every bit.
//!
//! Rejected: a bitonic network over the whole row. A million elements would take 55 dispatches;
//! merging takes 10.

use crate::{
    BLOCK, Builder, Dialect, Pass, Plan, Slot, Target,
    buffer::{Buffer, Element},
    indent,
    indexing::{ANY, Indexer, Lanes, Space},
};
use lanthorn_ir::{
    DType, Layout, Result, Shape,
    kernel::{Operand, Sort},
};

const WGSL: [&str; 2] = [include_str!("../shaders/sort/tile.wgsl"), include_str!("../shaders/sort/merge.wgsl")];
const CUDA: [&str; 2] = [include_str!("../shaders/sort/tile.cu"), include_str!("../shaders/sort/merge.cu")];

/// The pairs that a workgroup sorts in its memory, and the results of one thread of a merge.
const SPAN: usize = 2048;
const SHARE: usize = 16;

/// Rows to sort. Each key is paired with its position in the row.
pub(super) struct Rows {
    /// The elements. Rows are along the last dimension.
    pub source: Layout,
    /// The buffer of the elements.
    pub slot: Slot,
    /// The dtype that defines the order, and whether the order is descending. With `None`, the
    /// words are compared as unsigned integers.
    pub order: Option<(DType, bool)>,
    /// The distance between neighbours of a row, in elements of the outputs.
    pub after: usize,
}

impl Rows {
    fn length(&self) -> usize {
        self.source.shape()[self.source.shape().rank() - 1]
    }

    fn dtype(&self) -> DType {
        self.order.map_or(DType::I32, |(dtype, _)| dtype)
    }

    /// The type of a key, and its size in 32-bit words.
    fn key(&self) -> (&'static str, usize) {
        if self.dtype().size() == 8 { ("u64", 2) } else { ("u32", 1) }
    }

    /// The size of all pairs in scratch memory, in words.
    fn words(&self) -> usize {
        (self.source.shape().elements() * (self.key().1 + 1)).next_multiple_of(2)
    }

    fn count(&self) -> usize {
        self.source.shape().elements() / self.length().max(1)
    }

    /// The number of merge passes.
    fn merges(&self) -> usize {
        self.length().div_ceil(SPAN).next_power_of_two().trailing_zeros() as usize
    }

    /// The passes of the sort. `kept(n)` returns the location of the pairs before the last `n`
    /// passes.
    fn make_passes(&self, kept: impl Fn(usize) -> Kept, target: &Target) -> Result<Vec<Pass>> {
        let merges = self.merges();
        let mut passes = vec![sort_runs(self, kept(merges), target)?];
        for pass in 1..=merges {
            passes.push(merge_runs(self, SPAN << (pass - 1), kept(merges - pass + 1), kept(merges - pass), target)?);
        }
        Ok(passes)
    }

    /// The passes that leave the sorted words and their positions at the start of scratch memory,
    /// and the size of that memory in words.
    pub(super) fn sort_in_scratch(&self, target: &Target) -> Result<(Vec<Pass>, usize)> {
        let pairs = 2 * self.source.shape().elements();
        let passes = self.make_passes(|left| Kept::Scratch(if left % 2 == 0 { 0 } else { pairs }), target)?;
        Ok((passes, if self.merges() == 0 { pairs } else { 2 * pairs }))
    }
}

/// Where the passes keep pairs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Keys, then positions, in scratch memory from this word on.
    Scratch(usize),
    /// In the two outputs.
    Outputs,
    /// Not kept: the last pass writes the results.
    Results,
}

pub(super) fn plan(sort: &Sort, target: &Target) -> Result<Plan> {
    target.language.element(sort.dtype)?;
    let elements = sort.source.shape().elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let order: Vec<usize> = (0..sort.source.shape().rank()).filter(|&d| d != sort.dim).chain([sort.dim]).collect();
    let [_, _, after] = sort.extents();
    let source = sort.source.permute(&order);
    let rows = Rows { source, slot: Slot::Input(0), order: Some((sort.dtype, sort.descending)), after };
    // Elements may be smaller than keys, and the outputs then have no room for keys.
    let small = target.language.is_cuda() || sort.dtype.size() < 4;
    let kept = |left: usize| match left {
        0 => Kept::Results,
        left if left % 2 == 1 => Kept::Scratch(0),
        _ if small => Kept::Scratch(rows.words()),
        _ => Kept::Outputs,
    };
    let halves = match rows.merges() {
        0 => 0,
        2.. if small => 2,
        _ => 1,
    };
    let scratch_bytes = (halves * 4 * if small { rows.words() } else { 2 * elements }) as u64;
    Ok(Plan { passes: rows.make_passes(kept, target)?, scratch_bytes })
}

/// The elements of the rows, read as words.
struct Elements {
    indexer: Indexer,
    buffer: Buffer,
    length: String,
    after: String,
}

impl Elements {
    fn new(rows: &Rows, builder: &mut Builder) -> Result<Elements> {
        let (length, shape) = (rows.length(), rows.source.shape());
        let others = Shape::from_dims(shape[..shape.rank() - 1].iter().copied());
        let operand = Operand::new(ANY, rows.source.clone());
        let indexer = Space::new(&[&others, &Shape::from_dims([length])], vec![operand]).bind(builder);
        let buffer = builder.reads(Element::to_move(builder.language, rows.dtype()), Lanes::One, rows.slot)?;
        Ok(Elements { indexer, buffer, length: builder.count(length), after: builder.count(rows.after) })
    }

    /// Statements that read the element at `index` of row `o` as the word `word`.
    fn read(&self, index: &str) -> String {
        let at_row = self.indexer.advance(&self.indexer.start(0), 0, 0, "o", "o");
        let at = self.indexer.advance(&at_row, 0, 1, index, "i");
        format!(
            "{}{}let word = {};\n",
            self.indexer.coordinates(0, "o", "o"),
            self.indexer.coordinates(1, index, "i"),
            self.buffer.at(&at.offset())
        )
    }

    /// Statements that store number `j` of row `o`: the pair of `key` and `index`, or the element.
    fn store(&self, builder: &mut Builder, kept: Kept, pairs: &str) -> Result<String> {
        if kept != Kept::Results {
            let scratch = scratch(builder, kept);
            return Ok(store(builder, kept, &format!("o * {} + j", self.length), pairs, &scratch));
        }
        let values = builder.writes(self.buffer.element, Lanes::One, Slot::Output(0))?;
        let positions = builder.output("u32", Slot::Output(1));
        let (length, after) = (&self.length, &self.after);
        Ok(format!(
            "{}let at = o / {after} * ({length} * {after}) + o % {after} + j * {after};\n{}{positions}[at] = index;\n",
            self.read("index"),
            values.store("at", "word")
        ))
    }
}

/// The scratch memory, if the pass writes pairs there.
fn scratch(builder: &mut Builder, kept: Kept) -> String {
    if let Kept::Scratch(_) = kept { builder.output("u32", Slot::Scratch) } else { String::new() }
}

/// The text that adds the first word of the pairs to an index of scratch memory.
fn first_word(builder: &mut Builder, kept: Kept) -> String {
    match kept {
        Kept::Scratch(start) if start > 0 => format!(" + {}", builder.count(start)),
        _ => String::new(),
    }
}

/// Statements that store the pair `key` and `index` for the next pass. All keys together have
/// `pairs` words.
fn store(builder: &mut Builder, kept: Kept, at: &str, pairs: &str, scratch: &str) -> String {
    if let Kept::Scratch(_) = kept {
        let start = first_word(builder, kept);
        if builder.language.is_cuda() {
            return format!(
                "let at = {at};\nstore({scratch}{start}, at, key);\nstore({scratch}{start} + {pairs}, at, index);\n"
            );
        }
        return format!("let at = {at}{start};\n{scratch}[at] = key;\n{scratch}[{pairs} + at] = index;\n");
    }
    let [keys, positions] = [0, 1].map(|output| builder.output("u32", Slot::Output(output)));
    format!("let at = {at};\n{keys}[at] = key;\n{positions}[at] = index;\n")
}

/// Statements that define `key`: the word, mapped to unsigned order.
fn key(rows: &Rows, builder: &mut Builder) -> String {
    let Some((dtype, descending)) = rows.order else { return "let key = word;\n".into() };
    let cuda = builder.language.is_cuda();
    let key = match dtype {
        DType::Bool | DType::U8 if cuda => "u32(word)",
        DType::F16 if cuda => "order_f32(bitcast<u32>(f32(bitcast<f16>(word))))",
        DType::BF16 if cuda => "order_f32(bitcast<u32>(f32(bitcast<bf16>(word))))",
        DType::F16 | DType::BF16 => {
            let value = Element::of(builder.language, dtype).function();
            builder.functions.extend(["order_f32"].into_iter().chain(value).map(str::to_string));
            &format!("order_f32(bitcast<u32>({}))", builder.language.value(dtype, "word"))
        }
        DType::F64 => "order_f64(word)",
        DType::I64 => "(word ^ 0x8000000000000000ull)",
        DType::F32 => {
            builder.functions.insert("order_f32".to_string());
            "order_f32(word)"
        }
        DType::I32 => "(word ^ 0x80000000u)",
        DType::Bool | DType::U8 => "word",
    };
    let flip = builder.argument(if descending { u32::MAX } else { 0 });
    let flip = if dtype.size() == 8 { format!("wide<u64>({flip}, {flip})") } else { flip };
    format!("let key = {key} ^ {flip};\n")
}

/// The pass that sorts runs.
fn sort_runs(sorted: &Rows, kept: Kept, target: &Target) -> Result<Pass> {
    let (rows, length) = (sorted.count(), sorted.length());
    let span = length.next_power_of_two().min(SPAN);
    let runs = length.div_ceil(span);
    let mut builder = Builder::new(target.language, &[], &[])?;
    let elements = Elements::new(sorted, &mut builder)?;
    let load = elements.read("j") + &key(sorted, &mut builder);
    let (key, key_words) = sorted.key();
    let pairs = builder.count(rows * length * key_words);
    let store = elements.store(&mut builder, kept, &pairs)?;
    let counts = [rows, span, runs].map(|value| builder.count(value));
    let values = [
        ("load", &indent(&load, 3)),
        ("store", &indent(&store, 3)),
        ("rows", &counts[0]),
        ("span", &counts[1]),
        ("runs", &counts[2]),
        ("length", &elements.length),
        ("key", &key.to_string()),
    ];
    let values = values.map(|(name, value)| (name, value.as_str()));
    let [template, _] = target.language.pick(WGSL, CUDA);
    builder.finish("", template, &values, [(rows * runs).div_ceil(SPAN / span), BLOCK], target)
}

/// A pass that merges neighbouring runs of `run` pairs.
fn merge_runs(sorted: &Rows, run: usize, from: Kept, to: Kept, target: &Target) -> Result<Pass> {
    let (rows, length) = (sorted.count(), sorted.length());
    let mut builder = Builder::new(target.language, &[], &[])?;
    let (keys, positions) = match (from, to) {
        // Both are halves of one buffer: one is read, the other is written.
        (Kept::Scratch(_), Kept::Scratch(_)) => (String::from("scratch"), String::from("scratch")),
        (Kept::Scratch(_), _) => {
            let scratch = builder.input("u32", Slot::Scratch);
            (scratch.clone(), scratch)
        }
        _ => (builder.input("u32", Slot::Output(0)), builder.input("u32", Slot::Output(1))),
    };
    let (key, key_words) = sorted.key();
    let pairs = builder.count(rows * length * key_words);
    let (length_word, store) = if to == Kept::Results {
        let elements = Elements::new(sorted, &mut builder)?;
        let store = elements.store(&mut builder, to, &pairs)?;
        (elements.length, store)
    } else {
        let scratch = scratch(&mut builder, to);
        (builder.count(length), store(&mut builder, to, "row + j", &pairs, &scratch))
    };
    let start = first_word(&mut builder, from);
    let shares = length.div_ceil(SHARE);
    let counts = [rows, run, shares].map(|value| builder.count(value));
    let positions_start = if let Kept::Scratch(_) = from { pairs.as_str() } else { "0u" };
    let store = indent(&store, 2);
    let values = [
        ("store", store.as_str()),
        ("rows", &counts[0]),
        ("run", &counts[1]),
        ("shares", &counts[2]),
        ("length", &length_word),
        ("keys", &keys),
        ("positions", &positions),
        ("positions_start", positions_start),
        ("start", &start),
        ("key", key),
    ];
    let [_, template] = target.language.pick(WGSL, CUDA);
    let threads = target.language.pick(64, BLOCK);
    builder.finish("", template, &values, [(rows * shares).div_ceil(threads), threads], target)
}
