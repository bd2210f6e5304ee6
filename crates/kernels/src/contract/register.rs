//! The product without workgroup memory, with the thread's rows, columns and steps of k unrolled.
//!
//! If the length of k allows it, a loop iteration covers four steps. An operand that is contiguous
//! along k, or along its own side of the output, is then read as vectors. Four elements share one
//! bounds check, and bounds checks are most of the cost of a load on a software adapter.

use super::{
    A, B, BATCH, K, M, N, SIDE, Texts,
    factor::{self, Cursors, Factor},
};
use crate::{
    Builder, indent,
    indexing::{COMPONENTS, Indexer, Space},
};
use lanthorn_ir::{Result, kernel::Contract};
use std::fmt::Write;

pub(super) const TEMPLATE: &str = include_str!("../../shaders/contract/register.wgsl");

/// How a factor is read in a block of four steps of k.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Element by element.
    Single,
    /// Four steps of k as a vector.
    AlongK,
    /// Four rows or columns as a vector.
    Across,
    /// Four rows or columns whose coordinates differ in the last dimension only.
    Together,
}

/// The number of steps of k in a block.
pub(super) fn steps(k: usize) -> usize {
    if k.is_multiple_of(4) { 4 } else { 1 }
}

/// How a factor is read in blocks of `steps` steps, if a thread's rows or columns are adjacent.
pub(super) fn reading(space: &mut Space, contract: &Contract, factor: usize, group: usize, steps: usize) -> Reading {
    if steps == 4 && factor::by_vectors(space, contract, factor, K) {
        Reading::AlongK
    } else if steps == 4 && factor::by_vectors(space, contract, factor, group) {
        Reading::Across
    } else {
        Reading::Single
    }
}

/// How the right factor is read. In every variant a thread has four adjacent columns.
pub(super) fn reading_columns(space: &mut Space, contract: &Contract, steps: usize) -> Reading {
    match reading(space, contract, B, N, steps) {
        Reading::Single if space.by_steps_of_four(&factor::inputs(contract, B), N) => Reading::Together,
        reading => reading,
    }
}

/// A factor and how it is read.
pub(super) struct Side<'a> {
    pub(super) factor: Factor<'a>,
    /// The group of the factor's rows or columns.
    pub(super) group: usize,
    pub(super) reading: Reading,
    /// The prefix of its names, and the name of its rows or columns.
    pub(super) name: &'static str,
    pub(super) axis: &'static str,
    /// The number of rows or columns that a thread reads.
    pub(super) count: usize,
}

impl<'a> Side<'a> {
    /// The left factor, of which a thread reads `rows` rows, and the right factor.
    pub(super) fn both(
        contract: &'a Contract,
        readings: [Reading; 2],
        rows: usize,
        indexer: &Indexer,
        builder: &mut Builder,
    ) -> Result<[Side<'a>; 2]> {
        let [a, b] = [Factor::bind(contract, A, indexer, builder)?, Factor::bind(contract, B, indexer, builder)?];
        Ok([
            Side { factor: a, group: M, reading: readings[A], name: "a", axis: "row", count: rows },
            Side { factor: b, group: N, reading: readings[B], name: "b", axis: "column", count: SIDE },
        ])
    }
}

/// The statements before the loop over k, and the statements of one block of `steps` steps. `add`
/// prints the additions of a step from its number, the values of the thread's rows, and its columns
/// as a vector.
pub(super) fn products(
    sides: &[Side; 2],
    indexer: &Indexer,
    steps: usize,
    builder: &mut Builder,
    add: impl Fn(usize, &[String], &str) -> String,
) -> Result<[String; 2]> {
    let mut before = indexer.coordinates(BATCH, "batch", "z");
    let bases = sides.each_ref().map(|side| side.bases(indexer, &mut before));
    before.push_str(&indexer.odometer(K, "start", "k"));
    let mut body = String::new();
    let mut blocks = [vec![], vec![]];
    for ((side, bases), block) in sides.iter().zip(&bases).zip(&mut blocks) {
        *block = side.load_block(indexer, bases, builder, &mut body)?;
    }
    for step in 0..steps {
        // Writing to a String does not fail.
        let _ = writeln!(body, "let step{step} = d + {step}u;");
        let mut load = |at: usize| sides[at].load_step(indexer, &bases[at], &blocks[at], step, builder, &mut body);
        let (left, right) = (load(A)?, load(B)?);
        let _ = writeln!(body, "let right{step} = {};", vector(&right));
        body.push_str(&add(step, &left, &format!("right{step}")));
        body.push_str(&indexer.next(K, "k"));
    }
    Ok([before, body])
}

pub(super) fn texts(contract: &Contract, mut space: Space, k: usize, builder: &mut Builder) -> Result<Texts> {
    let steps = steps(k);
    let readings = [reading(&mut space, contract, A, M, steps), reading_columns(&mut space, contract, steps)];
    let indexer = space.bind(builder);
    let sides = Side::both(contract, readings, SIDE, &indexer, builder)?;
    let add = |_, left: &[String], right: &str| {
        left.iter().enumerate().map(|(row, value)| format!("sum{row} += {value} * {right};\n")).collect()
    };
    let [before, body] = products(&sides, &indexer, steps, builder, add)?;
    Ok(vec![("before", indent(&before, 1)), ("body", indent(&body, 2)), ("steps", format!("{steps}u"))])
}

/// Four values as a vector. If they are the components of a vector, the vector itself.
fn vector(values: &[String]) -> String {
    let whole = values[0]
        .strip_suffix(".x")
        .filter(|name| values.iter().zip(COMPONENTS).all(|(value, component)| value == &format!("{name}.{component}")));
    whole.map_or_else(|| format!("vec4<f32>({})", values.join(", ")), str::to_string)
}

impl Side<'_> {
    /// The cursors that do not depend on k, for each row or column. There is one for all four if
    /// they are read as a vector.
    fn bases(&self, indexer: &Indexer, text: &mut String) -> Vec<Cursors> {
        let Side { factor, name, axis, .. } = self;
        let mut base = factor.advance(indexer, &factor.start(indexer), BATCH, "batch", "z");
        text.push_str(&base.bind(&format!("{name}_base")));
        match self.reading {
            Reading::Across => return vec![factor.by_vectors(indexer, &base, &format!("{axis} / 4u"))],
            Reading::Together => return vec![self.row(indexer, &base, &format!("({axis} / 4u)"), name, text)],
            Reading::Single | Reading::AlongK => {}
        }
        (0..self.count)
            .map(|at| self.row(indexer, &base, &format!("{axis}{at}"), &format!("{name}{at}"), text))
            .collect()
    }

    /// The cursors of one row or column.
    fn row(&self, indexer: &Indexer, base: &Cursors, linear: &str, name: &str, text: &mut String) -> Cursors {
        let coordinates = format!("{name}_");
        text.push_str(&indexer.coordinates(self.group, linear, &coordinates));
        let mut cursors = self.factor.advance(indexer, base, self.group, linear, &coordinates);
        text.push_str(&cursors.bind(&format!("{name}_own")));
        cursors
    }

    /// The values of four steps of k for each row or column that is read as vectors.
    fn load_block(
        &self,
        indexer: &Indexer,
        bases: &[Cursors],
        builder: &mut Builder,
        text: &mut String,
    ) -> Result<Vec<Vec<String>>> {
        if self.reading != Reading::AlongK {
            return Ok(vec![]);
        }
        let each = |(at, base): (usize, &Cursors)| {
            let cursors = self.factor.by_vectors(indexer, base, "d / 4u");
            self.factor.load(indexer, builder, &cursors, &format!("{}_block{at}", self.name), text)
        };
        bases.iter().enumerate().map(each).collect()
    }

    /// The four values of a step.
    fn load_step(
        &self,
        indexer: &Indexer,
        bases: &[Cursors],
        block: &[Vec<String>],
        step: usize,
        builder: &mut Builder,
        text: &mut String,
    ) -> Result<Vec<String>> {
        let Side { factor, name, .. } = self;
        if self.reading == Reading::AlongK {
            return Ok(block.iter().map(|steps| steps[step].clone()).collect());
        }
        let mut along = factor.term(indexer, K, &format!("step{step}"), "k");
        text.push_str(&along.bind(&format!("{name}_k{step}")));
        let mut values = Vec::new();
        for (at, base) in bases.iter().enumerate() {
            values.extend(factor.load(
                indexer,
                builder,
                &base.plus(&along),
                &format!("{name}{at}_step{step}"),
                text,
            )?);
        }
        Ok(values)
    }
}
