//! Sorts: runs in workgroup memory, and passes that merge them.
//!
//! What is sorted are pairs of a 32-bit key, which is in the order of the elements whatever their type, and the place along the row. Rows of up to
//! 2048 elements are one dispatch; each doubling of the length beyond that is a merging pass more. The pairs go to and fro between scratch memory and the outputs, so
//! that the last pass ends in the outputs; it brings the elements themselves, unchanged, by their places.
//! Rejected: a bitonic network over the whole row. A million elements would take 55 dispatches, and merging takes 10.

use super::{
    Builder, Pass, Plan, Slot, Target, element_type, indent,
    walk::{Space, WORD, Walk},
};
use lanthorn_ir::{
    DType, Result, Shape,
    kernel::{Operand, Sort},
};

const TILE: &str = include_str!("../../../../shaders/sort/tile.wgsl");
const MERGE: &str = include_str!("../../../../shaders/sort/merge.wgsl");

/// Pairs that a workgroup sorts in its memory, and results of a merging thread.
const SPAN: usize = 2048;
const SHARE: usize = 16;

/// Where pairs are kept between passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Keys, then places, in scratch memory.
    Scratch,
    /// In the two outputs.
    Outputs,
    /// Nowhere: this is the last pass.
    Results,
}

pub(super) fn plan(sort: &Sort, target: &Target) -> Result<Plan> {
    element_type(sort.dtype)?;
    let [before, length, after] = sort.extents();
    let rows = before * after;
    if rows * length == 0 {
        return Ok(Plan::default());
    }
    let runs = length.div_ceil(SPAN);
    let merges = runs.next_power_of_two().trailing_zeros() as usize;
    let kept = |pass: usize| match merges - pass {
        0 => Kept::Results,
        left if left % 2 == 1 => Kept::Scratch,
        _ => Kept::Outputs,
    };
    let mut passes = vec![tiles(sort, rows, kept(0), target)?];
    for pass in 1..=merges {
        passes.push(merge(sort, rows, SPAN << (pass - 1), kept(pass - 1), kept(pass), target)?);
    }
    let scratch_bytes = if merges == 0 { 0 } else { (rows * length * 8) as u64 };
    Ok(Plan { passes, scratch_bytes })
}

/// The elements of rows, as words.
struct Elements {
    walk: Walk,
    buffer: String,
    length: String,
    after: String,
}

impl Elements {
    fn new(sort: &Sort, builder: &mut Builder) -> Result<Elements> {
        let rank = sort.source.shape().rank();
        let order: Vec<usize> = (0..rank).filter(|&d| d != sort.dim).chain([sort.dim]).collect();
        let [_, length, after] = sort.extents();
        let others = Shape::from_dims(order[..rank - 1].iter().map(|&d| sort.source.shape()[d]));
        let operand = Operand::new(WORD, sort.source.permute(&order));
        let walk = Space::new(&[&others, &Shape::from_dims([length])], vec![operand]).bind(builder);
        let buffer = builder.input("u32", Slot::Input(0));
        Ok(Elements { walk, buffer, length: builder.count(length), after: builder.count(after) })
    }

    /// Statements that read the element at `place` of row `o` as the word `word`.
    fn read(&self, place: &str) -> String {
        let at_row = self.walk.advance(&self.walk.start(0), 0, 0, "o", "o");
        let at = self.walk.advance(&at_row, 0, 1, place, "i");
        format!(
            "{}{}let word = {}[{}];\n",
            self.walk.coordinates(0, "o", "o"),
            self.walk.coordinates(1, place, "i"),
            self.buffer,
            at.place()
        )
    }

    /// Statements that store the pair `key` and `place`, or its element, as number `j` of row `o`.
    fn store(&self, builder: &mut Builder, kept: Kept, pairs: &str) -> String {
        if kept != Kept::Results {
            return store(builder, kept, &format!("o * {} + j", self.length), pairs);
        }
        let [values, positions] = [0, 1].map(|output| builder.output("u32", Slot::Output(output)));
        let (length, after) = (&self.length, &self.after);
        format!(
            "{}let at = o / {after} * ({length} * {after}) + o % {after} + j * {after};\n{values}[at] = word;\n{positions}[at] = place;\n",
            self.read("place")
        )
    }
}

/// Statements that store the pair `key` and `place` for the next pass; there are `pairs` in all.
fn store(builder: &mut Builder, kept: Kept, at: &str, pairs: &str) -> String {
    if kept == Kept::Scratch {
        let scratch = builder.output("u32", Slot::Scratch);
        return format!("let at = {at};\n{scratch}[at] = key;\n{scratch}[{pairs} + at] = place;\n");
    }
    let [keys, places] = [0, 1].map(|output| builder.output("u32", Slot::Output(output)));
    format!("let at = {at};\n{keys}[at] = key;\n{places}[at] = place;\n")
}

/// A word in the order of the elements.
fn key(sort: &Sort, builder: &mut Builder) -> String {
    let key = match sort.dtype {
        DType::F16 | DType::BF16 | DType::F32 => {
            builder.functions.insert("order_f32");
            "order_f32(word)"
        }
        DType::I32 => "(word ^ 0x80000000u)",
        _ => "word",
    };
    let flip = builder.word(if sort.descending { u32::MAX } else { 0 });
    format!("let key = {key} ^ {flip};\n")
}

/// The pass that sorts runs.
fn tiles(sort: &Sort, rows: usize, kept: Kept, target: &Target) -> Result<Pass> {
    let [_, length, _] = sort.extents();
    let span = length.next_power_of_two().min(SPAN);
    let runs = length.div_ceil(span);
    let mut builder = Builder::new(&[], &[])?;
    let elements = Elements::new(sort, &mut builder)?;
    let load = elements.read("j") + &key(sort, &mut builder);
    let pairs = builder.count(rows * length);
    let store = elements.store(&mut builder, kept, &pairs);
    let counts = [rows, span, runs].map(|value| builder.count(value));
    let values = [
        ("load", &indent(&load, 3)),
        ("store", &indent(&store, 3)),
        ("rows", &counts[0]),
        ("span", &counts[1]),
        ("runs", &counts[2]),
        ("length", &elements.length),
    ];
    let values = values.map(|(name, value)| (name, value.as_str()));
    builder.finish("", TILE, &values, (rows * runs).div_ceil(SPAN / span), target)
}

/// A pass that merges runs of `run` in pairs.
fn merge(sort: &Sort, rows: usize, run: usize, from: Kept, to: Kept, target: &Target) -> Result<Pass> {
    let [_, length, _] = sort.extents();
    let mut builder = Builder::new(&[], &[])?;
    let (keys, places) = if from == Kept::Scratch {
        let scratch = builder.input("u32", Slot::Scratch);
        (scratch.clone(), scratch)
    } else {
        (builder.input("u32", Slot::Output(0)), builder.input("u32", Slot::Output(1)))
    };
    let pairs = builder.count(rows * length);
    let (length_word, store) = if to == Kept::Results {
        let elements = Elements::new(sort, &mut builder)?;
        let store = elements.store(&mut builder, to, &pairs);
        (elements.length, store)
    } else {
        (builder.count(length), store(&mut builder, to, "row + j", &pairs))
    };
    let shares = length.div_ceil(SHARE);
    let counts = [rows, run, shares].map(|value| builder.count(value));
    let places_start = if from == Kept::Scratch { pairs.as_str() } else { "0u" };
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
    ];
    builder.finish("", MERGE, &values, (rows * shares).div_ceil(64), target)
}
