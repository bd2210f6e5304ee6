//! An optimizer's state in the form of `torch.optim.Optimizer.state_dict`.

use crate::{Optimizer, state::Entry};
use lanthorn_tensor::{DType, Error, HostNumber, Result, Tensor, ops::Arg};
use std::collections::BTreeMap;

/// A value of an optimizer's state of a parameter.
#[derive(Clone, Debug)]
pub enum StateValue {
    /// A number that PyTorch stores as a number too, such as `n_iter` of L-BFGS.
    Number(f64),
    /// A tensor; counters such as `step` are 0-d tensors of float32.
    Tensor(Tensor),
    /// A history of tensors.
    Tensors(Vec<Tensor>),
}

/// A group of parameters.
#[derive(Clone, Debug)]
pub struct GroupState {
    /// The options by PyTorch's names, with `initial_lr` and similar numbers of a schedule.
    pub options: Vec<(String, Arg)>,
    /// The positions of the parameters, counted through all groups.
    pub params: Vec<usize>,
}

/// The state of an optimizer, by the positions of the parameters and PyTorch's names.
#[derive(Clone, Debug)]
pub struct OptimizerState {
    /// The state of each parameter that has been updated.
    pub state: BTreeMap<usize, Vec<(String, StateValue)>>,
    /// The groups.
    pub param_groups: Vec<GroupState>,
}

impl Optimizer {
    /// The state, as `torch.optim.Optimizer.state_dict`. It shares its tensors with the optimizer
    /// until the next step.
    ///
    /// # Errors
    ///
    /// The error of a device that cannot copy a number of the state.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Adam, AdamOptions};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Adam::new(vec![w.clone()], AdamOptions::default())?;
    /// w.square()?.backward()?;
    /// optimizer.step()?;
    /// let state = optimizer.state_dict()?;
    /// let names: Vec<&str> = state.state[&0].iter().map(|(name, _)| name.as_str()).collect();
    /// assert_eq!(names, ["step", "exp_avg", "exp_avg_sq"]);
    /// pollster::block_on(optimizer.load_state_dict(&state))?;
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn state_dict(&self) -> Result<OptimizerState> {
        let (mut state, mut param_groups, mut number) = (BTreeMap::new(), Vec::new(), 0);
        for (position, group) in self.0.groups.borrow().iter().enumerate() {
            let first = number;
            for slot in &group.slots {
                let device = slot.parameter.device();
                let values = slot.state.entries.iter().map(|(name, entry)| {
                    let value = match entry {
                        Entry::Number(value) => {
                            StateValue::Tensor(Tensor::full_with([], value.value(), DType::F32, Some(device))?)
                        }
                        Entry::Plain(value) => StateValue::Number(*value),
                        Entry::Tensor(tensor) => StateValue::Tensor(tensor.clone()),
                        Entry::Tensors(tensors) => StateValue::Tensors(tensors.clone()),
                    };
                    Ok((name.clone(), value))
                });
                let values = values.collect::<Result<Vec<_>>>()?;
                if !values.is_empty() {
                    state.insert(number, values);
                }
                number += 1;
            }
            param_groups.push(GroupState { options: self.options(position)?, params: (first..number).collect() });
        }
        Ok(OptimizerState { state, param_groups })
    }

    /// Loads the state of an optimizer of the same kind, as
    /// `torch.optim.Optimizer.load_state_dict`. Tensors are copied and converted to the types of
    /// the parameters; counters that are 0-d tensors are read.
    ///
    /// # Errors
    ///
    /// `argument` if the groups have other numbers of parameters, a state belongs to no parameter,
    /// a tensor is on another device, or an option is out of range. Nothing is changed then.
    pub async fn load_state_dict(&self, given: &OptimizerState) -> Result<()> {
        let refused = |message: String| Error::argument("load_state_dict", message);
        let own: Vec<usize> = self.0.groups.borrow().iter().map(|group| group.slots.len()).collect();
        let theirs: Vec<usize> = given.param_groups.iter().map(|group| group.params.len()).collect();
        if own != theirs {
            return Err(refused(format!("the groups have {theirs:?} parameters, the optimizer's have {own:?}")));
        }
        let parameters = self.parameters();
        let numbers: Vec<usize> = given.param_groups.iter().flat_map(|group| group.params.iter().copied()).collect();
        if let Some(odd) = given.state.keys().find(|number| !numbers.contains(number)) {
            return Err(refused(format!("there is a state of parameter {odd}, which is in no group")));
        }
        let mut states = Vec::new();
        for (parameter, number) in parameters.iter().zip(&numbers) {
            let mut entries = Vec::new();
            for (name, value) in given.state.get(number).into_iter().flatten() {
                let taken = entry(parameter, value, kind(name)).await;
                entries.push((
                    name.clone(),
                    taken.map_err(|error| error.concerning(format!("{name} of parameter {number}")))?,
                ));
            }
            states.push(entries);
        }
        let known = |name: &str| self.index(name).is_ok();
        let mut options = Vec::new();
        for (position, group) in given.param_groups.iter().enumerate() {
            let own: Vec<(String, Arg)> = group.options.iter().filter(|(name, _)| known(name)).cloned().collect();
            options.push(self.check_changes(position, &own)?);
        }
        let mut states = states.into_iter();
        let mut groups = self.0.groups.borrow_mut();
        for ((group, given), options) in groups.iter_mut().zip(&given.param_groups).zip(options) {
            group.set_options(options);
            for (name, value) in &given.options {
                if let (false, Arg::Scalar(_)) = (known(name), value) {
                    group.set_extra(name, value.clone());
                }
            }
            for slot in &mut group.slots {
                slot.state.entries = states.next().unwrap_or_default();
            }
        }
        Ok(())
    }
}

/// The storage of an entry.
enum Kind {
    Number,
    Plain,
    Tensor,
}

/// The storage of an entry of this name: values used on the host are numbers.
fn kind(name: &str) -> Kind {
    match name {
        "step" | "mu_product" | "eta" | "mu" => Kind::Number,
        "func_evals" | "n_iter" | "t" | "H_diag" | "prev_loss" => Kind::Plain,
        _ => Kind::Tensor,
    }
}

/// Converts a value to its storage.
async fn entry(parameter: &Tensor, value: &StateValue, kind: Kind) -> Result<Entry> {
    let copied = |tensor: &Tensor| -> Result<Tensor> {
        if tensor.device() != parameter.device() {
            return Err(Error::argument("load_state_dict", "is on another device than the parameter"));
        }
        tensor.detach().to(parameter.dtype())?.clone_tensor()
    };
    Ok(match (value, kind) {
        (StateValue::Number(value), Kind::Number) => Entry::Number(HostNumber::new(*value)),
        (StateValue::Tensor(tensor), Kind::Number) => Entry::Number(HostNumber::new(tensor.item().await?)),
        (StateValue::Tensor(tensor), Kind::Plain) => Entry::Plain(tensor.item().await?),
        (StateValue::Number(value), _) => Entry::Plain(*value),
        (StateValue::Tensor(tensor), Kind::Tensor) => Entry::Tensor(copied(tensor)?),
        (StateValue::Tensors(tensors), _) => Entry::Tensors(tensors.iter().map(copied).collect::<Result<_>>()?),
    })
}
