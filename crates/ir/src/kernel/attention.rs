//! Attention as one kernel, forward and backward, that never stores the matrix of scores.
//!
//! The forward pass is the online softmax over blocks of keys of FlashAttention (Dao et al., 2022).
//! It stores only the log-sum-exp of each row of scores, from which the backward passes recompute
//! the weights. One backward pass owns rows of queries and another owns rows of keys, so one worker
//! accumulates every element of a gradient, without atomic additions (FlashAttention-2, Dao, 2023).
//!
//! Keys and values may be a cache whose leading part is filled. The filled length is an operand, so
//! neither the kernel nor its launch depends on it, and kernels read no key beyond it.

use super::{KernelKind, Operand};
use crate::{
    DType, Encoding, Shape,
    expr::Type,
    number::{Convert, Number},
};

/// `out[b, i] = sum over j of w[b, i, j] * value[b, j]`, with
/// `w[b, i] = softmax over j of cap(scale * query[b, i] . key[b, j]) + mask[b, i, j]`.
///
/// The parameters of a launch are the scale, then the soft cap if there is one, then the window
/// (int32, at least 1) if there is one. `cap(s)` is `soft_cap * tanh(s / soft_cap)`, or `s` without
/// a soft cap.
///
/// `length[b]` keys are filled: the number in `lengths`, clamped to `0..=n`, or n without
/// `lengths`. Query i has the position `length[b] - m + i`, or i without `lengths`. A pair of query
/// and key has weight 0 if its mask is false or negative infinity, if the key is not filled, if
/// `causal` and the key comes after the query's position p, or if `windowed` and the key is not
/// after `p - window`. A row in which every pair is excluded has the result 0, as in PyTorch from
/// 2.5 on, and the log-sum-exp negative infinity. Keys and values that are not filled may be
/// anything, also NaN.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attention<N: Number = usize> {
    /// The direction.
    pub pass: AttentionPass<N>,
    /// The leading dimensions of all operands.
    pub batch: Shape<N>,
    /// Over `batch`, m, d: float32 or float64. Like all operands here it has no bounded indices.
    /// Neither d nor e is 0.
    pub query: Operand<N>,
    /// Over `batch`, n, d; of the query's type.
    pub key: Operand<N>,
    /// Over `batch`, n, e; of the query's type.
    pub value: Operand<N>,
    /// Over `batch`, m, n: which pairs take part (bool), or a bias added to the scores (of the
    /// query's type).
    pub mask: Option<Operand<N>>,
    /// Over `batch`, 1, 1: how many of the n keys are filled, int32.
    pub lengths: Option<Operand<N>>,
    /// Whether a query attends to no key after its position.
    pub causal: bool,
    /// Whether a query attends to the last `window` keys up to its position only. Then `causal`
    /// holds too.
    pub windowed: bool,
    /// Whether scores have a soft cap.
    pub capped: bool,
}

/// A direction of attention. All outputs are contiguous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttentionPass<N: Number = usize> {
    /// Two outputs: the result over `batch`, m, e, and each row's log-sum-exp over `batch`, m.
    Forward,
    /// The gradient of the queries over `batch`, m, d.
    Queries(AttentionGradient<N>),
    /// One output, the gradient of the keys, over `batch`, n, d, followed by the gradient of the
    /// values, over `batch`, n, e. They share a buffer because a browser limits the number of
    /// bindings.
    Keys(AttentionGradient<N>),
}

/// The additional operands of a backward pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttentionGradient<N: Number = usize> {
    /// The gradient of the result, over `batch`, m, e.
    pub grad: Operand<N>,
    /// Over `batch`, m, 2: the row's log-sum-exp, and the dot product of the result with its
    /// gradient.
    pub statistics: Operand<N>,
}

impl<N: Number> Attention<N> {
    /// Maximum number of queries of a head for [`Attention::has_few_queries`].
    pub const FEW_QUERIES: usize = 8;

    /// The number of elements of `batch`, and m, n, d and e.
    pub fn extents(&self) -> [N; 5] {
        let at = self.batch.rank();
        let (query, value) = (self.query.shape(), self.value.shape());
        [self.batch.elements(), query[at], value[at], query[at + 1], value[at + 1]]
    }

    /// The element type of operands and outputs.
    pub fn dtype(&self) -> DType {
        self.query.dtype()
    }

    /// The slot of the launch's parameter that is the soft cap.
    pub fn cap_param(&self) -> Option<usize> {
        self.capped.then_some(1)
    }

    /// The slot of the launch's parameter that is the window.
    pub fn window_param(&self) -> Option<usize> {
        self.windowed.then_some(1 + usize::from(self.capped))
    }

    /// The additional operands, if this is a backward pass.
    pub fn gradient(&self) -> Option<&AttentionGradient<N>> {
        match &self.pass {
            AttentionPass::Forward => None,
            AttentionPass::Queries(gradient) | AttentionPass::Keys(gradient) => Some(gradient),
        }
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Attention<M> {
        let batch = self.batch.convert(convert);
        let [query, key, value] = [&self.query, &self.key, &self.value].map(|operand| operand.convert(convert));
        let mask = self.mask.as_ref().map(|mask| mask.convert(convert));
        let lengths = self.lengths.as_ref().map(|lengths| lengths.convert(convert));
        let mut gradient = |gradient: &AttentionGradient<N>| AttentionGradient {
            grad: gradient.grad.convert(convert),
            statistics: gradient.statistics.convert(convert),
        };
        let pass = match &self.pass {
            AttentionPass::Forward => AttentionPass::Forward,
            AttentionPass::Queries(of) => AttentionPass::Queries(gradient(of)),
            AttentionPass::Keys(of) => AttentionPass::Keys(gradient(of)),
        };
        let Attention { causal, windowed, capped, .. } = *self;
        Attention { pass, batch, query, key, value, mask, lengths, causal, windowed, capped }
    }
}

impl Attention {
    /// Whether this is a forward pass with at most [`Attention::FEW_QUERIES`] queries of a head, as
    /// in text generation. Kernels then divide the keys among threads instead of the queries.
    pub fn has_few_queries(&self) -> bool {
        self.pass == AttentionPass::Forward && self.extents()[1] <= Self::FEW_QUERIES
    }

    /// Whether the operands have the shapes and types that the documentation of the fields
    /// requires.
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
        let float = |operand: &Operand, rows, columns| operand.encoding == dtype && is(operand, rows, columns);
        let mask =
            |mask: &Operand| [DType::Bool, dtype].map(Encoding::Plain).contains(&mask.encoding) && is(mask, m, n);
        let gradient = |g: &AttentionGradient| float(&g.grad, m, e) && float(&g.statistics, m, 2);
        let lengths = |lengths: &Operand| lengths.encoding == DType::I32 && is(lengths, 1, 1);
        float(&self.query, m, d)
            && float(&self.key, n, d)
            && float(&self.value, n, e)
            && self.mask.as_ref().is_none_or(mask)
            && self.lengths.as_ref().is_none_or(lengths)
            && (self.causal || !self.windowed)
            && self.gradient().is_none_or(gradient)
    }
}

impl<N: Number> KernelKind<N> for Attention<N> {
    fn name(&self) -> &'static str {
        "attention"
    }

    /// Each output as one dimension, because the output of [`AttentionPass::Keys`] holds two
    /// tensors.
    fn results(&self) -> Vec<(DType, Shape<N>)> {
        let [batch, m, n, d, e] = self.extents();
        let elements = match self.pass {
            AttentionPass::Forward => vec![batch * m * e, batch * m],
            AttentionPass::Queries(_) => vec![batch * m * d],
            AttentionPass::Keys(_) => vec![batch * n * (d + e)],
        };
        elements.into_iter().map(|elements| (self.dtype(), Shape::from_dims([elements]))).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        let gradient = self.gradient().into_iter().flat_map(|gradient| [&gradient.grad, &gradient.statistics]);
        let scoring = self.mask.iter().chain(&self.lengths);
        [&self.query, &self.key, &self.value].into_iter().chain(scoring).chain(gradient).collect()
    }

    /// The scale, the soft cap and the window.
    fn params(&self) -> &[Type] {
        let all: &[Type] = match (self.dtype() == DType::F64, self.capped) {
            (true, true) => &[Type::F64, Type::F64, Type::I32],
            (true, false) => &[Type::F64, Type::I32],
            (false, true) => &[Type::F32, Type::F32, Type::I32],
            (false, false) => &[Type::F32, Type::I32],
        };
        &all[..all.len() - usize::from(!self.windowed)]
    }

    fn listing(&self) -> Vec<String> {
        let [batch, m, n, d, e] = self.extents();
        let mut line = format!("{batch} heads of {m} queries and {n} keys, widths {d} and {e}");
        let options = [
            (self.lengths.is_some(), ", key lengths"),
            (self.causal, ", causal"),
            (self.windowed, ", windowed"),
            (self.capped, ", soft cap"),
        ];
        options.into_iter().filter(|(has, _)| *has).for_each(|(_, text)| line.push_str(text));
        vec![line]
    }
}
