//! The in-place forms: a tensor takes the result of an op, or becomes a view of itself.
//!
//! Recorded work never sees an overwritten value: the storage changes to its next value. The next
//! value is the result, if the tensor covers its storage, or is computed from the old value and the
//! result. The planner turns this into an update of the same buffer if nothing else holds the old
//! value.

use super::{InPlace, Op, dispatch};
use crate::{
    Error, Result, Tensor,
    autograd::{self, Edge, is_grad_enabled},
    batch,
    compile::capture,
    ops::pointwise::common_device,
    storage::Storage,
    tensor::Inner,
};
use lanthorn_ir::{Category, Kernel, kernel};
use std::rc::Rc;

/// `target` as it is now, the input of an in-place op: the op saves this value for backward and
/// then overwrites the target.
pub(crate) fn before(target: &Tensor) -> Tensor {
    if !is_grad_enabled() {
        return target.clone();
    }
    let storage = Storage::new(target.device().clone(), target.value());
    let before = Tensor::build(Rc::new(storage), target.layout().clone(), None);
    // A leaf's edge would lead to the leaf, and a leaf that has one is refused.
    if let Some(Edge::Node(node)) = target.grad_edge() {
        before.0.meta.borrow_mut().node = Some(node);
    }
    before
}

/// Makes `target` take what `run` computes from it as it is now.
pub(crate) fn compute(op: &'static Op, target: &Tensor, run: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<()> {
    let result = run(&before(target)).map_err(|error| rename(op, error))?;
    assign(op, target, result)
}

/// Renames an error of the op to the in-place form.
#[cold]
pub(crate) fn rename(op: &'static Op, error: Error) -> Error {
    if op.is_named(error.op()) { error.in_op(&format!("{}_", op.base_name())) } else { error }
}

/// Makes `target` take `result`, by PyTorch's rules for in-place ops.
pub(crate) fn assign(op: &'static Op, target: &Tensor, result: Tensor) -> Result<()> {
    if op.in_place == Some(InPlace::SameDtype) && result.dtype() != target.dtype() {
        let message = format!("takes a {} tensor, not {}", result.dtype(), target.dtype());
        return Err(Error::dtype(format!("{}_", op.name()), message));
    }
    assign_named(op.name(), target, result)
}

/// [`assign`] for an op that is in no table.
pub(crate) fn assign_named(op: &'static str, target: &Tensor, result: Tensor) -> Result<()> {
    dispatch::note_copy(target, &result);
    dispatch::quietly(|| write(op, target, result))
}

fn write(op: &'static str, target: &Tensor, result: Tensor) -> Result<()> {
    // A name is made for an error only.
    let name = || format!("{op}_");
    if result.device() != target.device() {
        common_device(&name(), &[target.clone(), result.clone()])?;
    }
    if result.shape() != target.shape() {
        let message = format!("the result has shape {}, which does not fit into {}", result.shape(), target.shape());
        return Err(Error::shape(name(), message));
    }
    if result.dtype() != target.dtype() {
        check_category(&name(), target, result.dtype().category())?;
    }
    if target.layout().overlaps_itself() {
        let message = "the tensor was expanded, so that several elements share one memory location; clone it first";
        return Err(Error::argument(name(), message));
    }
    check_leaf(op, target)?;
    let result = result.to(target.dtype())?;
    let storage = &target.0.storage;
    let lacks = |level: &batch::Level| !target.batch().has(level.id);
    if result.batch().levels().iter().any(lacks) {
        let message =
            "within vmap the result differs between samples, and all samples share the tensor; clone it first";
        return Err(Error::argument(name(), message));
    }
    let data = if target.layout().covers(storage.elements) {
        result.materialized()?
    } else {
        let (source, region) = (result.layout().clone(), target.layout().clone());
        let copy = Kernel::Copy(kernel::Copy { dtype: storage.dtype, source, target: region });
        let mut outputs = batch::record(&storage.device, op, copy, Some(target.value()), vec![result.value()], vec![]);
        outputs.pop().expect("a copy has one output")
    };
    capture::note_write(storage);
    storage.write(batch::spread(&storage.device, data, &storage.batch).value);
    autograd::rebase(target, &result);
    Ok(())
}

/// The view that replaces `target`, by PyTorch's rules for in-place ops.
///
/// A tensor's shape is fixed, so that [`Tensor::shape`] can lend it; what changes is which tensor a
/// handle names.
pub(crate) fn view(op: &'static Op, target: &Tensor, view: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    check_leaf(op.name(), target)?;
    capture::note_rebase(target, "changes the view");
    if !(target.is_leaf() && target.requires_grad()) {
        // A computed tensor stays part of its graph, recording or not: without the step its
        // gradient would have another shape.
        return autograd::with_mode(true, || view(target)).map_err(|error| rename(op, error));
    }
    // Without recording, a leaf stays one.
    let Inner { storage, layout, base, .. } = &*view(&target.detach()).map_err(|error| rename(op, error))?.0;
    let base = base.clone().filter(|_| !layout.covers(storage.elements));
    Tensor::build(storage.clone(), layout.clone(), base).requires_grad_(true)
}

/// A leaf that wants a gradient, or a view of one, is not changed while ops are recorded.
fn check_leaf(op: &str, target: &Tensor) -> Result<()> {
    let is_leaf = |tensor: &Tensor| tensor.is_leaf() && tensor.requires_grad();
    if is_grad_enabled() && target.requires_grad() && (is_leaf(target) || target.0.base.as_ref().is_some_and(is_leaf)) {
        return Err(Error::autograd(
            format!("{op}_"),
            "a leaf that requires gradients cannot be changed in place; use no_grad",
        ));
    }
    Ok(())
}

/// A float result does not go into an integer tensor, nor an integer one into a bool tensor.
fn check_category(name: &str, target: &Tensor, result: Category) -> Result<()> {
    if result <= target.dtype().category() {
        return Ok(());
    }
    let kind = if result == Category::Floating { "floating point" } else { "integral" };
    Err(Error::dtype(name, format!("the result is {kind} and does not fit into a {} tensor", target.dtype())))
}

impl Tensor {
    /// Copies the elements of `source`, broadcast and converted, into this tensor, as
    /// `torch.Tensor.copy_`.
    ///
    /// # Errors
    ///
    /// `shape` if the source does not broadcast to this tensor, and `autograd` for a leaf that
    /// requires gradients.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::Tensor;
    /// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
    /// x.select(0, 1)?.copy_(&Tensor::scalar(9.0f32, &device)?)?;
    /// assert_eq!(pollster::block_on(x.to_vec::<f32>())?, [1.0, 2.0, 9.0, 9.0]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn copy_(&self, source: &Tensor) -> Result<()> {
        let mut source = match source.shape() == self.shape() {
            true => source.to(self.dtype())?,
            false => source.expand(self.shape()).map_err(|error| error.in_op("copy_"))?.to(self.dtype())?,
        };
        if is_grad_enabled() && source.requires_grad() {
            // The graph takes over what computed the source, which must be an op and not a leaf.
            source = source.clone_tensor()?;
        }
        assign_named("copy", self, source)
    }
}
