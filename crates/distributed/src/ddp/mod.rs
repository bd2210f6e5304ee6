//! Data parallelism: every rank has the model and a part of the batch, and the ranks average
//! gradients.

mod buckets;
mod join;
mod reducer;

use crate::{
    ProcessGroup,
    sync::{broadcast_tensors, check_same},
};
use join::Joining;
use lanthorn_ir::{Error, Result};
use lanthorn_nn::{Layer, Module};
use lanthorn_tensor::{
    HookHandle, Tensor, autograd, is_grad_enabled,
    ops::{Args, Output},
};
use reducer::Reducer;
use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::{Rc, Weak},
};

const OP: &str = "DistributedDataParallel";

/// The options of [`DistributedDataParallel`].
#[derive(Clone, Copy, Debug)]
pub struct DdpOptions {
    /// The largest bucket of gradients in bytes (default: 25 MiB, PyTorch's `bucket_cap_mb`).
    pub bucket_bytes: usize,
    /// The largest first bucket in bytes. It is small so that the exchange begins early (default: 1
    /// MiB).
    pub first_bucket_bytes: usize,
    /// Whether every forward first copies the buffers of rank 0, such as the running means of batch
    /// norms, to the other ranks (default: true).
    pub broadcast_buffers: bool,
    /// Whether every forward finds the parameters that the output does not depend on. Otherwise
    /// such a parameter is an error at the next forward (default: false).
    pub find_unused_parameters: bool,
}

impl Default for DdpOptions {
    fn default() -> DdpOptions {
        DdpOptions {
            bucket_bytes: 25 << 20,
            first_bucket_bytes: 1 << 20,
            broadcast_buffers: true,
            find_unused_parameters: false,
        }
    }
}

/// A module that all ranks train, like `torch.nn.parallel.DistributedDataParallel`.
///
/// The constructor copies parameters and buffers from rank 0. A backward pass averages the
/// gradients of all ranks in buckets, while it computes the gradients of earlier layers. Afterwards
/// all ranks have the same gradients, so their optimizers take the same steps. As in PyTorch, names
/// of parameters begin with `module.`.
///
/// If the loss is a mean, `n` ranks with batches of `b` take the step of one process with a batch
/// of `n * b`, up to the order of sums.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::distributed::{Backend, InitOptions, destroy_process_group};
/// use lanthorn::distributed::{DdpOptions, DistributedDataParallel, init_process_group};
/// use lanthorn::nn::{Layer, Linear, Module};
/// use lanthorn::optim::{Sgd, SgdOptions};
/// use lanthorn::Tensor;
/// # let options = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
/// let group = init_process_group(Backend::Tcp, options)?;
/// let model = DistributedDataParallel::new(Linear::new(4, 1)?, &group, DdpOptions::default())?;
/// let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.1, ..Default::default() })?;
/// let loss = model.forward(&Tensor::ones([8, 4])?)?.square()?.mean((), false)?;
/// loss.backward()?; // The gradients are averages over all ranks now.
/// optimizer.step()?;
/// destroy_process_group()?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct DistributedDataParallel<M: Module> {
    module: M,
    reducer: Rc<Reducer>,
    joining: RefCell<Option<Joining>>,
    /// Whether a forward copies buffers first.
    broadcast_buffers: bool,
    hooks: Cell<Vec<HookHandle>>,
}

impl<M: Module> Drop for DistributedDataParallel<M> {
    fn drop(&mut self) {
        self.hooks.take().into_iter().for_each(HookHandle::remove);
    }
}

impl<M: Module> DistributedDataParallel<M> {
    /// Copies rank 0's parameters and buffers to all ranks, and observes the gradients.
    ///
    /// Parameters that do not require a gradient now are not averaged.
    ///
    /// # Errors
    ///
    /// `distributed`, on all ranks and with the names, if parameters or buffers of the ranks differ
    /// in name, shape or type; `argument` if no parameter requires a gradient.
    pub fn new(module: M, group: &ProcessGroup, options: DdpOptions) -> Result<DistributedDataParallel<M>> {
        let named: Vec<(String, Tensor)> =
            module.named_parameters().into_iter().filter(|(_, parameter)| parameter.requires_grad()).collect();
        if named.is_empty() {
            return Err(Error::argument(OP, "no parameter requires a gradient, so there is nothing to average"));
        }
        let mut all = module.named_parameters();
        all.extend(module.named_buffers());
        // A parameter that is frozen on one rank is a difference too.
        let described = all.iter().map(|(name, tensor)| match tensor.requires_grad() {
            true => (format!("{name} (trained)"), tensor.clone()),
            false => (name.clone(), tensor.clone()),
        });
        check_same(group, OP, &described.collect::<Vec<_>>())?;
        broadcast_tensors(group, all.into_iter().map(|(_, tensor)| tensor).collect(), 0)?.wait()?;
        let reducer = Rc::new(Reducer::new(group.clone(), named.clone(), &options));
        let ddp = DistributedDataParallel {
            module,
            reducer,
            joining: RefCell::default(),
            broadcast_buffers: options.broadcast_buffers,
            hooks: Cell::default(),
        };
        let hooks = named.iter().enumerate().map(|(index, (_, parameter))| {
            let reducer: Weak<Reducer> = Rc::downgrade(&ddp.reducer);
            parameter.register_post_accumulate_grad_hook(move |_| match reducer.upgrade() {
                Some(reducer) => reducer.record(index),
                None => Ok(()),
            })
        });
        ddp.hooks.set(hooks.collect::<Result<Vec<_>>>()?);
        Ok(ddp)
    }

    /// Returns the wrapped module, like PyTorch's attribute `module`.
    pub fn module(&self) -> &M {
        &self.module
    }

    /// Runs `body` without averaging the gradients of its backward passes, like PyTorch's context
    /// `no_sync`. Gradients accumulate, and the next backward pass outside averages their sum:
    /// gradient accumulation with one exchange. `body` must run both the forward and the backward.
    ///
    /// # Errors
    ///
    /// The errors of `body`.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// # use lanthorn::distributed::{Backend, InitOptions, destroy_process_group};
    /// # use lanthorn::distributed::{DdpOptions, DistributedDataParallel, init_process_group};
    /// # use lanthorn::nn::{Layer, Linear, Module};
    /// # use lanthorn::Tensor;
    /// # let options = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
    /// # let group = init_process_group(Backend::Tcp, options)?;
    /// # let model = DistributedDataParallel::new(Linear::new(4, 1)?, &group, DdpOptions::default())?;
    /// # let batches = [Tensor::ones([8, 4])?, Tensor::zeros([8, 4])?];
    /// let loss = |batch: &Tensor| model.forward(batch)?.square()?.mean((), false);
    /// model.no_sync(|| loss(&batches[0])?.backward())?;
    /// loss(&batches[1])?.backward()?;
    /// # destroy_process_group()?;
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn no_sync<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        struct Restore<'a>(&'a Cell<bool>, bool);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let _restore = Restore(&self.reducer.sync, self.reducer.sync.replace(false));
        body()
    }

    /// Prepares a forward: agrees with ranks without batches, and copies the buffers.
    fn before_forward(&self) -> Result<()> {
        if !is_grad_enabled() {
            return Ok(());
        }
        let sync = self.reducer.sync.get();
        let source = match &mut *self.joining.borrow_mut() {
            Some(joining) => joining.announce(&self.reducer.group, sync)?,
            None => 0,
        };
        if sync {
            self.broadcast_buffers(source)?;
            self.reducer.prepare(true)?;
        }
        Ok(())
    }

    /// Finds the parameters that the output does not depend on.
    fn after_forward(&self, output: &Output) -> Result<()> {
        if !is_grad_enabled() || !self.reducer.sync.get() || !self.reducer.finds_unused() {
            return Ok(());
        }
        let mut reached = HashSet::new();
        for tensor in output.tensors() {
            reached.extend(autograd::leaves_below(tensor));
        }
        self.reducer.mark_unused(&reached)
    }

    fn broadcast_buffers(&self, source: usize) -> Result<()> {
        let buffers = self.module.named_buffers();
        if !self.broadcast_buffers || buffers.is_empty() {
            return Ok(());
        }
        let buffers = buffers.into_iter().map(|(_, buffer)| buffer).collect();
        broadcast_tensors(&self.reducer.group, buffers, source)?.wait()
    }
}

impl<M: Module> Module for DistributedDataParallel<M> {
    fn children(&self) -> Vec<(String, &dyn Module)> {
        vec![("module".to_string(), &self.module)]
    }

    fn type_name(&self) -> String {
        OP.to_string()
    }

    fn signature(&self) -> &'static str {
        self.module.signature()
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        self.before_forward()?;
        let output = self.module.call(inputs)?;
        self.after_forward(&output)?;
        Ok(output)
    }
}

impl<M: Layer> Layer for DistributedDataParallel<M> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.before_forward()?;
        let output = self.module.forward(input)?;
        self.after_forward(&Output::from(output.clone()))?;
        Ok(output)
    }
}
