//! Optimizers and learning-rate schedules.

use crate::{
    error::{Result, from_callback},
    promise::promise,
    state::state,
    values::{arg, args, value},
};
use js_sys::{Array, Function, Object, Promise, Reflect, Uint32Array};
use lanthorn::{
    Error, Tensor,
    ops::Arg,
    optim::{GroupState, Optimizer, OptimizerState, ParameterGroup, Scheduler, StateValue, schedule, table},
};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

/// Parallel lists of names and values, as options.
fn bind_options(op: &str, names: &[String], values: &Array) -> Result<Vec<(String, Arg)>> {
    Ok(names.iter().cloned().zip(args(op, values)?).collect())
}

fn group(op: &str, parameters: &[u32], names: &[String], values: &Array) -> Result<ParameterGroup> {
    Ok(ParameterGroup { parameters: state().tensors(parameters)?, options: bind_options(op, names, values)? })
}

/// Options as an object.
fn object(options: &[(String, Arg)]) -> Object {
    let made = Object::new();
    for (name, option) in options {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&made, &name.as_str().into(), &value(option));
    }
    made
}

/// Creates an optimizer with one group of parameters, with options in the constructor's order; the
/// options of the group have names.
#[wasm_bindgen(js_name = optimizerNew)]
pub fn new(name: &str, options: &Array, parameters: &[u32], names: Vec<String>, values: &Array) -> Result<u32> {
    let group = group(name, parameters, &names, values)?;
    let optimizer = table::build(name, &args(name, options)?, vec![group])?;
    Ok(state().optimizers.add(optimizer))
}

/// Creates an optimizer without a rule, whose steps JavaScript computes, with one group of
/// parameters and the numbers of the group by name.
#[wasm_bindgen(js_name = optimizerManual)]
pub fn manual(parameters: &[u32], names: Vec<String>, values: &Array) -> Result<u32> {
    let optimizer = Optimizer::manual(vec![group("Optimizer", parameters, &names, values)?])?;
    Ok(state().optimizers.add(optimizer))
}

/// Adds a group of parameters with options by name.
#[wasm_bindgen(js_name = optimizerAddGroup)]
pub fn add_group(handle: u32, parameters: &[u32], names: Vec<String>, values: &Array) -> Result<()> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.add_param_group(group(optimizer.name(), parameters, &names, values)?)?)
}

/// Replaces the parameters of a group.
#[wasm_bindgen(js_name = optimizerSetParameters)]
pub fn set_parameters(handle: u32, group: usize, parameters: &[u32]) -> Result<()> {
    let state = state();
    Ok(state.optimizers.get(handle)?.set_parameters(group, state.tensors(parameters)?)?)
}

/// The options of groups without specific ones, as an object.
#[wasm_bindgen(js_name = optimizerDefaults)]
pub fn defaults(handle: u32) -> Result<Object> {
    Ok(object(&state().optimizers.get(handle)?.defaults()))
}

/// Updates the parameters with their gradients.
#[wasm_bindgen(js_name = optimizerStep)]
pub fn step(handle: u32) -> Result<()> {
    Ok(state().optimizers.get(handle)?.step()?)
}

/// A promise of the loss after a step with a closure, a function that returns a promise of the
/// handle of a loss.
#[wasm_bindgen(js_name = optimizerStepWith)]
pub fn step_with(handle: u32, closure: Function) -> Result<Promise> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(promise(async move {
        let evaluate = async || -> lanthorn::Result<Tensor> {
            let promise: Promise = closure.call0(&JsValue::UNDEFINED).map_err(from_callback)?.unchecked_into();
            let loss = JsFuture::from(promise).await.map_err(from_callback)?.as_f64().unwrap_or_default();
            state().tensors.get(loss as u32).map_err(|_| Error::argument("step", "the closure gave no loss"))
        };
        let loss = optimizer.step_with(evaluate).await?;
        Ok(state().tensors.add(loss).into())
    }))
}

/// Clears the gradients.
#[wasm_bindgen(js_name = optimizerZeroGrad)]
pub fn zero_grad(handle: u32) -> Result<()> {
    Ok(state().optimizers.get(handle)?.zero_grad()?)
}

/// The number of groups.
#[wasm_bindgen(js_name = optimizerGroups)]
pub fn groups(handle: u32) -> Result<usize> {
    Ok(state().optimizers.get(handle)?.group_count())
}

/// An option of a group, or a value that a schedule stores there.
#[wasm_bindgen(js_name = optimizerOption)]
pub fn option(handle: u32, group: usize, name: &str) -> Result<JsValue> {
    let options = state().optimizers.get(handle)?.options(group)?;
    Ok(options.iter().find(|(known, _)| known == name).map_or(JsValue::UNDEFINED, |(_, option)| value(option)))
}

/// Sets an option of a group.
#[wasm_bindgen(js_name = optimizerSetOption)]
pub fn set_option(handle: u32, group: usize, name: &str, value: &JsValue) -> Result<()> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.set_option(group, name, arg(optimizer.name(), value)?)?)
}

/// The state: rows of a parameter's number, a name and a value, and the groups: options, and
/// numbers of parameters. Tensors are handles in a `Uint32Array`, numbers are numbers, histories
/// are arrays of handles.
#[wasm_bindgen(js_name = optimizerStateDict)]
pub fn state_dict(handle: u32) -> Result<Array> {
    let tensors = &state().tensors;
    let OptimizerState { state: entries, param_groups } = state().optimizers.get(handle)?.state_dict()?;
    let rows = Array::new();
    for (number, entries) in entries {
        for (name, entry) in entries {
            let value: JsValue = match entry {
                StateValue::Number(value) => value.into(),
                StateValue::Tensor(tensor) => Uint32Array::from(&[tensors.add(tensor)][..]).into(),
                StateValue::Tensors(list) => {
                    list.into_iter().map(|tensor| JsValue::from(tensors.add(tensor))).collect::<Array>().into()
                }
            };
            rows.push(&Array::of3(&(number as u32).into(), &name.into(), &value));
        }
    }
    let groups = param_groups.into_iter().map(|GroupState { options, params }| {
        let object = object(&options);
        // Setting a property of a fresh object cannot fail.
        let params: Array = params.into_iter().map(|number| JsValue::from(number as u32)).collect();
        let _ = Reflect::set(&object, &"params".into(), &params);
        JsValue::from(object)
    });
    Ok(Array::of2(&rows, &groups.collect::<Array>()))
}

/// Loads a state in the form of [`state_dict`] and returns a promise; the groups are rows of names,
/// values, and numbers of parameters.
#[wasm_bindgen(js_name = optimizerLoadStateDict)]
pub fn load_state_dict(handle: u32, rows: &Array, groups: &Array) -> Result<Promise> {
    const OP: &str = "loadStateDict";
    let tensors = &state().tensors;
    let malformed = || Error::argument(OP, "the state is not as stateDict() gives it");
    let cells = |row: JsValue| row.dyn_into::<Array>().map_err(|_| malformed());
    let mut given = OptimizerState { state: Default::default(), param_groups: vec![] };
    for row in rows.iter() {
        let row = cells(row)?;
        let (number, name) =
            (row.get(0).as_f64().ok_or_else(malformed)?, row.get(1).as_string().ok_or_else(malformed)?);
        let entry = row.get(2);
        let entry = if let Some(value) = entry.as_f64() {
            StateValue::Number(value)
        } else if let Some(handles) = entry.dyn_ref::<Uint32Array>() {
            StateValue::Tensor(tensors.get(handles.get_index(0))?)
        } else {
            let list = cells(entry)?;
            let list = list.iter().map(|handle| tensors.get(handle.as_f64().unwrap_or_default() as u32));
            StateValue::Tensors(list.collect::<Result<_>>()?)
        };
        given.state.entry(number as usize).or_default().push((name, entry));
    }
    for row in groups.iter() {
        let row = cells(row)?;
        let names: Vec<String> = cells(row.get(0))?.iter().filter_map(|name| name.as_string()).collect();
        let options = bind_options(OP, &names, &cells(row.get(1))?)?;
        let params =
            cells(row.get(2))?.iter().filter_map(|number| number.as_f64()).map(|number| number as usize).collect();
        given.param_groups.push(GroupState { options, params });
    }
    let optimizer = state().optimizers.get(handle)?;
    Ok(promise(async move {
        optimizer.load_state_dict(&given).await?;
        Ok(JsValue::UNDEFINED)
    }))
}

/// Drops an optimizer.
#[wasm_bindgen(js_name = optimizerDispose)]
pub fn dispose(handle: u32) -> bool {
    state().optimizers.remove(handle).is_some()
}

/// Creates a schedule of the table. A function of the rates replaces its rule, if one is given.
#[wasm_bindgen(js_name = schedulerNew)]
pub fn scheduler(name: &str, optimizer: u32, options: &Array, own: Option<Function>) -> Result<u32> {
    let state = state();
    let (optimizer, options) = (state.optimizers.get(optimizer)?, args(name, options)?);
    let scheduler = match own {
        Some(own) => schedule::build_with(name, &optimizer, &options, rates(own))?,
        None => schedule::build(name, &optimizer, &options)?,
    };
    Ok(state.schedulers.add(scheduler))
}

/// A JavaScript function that returns the rates of the groups as an array of numbers.
fn rates(function: Function) -> Rc<schedule::Rates> {
    Rc::new(move || {
        let rates = function.call0(&JsValue::UNDEFINED).map_err(from_callback)?;
        let refused = || Error::argument("getLr", "must return an array of numbers");
        let rates = rates.dyn_into::<Array>().map_err(|_| refused())?;
        rates.iter().map(|rate| rate.as_f64().ok_or_else(refused)).collect()
    })
}

/// Creates a schedule whose rates a function returns.
#[wasm_bindgen(js_name = schedulerOwn)]
pub fn scheduler_own(optimizer: u32, function: Function, last_epoch: f64) -> Result<u32> {
    let state = state();
    let scheduler = Scheduler::own(&state.optimizers.get(optimizer)?, rates(function), last_epoch as i64)?;
    Ok(state.schedulers.add(scheduler))
}

/// Sets the rates of the first step of a schedule with a function of the rates.
#[wasm_bindgen(js_name = schedulerStart)]
pub fn scheduler_start(handle: u32) -> Result<()> {
    Ok(state().schedulers.get(handle)?.start()?)
}

/// The rates of the groups by the schedule's own rule at the current step.
#[wasm_bindgen(js_name = schedulerRates)]
pub fn scheduler_rates(handle: u32) -> Result<Vec<f64>> {
    Ok(state().schedulers.get(handle)?.rates()?)
}

/// Creates a schedule from functions of the step.
#[wasm_bindgen(js_name = schedulerOfFunctions)]
pub fn scheduler_of_functions(optimizer: u32, functions: Vec<Function>, chained: bool, last_epoch: f64) -> Result<u32> {
    let state = state();
    let factors = functions.into_iter().map(|function| {
        let factor = move |step: i64| {
            let factor = function.call1(&JsValue::UNDEFINED, &(step as f64).into()).map_err(from_callback)?;
            factor.as_f64().ok_or_else(|| Error::argument("lrLambda", "the function must return a number"))
        };
        Rc::new(factor) as Rc<schedule::Factor>
    });
    let optimizer = state.optimizers.get(optimizer)?;
    let make = if chained { Scheduler::multiplicative } else { Scheduler::lambda };
    Ok(state.schedulers.add(make(&optimizer, factors.collect(), last_epoch as i64)?))
}

/// Creates a schedule from other schedules: one after another if there are milestones, otherwise
/// all at once.
#[wasm_bindgen(js_name = schedulerOfSchedulers)]
pub fn scheduler_of_schedulers(handles: &[u32], milestones: Option<Vec<f64>>) -> Result<u32> {
    let state = state();
    let schedulers = handles.iter().map(|&handle| state.schedulers.get(handle)).collect::<Result<Vec<_>>>()?;
    let scheduler = match milestones {
        Some(milestones) => Scheduler::sequential(schedulers, milestones.iter().map(|&step| step as i64).collect())?,
        None => Scheduler::chained(schedulers)?,
    };
    Ok(state.schedulers.add(scheduler))
}

/// Takes the next step, with the measured value for schedules that depend on one.
#[wasm_bindgen(js_name = schedulerStep)]
pub fn scheduler_step(handle: u32, measured: Option<f64>) -> Result<()> {
    let scheduler = state().schedulers.get(handle)?;
    match measured {
        Some(measured) => scheduler.step_with(measured)?,
        None => scheduler.step()?,
    }
    Ok(())
}

/// The rates of the groups.
#[wasm_bindgen(js_name = schedulerLastLr)]
pub fn scheduler_last_lr(handle: u32) -> Result<Vec<f64>> {
    Ok(state().schedulers.get(handle)?.last_lr())
}

/// The state of a schedule, as an object.
#[wasm_bindgen(js_name = schedulerStateDict)]
pub fn scheduler_state_dict(handle: u32) -> Result<Object> {
    fn to_object(state: &schedule::SchedulerState) -> Object {
        let made = object(&state.values);
        if !state.schedulers.is_empty() {
            let inner: Array = state.schedulers.iter().map(|state| JsValue::from(to_object(state))).collect();
            let _ = Reflect::set(&made, &"_schedulers".into(), &inner);
        }
        made
    }
    Ok(to_object(&state().schedulers.get(handle)?.state_dict()))
}

/// Loads the state of a schedule.
#[wasm_bindgen(js_name = schedulerLoadStateDict)]
pub fn scheduler_load_state_dict(handle: u32, given: &JsValue) -> Result<()> {
    /// The values of an object for the names in a state.
    fn read(own: &schedule::SchedulerState, given: &JsValue) -> Result<schedule::SchedulerState> {
        let get = |name: &str| Reflect::get(given, &name.into()).unwrap_or_default();
        let mut state = schedule::SchedulerState::default();
        for (name, _) in &own.values {
            let found = get(name);
            if !found.is_undefined() {
                state.values.push((name.clone(), arg("loadStateDict", &found)?));
            }
        }
        if let Ok(inner) = get("_schedulers").dyn_into::<Array>() {
            for (own, given) in own.schedulers.iter().zip(inner.iter()) {
                state.schedulers.push(read(own, &given)?);
            }
        }
        Ok(state)
    }
    let scheduler = state().schedulers.get(handle)?;
    let given = read(&scheduler.state_dict(), given)?;
    Ok(scheduler.load_state_dict(&given)?)
}

/// Drops a schedule.
#[wasm_bindgen(js_name = schedulerDispose)]
pub fn scheduler_dispose(handle: u32) -> bool {
    state().schedulers.remove(handle).is_some()
}
