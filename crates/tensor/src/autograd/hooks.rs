//! Functions that see, and may replace, the gradient of a tensor.

use crate::{Error, Result, Tensor, compile::capture, tensor::Inner};
use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

/// A hook: a gradient that it returns replaces the one it is given.
pub(crate) type Hook = Rc<dyn Fn(&Tensor) -> Result<Option<Tensor>>>;

/// The hooks of one tensor. Shared between the tensor and the node that computed it.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Rc<RefCell<List>>);

#[derive(Default)]
struct List {
    hooks: Vec<(u64, Hook)>,
    /// The tensor whose `grad` accumulates the gradient after the hooks: [`Tensor::retain_grad`].
    retain_grad_target: Option<Weak<Inner>>,
}

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

impl Hooks {
    /// The gradient after all hooks, in order of registration.
    pub fn apply(&self, mut grad: Tensor) -> Result<Tensor> {
        // A hook may register or remove hooks: the list is not borrowed while it runs.
        let hooks: Vec<Hook> = self.0.borrow().hooks.iter().map(|(_, hook)| hook.clone()).collect();
        for hook in hooks {
            capture::break_graph(|| "a hook of a tensor runs".into());
            grad = hook(&grad)?.unwrap_or(grad);
        }
        Ok(grad)
    }

    /// Moves the target of `retain_grad` to the hooks of the node that replaces this one, as an
    /// in-place op makes one.
    pub fn move_retain_grad_to(&self, next: &Hooks) {
        let target = self.0.borrow_mut().retain_grad_target.take();
        if target.is_some() {
            next.0.borrow_mut().retain_grad_target = target;
        }
    }

    /// The tensor whose `grad` accumulates the gradient, if there is one.
    pub fn retain_grad_target(&self) -> Option<Tensor> {
        self.0.borrow().retain_grad_target.as_ref().and_then(Weak::upgrade).map(Tensor)
    }

    fn add(&self, hook: Hook) -> HookHandle {
        let id = NEXT.replace(NEXT.get() + 1);
        self.0.borrow_mut().hooks.push((id, hook));
        HookHandle { id, hooks: self.clone() }
    }
}

/// Removes a hook.
#[must_use = "the hook stays until `remove` is called"]
pub struct HookHandle {
    id: u64,
    hooks: Hooks,
}

impl HookHandle {
    /// Removes the hook.
    pub fn remove(self) {
        self.hooks.0.borrow_mut().hooks.retain(|(id, _)| *id != self.id);
    }
}

impl Tensor {
    /// Calls `hook` with the gradient of this tensor in every backward pass, as
    /// `torch.Tensor.register_hook`. A gradient that it returns replaces that gradient, and must
    /// have its shape and type.
    ///
    /// # Errors
    ///
    /// `autograd` if the tensor does not require gradients.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::Tensor;
    /// let x = Tensor::scalar(3.0f32, &device)?.requires_grad_(true)?;
    /// let handle = x.register_hook(|grad| grad.mul(10.0).map(Some))?;
    /// x.square()?.backward()?;
    /// assert_eq!(pollster::block_on(x.grad().unwrap().item())?, 60.0);
    /// handle.remove();
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn register_hook(&self, hook: impl Fn(&Tensor) -> Result<Option<Tensor>> + 'static) -> Result<HookHandle> {
        if !self.requires_grad() {
            return Err(Error::autograd("register_hook", "the tensor does not require gradients"));
        }
        Ok(self.hooks().add(Rc::new(hook)))
    }

    /// Accumulates `grad` for a tensor that an op computed, as for leaves, as
    /// `torch.Tensor.retain_grad`.
    ///
    /// # Errors
    ///
    /// `autograd` if the tensor does not require gradients.
    pub fn retain_grad(&self) -> Result<()> {
        if !self.requires_grad() {
            return Err(Error::autograd("retain_grad", "the tensor does not require gradients"));
        }
        if !self.is_leaf() {
            self.hooks().0.borrow_mut().retain_grad_target = Some(Rc::downgrade(&self.0));
        }
        Ok(())
    }

    fn hooks(&self) -> Hooks {
        match self.grad_edge() {
            Some(super::Edge::Node(from)) => from.hooks().clone(),
            _ => self.0.meta.borrow().hooks.clone(),
        }
    }
}
