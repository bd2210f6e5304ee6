//! A factor of the product as a kernel reads it: an operand, or an expression of several operands.

use crate::{
    Builder, Dialect, Slot,
    buffer::Buffer,
    indexing::{Cursor, Indexer, Lanes, Space},
};
use lanthorn_ir::{
    Result,
    kernel::{Contract, Prologue},
};
use std::fmt::Write;

/// A factor whose buffers are bound.
pub(super) struct Factor<'a> {
    /// The operands that the factor reads, as indices into the space and into the kernel's inputs.
    /// The factor's own operand is first.
    operands: Vec<usize>,
    buffers: Vec<Buffer>,
    prologue: Option<&'a Prologue>,
    /// Whether the kernel must set the factor to 0 outside of its bounded indices.
    bounded: bool,
}

/// The cursors of a factor's operands.
#[derive(Clone)]
pub(super) struct Cursors(Vec<Cursor>);

impl Cursors {
    /// Statements that compute the partial sums, with names that start with `name`.
    pub(super) fn bind(&mut self, name: &str) -> String {
        let each = |(at, cursor): (usize, &mut Cursor)| match at {
            0 => cursor.bind(name),
            _ => cursor.bind(&format!("{name}_x{at}")),
        };
        self.0.iter_mut().enumerate().map(each).collect()
    }

    /// The sum of both.
    pub(super) fn plus(&self, other: &Cursors) -> Cursors {
        Cursors(self.0.iter().zip(&other.0).map(|(a, b)| a.plus(b)).collect())
    }
}

/// The inputs of the kernel that factor 0 or 1 reads. The factor's own operand is first.
pub(super) fn inputs(contract: &Contract, factor: usize) -> Vec<usize> {
    std::iter::once(factor).chain(contract.prologue_inputs(factor)).collect()
}

impl<'a> Factor<'a> {
    /// Binds the buffers of factor 0 or 1.
    pub(super) fn bind(
        contract: &'a Contract,
        factor: usize,
        indexer: &Indexer,
        builder: &mut Builder,
    ) -> Result<Factor<'a>> {
        let operands = inputs(contract, factor);
        let buffers = operands.iter().map(|&at| indexer.reads(builder, at, Slot::Input(at)));
        let buffers = buffers.collect::<Result<_>>()?;
        let (prologue, operand) = (contract.prologues[factor].as_deref(), [&contract.a, &contract.b][factor]);
        let bounded = !operand.is_strided() && prologue.is_some_and(|prologue| !prologue.keeps_zero(operand));
        Ok(Factor { operands, buffers, prologue, bounded })
    }

    /// The cursors at the operands' offsets and the starts of their bounded indices.
    pub(super) fn start(&self, indexer: &Indexer) -> Cursors {
        Cursors(self.operands.iter().map(|&operand| indexer.start(operand)).collect())
    }

    /// The term of a group, from its linear index or from its coordinates `{name}0`, `{name}1`, ...
    pub(super) fn term(&self, indexer: &Indexer, group: usize, linear: &str, name: &str) -> Cursors {
        Cursors(self.operands.iter().map(|&operand| indexer.term(operand, group, linear, name)).collect())
    }

    /// The cursors, advanced along a group.
    pub(super) fn advance(&self, indexer: &Indexer, from: &Cursors, group: usize, linear: &str, name: &str) -> Cursors {
        from.plus(&self.term(indexer, group, linear, name))
    }

    /// The cursors, advanced by `term` vectors in the operands that are read as vectors.
    pub(super) fn by_vectors(&self, indexer: &Indexer, from: &Cursors, term: &str) -> Cursors {
        let moved = |(&operand, cursor): (&usize, &Cursor)| match indexer.lanes(operand) {
            Lanes::Vector => cursor.with(term),
            _ => cursor.clone(),
        };
        Cursors(self.operands.iter().zip(&from.0).map(moved).collect())
    }

    /// Reads the factor, and returns one value for each lane: one or four. Statements are appended
    /// to `text`, with names that start with `name`.
    pub(super) fn load(
        &self,
        indexer: &Indexer,
        builder: &mut Builder,
        cursors: &Cursors,
        name: &str,
        text: &mut String,
    ) -> Result<Vec<String>> {
        let Some(prologue) = self.prologue else {
            return Ok(indexer.load(builder, self.operands[0], &self.buffers[0], &cursors.0[0], name, text));
        };
        let mut inside = Vec::new();
        let mut values = Vec::new();
        for (at, ((&operand, buffer), cursor)) in self.operands.iter().zip(&self.buffers).zip(&cursors.0).enumerate() {
            let (read, within) = indexer.load_within(builder, operand, buffer, cursor, &format!("{name}_x{at}"), text);
            values.push(read);
            if at == 0 {
                inside = within;
            }
        }
        let lanes = values.iter().map(Vec::len).max().unwrap_or(1);
        // An operand that is the same in all lanes has one value.
        let of = |values: &[String], lane: usize| values.get(lane).unwrap_or(&values[0]).clone();
        let each = |lane: usize| {
            let prefix = format!("{name}_{lane}f");
            let (statements, outputs) =
                builder.print(&prologue.program, &|slot| of(&values[slot], lane), "0u", &prefix)?;
            text.push_str(&statements);
            let (value, ty) = &outputs[0];
            if !self.bounded {
                return Ok(value.clone());
            }
            // Writing to a String does not fail.
            let kept = builder.language.within(*ty, &of(&inside, lane), value, &mut builder.functions);
            let _ = writeln!(text, "let {prefix} = {kept};");
            Ok(prefix)
        };
        (0..lanes).map(each).collect()
    }
}

/// Reads a factor as vectors along a group, if each of its operands has vectors there or is
/// constant.
pub(super) fn by_vectors(space: &mut Space, contract: &Contract, factor: usize, group: usize) -> bool {
    let inputs = inputs(contract, factor);
    let still: Vec<bool> = inputs.iter().map(|&operand| space.is_still(operand, group)).collect();
    let fits = |(&operand, still): (&usize, &bool)| *still || space.has_vectors(operand, group);
    if still.iter().all(|&still| still) || !inputs.iter().zip(&still).all(fits) {
        return false;
    }
    for (&operand, _) in inputs.iter().zip(&still).filter(|(_, still)| !**still) {
        space.by_vectors(operand, group);
    }
    true
}
