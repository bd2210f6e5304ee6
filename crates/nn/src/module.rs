//! What a module is: a function of tensors with named parameters.

use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::collections::BTreeMap;

/// A tensor that training changes: a leaf that requires gradients.
pub type Parameter = Tensor;

/// Tensors by their full names, as `state_dict()` gives them.
pub type StateDict = BTreeMap<String, Tensor>;

/// A function of a tensor with parameters, as `torch.nn.Module`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_nn::{Linear, Module, ReLU, Sequential};
/// use lanthorn_tensor::Tensor;
/// let net = Sequential::new(vec![Box::new(Linear::new(4, 8, true)?), Box::new(ReLU), Box::new(Linear::new(8, 2, true)?)]);
/// let names: Vec<String> = net.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["0.weight", "0.bias", "2.weight", "2.bias"]);
/// assert_eq!(net.forward(&Tensor::zeros([3, 4])?)?.shape().to_vec(), [3, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub trait Module {
    /// The module's result for an input.
    fn forward(&self, input: &Tensor) -> Result<Tensor>;

    /// The module's own parameters by name, without its children's.
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        vec![]
    }

    /// The modules that this one is made of, by name.
    fn children(&self) -> Vec<(String, &dyn Module)> {
        vec![]
    }

    /// All parameters by full name, own ones first: `0.weight`.
    fn named_parameters(&self) -> Vec<(String, Parameter)> {
        let mut named = self.own_parameters();
        for (prefix, child) in self.children() {
            let below = child.named_parameters().into_iter();
            named.extend(below.map(|(name, parameter)| (format!("{prefix}.{name}"), parameter)));
        }
        named
    }

    /// All parameters.
    fn parameters(&self) -> Vec<Parameter> {
        self.named_parameters().into_iter().map(|(_, parameter)| parameter).collect()
    }
}

/// A function of a prediction and a target.
pub trait Loss {
    /// The loss.
    fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor>;
}

/// The parameters by name, sharing their storage with the module.
pub fn state_dict(module: &dyn Module) -> StateDict {
    module.named_parameters().into_iter().map(|(name, parameter)| (name, parameter.detach())).collect()
}

/// Copies `state` into the module's parameters; names, shapes and device must be the same.
///
/// The error lists every name that is missing or unexpected and every tensor that does not fit; then nothing was changed.
pub fn load_state_dict(module: &dyn Module, state: &StateDict) -> Result<()> {
    let named: BTreeMap<String, Parameter> = module.named_parameters().into_iter().collect();
    let missing: Vec<&String> = named.keys().filter(|name| !state.contains_key(*name)).collect();
    let unexpected: Vec<&String> = state.keys().filter(|name| !named.contains_key(*name)).collect();
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("missing: {missing:?}"));
    }
    if !unexpected.is_empty() {
        problems.push(format!("unexpected: {unexpected:?}"));
    }
    for (name, parameter) in &named {
        let Some(tensor) = state.get(name) else { continue };
        if tensor.shape() != parameter.shape() {
            problems.push(format!("{name} has shape {}, the module's has {}", tensor.shape(), parameter.shape()));
        }
        if tensor.device() != parameter.device() {
            problems.push(format!("{name} is on another device than the module's"));
        }
    }
    if !problems.is_empty() {
        return Err(Error::argument("load_state_dict", problems.join("; ")));
    }
    no_grad(|| named.iter().try_for_each(|(name, parameter)| parameter.copy_(&state[name])))
}
