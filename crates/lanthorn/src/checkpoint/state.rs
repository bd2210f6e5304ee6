//! States of a training run as plain values, in the form of PyTorch's `state_dict()`.

use crate::{
    Device, Error, Result, Scalar, Value,
    data::LoaderState,
    nn::StateDict,
    ops::Arg,
    optim::{GroupState, OptimizerState, StateValue, schedule::SchedulerState},
    state_dict_of,
};

/// A state that a checkpoint can hold.
pub trait State: Sized {
    /// The state as a plain value.
    fn to_value(&self) -> Value;

    /// The state from a plain value.
    ///
    /// # Errors
    ///
    /// `argument`, with the name of a part that is missing or has another type.
    fn from_value(value: &Value) -> Result<Self>;
}

fn malformed_error(message: impl Into<String>) -> Error {
    Error::argument("checkpoint", message)
}

fn field<'v>(value: &'v Value, name: &str) -> Result<&'v Value> {
    value.get(name).ok_or_else(|| malformed_error(format!("the state has no {name}")))
}

fn natural<N: TryFrom<i64>>(value: &Value, name: &str) -> Result<N> {
    let number = field(value, name)?.as_int().and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| malformed_error(format!("{name} is no whole number in its range")))
}

impl State for StateDict {
    fn to_value(&self) -> Value {
        self.into()
    }

    fn from_value(value: &Value) -> Result<StateDict> {
        state_dict_of(value)
    }
}

/// The state of a device's random number generator.
///
/// ```
/// use lanthorn::checkpoint::GeneratorState;
/// let device = lanthorn::cpu();
/// device.manual_seed(7);
/// let state = GeneratorState::of(&device);
/// device.manual_seed(8);
/// state.restore(&device);
/// assert_eq!(device.generator().state(), (7, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratorState {
    seed: u64,
    offset: u32,
}

impl GeneratorState {
    /// The current state of the device's generator.
    pub fn of(device: &Device) -> GeneratorState {
        let (seed, offset) = device.generator().state();
        GeneratorState { seed, offset }
    }

    /// Restores this state in the device's generator.
    pub fn restore(self, device: &Device) {
        device.generator().set_state((self.seed, self.offset));
    }
}

impl State for GeneratorState {
    fn to_value(&self) -> Value {
        // Integers in files are signed; the bits are the same.
        Value::dict([("seed", Value::Int(self.seed.cast_signed())), ("offset", Value::Int(self.offset.into()))])
    }

    fn from_value(value: &Value) -> Result<GeneratorState> {
        Ok(GeneratorState { seed: natural::<i64>(value, "seed")?.cast_unsigned(), offset: natural(value, "offset")? })
    }
}

impl State for LoaderState {
    fn to_value(&self) -> Value {
        Value::dict([
            ("seed", Value::Int(self.seed.cast_signed())),
            ("epoch", Value::Int(self.epoch.cast_signed())),
            ("position", Value::Int(self.position as i64)),
        ])
    }

    fn from_value(value: &Value) -> Result<LoaderState> {
        let (seed, epoch) = (natural::<i64>(value, "seed")?.cast_unsigned(), natural(value, "epoch")?);
        Ok(LoaderState { seed, epoch, position: natural(value, "position")? })
    }
}

/// An option as a value; `None` for options that files do not hold.
fn option_to_value(option: &Arg) -> Option<Value> {
    Some(match option {
        Arg::Missing | Arg::Null => Value::None,
        Arg::Scalar(Scalar::Bool(value)) => Value::Bool(*value),
        Arg::Scalar(Scalar::Int(value)) => Value::Int(*value),
        Arg::Scalar(Scalar::Float(value)) => Value::Float(*value),
        Arg::Ints(values) => Value::List(values.iter().map(|&value| Value::Int(value)).collect()),
        Arg::Floats(values) => Value::List(values.iter().map(|&value| Value::Float(value)).collect()),
        Arg::Str(text) => Value::Str(text.clone()),
        Arg::Tensor(tensor) => Value::Tensor(tensor.clone()),
        _ => return None,
    })
}

/// A value as an option; `None` for trees, which PyTorch stores for some functions and no option
/// here has.
fn option_from_value(value: &Value) -> Option<Arg> {
    Some(match value {
        Value::None => Arg::Missing,
        Value::Bool(value) => Arg::Scalar(Scalar::Bool(*value)),
        Value::Int(value) => Arg::Scalar(Scalar::Int(*value)),
        Value::Float(value) => Arg::Scalar(Scalar::Float(*value)),
        Value::Str(text) => Arg::Str(text.clone()),
        Value::Tensor(tensor) => Arg::Tensor(tensor.clone()),
        Value::List(values) | Value::Tuple(values) => match values.iter().map(Value::as_int).collect() {
            Some(ints) => Arg::Ints(ints),
            None => Arg::Floats(values.iter().map(Value::as_float).collect::<Option<_>>()?),
        },
        Value::Bytes(_) | Value::Dict(_) => return None,
    })
}

fn options_to_value(options: &[(String, Arg)]) -> Vec<(Value, Value)> {
    let options = options.iter().filter_map(|(name, option)| Some((name.as_str().into(), option_to_value(option)?)));
    options.collect()
}

/// The entries of a dictionary that are options, except the entries of these names.
fn options_from_value(value: &Value, but: &str) -> Result<Vec<(String, Arg)>> {
    let entries = value.as_dict().ok_or_else(|| malformed_error("options are no dictionary"))?;
    let named =
        entries.iter().filter_map(|(name, value)| Some((name.as_str()?, value))).filter(|(name, _)| *name != but);
    Ok(named.filter_map(|(name, value)| Some((name.to_string(), option_from_value(value)?))).collect())
}

/// PyTorch's form: `{"state": {0: {"step": …, "exp_avg": …}}, "param_groups": [{"lr": …, "params":
/// [0]}]}`.
impl State for OptimizerState {
    fn to_value(&self) -> Value {
        let remembered = |value: &StateValue| match value {
            StateValue::Number(value) if value.fract() == 0.0 && value.abs() < 9e15 => Value::Int(*value as i64),
            StateValue::Number(value) => Value::Float(*value),
            StateValue::Tensor(tensor) => Value::Tensor(tensor.clone()),
            StateValue::Tensors(tensors) => Value::List(tensors.iter().cloned().map(Value::Tensor).collect()),
        };
        let state = self.state.iter().map(|(&number, entries)| {
            let entries = entries.iter().map(|(name, value)| (name.clone(), remembered(value)));
            (Value::Int(number as i64), Value::dict(entries))
        });
        let groups = self.param_groups.iter().map(|group| {
            let mut entries = options_to_value(&group.options);
            let params = group.params.iter().map(|&number| Value::Int(number as i64)).collect();
            entries.push(("params".into(), Value::List(params)));
            Value::Dict(entries)
        });
        Value::dict([("state", Value::Dict(state.collect())), ("param_groups", Value::List(groups.collect()))])
    }

    fn from_value(value: &Value) -> Result<OptimizerState> {
        let remembered = |value: &Value| match value {
            Value::Tensor(tensor) => Ok(Some(StateValue::Tensor(tensor.clone()))),
            Value::None => Ok(None),
            Value::List(tensors) => {
                let tensors = tensors.iter().map(|tensor| tensor.as_tensor().cloned()).collect::<Option<_>>();
                tensors
                    .map(|tensors| Some(StateValue::Tensors(tensors)))
                    .ok_or_else(|| malformed_error("a history of other values than tensors"))
            }
            value => {
                let number = value
                    .as_float()
                    .ok_or_else(|| malformed_error(format!("an entry of state that is {}", value.short())))?;
                Ok(Some(StateValue::Number(number)))
            }
        };
        let mut taken = OptimizerState { state: Default::default(), param_groups: Vec::new() };
        for (number, entries) in
            field(value, "state")?.as_dict().ok_or_else(|| malformed_error("state is no dictionary"))?
        {
            let number = number.as_int().and_then(|number| usize::try_from(number).ok());
            let (Some(number), Some(entries)) = (number, entries.as_dict()) else {
                return Err(malformed_error("state is no dictionary of dictionaries by the numbers of parameters"));
            };
            let mut values = Vec::new();
            for (name, value) in entries {
                let name = name.as_str().ok_or_else(|| malformed_error("an entry of state whose name is no text"))?;
                values.extend(remembered(value)?.map(|value| (name.to_string(), value)));
            }
            taken.state.insert(number, values);
        }
        for group in
            field(value, "param_groups")?.as_list().ok_or_else(|| malformed_error("param_groups is no list"))?
        {
            let params = field(group, "params")?.as_list().unwrap_or_default().iter();
            let params = params.map(|number| usize::try_from(number.as_int()?).ok()).collect::<Option<_>>();
            let params = params.ok_or_else(|| malformed_error("params is no list of numbers"))?;
            taken.param_groups.push(GroupState { options: options_from_value(group, "params")?, params });
        }
        Ok(taken)
    }
}

/// PyTorch's name for the schedules that a schedule is composed of.
const SCHEDULERS: &str = "_schedulers";

/// PyTorch's form: `{"last_epoch": 3, "_step_count": 4, "base_lrs": […], "_last_lr": […]}` and the
/// options.
impl State for SchedulerState {
    fn to_value(&self) -> Value {
        let mut entries = options_to_value(&self.values);
        if !self.schedulers.is_empty() {
            entries.push((SCHEDULERS.into(), Value::List(self.schedulers.iter().map(State::to_value).collect())));
        }
        Value::Dict(entries)
    }

    fn from_value(value: &Value) -> Result<SchedulerState> {
        let inner = value.get(SCHEDULERS).and_then(Value::as_list).unwrap_or_default();
        let schedulers = inner.iter().map(State::from_value).collect::<Result<_>>()?;
        Ok(SchedulerState { values: options_from_value(value, SCHEDULERS)?, schedulers })
    }
}
