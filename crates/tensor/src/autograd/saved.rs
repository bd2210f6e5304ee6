//! Hooks that keep something else in place of a tensor that a derivative needs, as
//! `torch.autograd.graph.saved_tensors_hooks`.

use crate::{Result, Tensor};
use std::{any::Any, cell::RefCell, rc::Rc};

/// Hooks for the tensors that a graph keeps for its derivatives.
///
/// A leaf that requires gradients is kept as it is: the program keeps it too.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{DType, Result, Tensor, autograd::{SavedTensorHooks, saved_tensors_hooks}};
/// use std::{any::Any, rc::Rc};
///
/// /// Keeps bfloat16 numbers.
/// struct Rounded;
/// impl SavedTensorHooks for Rounded {
///     fn pack(&self, tensor: &Tensor) -> Result<Box<dyn Any>> {
///         Ok(Box::new(tensor.to(DType::BF16)?))
///     }
///     fn unpack(&self, packed: &dyn Any) -> Result<Tensor> {
///         packed.downcast_ref::<Tensor>().unwrap().to(DType::F32)
///     }
/// }
///
/// let x = Tensor::scalar(1.001f32, &device)?.requires_grad_(true)?;
/// let y = saved_tensors_hooks(Rc::new(Rounded), || x.mul(1.0)?.square())?;
/// y.backward()?;
/// assert_eq!(pollster::block_on(x.grad().unwrap().item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait SavedTensorHooks {
    /// Returns a value that the graph keeps for a tensor. The tensor is outside of the graph.
    ///
    /// # Errors
    ///
    /// Any error. The operation that saves the tensor returns it.
    fn pack(&self, tensor: &Tensor) -> Result<Box<dyn Any>>;

    /// The tensor, when a derivative needs it: of the same shape and type.
    ///
    /// # Errors
    ///
    /// Any error. The backward pass returns it.
    fn unpack(&self, packed: &dyn Any) -> Result<Tensor>;
}

thread_local! {
    static HOOKS: RefCell<Vec<Rc<dyn SavedTensorHooks>>> = const { RefCell::new(vec![]) };
}

/// The innermost hooks of this thread.
pub(super) fn current() -> Option<Rc<dyn SavedTensorHooks>> {
    HOOKS.with_borrow(|hooks| hooks.last().cloned())
}

/// Runs `f` with hooks for the tensors that its operations save. The hooks within other hooks
/// replace them.
pub fn saved_tensors_hooks<T>(hooks: Rc<dyn SavedTensorHooks>, f: impl FnOnce() -> T) -> T {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            HOOKS.with_borrow_mut(Vec::pop);
        }
    }
    HOOKS.with_borrow_mut(|all| all.push(hooks));
    let _restore = Restore;
    f()
}
