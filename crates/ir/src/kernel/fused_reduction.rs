//! Several reductions and maps over the same rows, fused: softmax, norms, cross entropy.

use super::{AffineIndex, KernelKind, Operand, ReduceOp, affine::convert_indices, concat, operand::convert_all};
use crate::{
    DType, Layout, Shape,
    expr::{Program, Type},
    number::{Convert, Number},
};

/// A sequence of reductions over each row, followed by results per row and results per element.
///
/// In every program, slots `0..inputs.len()` read the operands, and slot `inputs.len() + j` is the
/// result of reduction `j`, available to the programs after it. The index ([`Node::Index`]) is the
/// linear index over `outer` followed by `inner`.
///
/// [`Node::Index`]: crate::expr::Node::Index
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FusedReduction<N: Number = usize> {
    /// The dimensions that number the rows.
    pub outer: Shape<N>,
    /// The dimensions within a row.
    pub inner: Shape<N>,
    /// The operands, over `outer` followed by `inner`.
    pub inputs: Vec<Operand<N>>,
    /// The affine indices of the programs, over `outer` followed by `inner`. Those that `rows`
    /// reads do not vary within a row.
    pub indices: Vec<AffineIndex<N>>,
    /// The types of the parameter slots, shared by all programs.
    pub params: Vec<Type>,
    /// The reductions over each row, in order; the program of each has one output.
    pub reductions: Vec<(ReduceOp, Program)>,
    /// Results per row. They read reductions, parameters, and operands that are constant within a
    /// row.
    pub rows: Program,
    /// The element types of the results per row: the first outputs, contiguous over `outer`.
    pub row_dtypes: Vec<DType>,
    /// Results per element.
    pub elements: Program,
    /// The element types of the results per element: the remaining outputs.
    pub element_dtypes: Vec<DType>,
    /// Where the results of an element are stored in their buffers, over `outer` followed by
    /// `inner`: a permutation of a contiguous tensor.
    pub target: Layout<N>,
}

impl<N: Number> FusedReduction<N> {
    /// The type of the result of reduction `j`.
    pub fn result(&self, j: usize) -> Type {
        let (op, program) = &self.reductions[j];
        op.result(program)
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> FusedReduction<M> {
        let (outer, inner) = (self.outer.convert(convert), self.inner.convert(convert));
        let space = concat([&outer, &inner]);
        FusedReduction {
            outer,
            inner,
            inputs: convert_all(&self.inputs, &space, convert),
            indices: convert_indices(&self.indices, convert),
            params: self.params.clone(),
            reductions: self.reductions.clone(),
            rows: self.rows.clone(),
            row_dtypes: self.row_dtypes.clone(),
            elements: self.elements.clone(),
            element_dtypes: self.element_dtypes.clone(),
            target: self.target.convert_over(space, convert),
        }
    }
}

impl<N: Number> KernelKind<N> for FusedReduction<N> {
    fn name(&self) -> &'static str {
        "fused_reduction"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        let elements = concat([&self.outer, &self.inner]);
        let rows = self.row_dtypes.iter().map(|&dtype| (dtype, self.outer.clone()));
        rows.chain(self.element_dtypes.iter().map(|&dtype| (dtype, elements.clone()))).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.inputs.iter().collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        self.reductions.iter().map(|(_, program)| program).chain([&self.rows, &self.elements]).collect()
    }

    fn listing(&self) -> Vec<String> {
        let reductions = self.reductions.iter().map(|(op, of)| format!("{op:?} over {:?} of {of}", self.inner));
        let results = [&self.rows, &self.elements].map(Program::to_string);
        reductions.chain(results).filter(|line| !line.is_empty()).collect()
    }
}
