//! State dicts: the parameters and buffers of a module by name.

use crate::{
    Module,
    module::{all_buffers, all_parameters},
};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::collections::BTreeMap;

/// Tensors by their full names, as `torch.nn.Module.state_dict`.
pub type StateDict = BTreeMap<String, Tensor>;

/// The most names, and characters of a name, in a message: a file may hold millions.
const SHOWN: usize = 40;
const NAME: usize = 200;

/// A name as it is quoted in a message.
fn quoted(name: &str) -> String {
    // A precision shortens text, and `{:?}` ignores it.
    format!("{:?}", format!("{name:.NAME$}"))
}

/// The first of these texts, and the number of the others.
fn first_of(mut texts: Vec<String>, separator: &str) -> String {
    let others = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    if others > 0 {
        texts.push(format!("and {others} more"));
    }
    texts.join(separator)
}

/// The parameters and buffers of a module, in its order, under every name that they have.
fn state(module: &dyn Module) -> impl Iterator<Item = (String, Tensor)> {
    all_parameters(module).into_iter().chain(all_buffers(module))
}

/// The parameters and buffers by full name, as `torch.nn.Module.state_dict`. The tensors share
/// their storage with the module and are outside of the autograd graph. A tensor with several names
/// (tied weights) has an entry under each.
pub fn state_dict(module: &dyn Module) -> StateDict {
    state(module).map(|(name, tensor)| (name, tensor.detach())).collect()
}

/// The names that only a module or only a state dict has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// The names that the state dict lacks.
    pub missing: Vec<String>,
    /// The names that the module lacks.
    pub unexpected: Vec<String>,
}

/// Copies `given` into the module's parameters and buffers, as `torch.nn.Module.load_state_dict`.
/// Types are converted. Of a tensor with several names every name must be given; the last one in the
/// module's order counts.
///
/// # Errors
///
/// `argument` if a name is missing or unexpected, or a tensor has another shape or device. The
/// message lists them, up to 40 of a kind, and nothing is changed.
pub fn load_state_dict(module: &dyn Module, given: &StateDict) -> Result<()> {
    load(module, given, true).map(|_| ())
}

/// Copies the tensors of `given` whose names the module has, and returns the other names, as
/// `load_state_dict(strict=False)`.
///
/// # Errors
///
/// `argument` if a tensor has another shape or device than the module's; nothing is changed then.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, load_matching, state_dict};
/// let mut state = state_dict(&Linear::new(3, 2)?);
/// state.remove("bias");
/// let mismatch = load_matching(&Linear::new(3, 2)?, &state)?;
/// assert_eq!((mismatch.missing, mismatch.unexpected), (vec!["bias".to_string()], vec![]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn load_matching(module: &dyn Module, given: &StateDict) -> Result<Mismatch> {
    load(module, given, false)
}

fn load(module: &dyn Module, given: &StateDict, strict: bool) -> Result<Mismatch> {
    let ordered: Vec<(String, Tensor)> = state(module).collect();
    let named: StateDict = ordered.iter().cloned().collect();
    let missing: Vec<String> = named.keys().filter(|name| !given.contains_key(*name)).cloned().collect();
    let unexpected: Vec<String> = given.keys().filter(|name| !named.contains_key(*name)).cloned().collect();
    let mut problems = Vec::new();
    if strict && !missing.is_empty() {
        problems.push(format!("missing: [{}]", first_of(missing.iter().map(|name| quoted(name)).collect(), ", ")));
    }
    if strict && !unexpected.is_empty() {
        problems
            .push(format!("unexpected: [{}]", first_of(unexpected.iter().map(|name| quoted(name)).collect(), ", ")));
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
        return Err(Error::argument("load_state_dict", first_of(problems, "; ")));
    }
    let known = ordered.iter().filter_map(|(name, own)| Some((own, given.get(name)?)));
    no_grad(|| known.into_iter().try_for_each(|(own, tensor)| own.copy_(tensor)))?;
    Ok(Mismatch { missing, unexpected })
}
