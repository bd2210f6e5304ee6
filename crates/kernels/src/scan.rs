//! Scans: one thread or one workgroup a row, in one pass or in three.
//!
//! Where the rows alone do not fill the device, or are so long that a float32 sum would lose digits, each is cut into chunks: a first pass brings the total
//! of each chunk to scratch memory, a second runs over the totals, and a third over the elements, from the totals before its chunk on.
//! Rejected: one pass in which a workgroup waits for its predecessor's total (decoupled look-back). WebGPU does not promise that a
//! waiting workgroup lets the others run.

use crate::{
    Builder, Pass, Plan, Rows, Slot, Target, element_type, from_word, indent, stored, to_word,
    walk::{Space, Walk},
};
use lanthorn_ir::{
    DType, Result, Shape,
    expr::{BinaryOp, Constant, Type},
    kernel::{Operand, Scan, ScanOp},
    print::wgsl,
};

const THREAD: &str = include_str!("../../../shaders/scan/thread.wgsl");
const TEAM: &str = include_str!("../../../shaders/scan/team.wgsl");

/// The longest chunk of a thread and of a workgroup: 16 blocks or tiles, so that no more totals of float32 are added one to another.
const LONGEST: [usize; 2] = [1024, 16_384];

/// What runs along a row: a value, and what else it takes to combine two ranges.
struct State {
    op: ScanOp,
    ty: Type,
}

impl State {
    /// The members but for the value: their names and types.
    fn others(&self) -> Result<Vec<(&'static str, &'static str)>> {
        Ok(match self.op {
            ScanOp::Sum | ScanOp::Prod => vec![],
            ScanOp::Max | ScanOp::Min => vec![("place", "u32")],
            // A place says here that there is something at all.
            ScanOp::Recurrence => vec![("place", "u32"), ("factor", wgsl::type_name(self.ty)?)],
        })
    }

    fn words(&self) -> Result<usize> {
        Ok(1 + self.others()?.len())
    }

    /// The type, and `combine` of an earlier range and the one that follows.
    fn definitions(&self, builder: &mut Builder) -> Result<String> {
        let name = wgsl::type_name(self.ty)?;
        let mut binary = |op, a, b| wgsl::binary(op, self.ty, a, b, &mut builder.functions);
        let combined = match self.op {
            ScanOp::Sum => format!("    return State({});", binary(BinaryOp::Add, "a.value", "b.value")?),
            ScanOp::Prod => format!("    return State({});", binary(BinaryOp::Mul, "a.value", "b.value")?),
            ScanOp::Max | ScanOp::Min => {
                let op = if self.op == ScanOp::Max { BinaryOp::Ge } else { BinaryOp::Le };
                let mut leads = binary(op, "b.value", "a.value")?;
                if self.ty.is_float() {
                    builder.functions.insert("is_nan");
                    leads = format!("({leads}) | is_nan(b.value)");
                }
                format!(
                    "    if ((a.place == 0xffffffffu) | (({leads}) & (b.place != 0xffffffffu))) {{\n        return b;\n    }}\n    return a;"
                )
            }
            ScanOp::Recurrence => "    if (a.place == 0xffffffffu) {\n        return b;\n    }\n    if (b.place == 0xffffffffu) {\n        return a;\n    }\n    return State(b.factor * a.value + b.value, b.place, a.factor * b.factor);".to_string(),
        };
        let members: String = self.others()?.iter().map(|(member, ty)| format!("    {member}: {ty},\n")).collect();
        Ok(format!(
            "struct State {{\n    value: {name},\n{members}}}\n\nfn combine(a: State, b: State) -> State {{\n{combined}\n}}\n"
        ))
    }

    /// The state of no elements.
    fn nothing(&self) -> Result<String> {
        // Its value has a say only where there is no place.
        let one = from_word(self.ty, &format!("{}u", Constant::new(1.0, self.ty).to_word().unwrap_or(1)));
        let zero = from_word(self.ty, "0u");
        Ok(match self.op {
            ScanOp::Sum => format!("State({zero})"),
            ScanOp::Prod => format!("State({one})"),
            ScanOp::Max | ScanOp::Min => format!("State({zero}, 0xffffffffu)"),
            ScanOp::Recurrence => format!("State({zero}, 0xffffffffu, {one})"),
        })
    }

    /// The state at place `at` of the scratch memory.
    fn load(&self, scratch: &str, at: &str) -> Result<String> {
        let mut members = vec![from_word(self.ty, &format!("{scratch}[{at}]"))];
        for (place, (_, ty)) in self.others()?.iter().enumerate() {
            let word = format!("{scratch}[{at} + {}u]", place + 1);
            members.push(if *ty == "u32" { word } else { from_word(self.ty, &word) });
        }
        Ok(format!("State({})", members.join(", ")))
    }

    /// Statements that store a state at place `at` of the scratch memory.
    fn store(&self, scratch: &str, at: &str, state: &str) -> Result<String> {
        let mut text = format!("{scratch}[{at}] = {};\n", to_word(self.ty, &format!("{state}.value")));
        for (place, (member, ty)) in self.others()?.iter().enumerate() {
            let value = format!("{state}.{member}");
            let word = if *ty == "u32" { value } else { to_word(self.ty, &value) };
            text.push_str(&format!("{scratch}[{at} + {}u] = {word};\n", place + 1));
        }
        Ok(text)
    }
}

/// The extents of one pass.
#[derive(Clone, Copy)]
struct Extent {
    rows: usize,
    length: usize,
    chunks: usize,
}

/// What differs between the passes of a scan.
#[derive(Default)]
struct Parts {
    /// Statements at each row.
    at_row: String,
    /// Statements that set `carry` to what came before.
    carry: String,
    /// Statements at each step `j`, which end in the state `element`.
    element: String,
    /// Statements that store at step `j`, where `combine(carry, part)` has all elements so far.
    store: String,
    /// Statements that store the total `carry`.
    finish: String,
}

pub(super) fn plan(scan: &Scan, target: &Target) -> Result<Plan> {
    let [before, length, after] = scan.extents();
    let rows = before * after;
    let state = State { op: scan.op, ty: Type::from(scan.dtype) };
    element_type(scan.dtype)?;
    if rows * length == 0 {
        return Ok(Plan::default());
    }
    let (variant, chunks) = choose(scan, rows, length, target);
    let extent = Extent { rows, length, chunks };
    if chunks == 1 {
        return Ok(Plan { passes: vec![elements(scan, &state, extent, variant, After::Nothing, target)?], scratch_bytes: 0 });
    }
    let passes = vec![
        totals(scan, &state, extent, variant, target)?,
        over_totals(&state, extent, target)?,
        elements(scan, &state, extent, variant, After::Totals, target)?,
    ];
    Ok(Plan { passes, scratch_bytes: (rows * chunks * state.words()? * 4) as u64 })
}

/// The variant, and how many chunks each row is cut into.
fn choose(scan: &Scan, rows: usize, length: usize, target: &Target) -> (Rows, usize) {
    let along = scan.inputs.iter().any(|input| input.layout.strides()[scan.dim].unsigned_abs() == 1);
    let (best, chunks) = if target.software {
        (Rows::Thread, length.div_ceil(1024).min(256usize.div_ceil(rows)))
    } else if length <= 32 {
        (Rows::Thread, 1)
    } else if along {
        (Rows::Team, length.div_ceil(8192).min(1024usize.div_ceil(rows)))
    } else {
        (Rows::Thread, length.div_ceil(128).min(65_536usize.div_ceil(rows)))
    };
    let variant = target.tuning.rows.unwrap_or(best);
    let longest = LONGEST[usize::from(variant == Rows::Team)];
    (variant, chunks.max(length.div_ceil(longest)))
}

/// What a pass over the elements begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    /// The totals of all chunks up to each, in scratch memory.
    Totals,
}

/// A scan's operands with the scanned dimension last, and the statements that read them.
struct Reader<'a> {
    scan: &'a Scan,
    walk: Walk,
    buffers: Vec<String>,
    /// Words: the length of a row, the neighbours of an element.
    length: String,
    after: String,
}

impl<'a> Reader<'a> {
    fn new(scan: &'a Scan, builder: &mut Builder) -> Result<Reader<'a>> {
        let order: Vec<usize> = (0..scan.shape.rank()).filter(|&d| d != scan.dim).chain([scan.dim]).collect();
        let operands: Vec<Operand> = scan.inputs.iter().map(|input| input.permute(&order)).collect();
        let others = Shape::from_dims(order[..order.len() - 1].iter().map(|&d| scan.shape[d]));
        let [_, length, after] = scan.extents();
        let walk = Space::new(&[&others, &Shape::from_dims([length])], operands).bind(builder);
        let buffers = (0..scan.inputs.len()).map(|operand| Ok(builder.input(&walk.element_type(operand)?, Slot::Input(operand))));
        let buffers = buffers.collect::<Result<_>>()?;
        let (length, after) = (builder.count(length), builder.count(after));
        Ok(Reader { scan, walk, buffers, length, after })
    }

    /// Statements at each row, and at each step `j`, which end in the state `element` and have the element's place in `at`.
    fn print(&self, builder: &mut Builder) -> Result<(String, String)> {
        let (length, after) = (&self.length, &self.after);
        let mut at_row = format!("let row = o / {after} * ({length} * {after}) + o % {after};\n");
        at_row.push_str(&self.walk.coordinates(0, "o", "o"));
        let mut element = self.place();
        element.push_str(&self.walk.coordinates(1, "i", "i"));
        let mut loads = Vec::new();
        for (operand, buffer) in self.buffers.iter().enumerate() {
            let mut base = self.walk.advance(&self.walk.start(operand), operand, 0, "o", "o");
            at_row.push_str(&base.bind(&format!("base{operand}")));
            let cursor = self.walk.advance(&base, operand, 1, "i", "i");
            loads.push(self.walk.load(builder, operand, buffer, &cursor, &format!("x{operand}"), &mut element).swap_remove(0));
        }
        let (statements, outputs) = builder.print(&self.scan.prologue, &|slot| loads[slot].clone(), "at", "v")?;
        element.push_str(&statements);
        let state = match self.scan.op {
            ScanOp::Sum | ScanOp::Prod => format!("State({})", outputs[0].0),
            ScanOp::Max | ScanOp::Min => format!("State({}, i)", outputs[0].0),
            ScanOp::Recurrence => format!("State({}, i, {})", outputs[1].0, outputs[0].0),
        };
        element.push_str(&format!("let element = {state};\n"));
        Ok((at_row, element))
    }

    /// Statements that find the element of step `j`.
    fn place(&self) -> String {
        let position = if self.scan.reverse { format!("{} - 1u - j", self.length) } else { "j".to_string() };
        format!("let i = {position};\nlet at = row + i * {};\n", self.after)
    }
}

/// The pass that brings the total of each chunk to scratch memory.
fn totals(scan: &Scan, state: &State, extent: Extent, variant: Rows, target: &Target) -> Result<Pass> {
    let mut builder = Builder::new(&scan.params, &[])?;
    let reader = Reader::new(scan, &mut builder)?;
    let scratch = builder.output("u32", Slot::Scratch);
    let (at_row, element) = reader.print(&mut builder)?;
    let at = format!("(o * chunks + chunk) * {}u", state.words()?);
    let finish = state.store(&scratch, &at, "carry")?;
    pass(builder, state, extent, variant, Parts { at_row, element, finish, ..Parts::default() }, target)
}

/// The pass that turns the totals of chunks into those of all chunks up to each.
fn over_totals(state: &State, extent: Extent, target: &Target) -> Result<Pass> {
    let mut builder = Builder::new(&[], &[])?;
    let scratch = builder.output("u32", Slot::Scratch);
    let at = format!("(o * {} + j) * {}u", builder.count(extent.chunks), state.words()?);
    let element = format!("let element = {};\n", state.load(&scratch, &at)?);
    let store = format!("let result = combine(carry, part);\n{}", state.store(&scratch, &at, "result")?);
    // A tree keeps more digits of many totals, which a few rows can afford on any device.
    let variant = if extent.chunks > 64 { Rows::Team } else { Rows::Thread };
    let extent = Extent { rows: extent.rows, length: extent.chunks, chunks: 1 };
    pass(builder, state, extent, variant, Parts { element, store, ..Parts::default() }, target)
}

/// The pass that stores the results.
fn elements(scan: &Scan, state: &State, extent: Extent, variant: Rows, after: After, target: &Target) -> Result<Pass> {
    let mut builder = Builder::new(&scan.params, &[])?;
    let reader = Reader::new(scan, &mut builder)?;
    let mut carry = String::new();
    if after == After::Totals {
        let scratch = builder.input("u32", Slot::Scratch);
        let load = state.load(&scratch, &format!("(o * chunks + chunk - 1u) * {}u", state.words()?))?;
        carry = format!("if (chunk > 0u) {{\n    carry = {load};\n}}\n");
    }
    let values = builder.output(element_type(scan.dtype)?, Slot::Output(0));
    let (at_row, element) = reader.print(&mut builder)?;
    // In a workgroup elements are stored when all of them have been read.
    let place = if variant == Rows::Team { reader.place() } else { String::new() };
    let value = stored(scan.dtype, "result.value", state.ty, &mut builder.functions)?;
    let mut store = format!("let result = combine(carry, part);\n{place}{values}[at] = {value};\n");
    if scan.op.has_positions() {
        let positions = builder.output(element_type(DType::I32)?, Slot::Output(1));
        store.push_str(&format!("{positions}[at] = bitcast<i32>(result.place);\n"));
    }
    pass(builder, state, extent, variant, Parts { at_row, carry, element, store, finish: String::new() }, target)
}

fn pass(mut builder: Builder, state: &State, extent: Extent, variant: Rows, parts: Parts, target: &Target) -> Result<Pass> {
    let mut own = state.definitions(&mut builder)?;
    let nothing = state.nothing()?;
    let Extent { rows, length, chunks } = extent;
    let counts = [rows, length, chunks, length.div_ceil(chunks)].map(|value| builder.count(value));
    let team = variant == Rows::Team;
    if team {
        own.push_str("\nvar<workgroup> states: array<State, 256>;\n");
    }
    let deep = if team { 4 } else { 3 };
    let texts = [
        ("at_row", indent(&parts.at_row, 1)),
        ("carry", indent(&parts.carry, 1)),
        ("element", indent(&parts.element, deep)),
        ("store", indent(&parts.store, deep)),
        ("finish", indent(&parts.finish, if team { 2 } else { 1 })),
        ("nothing", nothing),
    ];
    let [count, length, chunk_count, chunk_length] = &counts;
    let mut values = texts.each_ref().map(|(name, value)| (*name, value.as_str())).to_vec();
    values.extend([("rows", count.as_str()), ("length", length), ("chunks", chunk_count), ("chunk_length", chunk_length)]);
    let places = rows * chunks;
    let groups = if team { places } else { places.div_ceil(64) };
    builder.finish(&own, if team { TEAM } else { THREAD }, &values, groups, target)
}
