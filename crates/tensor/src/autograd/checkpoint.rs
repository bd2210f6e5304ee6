//! Activation checkpointing: a part of a computation keeps no intermediate tensor for its backward
//! pass, and is computed again when that pass needs one.

use super::{
    Edge, attach, enable_grad, is_grad_enabled,
    saved::{SavedTensorHooks, saved_tensors_hooks},
};
use crate::{DType, Device, Error, Result, Tensor, autocast_dtype, set_autocast};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    rc::Rc,
};

type Function = Box<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>>;

/// One checkpointed call.
struct Checkpoint {
    function: Function,
    inputs: Vec<Tensor>,
    device: Device,
    /// The random numbers and the type of autocast that the call began with.
    random: (u64, u32),
    autocast: Option<DType>,
    /// How many tensors the call saved.
    saved: Cell<usize>,
    /// The tensors of the second computation that are not yet taken.
    again: RefCell<Vec<Option<Tensor>>>,
}

/// Collects the tensors that the second computation saves.
struct Collector(RefCell<Vec<Option<Tensor>>>);

impl SavedTensorHooks for Collector {
    fn pack(&self, tensor: &Tensor) -> Result<Box<dyn Any>> {
        self.0.borrow_mut().push(Some(tensor.clone()));
        Ok(Box::new(()))
    }

    fn unpack(&self, _: &dyn Any) -> Result<Tensor> {
        Err(Error::autograd("checkpoint", "the graph of the second computation has no backward pass"))
    }
}

/// Restores the modes of a device and of this thread.
struct Modes<'a>(&'a Device, (u64, u32), Option<DType>);

impl Drop for Modes<'_> {
    fn drop(&mut self) {
        self.0.generator().set_state(self.1);
        let _ = set_autocast(self.2);
    }
}

/// An input of the second computation: outside of the graph, and a leaf, computed, or neither as
/// the input of the first one, because these are saved differently.
fn own(input: &Tensor) -> Result<Tensor> {
    let tensor = input.detach();
    match input.grad_edge() {
        None => Ok(tensor),
        Some(Edge::Leaf(_)) => tensor.requires_grad_(true),
        Some(Edge::Node(_)) => {
            let leaf = input.detach().requires_grad_(true)?;
            enable_grad(|| {
                attach("checkpoint", &tensor, &[&leaf], &[], Rc::new(|grad, _| Ok(vec![Some(grad.clone())])))
            });
            Ok(tensor)
        }
    }
}

impl Checkpoint {
    /// Computes the call again, with its random numbers.
    fn run_again(&self) -> Result<Vec<Option<Tensor>>> {
        // Otherwise a plan may compute all parts again at once.
        self.device.flush();
        let generator = self.device.generator();
        let _modes = Modes(&self.device, generator.state(), set_autocast(self.autocast)?);
        generator.set_state(self.random);
        let inputs = self.inputs.iter().map(own).collect::<Result<Vec<_>>>()?;
        let collector = Rc::new(Collector(RefCell::default()));
        saved_tensors_hooks(collector.clone(), || enable_grad(|| (self.function)(&inputs)))?;
        let found = collector.0.take();
        if found.len() != self.saved.get() {
            let message = format!(
                "the function saved {} tensors when it was computed again, and {} at first: it must do the same each time",
                found.len(),
                self.saved.get()
            );
            return Err(Error::autograd("checkpoint", message));
        }
        Ok(found)
    }
}

impl SavedTensorHooks for Checkpoint {
    fn pack(&self, _: &Tensor) -> Result<Box<dyn Any>> {
        Ok(Box::new(self.saved.replace(self.saved.get() + 1)))
    }

    fn unpack(&self, packed: &dyn Any) -> Result<Tensor> {
        let number = packed.downcast_ref::<usize>().copied().unwrap_or(usize::MAX);
        let taken = || self.again.borrow_mut().get_mut(number).and_then(Option::take);
        if let Some(tensor) = taken() {
            return Ok(tensor);
        }
        // The first tensor of a pass, or a second pass.
        let all = self.run_again()?;
        self.again.replace(all);
        taken().ok_or_else(|| Error::autograd("checkpoint", "a tensor was not saved again"))
    }
}

/// The outputs of a function of `inputs`, without the intermediate tensors that its backward pass
/// needs: the pass computes the function again, as `torch.utils.checkpoint.checkpoint` (with
/// `use_reentrant=False`). Random numbers and autocast are the same in both computations.
///
/// The work before each computation of the function, and the first one, is submitted on its own, so
/// that its memory is free before the next.
///
/// # Errors
///
/// The errors of the function; in the backward pass `autograd` if the function does not save the
/// same tensors again.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, autograd::checkpoint};
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?.requires_grad_(true)?;
/// let y = checkpoint(|x| Ok(vec![x[0].exp()?.sin()?]), &[x.clone()])?;
/// y[0].sum((), false)?.backward()?;
/// let expected = x.exp()?.mul(x.exp()?.cos()?)?;
/// let read = |x: &Tensor| pollster::block_on(x.to_vec::<f32>());
/// assert_eq!(read(&x.grad().unwrap())?, read(&expected)?);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn checkpoint(
    function: impl Fn(&[Tensor]) -> Result<Vec<Tensor>> + 'static,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>> {
    if !is_grad_enabled() {
        return function(inputs);
    }
    let device = inputs.first().map_or_else(Device::default_device, |input| Ok(input.device().clone()))?;
    let call = Rc::new(Checkpoint {
        function: Box::new(function),
        inputs: inputs.to_vec(),
        random: device.generator().state(),
        autocast: autocast_dtype(),
        saved: Cell::new(0),
        again: RefCell::default(),
        device,
    });
    let outputs = saved_tensors_hooks(call.clone(), || (call.function)(inputs))?;
    call.device.flush();
    Ok(outputs)
}

/// A function of one tensor as part of a sequence.
pub type Segment = Box<dyn Fn(&Tensor) -> Result<Tensor>>;

/// The result of functions one after another, in `segments` checkpointed parts, as
/// `torch.utils.checkpoint.checkpoint_sequential`: the last part is not checkpointed.
///
/// # Errors
///
/// `argument` if `segments` is 0 or greater than the number of functions; as of [`checkpoint`].
pub fn checkpoint_sequential(functions: Vec<Segment>, segments: usize, input: &Tensor) -> Result<Tensor> {
    if segments == 0 || segments > functions.len() {
        let message = format!("{segments} segments of {} functions", functions.len());
        return Err(Error::argument("checkpoint_sequential", message));
    }
    let size = functions.len() / segments;
    let mut functions = functions.into_iter();
    let mut x = input.clone();
    for _ in 1..segments {
        let part: Vec<Segment> = functions.by_ref().take(size).collect();
        let run = move |inputs: &[Tensor]| {
            let result = part.iter().try_fold(inputs[0].clone(), |x, function| function(&x))?;
            Ok(vec![result])
        };
        x = checkpoint(run, &[x])?.remove(0);
    }
    functions.try_fold(x, |x, function| function(&x))
}
