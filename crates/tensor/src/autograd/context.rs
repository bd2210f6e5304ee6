//! The context of a function or custom op: the facts that forward leaves for backward.
//!
//! Saved tensors are stored in the node of the graph and not in the context, so that their versions
//! are checked, and they are freed, as a built-in op's saved tensors.

use crate::{Error, Result, Tensor};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    ops::Deref,
    rc::Rc,
};

/// The data that forward passes to backward, as `ctx` of `torch.autograd.Function`.
///
/// Forward saves tensors ([`Context::save_for_backward`]) and other data ([`Context::set`]), and
/// marks inputs and outputs; backward reads them. See [`Function`](super::Function) for an example.
pub struct Context {
    pub(super) name: &'static str,
    pub(super) needs: Rc<[bool]>,
    pub(super) saved: RefCell<Vec<Tensor>>,
    pub(super) data: RefCell<Option<Rc<dyn Any>>>,
    pub(super) non_differentiable: RefCell<Vec<Tensor>>,
    pub(super) dirty: RefCell<Vec<Tensor>>,
    pub(super) materialize: Cell<bool>,
}

impl Context {
    pub(super) fn new(name: &'static str, needs: Rc<[bool]>, saved: Vec<Tensor>, data: Option<Rc<dyn Any>>) -> Context {
        Context {
            name,
            needs,
            saved: RefCell::new(saved),
            data: RefCell::new(data),
            non_differentiable: RefCell::default(),
            dirty: RefCell::default(),
            materialize: Cell::new(true),
        }
    }

    /// Keeps tensors for backward, in place of those kept before.
    ///
    /// Inputs and outputs of forward may be among them, and lead back into the graph when the
    /// gradient is differentiated. Backward is an error if one was changed in place in the
    /// meantime.
    pub fn save_for_backward(&self, tensors: &[&Tensor]) {
        self.saved.replace(tensors.iter().map(|&tensor| tensor.clone()).collect());
    }

    /// The tensors that forward saved, in order.
    pub fn saved_tensors(&self) -> Vec<Tensor> {
        self.saved.borrow().clone()
    }

    /// Saved tensor number `index`.
    ///
    /// # Errors
    ///
    /// `autograd` if fewer were saved.
    pub fn saved(&self, index: usize) -> Result<Tensor> {
        let saved = self.saved.borrow();
        let count = saved.len();
        saved.get(index).cloned().ok_or_else(|| {
            Error::autograd(
                self.name,
                format!("saved tensor {index} is asked for, save_for_backward was given {count}"),
            )
        })
    }

    /// Keeps one value of any type for backward, in place of the one before: a shape, an option.
    pub fn set<T: Any>(&self, value: T) {
        self.data.replace(Some(Rc::new(value)));
    }

    /// The value that [`Context::set`] kept.
    ///
    /// # Errors
    ///
    /// `autograd` if there is none, or it is of another type.
    pub fn get<T: Any>(&self) -> Result<Rc<T>> {
        let data = self.data.borrow().clone();
        data.and_then(|data| data.downcast().ok())
            .ok_or_else(|| Error::autograd(self.name, "the context holds no value of the type asked for"))
    }

    /// Whether the gradient of input `index` is wanted. Backward may leave out those that are not.
    pub fn needs_input_grad(&self, index: usize) -> bool {
        self.needs.get(index).copied().unwrap_or(false)
    }

    /// Says that outputs have no gradient, as of indices. Backward is still given one for them, of
    /// zeros.
    pub fn mark_non_differentiable(&self, outputs: &[&Tensor]) {
        self.non_differentiable.borrow_mut().extend(outputs.iter().map(|&tensor| tensor.clone()));
    }

    /// Says that forward changed inputs in place. Those that require gradients must be among its
    /// outputs.
    pub fn mark_dirty(&self, inputs: &[&Tensor]) {
        self.dirty.borrow_mut().extend(inputs.iter().map(|&tensor| tensor.clone()));
    }

    /// Whether backward gets zeros for an output that no gradient arrived at. It does unless this
    /// says `false`: then it gets `None`.
    pub fn set_materialize_grads(&self, materialize: bool) {
        self.materialize.set(materialize);
    }
}

/// The gradients of the outputs, in order, as backward gets them: a slice of `Option<Tensor>`.
pub struct Gradients<'a> {
    pub(super) name: &'static str,
    pub(super) grads: &'a [Option<Tensor>],
}

impl Gradients<'_> {
    /// The gradient of output `index`. By default there is one for every output, of zeros if need
    /// be.
    ///
    /// # Errors
    ///
    /// `autograd` if there is none.
    pub fn at(&self, index: usize) -> Result<&Tensor> {
        let message = || format!("there is no gradient of output {index}");
        self.grads.get(index).and_then(Option::as_ref).ok_or_else(|| Error::autograd(self.name, message()))
    }
}

impl Deref for Gradients<'_> {
    type Target = [Option<Tensor>];
    fn deref(&self) -> &[Option<Tensor>] {
        self.grads
    }
}
