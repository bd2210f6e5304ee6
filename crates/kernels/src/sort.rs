//! Sorts: runs in workgroup memory, and passes that merge them.
//!
//! What is sorted are pairs of a key of 32 bits (64 for types of that size), which is in the order of the elements whatever their type, and the place along the row. Rows of up to
//! 2048 elements are one dispatch; each doubling of the length beyond that is a merging pass more. The pairs go to and fro between scratch memory and the outputs, so
//! that the last pass ends in the outputs; it brings the elements themselves, unchanged, by their places.
//! Rejected: a bitonic network over the whole row. A million elements would take 55 dispatches, and merging takes 10.

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

/// Pairs that a workgroup sorts in its memory, and results of a merging thread.
const SPAN: usize = 2048;
const SHARE: usize = 16;

/// Rows of words that are sorted, with the positions that they come from.
pub(super) struct Rows {
    /// Where the words lie; what is sorted is the last dimension.
    pub source: Layout,
    /// The buffer that they lie in.
    pub slot: Slot,
    /// The type whose order is theirs, and whether it is turned round; `None` for that of the words.
    pub order: Option<(DType, bool)>,
    /// How many results lie between neighbours of a row.
    pub after: usize,
}

impl Rows {
    fn length(&self) -> usize {
        self.source.shape()[self.source.shape().rank() - 1]
    }

    fn dtype(&self) -> DType {
        self.order.map_or(DType::I32, |(dtype, _)| dtype)
    }

    /// The type of a key, and its 32-bit words.
    fn key(&self) -> (&'static str, usize) {
        if self.dtype().size() == 8 { ("u64", 2) } else { ("u32", 1) }
    }

    /// The words that all pairs take in scratch memory.
    fn words(&self) -> usize {
        (self.source.shape().elements() * (self.key().1 + 1)).next_multiple_of(2)
    }

    fn count(&self) -> usize {
        self.source.shape().elements() / self.length().max(1)
    }

    /// How many passes merge runs.
    fn merges(&self) -> usize {
        self.length().div_ceil(SPAN).next_power_of_two().trailing_zeros() as usize
    }

    /// The dispatches that sort; `kept` says where the pairs are when so many passes are yet to come.
    fn passes(&self, kept: impl Fn(usize) -> Kept, target: &Target) -> Result<Vec<Pass>> {
        let merges = self.merges();
        let mut passes = vec![tiles(self, kept(merges), target)?];
        for pass in 1..=merges {
            passes.push(merge(self, SPAN << (pass - 1), kept(merges - pass + 1), kept(merges - pass), target)?);
        }
        Ok(passes)
    }

    /// The dispatches that leave words and positions, sorted, at the beginning of scratch memory, and its words.
    pub(super) fn in_scratch(&self, target: &Target) -> Result<(Vec<Pass>, usize)> {
        let pairs = 2 * self.source.shape().elements();
        let passes = self.passes(|left| Kept::Scratch(if left % 2 == 0 { 0 } else { pairs }), target)?;
        Ok((passes, if self.merges() == 0 { pairs } else { 2 * pairs }))
    }
}

/// Where pairs are kept between passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Keys, then positions, in scratch memory from some word on.
    Scratch(usize),
    /// In the two outputs.
    Outputs,
    /// Nowhere: this is the last pass.
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
    // Elements may be smaller than keys, which then have no room in the outputs.
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
    Ok(Plan { passes: rows.passes(kept, target)?, scratch_bytes })
}

/// The elements of rows, as words.
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
        let buffer = builder.reads(Element::moved(builder.language, rows.dtype()), Lanes::One, rows.slot)?;
        Ok(Elements { indexer, buffer, length: builder.count(length), after: builder.count(rows.after) })
    }

    /// Statements that read the element at `place` of row `o` as the word `word`.
    fn read(&self, place: &str) -> String {
        let at_row = self.indexer.advance(&self.indexer.start(0), 0, 0, "o", "o");
        let at = self.indexer.advance(&at_row, 0, 1, place, "i");
        format!(
            "{}{}let word = {};\n",
            self.indexer.coordinates(0, "o", "o"),
            self.indexer.coordinates(1, place, "i"),
            self.buffer.at(&at.offset())
        )
    }

    /// Statements that store the pair `key` and `place`, or its element, as number `j` of row `o`.
    fn store(&self, builder: &mut Builder, kept: Kept, pairs: &str) -> Result<String> {
        if kept != Kept::Results {
            let scratch = scratch(builder, kept);
            return Ok(store(builder, kept, &format!("o * {} + j", self.length), pairs, &scratch));
        }
        let values = builder.writes(self.buffer.element, Lanes::One, Slot::Output(0))?;
        let positions = builder.output("u32", Slot::Output(1));
        let (length, after) = (&self.length, &self.after);
        Ok(format!(
            "{}let at = o / {after} * ({length} * {after}) + o % {after} + j * {after};\n{}{positions}[at] = place;\n",
            self.read("place"),
            values.store("at", "word")
        ))
    }
}

/// The scratch memory, if pairs are written there.
fn scratch(builder: &mut Builder, kept: Kept) -> String {
    if let Kept::Scratch(_) = kept { builder.output("u32", Slot::Scratch) } else { String::new() }
}

/// What brings a place in the scratch memory to where the pairs begin.
fn beginning(builder: &mut Builder, kept: Kept) -> String {
    match kept {
        Kept::Scratch(start) if start > 0 => format!(" + {}", builder.count(start)),
        _ => String::new(),
    }
}

/// Statements that store the pair `key` and `place` for the next pass; the keys take `pairs` words in all.
fn store(builder: &mut Builder, kept: Kept, at: &str, pairs: &str, scratch: &str) -> String {
    if let Kept::Scratch(_) = kept {
        let start = beginning(builder, kept);
        if builder.language.is_cuda() {
            return format!(
                "let at = {at};\nstore({scratch}{start}, at, key);\nstore({scratch}{start} + {pairs}, at, place);\n"
            );
        }
        return format!("let at = {at}{start};\n{scratch}[at] = key;\n{scratch}[{pairs} + at] = place;\n");
    }
    let [keys, places] = [0, 1].map(|output| builder.output("u32", Slot::Output(output)));
    format!("let at = {at};\n{keys}[at] = key;\n{places}[at] = place;\n")
}

/// A word in the order of the elements.
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
fn tiles(sorted: &Rows, kept: Kept, target: &Target) -> Result<Pass> {
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

/// A pass that merges runs of `run` in pairs.
fn merge(sorted: &Rows, run: usize, from: Kept, to: Kept, target: &Target) -> Result<Pass> {
    let (rows, length) = (sorted.count(), sorted.length());
    let mut builder = Builder::new(target.language, &[], &[])?;
    let (keys, places) = match (from, to) {
        // One buffer, of which one half is read and the other written.
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
    let start = beginning(&mut builder, from);
    let shares = length.div_ceil(SHARE);
    let counts = [rows, run, shares].map(|value| builder.count(value));
    let places_start = if let Kept::Scratch(_) = from { pairs.as_str() } else { "0u" };
    let store = indent(&store, 2);
    let values = [
        ("store", store.as_str()),
        ("rows", &counts[0]),
        ("run", &counts[1]),
        ("shares", &counts[2]),
        ("length", &length_word),
        ("keys", &keys),
        ("places", &places),
        ("places_start", places_start),
        ("start", &start),
        ("key", key),
    ];
    let [_, template] = target.language.pick(WGSL, CUDA);
    let threads = target.language.pick(64, BLOCK);
    builder.finish("", template, &values, [(rows * shares).div_ceil(threads), threads], target)
}
