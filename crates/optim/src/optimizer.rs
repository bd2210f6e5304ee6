//! The optimizer: groups of parameters, their options, and the step.

use crate::{
    group::{Group, GroupOptions},
    lbfgs,
    options::read,
    table::OptimizerSpec,
};
use lanthorn_tensor::{
    Error, Result, Scalar, Tensor, no_grad,
    ops::{Arg, Args},
    trace,
};
use std::{cell::RefCell, rc::Rc};

/// Parameters with their own options, for [`Optimizer::add_param_group`].
pub struct ParameterGroup {
    /// The parameters to optimize.
    pub parameters: Vec<Tensor>,
    /// The options that differ from those of the optimizer, by PyTorch's names.
    pub options: Vec<(String, Arg)>,
}

impl From<Vec<Tensor>> for ParameterGroup {
    fn from(parameters: Vec<Tensor>) -> ParameterGroup {
        ParameterGroup { parameters, options: vec![] }
    }
}

pub(crate) struct Inner {
    pub spec: &'static OptimizerSpec,
    /// The options for groups without specific ones.
    defaults: Vec<Arg>,
    pub groups: RefCell<Vec<Group>>,
}

/// Updates parameters with their gradients, as `torch.optim.Optimizer`. Cloning a handle shares the
/// optimizer, so that a schedule can hold one.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_optim::{AdamW, AdamWOptions, ParameterGroup};
/// use lanthorn_tensor::{Tensor, ops::Arg};
/// let [weight, bias] = [0.5f32, 0.5].map(|value| Tensor::scalar(value, &device)?.requires_grad_(true));
/// let optimizer = AdamW::new(vec![weight?], AdamWOptions { lr: 0.1, ..Default::default() })?;
/// let options = vec![("weight_decay".to_string(), Arg::Scalar(0.0.into()))];
/// optimizer.add_param_group(ParameterGroup { parameters: vec![bias?], options })?;
/// assert_eq!(optimizer.number(1, "lr"), Some(0.1));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[derive(Clone)]
pub struct Optimizer(pub(crate) Rc<Inner>);

/// Options in the order of the constructor, of their types, with defaults for missing ones. The
/// parameters are checked group by group.
fn bound(spec: &OptimizerSpec, options: &[Arg]) -> Result<Vec<Arg>> {
    let given: Vec<Arg> = std::iter::once(Arg::Tensors(vec![])).chain(options.iter().cloned()).collect();
    Ok(Args::bind(&spec.schema(), &given)?.to_vec().split_off(1))
}

impl Optimizer {
    /// An optimizer of these groups; options are in the order of the constructor.
    pub(crate) fn new(spec: &'static OptimizerSpec, options: &[Arg], groups: Vec<ParameterGroup>) -> Result<Optimizer> {
        let defaults = (spec.check)(&bound(spec, options)?, &[])?.to_args();
        let optimizer = Optimizer(Rc::new(Inner { spec, defaults, groups: RefCell::default() }));
        if groups.is_empty() {
            return Err(Error::argument(spec.name, "got no parameters to optimize"));
        }
        groups.into_iter().try_for_each(|group| optimizer.add_param_group(group))?;
        Ok(optimizer)
    }

    /// PyTorch's name of the optimizer.
    pub fn name(&self) -> &'static str {
        self.0.spec.name
    }

    /// The index of an option among the constructor's.
    fn index(&self, name: &str) -> Result<usize> {
        let fields = self.0.spec.fields;
        fields.iter().position(|field| field.name == name).ok_or_else(|| {
            let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
            Error::argument(self.name(), format!("there is no option {name:?}; there are {}", known.join(", ")))
        })
    }

    /// Whether there is an option of this name.
    pub fn has_option(&self, name: &str) -> bool {
        self.index(name).is_ok()
    }

    /// Options changed by name: of their types, and such as can be meant.
    fn changed(
        &self,
        mut options: Vec<Arg>,
        changes: &[(String, Arg)],
        parameters: &[Tensor],
    ) -> Result<Box<dyn GroupOptions>> {
        for (name, value) in changes {
            options[self.index(name)?] = value.clone();
        }
        (self.0.spec.check)(&bound(self.0.spec, &options)?, parameters)
    }

    /// Adds a group of parameters, as `torch.optim.Optimizer.add_param_group`. A frozen parameter,
    /// which requires no gradient, is not changed until it does.
    ///
    /// # Errors
    ///
    /// `argument` if there are no parameters, one of them is not a leaf or is already
    /// optimized, an option is unknown or out of range, or the optimizer takes one group
    /// only.
    pub fn add_param_group(&self, group: ParameterGroup) -> Result<()> {
        let (op, parameters) = (self.name(), group.parameters);
        if parameters.is_empty() {
            return Err(Error::argument(op, "got no parameters to optimize"));
        }
        if let Some(odd) = parameters.iter().find(|parameter| !parameter.is_leaf()) {
            return Err(Error::argument(
                op,
                format!("can only optimize leaves, not {odd:?}, which an operation computed"),
            ));
        }
        let mut known = self.parameters();
        for parameter in &parameters {
            if known.iter().any(|other| other.is(parameter)) {
                return Err(Error::argument(op, format!("{parameter:?} is given twice")));
            }
            known.push(parameter.clone());
        }
        if self.0.spec.needs_closure() && !self.0.groups.borrow().is_empty() {
            return Err(Error::argument(op, "takes one group of parameters"));
        }
        let options = self.changed(self.0.defaults.clone(), &group.options, &parameters)?;
        self.0.groups.borrow_mut().push(Group::new(parameters, options));
        Ok(())
    }

    /// The parameters, group by group, in the order in which they were given.
    pub fn parameters(&self) -> Vec<Tensor> {
        let groups = self.0.groups.borrow();
        groups.iter().flat_map(|group| group.slots.iter().map(|slot| slot.parameter.clone())).collect()
    }

    /// The number of groups.
    pub fn group_count(&self) -> usize {
        self.0.groups.borrow().len()
    }

    /// The options of a group by name, and the numbers that schedules keep with them.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such group.
    pub fn options(&self, group: usize) -> Result<Vec<(String, Arg)>> {
        let groups = self.0.groups.borrow();
        let group = groups.get(group).ok_or_else(|| self.no_group(group))?;
        let names = self.0.spec.fields.iter().map(|field| field.name.to_string());
        let extra = group.extra.iter().map(|(name, value)| (name.clone(), Arg::Scalar(Scalar::Float(*value))));
        Ok(names.zip(group.options().to_args()).chain(extra).collect())
    }

    fn no_group(&self, group: usize) -> Error {
        Error::argument(self.name(), format!("there is no parameter group {group}; there are {}", self.group_count()))
    }

    /// The value of a numeric option of a group, or of a number that a schedule keeps there. `None`
    /// if there is no such group or number.
    pub fn number(&self, group: usize, name: &str) -> Option<f64> {
        let groups = self.0.groups.borrow();
        let group = groups.get(group)?;
        match self.index(name) {
            Ok(index) => read(self.name(), name, &group.options().to_args()[index]).ok(),
            Err(_) => group.extra(name),
        }
    }

    /// Changes an option of a group. No kernel is recompiled.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such group or option, or the value is out of range.
    pub fn set_option(&self, group: usize, name: &str, value: Arg) -> Result<()> {
        let options = self.checked(group, &[(name.to_string(), value)])?;
        self.0.groups.borrow_mut()[group].set_options(options);
        Ok(())
    }

    /// The learning rate of the first group.
    pub fn learning_rate(&self) -> f64 {
        self.number(0, "lr").unwrap_or(0.0)
    }

    /// Changes the learning rate of all groups. No kernel is recompiled.
    ///
    /// # Errors
    ///
    /// `argument` if the learning rate is out of range.
    pub fn set_learning_rate(&self, lr: f64) -> Result<()> {
        (0..self.group_count()).try_for_each(|group| self.set_option(group, "lr", Arg::Scalar(Scalar::Float(lr))))
    }

    /// Changes an option for a schedule, without the range check, because a schedule may pass
    /// through unusual numbers.
    pub(crate) fn assign(&self, group: usize, name: &str, value: f64) -> Result<()> {
        let (spec, index) = (self.0.spec, self.index(name)?);
        let mut groups = self.0.groups.borrow_mut();
        let mut options = groups[group].options().to_args();
        options[index] = match &options[index] {
            // Of Adam's two rates the first is the momentum.
            Arg::Floats(values) => Arg::Floats(std::iter::once(value).chain(values.iter().skip(1).copied()).collect()),
            _ => Arg::Scalar(Scalar::Float(value)),
        };
        spec.fields[index].check(spec.name, &options[index])?;
        groups[group].set_options((spec.of_fitting)(&options));
        Ok(())
    }

    /// A number that a schedule keeps with a group.
    pub(crate) fn extra(&self, group: usize, name: &str) -> Option<f64> {
        self.0.groups.borrow().get(group)?.extra(name)
    }

    /// Keeps a number with a group, as a schedule does.
    pub(crate) fn set_extra(&self, group: usize, name: &str, value: f64) {
        self.0.groups.borrow_mut()[group].set_extra(name, value);
    }

    /// The options of a group with changes, if they can be meant.
    pub(crate) fn checked(&self, group: usize, changes: &[(String, Arg)]) -> Result<Box<dyn GroupOptions>> {
        let (options, parameters) = {
            let groups = self.0.groups.borrow();
            let found = groups.get(group).ok_or_else(|| self.no_group(group))?;
            (found.options().to_args(), found.slots.iter().map(|slot| slot.parameter.clone()).collect::<Vec<_>>())
        };
        self.changed(options, changes, &parameters)
    }

    /// Updates every parameter that has a gradient, and flushes the recorded work without waiting
    /// for it.
    ///
    /// # Errors
    ///
    /// `argument` if the optimizer needs a closure, as [`Lbfgs`](crate::Lbfgs) does.
    pub fn step(&self) -> Result<()> {
        if self.0.spec.needs_closure {
            return Err(Error::argument(self.name(), "evaluates the loss itself: give step a closure"));
        }
        trace::refuse(self.name(), "a program has no optimizer's step")?;
        no_grad(|| {
            let mut groups = self.0.groups.borrow_mut();
            groups.iter_mut().try_for_each(Group::update)
        })?;
        self.flush();
        Ok(())
    }

    /// A step with a closure that clears the gradients, computes the loss and calls its backward.
    /// Returns the loss before the step.
    ///
    /// [`Lbfgs`](crate::Lbfgs) calls the closure several times and reads the losses.
    ///
    /// # Errors
    ///
    /// Those of the closure and of [`Optimizer::step`].
    pub async fn step_with(&self, mut closure: impl AsyncFnMut() -> Result<Tensor>) -> Result<Tensor> {
        if self.0.spec.needs_closure() {
            let loss = lbfgs::step(self, &mut closure).await?;
            self.flush();
            return Ok(loss);
        }
        let loss = closure().await?;
        self.step()?;
        Ok(loss)
    }

    /// Clears the gradients of all parameters, as `zero_grad(set_to_none=True)`.
    pub fn zero_grad(&self) -> Result<()> {
        self.parameters().iter().try_for_each(|parameter| parameter.set_grad(None))
    }

    /// Flushes the recorded kernels, so that a plan holds one step.
    fn flush(&self) {
        if let Some(slot) = self.0.groups.borrow().first().and_then(|group| group.slots.first()) {
            slot.parameter.device().flush();
        }
    }
}
