//! Constant folding: kernels of a recording that read only constants run once.
//!
//! A replay reads the folded values as inputs. They are computed when the call is recorded, for
//! example a recurrent layer's weights in the order that the device's kernel has.

use crate::{
    recorder::RecordedKernel,
    value::{Value, WeakValue},
};
use lanthorn_ir::Kernel;
use rustc_hash::FxHashSet;

/// A folded kernel may write this many bytes more than it reads.
const MAX_GROWTH: usize = 1 << 16;

/// The folded kernels of a recording read at least this many bytes. Fewer cost less than a
/// recording that is made again when a statistic of a batch norm has changed.
const MIN_BYTES: usize = 1 << 14;

/// The kernels of a recording.
pub(super) struct Folded {
    /// The kernels that read only constants.
    pub constant: Vec<RecordedKernel>,
    /// The other kernels.
    pub rest: Vec<RecordedKernel>,
    /// The results of constant kernels.
    pub values: Vec<WeakValue>,
    /// The constants that constant kernels read, without uploads.
    pub reads: Vec<Value>,
}

/// Separates the kernels that only depend on the values with the keys `constants`, and on
/// `uploads`, from the others. The kernels have no dead ones. If those kernels read little, all
/// kernels are others.
pub(super) fn fold(nodes: Vec<RecordedKernel>, constants: &FxHashSet<usize>, uploads: &[Value]) -> Folded {
    let mut known: FxHashSet<usize> = constants.iter().copied().chain(uploads.iter().map(Value::key)).collect();
    let (mut marks, mut total) = (Vec::with_capacity(nodes.len()), 0);
    for node in &nodes {
        let is_constant = is_constant(node, &known);
        if is_constant {
            known.extend(node.outputs.iter().map(Value::key));
            total += node.reads().map(bytes).sum::<usize>();
        }
        marks.push(is_constant);
    }
    let mut folded = Folded { constant: vec![], rest: vec![], values: vec![], reads: vec![] };
    for (node, is_constant) in nodes.into_iter().zip(marks) {
        let part = if is_constant && total >= MIN_BYTES { &mut folded.constant } else { &mut folded.rest };
        part.push(node);
    }
    folded.values = folded.constant.iter().flat_map(|node| &node.outputs).map(Value::downgrade).collect();
    let mut seen = FxHashSet::default();
    let read = folded.constant.iter().flat_map(RecordedKernel::reads);
    folded.reads = read.filter(|value| constants.contains(&value.key()) && seen.insert(value.key())).cloned().collect();
    folded
}

fn bytes(value: &Value) -> usize {
    value.elements() * value.dtype().size()
}

/// Whether a kernel computes the same at every replay, and its results take about as much memory as
/// the values that it reads.
///
/// A kernel that reads nothing is not folded: its consumers contain its numbers.
fn is_constant(node: &RecordedKernel, known: &FxHashSet<usize>) -> bool {
    let read: usize = node.reads().map(bytes).sum();
    let written: usize = node.outputs.iter().map(bytes).sum();
    !matches!(node.kernel.kernel, Kernel::Custom(_))
        && node.reads().next().is_some()
        && node.reads().all(|value| known.contains(&value.key()) && !value.is_shared())
        && node.params.iter().all(|param| param.symbol.is_none())
        && written <= read + MAX_GROWTH
}
