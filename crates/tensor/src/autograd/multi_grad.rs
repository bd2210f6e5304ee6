//! Functions that see the gradients of several tensors, as
//! `torch.autograd.graph.register_multi_grad_hook`.
//!
//! Each tensor has a hook that reports its gradient, with the number of the backward pass. The
//! pass knows which tensors it can reach, so that a hook of all gradients is called as soon as the
//! last of them is there. A hook that still waits for one, because a derivative gave none, is
//! called at the end of the pass.

use super::{Edge, EdgeKey, hooks::HookHandle, node::edges_from};
use crate::{Error, Result, Tensor};
use rustc_hash::FxHashSet;
use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};

/// A hook for the gradients of all tensors of its list.
type AllHook = dyn Fn(&[Option<Tensor>]) -> Result<()>;

/// A backward pass that runs.
struct Pass {
    number: u64,
    roots: Vec<Edge>,
    /// The nodes and leaves that gradients can arrive at.
    reachable: OnceCell<FxHashSet<EdgeKey>>,
    /// The hooks that got a gradient and were not called.
    waiting: RefCell<Vec<Rc<AllGrads>>>,
}

thread_local! {
    static NUMBER: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PASSES: RefCell<Vec<Rc<Pass>>> = const { RefCell::new(vec![]) };
}

/// Counts a hook while it is registered, because only then a pass keeps its roots.
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

/// A backward pass for hooks of several tensors, until it is dropped.
pub(super) struct Running(Option<Rc<Pass>>);

impl Running {
    /// Begins a pass from these edges; nothing is noted where there are no such hooks.
    pub fn begin(roots: impl Iterator<Item = Edge>) -> Running {
        if LIVE.get() == 0 {
            return Running(None);
        }
        let number = NUMBER.get() + 1;
        NUMBER.set(number);
        let pass = Pass { number, roots: roots.collect(), reachable: OnceCell::new(), waiting: RefCell::default() };
        let pass = Rc::new(pass);
        PASSES.with_borrow_mut(|passes| passes.push(pass.clone()));
        Running(Some(pass))
    }

    /// Calls the hooks that wait for gradients that did not come.
    pub fn finish(&self) -> Result<()> {
        let Some(pass) = &self.0 else { return Ok(()) };
        // A hook may run another pass, which notes its own.
        let waiting = pass.waiting.take();
        waiting.iter().try_for_each(|hook| hook.finish(pass.number))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.is_some() {
            PASSES.with_borrow_mut(Vec::pop);
        }
    }
}

/// The innermost pass.
fn current() -> Option<Rc<Pass>> {
    PASSES.with_borrow(|passes| passes.last().cloned())
}

/// The gradients of one pass, until all are there.
struct Arrived {
    pass: u64,
    grads: Vec<Option<Tensor>>,
    /// How many are still to come.
    missing: usize,
}

/// A hook for all gradients of a list of tensors.
struct AllGrads {
    keys: Vec<EdgeKey>,
    hook: Box<AllHook>,
    arrived: RefCell<Option<Arrived>>,
}

impl AllGrads {
    /// Notes the gradient of tensor `index`, and calls the hook with the last one.
    fn note(self: &Rc<AllGrads>, index: usize, grad: &Tensor) -> Result<()> {
        let Some(pass) = current() else { return Ok(()) };
        let complete = {
            let mut arrived = self.arrived.borrow_mut();
            if arrived.as_ref().is_none_or(|arrived| arrived.pass != pass.number) {
                let reachable = pass.reachable.get_or_init(|| edges_from(pass.roots.clone(), 0));
                let missing = self.keys.iter().filter(|key| reachable.contains(key)).count();
                *arrived = Some(Arrived { pass: pass.number, grads: vec![None; self.keys.len()], missing });
                pass.waiting.borrow_mut().push(self.clone());
            }
            let arrived = arrived.as_mut().expect("it was set above");
            arrived.grads[index] = Some(grad.clone());
            arrived.missing = arrived.missing.saturating_sub(1);
            arrived.missing == 0
        };
        if complete { self.finish(pass.number) } else { Ok(()) }
    }

    /// Calls the hook with the gradients of a pass, once.
    fn finish(&self, pass: u64) -> Result<()> {
        let arrived = self.arrived.borrow_mut().take_if(|arrived| arrived.pass == pass);
        arrived.map_or(Ok(()), |arrived| (self.hook)(&arrived.grads))
    }
}

/// Removes a hook of several tensors.
#[must_use = "the hook stays until `remove` is called"]
pub struct MultiGradHandle(Vec<HookHandle>);

impl MultiGradHandle {
    /// Removes the hook.
    pub fn remove(self) {
        self.0.into_iter().for_each(HookHandle::remove);
    }
}

fn check(tensors: &[Tensor]) -> Result<()> {
    match tensors.iter().position(|tensor| !tensor.requires_grad()) {
        _ if tensors.is_empty() => Err(Error::argument("register_multi_grad_hook", "takes at least one tensor")),
        Some(index) => {
            let message = format!("tensor {index} does not require gradients");
            Err(Error::autograd("register_multi_grad_hook", message))
        }
        None => Ok(()),
    }
}

/// Calls `hook` once in every backward pass that reaches one of `tensors`, with the gradients of
/// all of them: as `torch.autograd.graph.register_multi_grad_hook` with `mode="all"`.
///
/// The hook runs as soon as the last gradient that the pass computes is there. A tensor without a
/// gradient in this pass has `None`. An error of the hook ends the backward pass.
///
/// # Errors
///
/// `argument` if there are no tensors; `autograd` if one does not require gradients.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, autograd::register_multi_grad_hook};
/// use std::{cell::RefCell, rc::Rc};
/// let [a, b] = [2.0f32, 3.0].map(|value| Tensor::scalar(value, &device)?.requires_grad_(true));
/// let (a, b) = (a?, b?);
/// let seen = Rc::new(RefCell::new(vec![]));
/// let kept = seen.clone();
/// let handle = register_multi_grad_hook(&[a.clone(), b.clone()], move |grads| {
///     kept.borrow_mut().push(grads.iter().map(Option::is_some).collect::<Vec<_>>());
///     Ok(())
/// })?;
/// a.mul(&b)?.backward()?;
/// a.square()?.backward()?;
/// handle.remove();
/// b.square()?.backward()?;
/// assert_eq!(*seen.borrow(), [[true, true], [true, false]]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn register_multi_grad_hook(
    tensors: &[Tensor],
    hook: impl Fn(&[Option<Tensor>]) -> Result<()> + 'static,
) -> Result<MultiGradHandle> {
    check(tensors)?;
    let keys = tensors.iter().filter_map(|tensor| Some(tensor.grad_edge()?.key())).collect();
    let all = Rc::new(AllGrads { keys, hook: Box::new(hook), arrived: RefCell::default() });
    let live = Rc::new(Live::new());
    let register = |(index, tensor): (usize, &Tensor)| {
        let (all, live) = (all.clone(), live.clone());
        tensor.register_hook(move |grad| {
            let _registered = &live;
            all.note(index, grad).map(|()| None)
        })
    };
    Ok(MultiGradHandle(tensors.iter().enumerate().map(register).collect::<Result<_>>()?))
}

/// Calls `hook` with the first gradient of one of `tensors` that a backward pass computes, once in
/// every pass: as `torch.autograd.graph.register_multi_grad_hook` with `mode="any"`.
///
/// # Errors
///
/// As of [`register_multi_grad_hook`].
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, autograd::register_any_grad_hook};
/// use std::{cell::Cell, rc::Rc};
/// let [a, b] = [2.0f32, 3.0].map(|value| Tensor::scalar(value, &device)?.requires_grad_(true));
/// let (a, b) = (a?, b?);
/// let calls = Rc::new(Cell::new(0));
/// let counted = calls.clone();
/// let handle = register_any_grad_hook(&[a.clone(), b.clone()], move |_| {
///     counted.set(counted.get() + 1);
///     Ok(())
/// })?;
/// a.mul(&b)?.backward()?;
/// assert_eq!(calls.get(), 1);
/// handle.remove();
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn register_any_grad_hook(
    tensors: &[Tensor],
    hook: impl Fn(&Tensor) -> Result<()> + 'static,
) -> Result<MultiGradHandle> {
    check(tensors)?;
    let (hook, called, live) = (Rc::new(hook), Rc::new(Cell::new(0)), Rc::new(Live::new()));
    let register = |tensor: &Tensor| {
        let (hook, called, live) = (hook.clone(), called.clone(), live.clone());
        tensor.register_hook(move |grad| {
            let _registered = &live;
            let number = current().map_or(0, |pass| pass.number);
            if called.replace(number) != number {
                hook(grad)?;
            }
            Ok(None)
        })
    };
    Ok(MultiGradHandle(tensors.iter().map(register).collect::<Result<_>>()?))
}
