//! Generated index arithmetic: coordinates, cursors, loads and stores, in WGSL or CUDA.

use super::{
    BLOCK_VECTORS, COMPONENTS, Lanes,
    cursor::Cursor,
    source::{Address, Source},
    term::{Dimensions, Step, Term},
};
use crate::{Builder, Slot, buffer::Buffer};
use lanthorn_ir::Result;
use std::fmt::Write;

/// A [`Space`] whose sizes and strides are kernel arguments.
pub(crate) struct Indexer {
    pub(super) groups: Vec<Dimensions>,
    pub(super) sources: Vec<Source>,
    /// Whether a step is a block of 32 elements.
    pub(super) blocks: bool,
}

impl Indexer {
    /// Whether the coordinates of a group are needed in addition to its linear index.
    fn is_taken_apart(&self, group: usize) -> bool {
        self.groups[group].taken_apart
    }

    pub(crate) fn lanes(&self, operand: usize) -> Lanes {
        self.sources[operand].lanes
    }

    /// Binds the buffer of an operand.
    pub(crate) fn reads(&self, builder: &mut Builder, operand: usize, slot: Slot) -> Result<Buffer> {
        let Source { element, lanes, .. } = self.sources[operand];
        builder.reads_at(element, lanes, slot)
    }

    /// Statements that decompose the linear index of a group into coordinates `{name}0`, `{name}1`,
    /// ..., if they are needed.
    pub(crate) fn coordinates(&self, group: usize, linear: &str, name: &str) -> String {
        if !self.is_taken_apart(group) {
            return String::new();
        }
        let mut text = format!("var {name}_rest = {linear};\n");
        for (d, size) in self.groups[group].sizes.iter().enumerate().rev() {
            let d = d + 1;
            let _ = writeln!(text, "let {name}{d} = {name}_rest % {size};\n{name}_rest = {name}_rest / {size};");
        }
        let _ = writeln!(text, "let {name}0 = {name}_rest;");
        text
    }

    /// [`Indexer::coordinates`] as variables, which [`Indexer::next`] advances.
    pub(crate) fn odometer(&self, group: usize, linear: &str, name: &str) -> String {
        let fixed = self.coordinates(group, linear, &format!("{name}_first"));
        if fixed.is_empty() {
            return fixed;
        }
        let variables = (0..=self.groups[group].sizes.len()).map(|d| format!("var {name}{d} = {name}_first{d};\n"));
        variables.fold(fixed, |text, line| text + &line)
    }

    /// Statements that advance an odometer to the next index. They have no branches, so that
    /// threads do not diverge.
    pub(crate) fn next(&self, group: usize, name: &str) -> String {
        if !self.is_taken_apart(group) {
            return String::new();
        }
        let last = self.groups[group].sizes.len();
        let mut text = format!("{name}{last}++;\n");
        for (d, size) in self.groups[group].sizes.iter().enumerate().rev() {
            let at = d + 1;
            let _ = writeln!(text, "{name}{d} += select(0u, 1u, {name}{at} == {size});");
            let _ = writeln!(text, "{name}{at} = select({name}{at}, 0u, {name}{at} == {size});");
        }
        text
    }

    /// The offset of the operand and the start of each bounded index.
    pub(crate) fn start(&self, operand: usize) -> Cursor {
        let source = &self.sources[operand];
        let offset = source.offset.iter().cloned().collect();
        Cursor(std::iter::once(offset).chain(source.bounded.iter().map(|bounds| vec![bounds.start.clone()])).collect())
    }

    /// The term of a group, from its linear index or its coordinates `{name}0`, `{name}1`, ...
    pub(crate) fn term(&self, operand: usize, group: usize, linear: &str, name: &str) -> Cursor {
        let terms = self.groups[group].terms[operand].iter().map(|term| match term {
            Term::Linear(step) => step.times(linear).into_iter().collect(),
            Term::Coordinates(steps) => {
                steps.iter().enumerate().filter_map(|(d, step)| step.times(&format!("{name}{d}"))).collect()
            }
        });
        Cursor(terms.collect())
    }

    /// A cursor advanced by the term of a group.
    pub(crate) fn advance(&self, cursor: &Cursor, operand: usize, group: usize, linear: &str, name: &str) -> Cursor {
        cursor.plus(&self.term(operand, group, linear, name))
    }

    /// Reads an operand. Statements are appended to `text`, with names that start with `name`. The
    /// result is the value of each lane: one, four, or 32 of a block.
    pub(crate) fn load(
        &self,
        builder: &mut Builder,
        operand: usize,
        buffer: &Buffer,
        cursor: &Cursor,
        name: &str,
        text: &mut String,
    ) -> Vec<String> {
        self.load_within(builder, operand, buffer, cursor, name, text).0
    }

    /// The values of all elements of a step of a group, from the cursor of the other groups.
    pub(crate) fn load_step(
        &self,
        builder: &mut Builder,
        operand: usize,
        buffer: &Buffer,
        base: &Cursor,
        (group, linear, coordinates): (usize, &str, &str),
        name: &str,
        text: &mut String,
    ) -> Vec<String> {
        let mut at = |linear: &str, name: &str| {
            let cursor = self.advance(base, operand, group, linear, coordinates);
            self.load(builder, operand, buffer, &cursor, name, text)
        };
        match self.lanes(operand) {
            _ if !self.blocks => at(linear, name),
            Lanes::Block => at(linear, name),
            Lanes::Broadcast => at(linear, name).iter().cycle().take(4 * BLOCK_VECTORS).cloned().collect(),
            _ => (0..BLOCK_VECTORS)
                .flat_map(|vector| {
                    at(&format!("({linear} * {BLOCK_VECTORS}u + {vector}u)"), &format!("{name}_{vector}_"))
                })
                .collect(),
        }
    }

    /// [`Indexer::load`], and the condition of each lane that its bounded indices are in bounds.
    pub(crate) fn load_within(
        &self,
        builder: &mut Builder,
        operand: usize,
        buffer: &Buffer,
        cursor: &Cursor,
        name: &str,
        text: &mut String,
    ) -> (Vec<String>, Vec<String>) {
        let source = &self.sources[operand];
        let bounded: Vec<usize> = (0..source.bounded.len()).collect();
        match source.lanes {
            Lanes::One => {
                let address = source.enter(Address::at(cursor), cursor, &bounded, name, text);
                (vec![source.read(buffer, &address, builder)], vec![address.condition()])
            }
            Lanes::Broadcast => {
                let address = source.enter(Address::at(cursor), cursor, &bounded, name, text);
                let value = source.read(buffer, &address, builder);
                let _ = writeln!(text, "let {name} = {value};");
                (vec![name.to_string(); 4], vec![address.condition(); 4])
            }
            Lanes::Vector => {
                let _ = writeln!(text, "let {name} = {};", buffer.at(&cursor.offset()));
                (COMPONENTS.map(|lane| source.element.value(&format!("{name}.{lane}"))).to_vec(), vec![])
            }
            Lanes::Block => {
                let _ = writeln!(text, "let {name} = {};", buffer.at(&cursor.offset()));
                let vector = |at: usize| COMPONENTS.map(|lane| source.element.value(&format!("{name}[{at}u].{lane}")));
                ((0..BLOCK_VECTORS).flat_map(vector).collect(), vec![])
            }
            Lanes::Strided => {
                // The lanes share the bounded indices that do not depend on their dimension.
                let (shared, own): (Vec<usize>, Vec<usize>) =
                    bounded.into_iter().partition(|at| matches!(source.lane_steps[at + 1], Step::Zero));
                let common = source.enter(Address::at(cursor), cursor, &shared, name, text).bind(name, text);
                let mut lane = |lane: usize| {
                    let shift = self.shift(operand, lane);
                    let mut address = common.clone();
                    address.terms.extend(shift.0[0].iter().cloned());
                    let address = source.enter(address, &cursor.plus(&shift), &own, &format!("{name}_{lane}"), text);
                    (source.read(buffer, &address, builder), address.condition())
                };
                (0..4).map(&mut lane).unzip()
            }
        }
    }

    /// The distance from the first element of a step to the element of a lane.
    fn shift(&self, operand: usize, lane: usize) -> Cursor {
        let shift = |step: &Step| if lane == 0 { None } else { step.times(&format!("{lane}u")) };
        Cursor(self.sources[operand].lane_steps.iter().map(|step| shift(step).into_iter().collect()).collect())
    }

    /// The value of an affine index in each lane, from a cursor with the terms of all groups.
    pub(crate) fn index(&self, operand: usize, cursor: &Cursor) -> Vec<String> {
        let value = |cursor: &Cursor| format!("bitcast<i32>({})", cursor.offset());
        match self.lanes(operand) {
            Lanes::One => vec![value(cursor)],
            Lanes::Broadcast => vec![value(cursor); 4],
            Lanes::Vector | Lanes::Strided | Lanes::Block => {
                (0..4).map(|lane| value(&cursor.plus(&self.shift(operand, lane)))).collect()
            }
        }
    }

    /// Statements that store the elements of a step at the offsets of an operand.
    pub(crate) fn store(&self, operand: usize, buffer: &Buffer, cursor: &Cursor, values: &[String]) -> Result<String> {
        let lanes = self.lanes(operand);
        if lanes != Lanes::Strided {
            return Ok(buffer.store(&cursor.offset(), &lanes.gather(buffer.element.ty()?, values)));
        }
        let each =
            |(lane, value): (usize, &String)| buffer.store(&cursor.plus(&self.shift(operand, lane)).offset(), value);
        Ok(values.iter().enumerate().map(each).collect())
    }
}
