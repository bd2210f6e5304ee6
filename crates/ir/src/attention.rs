//! Attention as one kernel, forward and backward, that never holds a row of scores for every query.
//!
//! The forward pass is the online softmax over blocks of keys of FlashAttention (Dao et al., 2022). Of the scores it keeps a row's logarithm of the sum of exponentials
//! alone, from which the backward passes compute the weights again: one pass that owns rows of queries and one that owns rows of keys, so that every element of a
//! gradient is added up by one worker and no atomic addition is needed (Dao, 2023).

use crate::{DType, Shape, expr::Type, kernel::Operand};

/// `out[b, i] = sum over j of w[b, i, j] * value[b, j]`, with `w[b, i] = softmax over j of scale * query[b, i] . key[b, j] + mask[b, i, j]`.
///
/// The scale is the launch's one parameter. A pair whose mask is false or negative infinity, or which causality excludes, has weight 0; a row without any
/// other pair has the result 0, as in PyTorch from 2.5 on, and the logarithm negative infinity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attention {
    /// What is computed.
    pub pass: AttentionPass,
    /// The dimensions that all operands begin with.
    pub batch: Shape,
    /// Over `batch`, m, d; float32 or float64 and no half type, without windows as all operands here. Neither d nor e is 0.
    pub query: Operand,
    /// Over `batch`, n, d; of the same type.
    pub key: Operand,
    /// Over `batch`, n, e; of the same type.
    pub value: Operand,
    /// Over `batch`, m, n: which pairs take part (bool), or what is added to their scores (of the operands' type).
    pub mask: Option<Operand>,
    /// Whether query i meets the keys `0..=i` alone.
    pub causal: bool,
}

/// A direction of attention. All outputs are contiguous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttentionPass {
    /// Two outputs: the result over `batch`, m, e, and the logarithm of each row's sum of exponentials over `batch`, m.
    Forward,
    /// The gradient of the queries over `batch`, m, d.
    Queries(AttentionGradient),
    /// One output that holds the gradient of the keys, over `batch`, n, d, and behind it that of the values, over `batch`, n, e. One, because a browser binds no more
    /// buffers.
    Keys(AttentionGradient),
}

/// What a backward pass reads besides the operands, after them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttentionGradient {
    /// The gradient of the result, over `batch`, m, e.
    pub grad: Operand,
    /// Over `batch`, m, 2: the logarithm of the row's sum of exponentials, and the sum of the products of the result with its gradient.
    pub statistics: Operand,
}

impl Attention {
    /// The extents: the elements of `batch`, and m, n, d and e.
    pub fn extents(&self) -> [usize; 5] {
        let at = self.batch.rank();
        let (query, value) = (self.query.shape(), self.value.shape());
        [self.batch.elements(), query[at], value[at], query[at + 1], value[at + 1]]
    }

    /// The element type of operands and outputs.
    pub fn dtype(&self) -> DType {
        self.query.dtype
    }

    /// What a backward pass reads besides.
    pub fn gradient(&self) -> Option<&AttentionGradient> {
        match &self.pass {
            AttentionPass::Forward => None,
            AttentionPass::Queries(gradient) | AttentionPass::Keys(gradient) => Some(gradient),
        }
    }

    /// The operands in the order of the input buffers.
    pub fn operands(&self) -> Vec<&Operand> {
        let gradient = self.gradient().into_iter().flat_map(|gradient| [&gradient.grad, &gradient.statistics]);
        [&self.query, &self.key, &self.value].into_iter().chain(&self.mask).chain(gradient).collect()
    }

    /// The number of elements of each output.
    pub fn outputs(&self) -> Vec<usize> {
        let [batch, m, n, d, e] = self.extents();
        match self.pass {
            AttentionPass::Forward => vec![batch * m * e, batch * m],
            AttentionPass::Queries(_) => vec![batch * m * d],
            AttentionPass::Keys(_) => vec![batch * n * (d + e)],
        }
    }

    /// The type of the one parameter, the scale.
    pub fn params(&self) -> &'static [Type] {
        if self.dtype() == DType::F64 { &[Type::F64] } else { &[Type::F32] }
    }

    /// Whether the operands' shapes and types are those that the fields ask for.
    pub fn is_consistent(&self) -> bool {
        let rank = self.batch.rank() + 2;
        let whole = self.operands().iter().all(|operand| operand.shape().rank() == rank && operand.is_strided());
        if !whole || ![DType::F32, DType::F64].contains(&self.dtype()) {
            return false;
        }
        let [_, m, n, d, e] = self.extents();
        if d == 0 || e == 0 {
            return false;
        }
        let dtype = self.dtype();
        let is = |operand: &Operand, rows: usize, columns: usize| {
            *operand.shape() == Shape::from_dims(self.batch.iter().copied().chain([rows, columns]))
        };
        let float = |operand: &Operand, rows, columns| operand.dtype == dtype && is(operand, rows, columns);
        let mask = |mask: &Operand| [DType::Bool, dtype].contains(&mask.dtype) && is(mask, m, n);
        let gradient = |g: &AttentionGradient| float(&g.grad, m, e) && float(&g.statistics, m, 2);
        float(&self.query, m, d)
            && float(&self.key, n, d)
            && float(&self.value, n, e)
            && self.mask.as_ref().is_none_or(mask)
            && self.gradient().is_none_or(gradient)
    }
}
