//! The backward pass of a compiled function whose results gradients can go through.
//!
//! It is recorded when the function is, ahead of time: from gradients of ones, over the graph that
//! the call made. Its kernels are planned and do not run. A result of a replay is then a result of
//! one node, whose derivative runs them on the values that the forward pass kept.

use super::{
    build::Call,
    capture,
    entry::{Entry, Known},
    repeat::{Calls, Given},
};
use crate::{
    DType, Device, Error, GradOptions, Result, Tensor,
    autograd::{self, JointDerivative, grad_since, is_grad_enabled},
    batch, default_dtype,
    ops::{Arg, leaf::cast::covering},
    set_autocast,
};
use lanthorn_ir::Shape;
use lanthorn_runtime::{Recorded, Value};
use std::rc::Rc;

/// The name of the node.
const OP: &str = "compiled";

/// A backward pass that was traced, before it has an entry.
pub(super) struct Traced {
    capture: capture::Capture,
    recorded: Recorded,
    arguments: Vec<Tensor>,
    /// The leaves that gradients arrive at, with those.
    leaves: Vec<Tensor>,
    gradients: Vec<Tensor>,
    /// Whether gradients of each result arrive at each of the leaves.
    arrives: Vec<Vec<bool>>,
}

impl Traced {
    /// Traces the backward pass from `results`, which have a graph, to the leaves that the call
    /// took.
    pub fn new(device: &Device, call: &capture::Capture, results: &[Tensor]) -> std::result::Result<Traced, String> {
        let mut leaves: Vec<Tensor> =
            call.flags.values().filter(|(_, flag)| *flag).filter_map(|(leaf, _)| leaf.upgrade().map(Tensor)).collect();
        leaves.sort_unstable_by_key(Tensor::id);
        let ones = |x: &Tensor| Tensor::full_with(x.shape(), 1.0, x.dtype(), Some(device));
        let arguments = results.iter().map(ones).collect::<Result<Vec<_>>>().map_err(|error| error.to_string())?;
        if !capture::start_backward(device) {
            return Err("its backward pass cannot be recorded now".into());
        }
        let before = set_autocast(None);
        let options = GradOptions { retain_graph: true, ..Default::default() };
        let found = grad_since(results, &leaves, &arguments, options, call.first_node);
        if let Ok(before) = before {
            let _ = set_autocast(before);
        }
        let captured = capture::stop();
        let recorded = device.plan_recording();
        let found = found.map_err(|error| error.to_string())?;
        let (leaves, gradients): (Vec<Tensor>, Vec<Tensor>) =
            leaves.into_iter().zip(found).filter_map(|(leaf, gradient)| Some((leaf, gradient?))).unzip();
        let arrives = results.iter().map(|result| {
            let below = autograd::edges_below(result, call.first_node);
            leaves.iter().map(|leaf| leaf.grad_edge().is_some_and(|edge| below.contains(&edge.key()))).collect()
        });
        let arrives = arrives.collect();
        let capture = captured.ok_or("its backward pass was not recorded")?;
        Ok(Traced { capture, recorded: recorded?, arguments, leaves, gradients, arrives })
    }

    /// The values that the pass reads and does not get as gradients.
    pub fn reads(&self) -> Vec<Value> {
        let is_argument = |value: &Value| self.arguments.iter().any(|x| x.0.storage.value().key() == value.key());
        self.recorded.inputs.iter().filter(|value| !is_argument(value)).cloned().collect()
    }

    /// The pass, which receives the values `saved`. `arguments` are the arguments of the forward
    /// pass.
    pub fn finish(
        self,
        device: &Device,
        arguments: &[Tensor],
        saved: &[Value],
    ) -> std::result::Result<Backward, String> {
        let Traced { capture, recorded, arguments: gradients_of, leaves, gradients, arrives } = self;
        let results = gradients_of.iter().map(|x| (x.shape().clone(), x.dtype())).collect();
        let call = Call {
            capture,
            recorded,
            guards: gradients_of.iter().map(|x| (x.dtype(), x.layout().clone(), false)).collect(),
            arguments: &gradients_of,
            modes: (false, None, default_dtype()),
            results: &gradients,
            needed: &[],
            saved,
            kept: None,
        };
        let leaves = leaves.iter().map(|leaf| Known::of(leaf, arguments)).collect();
        Ok(Backward {
            device: device.clone(),
            entry: Rc::new(call.entry()?.0),
            leaves,
            results,
            arrives: Rc::new(arrives),
            calls: None,
        })
    }
}

/// A recorded backward pass.
pub(super) struct Backward {
    device: Device,
    entry: Rc<Entry>,
    /// The leaves, in the order of the entry's results.
    leaves: Vec<Known>,
    /// The shapes and types of the results that gradients arrive at.
    results: Vec<(Shape, DType)>,
    /// Whether gradients of each result arrive at each of the leaves.
    arrives: Rc<Vec<Vec<bool>>>,
    /// The operations that higher derivatives repeat.
    pub calls: Option<Rc<Calls>>,
}

impl Backward {
    /// Makes tensors the results of the compiled function, whose backward pass reads `saved`.
    /// Higher derivatives repeat the function on the arguments that were `given`.
    pub fn attach(&self, results: &[Tensor], arguments: &[Tensor], saved: Vec<Value>, given: Option<Given>) {
        let repeat = self.calls.clone().zip(given);
        let leaves: Vec<Option<usize>> = self.leaves.iter().map(Known::argument).collect();
        let edges = self.leaves.iter().map(|leaf| leaf.tensor(arguments).and_then(|leaf| leaf.grad_edge())).collect();
        let (device, entry, shapes) = (self.device.clone(), self.entry.clone(), self.results.clone());
        let arrives = self.arrives.clone();
        let derivative: JointDerivative = Rc::new(move |gradients, _| {
            if is_grad_enabled() {
                if let Some((calls, given)) = &repeat {
                    return calls.gradients(given, &leaves, gradients);
                }
                let message = "a compiled function has first derivatives only; call the function without compiling it";
                return Err(Error::autograd("backward", message));
            }
            let run = |gradients: &[Option<Tensor>]| {
                let given = gradients.iter().zip(&shapes).map(|(gradient, (shape, dtype))| match gradient {
                    Some(gradient) => covering(gradient),
                    None => Tensor::zeros_with(shape, *dtype, Some(&device)),
                });
                entry.run(&device, &given.collect::<Result<Vec<_>>>()?, &saved).ok_or_else(|| {
                    let failed = || Error::kernel("backward", "a value of the compiled function failed");
                    device.lost().unwrap_or_else(failed)
                })
            };
            // A recording has the sizes of one sample, so it runs for each sample of a batch.
            let found = batch::each(&[Arg::OptionalTensors(gradients.to_vec())], &|args| match args {
                [Arg::OptionalTensors(gradients)] => run(gradients),
                _ => run(gradients),
            })?;
            // Without a gradient of a result that depends on it, a leaf gets none, and not zeros.
            let is_given =
                |leaf: usize| gradients.iter().zip(&*arrives).any(|(gradient, of)| gradient.is_some() && of[leaf]);
            Ok(found.into_iter().enumerate().map(|(leaf, gradient)| is_given(leaf).then_some(gradient)).collect())
        });
        autograd::attach_joint(OP, results, &|_| false, edges, &[], derivative);
    }
}
