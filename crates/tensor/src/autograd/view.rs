//! Views in the graph: the effect of a write through a view on its base, and of a write to the base
//! on its views.
//!
//! As in PyTorch, a write through a view assigns a node to the base, whose derivative is 0 in the
//! view's elements and passes the gradient of these elements to the written tensor. Every view of
//! the base creates a new node when its node is next read.

use super::{Derivative, GradFn, attach, is_grad_enabled};
use crate::{
    Tensor,
    compile::capture,
    ops::leaf::strided::{region_read, region_sum, region_write},
};
use std::rc::Rc;

/// Updates a view's node to its base's current version.
pub(crate) fn refresh(view: &Tensor) {
    let Some(base) = &view.0.base else { return };
    let version = view.version();
    if view.0.meta.borrow().node_version == version {
        return;
    }
    if base.grad_edge().is_none() {
        view.0.meta.borrow_mut().node_version = version;
        return;
    }
    let (layout, shape) = (view.layout().clone(), base.shape().clone());
    let derivative: Derivative = Rc::new(move |grad, _| Ok(vec![Some(region_sum(grad, &layout, &shape)?)]));
    let old = view.0.meta.borrow().node.clone();
    super::mode::with_mode(true, || attach("as_strided", view, &[base], &[], derivative));
    let mut meta = view.0.meta.borrow_mut();
    meta.node_version = version;
    if let (Some(old), Some(new)) = (old, &meta.node) {
        old.hooks().move_retain_grad_to(new.hooks());
    }
}

/// Sets the new node of a tensor that was written to.
fn replace(tensor: &Tensor, node: Option<GradFn>) {
    if node.is_some() {
        capture::note_rebase(tensor, "changes the graph");
    }
    let mut meta = tensor.0.meta.borrow_mut();
    if let (Some(old), Some(new)) = (&meta.node, &node) {
        old.hooks().move_retain_grad_to(new.hooks());
    }
    meta.node = node;
    meta.node_version = tensor.version();
}

/// Sets the graph's node of `target` after `target` was overwritten with `source`.
///
/// `source` is the result of an op. Without recording the graph stays as it was, as under
/// `torch.no_grad`.
pub(crate) fn rebase(target: &Tensor, source: &Tensor) {
    if !is_grad_enabled() {
        return;
    }
    let Some(base) = &target.0.base else {
        let mut node = source.0.meta.borrow().node.clone();
        if node.is_none() && target.requires_grad() {
            // Overwritten by a value without a gradient: the gradient of the old value is 0.
            let stand_in = target.detach();
            attach("copy", &stand_in, &[target], &[], Rc::new(|grad, _| Ok(vec![Some(grad.zeros_like()?)])));
            node = stand_in.0.meta.borrow_mut().node.take();
        }
        replace(target, node);
        return;
    };
    // The write is recorded on a stand-in for the base as it was, whose node then becomes the
    // base's.
    let layout = target.layout().clone();
    let stand_in = base.detach();
    let derivative: Derivative = Rc::new(move |grad, _| {
        let zeros = Tensor::zeros_with(layout.shape(), grad.dtype(), Some(grad.device()))?;
        Ok(vec![Some(region_write(grad, &layout, &zeros)?), Some(region_read(grad, &layout)?)])
    });
    attach("copy_slices", &stand_in, &[base, source], &[], derivative);
    let node = stand_in.0.meta.borrow_mut().node.take();
    if node.is_some() {
        replace(base, node);
    }
}
