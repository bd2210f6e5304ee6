//! The optimizer: groups of parameters, their options, and the step.

use crate::{
    group::{Group, GroupOptions},
    lbfgs, manual,
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
    /// The options that differ from the optimizer's, by PyTorch's names.
    pub options: Vec<(String, Arg)>,
}

impl From<Vec<Tensor>> for ParameterGroup {
    fn from(parameters: Vec<Tensor>) -> ParameterGroup {
        ParameterGroup { parameters, options: vec![] }
    }
}

/// The numbers that schedules keep with a group.
const KEPT: [&str; 5] = ["initial_lr", "max_lr", "min_lr", "max_momentum", "base_momentum"];

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
/// # let device = lanthorn::cpu();
/// use lanthorn::optim::{AdamW, AdamWOptions, ParameterGroup};
/// use lanthorn::{Tensor, ops::Arg};
/// let [weight, bias] = [0.5f32, 0.5].map(|value| Tensor::scalar(value, &device)?.requires_grad_(true));
/// let optimizer = AdamW::new(vec![weight?], AdamWOptions { lr: 0.1, ..Default::default() })?;
/// let options = vec![("weight_decay".to_string(), Arg::Scalar(0.0.into()))];
/// optimizer.add_param_group(ParameterGroup { parameters: vec![bias?], options })?;
/// assert_eq!(optimizer.number(1, "lr"), Some(0.1));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Optimizer(pub(crate) Rc<Inner>);

/// Options in the order of the constructor, of their types, with defaults for missing ones. The
/// parameters are checked group by group.
fn bind_options(spec: &OptimizerSpec, options: &[Arg]) -> Result<Vec<Arg>> {
    let given: Vec<Arg> = std::iter::once(Arg::Tensors(vec![])).chain(options.iter().cloned()).collect();
    Ok(Args::bind(&spec.schema(), &given)?.to_vec().split_off(1))
}

impl Optimizer {
    /// An optimizer of these groups; options are in the order of the constructor.
    pub(crate) fn new(spec: &'static OptimizerSpec, options: &[Arg], groups: Vec<ParameterGroup>) -> Result<Optimizer> {
        let defaults = (spec.check)(&bind_options(spec, options)?, &[])?.to_args();
        let optimizer = Optimizer(Rc::new(Inner { spec, defaults, groups: RefCell::default() }));
        if groups.is_empty() {
            return Err(Error::argument(spec.name, "got no parameters to optimize"));
        }
        groups.into_iter().try_for_each(|group| optimizer.add_param_group(group))?;
        Ok(optimizer)
    }

    /// An optimizer without a rule: the program computes its steps. It keeps the parameters and the
    /// numbers of each group (`lr`, `momentum` and `betas`, where the options have them), for
    /// schedules and [`GradScaler`](crate::GradScaler).
    ///
    /// # Errors
    ///
    /// `argument` if there are no parameters, one of them is not a leaf or is given twice, or an
    /// option is not a number or a list of numbers.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Optimizer, ParameterGroup, schedule::ExponentialLR};
    /// use lanthorn::{Tensor, no_grad, ops::Arg};
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let options = vec![("lr".to_string(), Arg::Scalar(0.5.into()))];
    /// let group = ParameterGroup { parameters: vec![w.clone()], options };
    /// let optimizer = Optimizer::manual(vec![group])?;
    /// let schedule = ExponentialLR { gamma: 0.5 }.on(&optimizer)?;
    /// for expected in [0.5, 0.25] {
    ///     let lr = optimizer.learning_rate();
    ///     assert_eq!(lr, expected);
    ///     w.square()?.backward()?;
    ///     // The descent along the sign of the gradient.
    ///     for w in optimizer.parameters() {
    ///         no_grad(|| w.copy_(&w.sub_with(&w.grad().unwrap().sign()?, lr)?))?;
    ///     }
    ///     schedule.step()?;
    /// }
    /// assert_eq!(pollster::block_on(w.item())?, 0.25);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn manual(groups: Vec<ParameterGroup>) -> Result<Optimizer> {
        Optimizer::new(&manual::MANUAL, &[], groups)
    }

    /// The options of groups without specific ones, by name.
    pub fn defaults(&self) -> Vec<(String, Arg)> {
        let names = self.0.spec.fields.iter().map(|field| field.name.to_string());
        names.zip(self.0.defaults.iter().cloned()).collect()
    }

    /// PyTorch's name of the optimizer.
    pub fn name(&self) -> &'static str {
        self.0.spec.name
    }

    /// The index of an option among the constructor's.
    pub(crate) fn index(&self, name: &str) -> Result<usize> {
        let fields = self.0.spec.fields;
        fields.iter().position(|field| field.name == name).ok_or_else(|| {
            let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
            Error::argument(self.name(), format!("there is no option {name:?}; there are {}", known.join(", ")))
        })
    }

    /// Whether there is an option of this name.
    pub fn has_option(&self, name: &str) -> bool {
        self.index(name).is_ok() || self.0.groups.borrow().iter().any(|group| group.extra(name).is_some())
    }

    /// Whether a group keeps this as a number beside its options: numbers of schedules, and all
    /// numbers of an optimizer without a rule.
    pub(crate) fn is_extra(&self, name: &str) -> bool {
        self.index(name).is_err() && (self.0.spec.fields.is_empty() || KEPT.contains(&name))
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
        (self.0.spec.check)(&bind_options(self.0.spec, &options)?, parameters)
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
        let ParameterGroup { parameters, options } = group;
        self.check_parameters(&parameters, &self.parameters())?;
        if self.0.spec.needs_closure() && !self.0.groups.borrow().is_empty() {
            return Err(Error::argument(self.name(), "takes one group of parameters"));
        }
        let (extra, own): (Vec<_>, Vec<_>) = options.into_iter().partition(|(name, _)| self.is_extra(name));
        let kept = |(name, value): (String, Arg)| self.as_extra(&name, value).map(|value| (name, value));
        let extra = extra.into_iter().map(kept).collect::<Result<_>>()?;
        let options = self.changed(self.0.defaults.clone(), &own, &parameters)?;
        let mut group = Group::new(parameters, options);
        group.extra = extra;
        self.0.groups.borrow_mut().push(group);
        Ok(())
    }

    /// Replaces the parameters of a group. Those that were in it before keep their states.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such group, or the parameters are such as
    /// [`Optimizer::add_param_group`] refuses.
    pub fn set_parameters(&self, group: usize, parameters: Vec<Tensor>) -> Result<()> {
        let others: Vec<Tensor> = {
            let groups = self.0.groups.borrow();
            let others = groups.iter().enumerate().filter(|&(index, _)| index != group);
            others.flat_map(|(_, group)| group.slots.iter().map(|slot| slot.parameter.clone())).collect()
        };
        self.check_parameters(&parameters, &others)?;
        let options = self.options(group)?.into_iter().filter(|(name, _)| self.index(name).is_ok());
        let options = options.map(|(_, value)| value).collect();
        // Some rules take parameters of some shapes only.
        self.changed(options, &[], &parameters)?;
        self.0.groups.borrow_mut()[group].set_parameters(parameters);
        Ok(())
    }

    /// Refuses an empty list, tensors that are no leaves, and a parameter that is listed twice or
    /// is in another group.
    fn check_parameters(&self, parameters: &[Tensor], others: &[Tensor]) -> Result<()> {
        let op = self.name();
        if parameters.is_empty() {
            return Err(Error::argument(op, "got no parameters to optimize"));
        }
        if let Some(odd) = parameters.iter().find(|parameter| !parameter.is_leaf()) {
            return Err(Error::argument(
                op,
                format!("can only optimize leaves, not {odd:?}, which an operation computed"),
            ));
        }
        for (index, parameter) in parameters.iter().enumerate() {
            if parameters[..index].iter().chain(others).any(|other| other.is(parameter)) {
                return Err(Error::argument(op, format!("{parameter:?} is given twice")));
            }
        }
        Ok(())
    }

    /// A number, or a list of numbers, that a group keeps; refuses other values.
    fn as_extra(&self, name: &str, value: Arg) -> Result<Arg> {
        match value {
            Arg::Scalar(number) => Ok(Arg::Scalar(Scalar::Float(number.to_f64()))),
            Arg::Ints(numbers) => Ok(Arg::Floats(numbers.into_iter().map(|number| number as f64).collect())),
            Arg::Floats(_) => Ok(value),
            _ => Err(Error::argument(self.name(), format!("the option {name} takes a number or a list of numbers"))),
        }
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
        Ok(names.zip(group.options().to_args()).chain(group.extra.iter().cloned()).collect())
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
            Err(_) => group.extra(name).and_then(|value| read(self.name(), name, value).ok()),
        }
    }

    /// Changes an option of a group. No kernel is recompiled.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such group or option, or the value is out of range.
    pub fn set_option(&self, group: usize, name: &str, value: Arg) -> Result<()> {
        if self.is_extra(name) {
            let value = self.as_extra(name, value)?;
            self.0.groups.borrow_mut().get_mut(group).ok_or_else(|| self.no_group(group))?.set_extra(name, value);
            return Ok(());
        }
        let options = self.check_changes(group, &[(name.to_string(), value)])?;
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
        // Of Adam's two rates the first is the momentum.
        let changed = |old: Option<&Arg>| match old {
            Some(Arg::Floats(values)) => {
                Arg::Floats(std::iter::once(value).chain(values.iter().skip(1).copied()).collect())
            }
            _ => Arg::Scalar(Scalar::Float(value)),
        };
        let mut groups = self.0.groups.borrow_mut();
        let group = &mut groups[group];
        let (spec, Ok(index)) = (self.0.spec, self.index(name)) else {
            let value = changed(group.extra(name));
            group.set_extra(name, value);
            return Ok(());
        };
        let mut options = group.options().to_args();
        options[index] = changed(options.get(index));
        spec.fields[index].check(spec.name, &options[index])?;
        group.set_options((spec.of_fitting)(&options));
        Ok(())
    }

    /// A number that a schedule keeps with a group.
    pub(crate) fn extra(&self, group: usize, name: &str) -> Option<f64> {
        let groups = self.0.groups.borrow();
        read(self.name(), name, groups.get(group)?.extra(name)?).ok()
    }

    /// Keeps a number with a group, as a schedule does.
    pub(crate) fn set_extra(&self, group: usize, name: &str, value: f64) {
        self.0.groups.borrow_mut()[group].set_extra(name, Arg::Scalar(Scalar::Float(value)));
    }

    /// The options of a group with changes, if they can be meant.
    pub(crate) fn check_changes(&self, group: usize, changes: &[(String, Arg)]) -> Result<Box<dyn GroupOptions>> {
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
    /// The errors of the closure and of [`Optimizer::step`].
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
    ///
    /// # Errors
    ///
    /// The error of a parameter whose gradient cannot be changed.
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
