//! The product without workgroup memory: a thread's rows, columns and steps of k, written out.
//!
//! Where k allows it, four steps are taken at a time, and an operand that is contiguous along k, or along its own side of the output, is read as vectors: one bounds check for
//! four elements, which is most of what a load costs on a software adapter.

use super::{A, B, BATCH, K, M, N, SIDE, Texts};
use crate::{
    Builder, Slot,
    buffer::Buffer,
    indent,
    walk::{COMPONENTS, Cursor, Space, Walk},
};
use lanthorn_ir::Result;
use std::fmt::Write;

pub(super) const TEMPLATE: &str = include_str!("../../../../shaders/contract/register.wgsl");

/// How an operand is read in a block of four steps of k.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Element by element.
    Single,
    /// Four steps of k as a vector.
    AlongK,
    /// Four rows or columns as a vector.
    Across,
    /// Four rows or columns that have all coordinates but the last in common.
    Together,
}

/// One operand as it is read.
pub(super) struct Side {
    pub(super) operand: usize,
    /// The group of its own: rows or columns.
    pub(super) group: usize,
    pub(super) reading: Reading,
    pub(super) buffer: Buffer,
    /// What its names start with, and what its rows or columns are called.
    pub(super) name: &'static str,
    pub(super) places: &'static str,
    /// How many rows or columns a thread reads.
    pub(super) count: usize,
}

pub(super) fn reading(space: &mut Space, operand: usize, group: usize) -> Reading {
    if space.by_vectors(operand, K) {
        Reading::AlongK
    } else if space.by_vectors(operand, group) {
        Reading::Across
    } else {
        Reading::Single
    }
}

pub(super) fn texts(mut space: Space, k: usize, builder: &mut Builder) -> Result<Texts> {
    let steps = if k.is_multiple_of(4) { 4 } else { 1 };
    let reading = |(operand, group)| if steps == 4 { reading(&mut space, operand, group) } else { Reading::Single };
    let [a, mut b] = [(A, M), (B, N)].map(reading);
    if b == Reading::Single && space.by_steps_of_four(B, N) {
        b = Reading::Together;
    }
    let walk = space.bind(builder);
    let mut side = |operand, group, reading, name, places| -> Result<Side> {
        let buffer = walk.reads(builder, operand, Slot::Input(operand))?;
        Ok(Side { operand, group, reading, buffer, name, places, count: SIDE })
    };
    let sides = [side(A, M, a, "a", "row")?, side(B, N, b, "b", "column")?];

    let mut before = walk.coordinates(BATCH, "batch", "z");
    let bases = sides.each_ref().map(|side| side.bases(&walk, &mut before));
    before.push_str(&walk.odometer(K, "start", "k"));
    let mut body = String::new();
    let [a, b] = &sides;
    for (side, bases) in sides.iter().zip(&bases).filter(|(side, _)| side.reading == Reading::AlongK) {
        side.load_block(bases, &mut body);
    }
    for step in 0..steps {
        // Writing to a String does not fail.
        let _ = writeln!(body, "let step{step} = d + {step}u;");
        let left = a.load_step(&walk, &bases[0], step, builder, &mut body);
        let right = b.load_step(&walk, &bases[1], step, builder, &mut body);
        let _ = writeln!(body, "let right{step} = {};", vector(&right));
        for (row, value) in left.iter().enumerate() {
            let _ = writeln!(body, "sum{row} += {value} * right{step};");
        }
        body.push_str(&walk.next(K, "k"));
    }
    Ok(vec![("before", indent(&before, 1)), ("body", indent(&body, 2)), ("steps", format!("{steps}u"))])
}

/// Four values as a vector; the vector itself where they are its components.
pub(super) fn vector(values: &[String]) -> String {
    let whole = values[0]
        .strip_suffix(".x")
        .filter(|name| values.iter().zip(COMPONENTS).all(|(value, component)| value == &format!("{name}.{component}")));
    whole.map_or_else(|| format!("vec4<f32>({})", values.join(", ")), str::to_string)
}

impl Side {
    /// What does not depend on k, for each row or column; one for all four where they are read as a vector.
    pub(super) fn bases(&self, walk: &Walk, text: &mut String) -> Vec<Cursor> {
        let Side { operand, name, places, .. } = *self;
        let mut base = walk.advance(&walk.start(operand), operand, BATCH, "batch", "z");
        text.push_str(&base.bind(&format!("{name}_base")));
        match self.reading {
            Reading::Across => return vec![base.with(&format!("{places} / 4u"))],
            Reading::Together => return vec![self.row(walk, &base, &format!("({places} / 4u)"), name, text)],
            Reading::Single | Reading::AlongK => {}
        }
        (0..self.count).map(|at| self.row(walk, &base, &format!("{places}{at}"), &format!("{name}{at}"), text)).collect()
    }

    /// The cursor of one row or column.
    fn row(&self, walk: &Walk, base: &Cursor, linear: &str, name: &str, text: &mut String) -> Cursor {
        let coordinates = format!("{name}_");
        text.push_str(&walk.coordinates(self.group, linear, &coordinates));
        let mut cursor = walk.advance(base, self.operand, self.group, linear, &coordinates);
        text.push_str(&cursor.bind(&format!("{name}_own")));
        cursor
    }

    /// The vectors of four steps of k, one for each row or column.
    pub(super) fn load_block(&self, bases: &[Cursor], text: &mut String) {
        for (at, base) in bases.iter().enumerate() {
            let place = base.with("d / 4u").place();
            text.push_str(&self.buffer.vector(&place, &format!("{}_block{at}", self.name)));
        }
    }

    /// The four elements of a step.
    pub(super) fn load_step(
        &self,
        walk: &Walk,
        bases: &[Cursor],
        step: usize,
        builder: &mut Builder,
        text: &mut String,
    ) -> Vec<String> {
        let Side { operand, name, .. } = *self;
        if self.reading == Reading::AlongK {
            return (0..self.count).map(|at| format!("{name}_block{at}.{}", COMPONENTS[step])).collect();
        }
        let mut along = walk.term(operand, K, &format!("step{step}"), "k");
        text.push_str(&along.bind(&format!("{name}_k{step}")));
        let each = |(at, base): (usize, &Cursor)| {
            walk.load(builder, operand, &self.buffer, &base.plus(&along), &format!("{name}{at}_step{step}"), text)
        };
        bases.iter().enumerate().flat_map(each).collect()
    }
}
