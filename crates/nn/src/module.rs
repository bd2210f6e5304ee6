//! What a module is: a function of tensors with named parameters.

use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::collections::BTreeMap;

/// A tensor that training changes: a leaf that requires gradients.
pub type Parameter = Tensor;

/// A tensor that a module keeps and training does not: the running mean of a batch norm.
pub type Buffer = Tensor;

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

    /// The module's own buffers by name, without its children's.
    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        vec![]
    }

    /// The modules that this one is made of, by name.
    fn children(&self) -> Vec<(String, &dyn Module)> {
        vec![]
    }

    /// Says that the module is being trained, as all are at first, or not; dropout and batch norms depend on it.
    ///
    /// A module that does keeps the mode in a cell; one with children passes it on, as this does.
    fn train(&self, mode: bool) {
        self.children().iter().for_each(|(_, child)| child.train(mode));
    }

    /// All buffers by full name, own ones first.
    fn named_buffers(&self) -> Vec<(String, Buffer)> {
        let mut named = self.own_buffers();
        for (prefix, child) in self.children() {
            named.extend(within(&prefix, child.named_buffers()));
        }
        named
    }

    /// All parameters by full name, own ones first: `0.weight`.
    fn named_parameters(&self) -> Vec<(String, Parameter)> {
        let mut named = self.own_parameters();
        for (prefix, child) in self.children() {
            named.extend(within(&prefix, child.named_parameters()));
        }
        named
    }

    /// All parameters.
    fn parameters(&self) -> Vec<Parameter> {
        self.named_parameters().into_iter().map(|(_, parameter)| parameter).collect()
    }
}

/// Tensors of a child by their names in its parent.
fn within(prefix: &str, tensors: Vec<(String, Tensor)>) -> impl Iterator<Item = (String, Tensor)> {
    tensors.into_iter().map(move |(name, tensor)| (format!("{prefix}.{name}"), tensor))
}

/// The tensors that are there, with their names.
pub(crate) fn named<const N: usize>(tensors: [(&str, Option<&Tensor>); N]) -> Vec<(String, Tensor)> {
    tensors.into_iter().filter_map(|(name, tensor)| Some((name.to_string(), tensor?.clone()))).collect()
}

/// A function of a prediction and a target.
pub trait Loss {
    /// The loss.
    fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor>;
}

/// What a state dict holds of a module.
fn state(module: &dyn Module) -> impl Iterator<Item = (String, Tensor)> {
    module.named_parameters().into_iter().chain(module.named_buffers())
}

/// The parameters and buffers by name, sharing their storage with the module.
pub fn state_dict(module: &dyn Module) -> StateDict {
    state(module).map(|(name, tensor)| (name, tensor.detach())).collect()
}

/// Copies `state` into the module's parameters and buffers; names, shapes and device must be the same.
///
/// The error lists every name that is missing or unexpected and every tensor that does not fit; then nothing was changed.
pub fn load_state_dict(module: &dyn Module, given: &StateDict) -> Result<()> {
    let named: StateDict = state(module).collect();
    let missing: Vec<&String> = named.keys().filter(|name| !given.contains_key(*name)).collect();
    let unexpected: Vec<&String> = given.keys().filter(|name| !named.contains_key(*name)).collect();
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("missing: {missing:?}"));
    }
    if !unexpected.is_empty() {
        problems.push(format!("unexpected: {unexpected:?}"));
    }
    for (name, own) in &named {
        let Some(tensor) = given.get(name) else { continue };
        if tensor.shape() != own.shape() {
            problems.push(format!("{name} has shape {}, the module's has {}", tensor.shape(), own.shape()));
        }
        if tensor.device() != own.device() {
            problems.push(format!("{name} is on another device than the module's"));
        }
    }
    if !problems.is_empty() {
        return Err(Error::argument("load_state_dict", problems.join("; ")));
    }
    no_grad(|| named.iter().try_for_each(|(name, own)| own.copy_(&given[name])))
}
