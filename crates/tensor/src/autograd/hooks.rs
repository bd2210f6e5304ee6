//! Functions that see, and may replace, the gradient of a tensor.

use crate::{Error, Result, Tensor, compile::capture, tensor::Inner};
use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

/// A hook: a gradient that it returns replaces the one it is given.
pub(crate) type Hook = Rc<dyn Fn(&Tensor) -> Result<Option<Tensor>>>;

/// A hook that is called with a leaf once its gradient is accumulated.
type AccumulatedHook = Rc<dyn Fn(&Tensor) -> Result<()>>;

/// The hooks of one tensor. Shared between the tensor and the node that computed it.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Rc<RefCell<List>>);

#[derive(Default)]
struct List {
    hooks: Vec<(u64, Hook)>,
    accumulated: Vec<(u64, AccumulatedHook, Live)>,
    /// The tensor whose `grad` accumulates the gradient after the hooks: [`Tensor::retain_grad`].
    retain_grad_target: Option<Weak<Inner>>,
}

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

/// Counts a hook of accumulated gradients while it is registered.
struct Live;

impl Live {
    fn new() -> Live {
        LIVE.set(LIVE.get() + 1);
        Live
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // A tensor in another thread local may be dropped after the counter.
        let _ = LIVE.try_with(|live| live.set(live.get() - 1));
    }
}

/// Whether some leaf of this thread has a hook of its accumulated gradient. Only then a backward
/// pass counts in advance how many gradients each leaf receives.
pub(crate) fn any_accumulated() -> bool {
    LIVE.get() > 0
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

    /// Whether there are hooks of the accumulated gradient.
    pub fn has_accumulated(&self) -> bool {
        !self.0.borrow().accumulated.is_empty()
    }

    /// Calls the hooks of the accumulated gradient, in order of registration.
    pub fn call_accumulated(&self, leaf: &Tensor) -> Result<()> {
        let hooks: Vec<AccumulatedHook> = self.0.borrow().accumulated.iter().map(|(_, hook, _)| hook.clone()).collect();
        for hook in hooks {
            capture::break_graph(|| "a hook of an accumulated gradient runs".into());
            hook(leaf)?;
        }
        Ok(())
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

    /// A handle of a new hook, which `register` adds to the list under its number.
    fn add(&self, register: impl FnOnce(&mut List, u64)) -> HookHandle {
        let id = NEXT.replace(NEXT.get() + 1);
        register(&mut self.0.borrow_mut(), id);
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
        let mut list = self.hooks.0.borrow_mut();
        list.hooks.retain(|(id, _)| *id != self.id);
        list.accumulated.retain(|(id, _, _)| *id != self.id);
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
        Ok(self.hooks().add(|list, id| list.hooks.push((id, Rc::new(hook)))))
    }

    /// Calls `hook` with this leaf as soon as a backward pass has accumulated its gradient, as
    /// `torch.Tensor.register_post_accumulate_grad_hook`. The other leaves may not have theirs yet:
    /// the gradients of the last layers of a network come first.
    ///
    /// An error of the hook ends the backward pass. Gradients that were accumulated before it stay.
    ///
    /// # Errors
    ///
    /// `autograd` if the tensor does not require gradients, or an op computed it.
    ///
    /// ```
    /// # use lanthorn_tensor as lanthorn;
    /// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn::Tensor;
    /// let w = Tensor::scalar(3.0f32, &device)?.requires_grad_(true)?;
    /// // Stochastic gradient descent within the backward pass, which keeps no gradient.
    /// let handle = w.register_post_accumulate_grad_hook(|w| {
    ///     if let Some(grad) = w.grad() {
    ///         lanthorn::no_grad(|| w.copy_(&w.sub_with(&grad, 0.5)?))?;
    ///     }
    ///     w.set_grad(None)
    /// })?;
    /// w.square()?.backward()?;
    /// assert_eq!((pollster::block_on(w.item())?, w.grad().is_none()), (0.0, true));
    /// handle.remove();
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn register_post_accumulate_grad_hook(
        &self,
        hook: impl Fn(&Tensor) -> Result<()> + 'static,
    ) -> Result<HookHandle> {
        const OP: &str = "register_post_accumulate_grad_hook";
        if !self.requires_grad() || !self.is_leaf() {
            return Err(Error::autograd(OP, "only a leaf that requires gradients accumulates one"));
        }
        Ok(self.hooks().add(|list, id| list.accumulated.push((id, Rc::new(hook), Live::new()))))
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
