//! Scans: one thread or one workgroup for each row, in one pass or in three.
//!
//! Rows are split into chunks if there are too few of them to fill the device, or if they are so
//! long that a float32 sum would lose digits. The first pass then writes the total of each chunk to
//! scratch memory. The second scans the totals. The third scans the elements of each chunk,
//! starting with the total of the chunks before it.
//!
//! Rejected: one pass in which a workgroup waits for the total of the workgroup before it
//! (decoupled look-back). WebGPU does not guarantee that other workgroups run while one waits.

use crate::{
    BLOCK, Builder, Dialect, Language, Pass, Plan, Rows, Slot, Target,
    buffer::{Buffer, Element},
    builder::Position,
    indent,
    indexing::{Indexer, Lanes, Space},
    language::{from_word, to_word, word_count},
};
use lanthorn_ir::{
    DType, Result, Shape,
    expr::{BinaryOp, Constant, Type},
    kernel::{AffineIndex, Operand, Scan, ScanOp},
};

const WGSL: [&str; 2] = [include_str!("../shaders/scan/thread.wgsl"), include_str!("../shaders/scan/workgroup.wgsl")];
const CUDA: [&str; 2] = [include_str!("../shaders/scan/thread.cu"), include_str!("../shaders/scan/workgroup.cu")];

/// Maximum length of a chunk for a thread and for a workgroup: 16 blocks or tiles. It limits how
/// many float32 totals are added in sequence.
const MAX_CHUNK: [usize; 2] = [1024, 16_384];

/// The state of a scan over a range: its value, and the other members that combining two ranges
/// needs.
struct State {
    language: Language,
    op: ScanOp,
    ty: Type,
}

impl State {
    /// The names and types of the members other than the value.
    fn others(&self) -> Result<Vec<(&'static str, &'static str)>> {
        Ok(match self.op {
            ScanOp::Sum | ScanOp::Prod => vec![],
            ScanOp::Max | ScanOp::Min => vec![("index", "u32")],
            // The position says whether the range has any elements.
            ScanOp::Recurrence => vec![("index", "u32"), ("factor", self.language.type_name(self.ty)?)],
        })
    }

    fn words(&self) -> Result<usize> {
        // In C++ a structure with an 8-byte member pads the position to 8 bytes.
        Ok((1 + self.others()?.len()) * word_count(self.ty))
    }

    /// The definitions of the type and of `combine`, whose arguments are an earlier range and the
    /// range after it.
    fn definitions(&self, builder: &mut Builder) -> Result<String> {
        let name = self.language.type_name(self.ty)?;
        let mut binary = |op, a, b| self.language.binary(op, self.ty, a, b, &mut builder.functions);
        let combined = match self.op {
            ScanOp::Sum | ScanOp::Prod => {
                let op = if self.op == ScanOp::Sum { BinaryOp::Add } else { BinaryOp::Mul };
                let value = binary(op, "a.value", "b.value")?;
                // In C++ the result of `|` on bools is an int.
                let value = if self.language.is_cuda() { format!("{name}({value})") } else { value };
                format!("    return {};", self.of(&[&value]))
            }
            ScanOp::Max | ScanOp::Min => {
                let op = if self.op == ScanOp::Max { BinaryOp::Ge } else { BinaryOp::Le };
                let mut leads = binary(op, "b.value", "a.value")?;
                if self.ty.is_float() {
                    builder.functions.insert("is_nan".to_string());
                    leads = format!("({leads}) | is_nan(b.value)");
                }
                format!(
                    "    if ((a.index == 0xffffffffu) | (({leads}) & (b.index != 0xffffffffu))) {{\n        return b;\n    }}\n    return a;"
                )
            }
            ScanOp::Recurrence => format!(
                "    if (a.index == 0xffffffffu) {{\n        return b;\n    }}\n    if (b.index == 0xffffffffu) {{\n        return a;\n    }}\n    return {};",
                self.of(&["b.factor * a.value + b.value", "b.index", "a.factor * b.factor"])
            ),
        };
        let members: Vec<(&str, &str)> = std::iter::once(("value", name)).chain(self.others()?).collect();
        let structure = self.language.structure("State", &members);
        Ok(format!("{structure}\n{}", self.language.combination("combine", "State", &combined)))
    }

    /// A state with these members.
    fn of(&self, members: &[&str]) -> String {
        self.language.construct("State", members)
    }

    /// The state of an empty range.
    fn nothing(&self) -> Result<String> {
        // If there is a position, the other states ignore this value.
        let name = self.language.type_name(self.ty)?;
        let number = |value: u8| match self.language.is_cuda() {
            true => format!("{name}({value})"),
            false => {
                from_word(self.ty, &format!("{}u", Constant::new(f64::from(value), self.ty).to_word().unwrap_or(0)))
            }
        };
        let [zero, one] = [0, 1].map(number);
        Ok(match self.op {
            ScanOp::Sum => self.of(&[&zero]),
            ScanOp::Prod => self.of(&[&one]),
            ScanOp::Max | ScanOp::Min => self.of(&[&zero, "0xffffffffu"]),
            ScanOp::Recurrence => self.of(&[&zero, "0xffffffffu", &one]),
        })
    }

    /// The state at index `at` of the scratch memory.
    fn load(&self, scratch: &str, at: &str) -> Result<String> {
        if self.language.is_cuda() {
            return Ok(format!("load<State>({scratch}, {at})"));
        }
        let at = format!("({at}) * {}u", self.words()?);
        let mut members = vec![from_word(self.ty, &format!("{scratch}[{at}]"))];
        for (number, (_, ty)) in self.others()?.iter().enumerate() {
            let word = format!("{scratch}[{at} + {}u]", number + 1);
            members.push(if *ty == "u32" { word } else { from_word(self.ty, &word) });
        }
        Ok(self.of(&members.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// Statements that store a state at index `at` of the scratch memory.
    fn store(&self, scratch: &str, at: &str, state: &str) -> Result<String> {
        if self.language.is_cuda() {
            return Ok(format!("store({scratch}, {at}, {state});\n"));
        }
        let at = format!("({at}) * {}u", self.words()?);
        let mut text = format!("{scratch}[{at}] = {};\n", to_word(self.ty, &format!("{state}.value")));
        for (number, (member, ty)) in self.others()?.iter().enumerate() {
            let value = format!("{state}.{member}");
            let word = if *ty == "u32" { value } else { to_word(self.ty, &value) };
            text.push_str(&format!("{scratch}[{at} + {}u] = {word};\n", number + 1));
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

/// The parts in which the passes of a scan differ.
#[derive(Default)]
struct Parts {
    /// Statements at the start of a row.
    at_row: String,
    /// Statements that set `carry` to the state of all chunks before this one.
    carry: String,
    /// Statements for step `j`. The last one defines the state `element`.
    element: String,
    /// Statements that store step `j`. `combine(carry, part)` is the state of all elements up to
    /// it.
    store: String,
    /// Statements that store the chunk's total, `carry`.
    finish: String,
}

pub(super) fn plan(scan: &Scan, target: &Target) -> Result<Plan> {
    let [before, length, after] = scan.extents();
    let rows = before * after;
    let state = State { language: target.language, op: scan.op, ty: Type::from(scan.dtype) };
    target.language.element(scan.dtype)?;
    if rows * length == 0 {
        return Ok(Plan::default());
    }
    let (variant, chunks) = choose_variant(scan, rows, length, target);
    let extent = Extent { rows, length, chunks };
    if chunks == 1 {
        return Ok(Plan {
            passes: vec![store_elements(scan, &state, extent, variant, After::Nothing, target)?],
            scratch_bytes: 0,
        });
    }
    let passes = vec![
        store_totals(scan, &state, extent, variant, target)?,
        scan_totals(&state, extent, target)?,
        store_elements(scan, &state, extent, variant, After::Totals, target)?,
    ];
    Ok(Plan { passes, scratch_bytes: (rows * chunks * state.words()? * 4) as u64 })
}

/// The variant, and the number of chunks of a row.
fn choose_variant(scan: &Scan, rows: usize, length: usize, target: &Target) -> (Rows, usize) {
    let along = scan.inputs.iter().any(|input| input.layout.strides()[scan.dim].unsigned_abs() == 1);
    let (best, chunks) = if target.software {
        (Rows::Thread, length.div_ceil(1024).min(256usize.div_ceil(rows)))
    } else if length <= 32 {
        (Rows::Thread, 1)
    } else if along {
        (Rows::Workgroup, length.div_ceil(8192).min(1024usize.div_ceil(rows)))
    } else {
        (Rows::Thread, length.div_ceil(128).min(65_536usize.div_ceil(rows)))
    };
    let variant = target.tuning.rows.unwrap_or(best);
    let longest = MAX_CHUNK[usize::from(variant == Rows::Workgroup)];
    (variant, chunks.max(length.div_ceil(longest)))
}

/// The initial state of a pass over the elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    /// The scanned totals of the chunks, in scratch memory.
    Totals,
}

/// The operands of a scan with the scanned dimension last, and the statements that read them.
struct Reader<'a> {
    scan: &'a Scan,
    indexer: Indexer,
    buffers: Vec<Buffer>,
    /// Words: the length of a row, and the distance between its neighbours.
    length: String,
    after: String,
}

impl<'a> Reader<'a> {
    fn new(scan: &'a Scan, builder: &mut Builder) -> Result<Reader<'a>> {
        let order: Vec<usize> = (0..scan.shape.rank()).filter(|&d| d != scan.dim).chain([scan.dim]).collect();
        let operands: Vec<Operand> = scan.inputs.iter().map(|input| input.permute(&order)).collect();
        let others = Shape::from_dims(order[..order.len() - 1].iter().map(|&d| scan.shape[d]));
        let [_, length, after] = scan.extents();
        let indices: Vec<AffineIndex> = scan.indices.iter().map(|index| index.permute(&order)).collect();
        let indexer = Space::with_indices(&[&others, &Shape::from_dims([length])], operands, &indices).bind(builder);
        let buffers = (0..scan.inputs.len()).map(|operand| indexer.reads(builder, operand, Slot::Input(operand)));
        let buffers = buffers.collect::<Result<_>>()?;
        let (length, after) = (builder.count(length), builder.count(after));
        Ok(Reader { scan, indexer, buffers, length, after })
    }

    /// Statements for the start of a row, and for step `j`. The latter define the state `element`,
    /// and `at`, the linear index of the element.
    fn print(&self, builder: &mut Builder) -> Result<(String, String)> {
        let (length, after) = (&self.length, &self.after);
        let mut at_row = format!("let row = o / {after} * ({length} * {after}) + o % {after};\n");
        at_row.push_str(&self.indexer.coordinates(0, "o", "o"));
        let mut element = self.locate();
        element.push_str(&self.indexer.coordinates(1, "i", "i"));
        let mut loads = Vec::new();
        for (operand, buffer) in self.buffers.iter().enumerate() {
            let mut base = self.indexer.advance(&self.indexer.start(operand), operand, 0, "o", "o");
            at_row.push_str(&base.bind(&format!("base{operand}")));
            let cursor = self.indexer.advance(&base, operand, 1, "i", "i");
            loads.push(
                self.indexer
                    .load(builder, operand, buffer, &cursor, &format!("x{operand}"), &mut element)
                    .swap_remove(0),
            );
        }
        let mut indices = Vec::new();
        for at in loads.len()..loads.len() + self.scan.indices.len() {
            let mut base = self.indexer.advance(&self.indexer.start(at), at, 0, "o", "o");
            at_row.push_str(&base.bind(&format!("base{at}")));
            indices.push(self.indexer.index(at, &self.indexer.advance(&base, at, 1, "i", "i")).swap_remove(0));
        }
        let at = Position { linear: "at", affine: &|slot| indices[slot].clone() };
        let (statements, outputs) = builder.print_at(&self.scan.prologue, &|slot| loads[slot].clone(), at, "v")?;
        element.push_str(&statements);
        let state = match self.scan.op {
            ScanOp::Sum | ScanOp::Prod => vec![outputs[0].0.as_str()],
            ScanOp::Max | ScanOp::Min => vec![&outputs[0].0, "i"],
            ScanOp::Recurrence => vec![&outputs[1].0, "i", &outputs[0].0],
        };
        let state = builder.language.construct("State", &state);
        element.push_str(&format!("let element = {state};\n"));
        Ok((at_row, element))
    }

    /// Statements that locate the element of step `j`.
    fn locate(&self) -> String {
        let position = if self.scan.reverse { format!("{} - 1u - j", self.length) } else { "j".to_string() };
        format!("let i = {position};\nlet at = row + i * {};\n", self.after)
    }
}

/// The first pass: writes the total of each chunk to scratch memory.
fn store_totals(scan: &Scan, state: &State, extent: Extent, variant: Rows, target: &Target) -> Result<Pass> {
    let mut builder = Builder::new(target.language, &scan.params, &[])?;
    let reader = Reader::new(scan, &mut builder)?;
    let scratch = builder.output("u32", Slot::Scratch);
    let (at_row, element) = reader.print(&mut builder)?;
    let finish = state.store(&scratch, "o * chunks + chunk", "carry")?;
    pass(builder, state, extent, variant, Parts { at_row, element, finish, ..Parts::default() }, target)
}

/// The second pass: replaces each chunk's total by the total of all chunks up to it.
fn scan_totals(state: &State, extent: Extent, target: &Target) -> Result<Pass> {
    let mut builder = Builder::new(target.language, &[], &[])?;
    let scratch = builder.output("u32", Slot::Scratch);
    let at = format!("o * {} + j", builder.count(extent.chunks));
    let element = format!("let element = {};\n", state.load(&scratch, &at)?);
    let store = format!("let result = combine(carry, part);\n{}", state.store(&scratch, &at, "result")?);
    // A tree loses fewer digits over many totals. There are few rows, so any device can afford it.
    let variant = if extent.chunks > 64 { Rows::Workgroup } else { Rows::Thread };
    let extent = Extent { rows: extent.rows, length: extent.chunks, chunks: 1 };
    pass(builder, state, extent, variant, Parts { element, store, ..Parts::default() }, target)
}

/// The last pass: stores the results.
fn store_elements(
    scan: &Scan,
    state: &State,
    extent: Extent,
    variant: Rows,
    after: After,
    target: &Target,
) -> Result<Pass> {
    let mut builder = Builder::new(target.language, &scan.params, &[])?;
    let reader = Reader::new(scan, &mut builder)?;
    let mut carry = String::new();
    if after == After::Totals {
        let scratch = builder.input("u32", Slot::Scratch);
        let load = state.load(&scratch, "o * chunks + chunk - 1u")?;
        carry = format!("if (chunk > 0u) {{\n    carry = {load};\n}}\n");
    }
    let values = builder.writes(Element::of(target.language, scan.dtype), Lanes::One, Slot::Output(0))?;
    let (at_row, element) = reader.print(&mut builder)?;
    // A workgroup stores its elements after it has read all of them, so it locates them again.
    let locate = if variant == Rows::Workgroup { reader.locate() } else { String::new() };
    let value = target.language.to_element(scan.dtype, "result.value", state.ty, &mut builder.functions)?;
    let mut store = format!("let result = combine(carry, part);\n{locate}{}", values.store("at", &value));
    if scan.op.has_positions() {
        let positions = builder.output(target.language.element(DType::I32)?, Slot::Output(1));
        store.push_str(&format!("{positions}[at] = bitcast<i32>(result.index);\n"));
    }
    pass(builder, state, extent, variant, Parts { at_row, carry, element, store, finish: String::new() }, target)
}

fn pass(
    mut builder: Builder,
    state: &State,
    extent: Extent,
    variant: Rows,
    parts: Parts,
    target: &Target,
) -> Result<Pass> {
    let mut own = state.definitions(&mut builder)?;
    let nothing = state.nothing()?;
    let Extent { rows, length, chunks } = extent;
    let counts = [rows, length, chunks, length.div_ceil(chunks)].map(|value| builder.count(value));
    let by_workgroup = variant == Rows::Workgroup;
    if by_workgroup && !target.language.is_cuda() {
        own.push_str("\nvar<workgroup> states: array<State, 256>;\n");
    }
    let deep = if by_workgroup { 4 } else { 3 };
    let texts = [
        ("at_row", indent(&parts.at_row, 1)),
        ("carry", indent(&parts.carry, 1)),
        ("element", indent(&parts.element, deep)),
        ("store", indent(&parts.store, deep)),
        ("finish", indent(&parts.finish, if by_workgroup { 2 } else { 1 })),
        ("nothing", nothing),
    ];
    let [count, length, chunk_count, chunk_length] = &counts;
    let mut values = texts.each_ref().map(|(name, value)| (*name, value.as_str())).to_vec();
    values.extend([
        ("rows", count.as_str()),
        ("length", length),
        ("chunks", chunk_count),
        ("chunk_length", chunk_length),
    ]);
    let results = rows * chunks;
    let threads = if by_workgroup { BLOCK } else { target.language.pick(64, BLOCK) };
    let groups = if by_workgroup { results } else { results.div_ceil(threads) };
    let [thread_template, workgroup_template] = target.language.pick(WGSL, CUDA);
    builder.finish(
        &own,
        if by_workgroup { workgroup_template } else { thread_template },
        &values,
        [groups, threads],
        target,
    )
}
