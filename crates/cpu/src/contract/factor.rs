//! The two factors of a product as packing reads them: an operand in memory, or the results of an
//! expression over operands.
//!
//! An expression is evaluated for the part of the factor that is packed next, in the memory order
//! of its operand, and packing reads the results from the cache. Panels and all later stages are
//! the same for both.

use super::{packing::Side, panels::Panels, real::Real, vector::dot};
use crate::{
    block::{Code, Form, Input, Machine, Space},
    buffer::Buffer,
    map::{forms_of, pair_forms, slots_of, space_of},
};
use lanthorn_ir::{
    DType, Layout, Result,
    expr::{Constant, Expr, Program, Type},
    kernel::{BoundedIndex, Operand, Prologue},
};
use std::{ops::Range, sync::Arc};

/// The buffer of a virtual input with one element, which is true. Reads out of bounds return false.
const INSIDE: &[u8] = &[1];

/// A prologue that is ready to be evaluated.
pub(super) struct Expression {
    code: Arc<Code>,
    /// The iteration space: the matrices of the batch, their lines (rows or columns), and the
    /// elements of a line.
    space: Space,
    forms: Vec<Form>,
    /// The inputs of the launch that the slots read. One more slot contains whether the element is
    /// in bounds.
    inputs: Vec<usize>,
    /// Whether a line has the elements of one depth.
    is_transposed: bool,
    lines: usize,
    length: usize,
}

/// An operand that is true where `operand` is in bounds, and false elsewhere.
fn inside(operand: &Operand) -> Operand {
    let still = Layout::new(operand.shape().clone(), vec![0; operand.shape().rank()], 0);
    let bounded = operand.bounded.iter().map(|bound| BoundedIndex { stride: 0, ..bound.clone() }).collect();
    Operand { bounded, ..Operand::new(DType::Bool, still) }
}

impl Expression {
    /// The expression over an operand with dimensions of batch, rows and depth. `inputs` are the
    /// inputs of the launch that it reads.
    pub fn new(
        op: &str,
        prologue: &Prologue,
        operand: &Operand,
        inputs: Vec<usize>,
        [batch, rows, depth]: [&[usize]; 3],
        is_transposed: bool,
        params: &[Type],
    ) -> Result<Expression> {
        let [lines, along] = if is_transposed { [depth, rows] } else { [rows, depth] };
        let order = [batch, lines, along].concat();
        let mut operands: Vec<Operand> =
            std::iter::once(operand).chain(&prologue.inputs).map(|read| read.permute(&order)).collect();
        let mut program = prologue.program.clone();
        if !operand.bounded.is_empty() && !prologue.keeps_zero(operand) {
            let slots: Vec<Expr> =
                operands.iter().enumerate().map(|(slot, read)| Expr::input(slot, read.encoding.into())).collect();
            let results = program.over(&slots, 0, &Expr::index());
            let kept: Vec<Expr> =
                results.iter().map(|result| Expr::input(slots.len(), Type::Bool).select(result, 0.0)).collect();
            program = Program::new(&kept);
            operands.push(inside(&operands[0]));
        }
        let read: Vec<&Operand> = operands.iter().collect();
        let space = space_of(op, &Layout::contiguous(operands[0].shape().clone()), &read, &[])?;
        let forms = forms_of(&read);
        let code = Code::compile_cached(op, &program, slots_of(&forms, &space, 0), params, 1)?;
        let elements = |dims: &[usize]| dims.iter().map(|&d| operand.shape()[d]).product();
        Ok(Expression { code, space, forms, inputs, is_transposed, lines: elements(lines), length: elements(along) })
    }

    /// Whether the elements of a row are consecutive.
    pub fn is_in_rows(&self) -> bool {
        !self.is_transposed
    }

    /// Prepares the evaluation for one launch, with at most `most` elements at a time.
    pub fn evaluation<'a, T: Real>(
        &'a self,
        op: &str,
        inputs: &[Input<'a>],
        params: &[Constant],
        most: usize,
    ) -> Result<Evaluation<'a>> {
        let read = self.inputs.iter().map(|&input| inputs[input]).chain([Input::Data(INSIDE)]);
        let machine = Machine::new(op, &self.code, &self.space, &pair_forms(&self.forms, read), &[], params)?;
        Ok(Evaluation { expression: self, machine, results: Buffer::new(op, most * size_of::<T>(), 0)? })
    }
}

/// A factor of one launch.
pub(super) enum Factor<'a, T> {
    /// An operand.
    Stored(&'a Side, &'a [T]),
    /// The results of an expression.
    Computed(Evaluation<'a>),
    /// An operand that was packed earlier.
    Packed(Panels<'a, T>),
}

impl<T: Real> Factor<'_, T> {
    /// The panels of some rows and depths of one matrix. They are packed to `scratch` if the
    /// operand is not packed yet; see [`Side::pack`].
    pub fn panels<'s>(
        &'s mut self,
        matrix: usize,
        rows: Range<usize>,
        depth: Range<usize>,
        width: usize,
        scratch: &'s mut Buffer,
    ) -> &'s [T] {
        if let Factor::Packed(panels) = self {
            return panels.of(matrix, rows, depth);
        }
        let packed = &mut scratch.elements_mut()[..rows.len().next_multiple_of(width) * depth.len()];
        match self {
            Factor::Stored(side, data) => side.pack(data, side.batch.at(matrix), rows, depth, width, packed),
            Factor::Computed(evaluation) => evaluation.pack(matrix, rows, depth, width, packed),
            Factor::Packed(_) => {}
        }
        packed
    }
}

/// An expression with the buffers of a launch.
pub(super) struct Evaluation<'a> {
    expression: &'a Expression,
    machine: Machine<'a>,
    /// The results of the last evaluation.
    results: Buffer,
}

impl Evaluation<'_> {
    /// Multiplies rows of one matrix, from row `from` on, by a vector. Each part of a row is
    /// multiplied while it is in the cache.
    pub fn multiply<T: Real>(&mut self, matrix: usize, from: usize, x: &[T], results: &mut [T]) {
        let Expression { lines, length, ref code, .. } = *self.expression;
        let micro = T::micro([results.len(), 1]);
        for (row, result) in (matrix * lines + from..).zip(results) {
            let mut sum = 0.0;
            for (start, x) in (row * length..).step_by(code.block).zip(x.chunks(code.block)) {
                self.machine.run(start, x.len());
                sum += dot(&micro, self.machine.result(0), x).to_f64();
            }
            *result = T::from_f64(sum);
        }
    }

    /// Evaluates all rows of one matrix to `results`.
    pub fn rows(&mut self, matrix: usize, results: &mut [f32]) {
        let Expression { lines, length, ref code, .. } = *self.expression;
        let first = matrix * lines * length;
        for (start, results) in (first..).step_by(code.block).zip(results.chunks_mut(code.block)) {
            self.machine.run(start, results.len());
            results.copy_from_slice(self.machine.result(0));
        }
    }

    /// Evaluates some rows and depths of one matrix, and packs them.
    fn pack<T: Real>(
        &mut self,
        matrix: usize,
        rows: Range<usize>,
        depth: Range<usize>,
        width: usize,
        packed: &mut [T],
    ) {
        let Expression { is_transposed, lines, length, ref code, .. } = *self.expression;
        let [across, along] = if is_transposed { [depth.clone(), rows.clone()] } else { [rows.clone(), depth.clone()] };
        let first = (matrix * lines + across.start) * length + along.start;
        // The elements of whole lines are consecutive.
        let whole = along.len() == length;
        let (parts, each) = if whole { (1, across.len() * length) } else { (across.len(), along.len()) };
        let results = &mut self.results.elements_mut::<T>()[..rows.len() * depth.len()];
        for (part, results) in results.chunks_exact_mut(each.max(1)).take(parts).enumerate() {
            for (start, results) in (first + part * length..).step_by(code.block).zip(results.chunks_mut(code.block)) {
                self.machine.run(start, results.len());
                results.copy_from_slice(self.machine.result(0));
            }
        }
        let strides = if is_transposed { [1, rows.len()] } else { [depth.len(), 1] };
        let dense = Side::strided([rows.len(), depth.len()], strides.map(|stride| stride as isize));
        dense.pack(results, dense.batch.at(0), 0..rows.len(), 0..depth.len(), width, packed);
    }
}
