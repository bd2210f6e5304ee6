//! Calls operators, and converts their arguments and results.

use super::{
    Machine,
    call::Named,
    complex::{Adapted, PairCall, mark_complex},
};
use crate::{
    Error, Location, Result,
    builtins::Builtin,
    context::Budget,
    number::Number,
    value::{HostScalar, Value},
};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Dispatch, Error as ProgramError, Outcome, Value as ProgramValue, operators::table_call, value::dtype_of,
};

/// The deepest nesting of values that are passed to operators and callers.
const DEPTH: usize = 32;

/// Returns the bytes of a number as an element.
pub(super) fn element(number: Number, dtype: DType) -> Option<Vec<u8>> {
    let float = number.float();
    let int = || number.int().ok();
    Some(match dtype {
        DType::Bool => vec![u8::from(number.truth())],
        DType::U8 => vec![int()? as u8],
        DType::I8 => vec![int()? as u8],
        DType::I16 => (int()? as i16).to_le_bytes().to_vec(),
        DType::I32 => (int()? as i32).to_le_bytes().to_vec(),
        DType::I64 => int()?.to_le_bytes().to_vec(),
        DType::F32 => (float as f32).to_le_bytes().to_vec(),
        DType::F64 => float.to_le_bytes().to_vec(),
        DType::F16 | DType::BF16 => return None,
    })
}

/// Returns the elements as numbers.
pub(super) fn elements(data: &TensorData) -> Vec<Number> {
    let bytes = data.bytes().chunks_exact(data.dtype().size());
    let half = |bytes: &[u8], exponent_bits: u32| {
        let bits = u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        if exponent_bits == 8 {
            return f64::from(f32::from_bits(bits << 16));
        }
        let (sign, exponent, fraction) = (bits >> 15, (bits >> 10) & 31, f64::from(bits & 1023));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            exponent => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
        };
        if sign == 1 { -magnitude } else { magnitude }
    };
    let array4 = |bytes: &[u8]| [bytes[0], bytes[1], bytes[2], bytes[3]];
    let array8 = |bytes: &[u8]| [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]];
    bytes
        .map(|bytes| match data.dtype() {
            DType::Bool | DType::U8 => Number::Int(i64::from(bytes[0])),
            DType::I8 => Number::Int(i64::from(bytes[0] as i8)),
            DType::I16 => Number::Int(i64::from(i16::from_le_bytes([bytes[0], bytes[1]]))),
            DType::I32 => Number::Int(i64::from(i32::from_le_bytes(array4(bytes)))),
            DType::I64 => Number::Int(i64::from_le_bytes(array8(bytes))),
            DType::F16 => Number::Float(half(bytes, 5)),
            DType::BF16 => Number::Float(half(bytes, 8)),
            DType::F32 => Number::Float(f64::from(f32::from_le_bytes(array4(bytes)))),
            DType::F64 => Number::Float(f64::from_le_bytes(array8(bytes))),
        })
        .collect()
}

/// Creates the tensor of a scalar on the host.
fn materialize<D: Dispatch>(dispatch: &D, scalar: &HostScalar<D::Tensor>) -> Result<D::Tensor> {
    if let Some(tensor) = &*scalar.tensor.borrow() {
        return Ok(tensor.clone());
    }
    let number = scalar.number.get().unwrap_or(Number::Int(0));
    let bytes = element(number, scalar.dtype);
    let data = bytes.and_then(|bytes| TensorData::new(scalar.dtype, vec![], bytes));
    let data = data.ok_or_else(|| Error::runtime(format!("{number:?} is no element of {}", scalar.dtype)))?;
    let tensor = dispatch.tensor(data).map_err(failure)?;
    scalar.tensor.replace(Some(tensor.clone()));
    Ok(tensor)
}

/// Converts a value for operators and callers.
pub(crate) fn to_program<D: Dispatch>(dispatch: &D, value: &Value<D::Tensor>) -> Result<ProgramValue<D::Tensor>> {
    convert_nested(dispatch, value, 0, &Budget::new())
}

fn convert_nested<D: Dispatch>(
    dispatch: &D,
    value: &Value<D::Tensor>,
    depth: usize,
    budget: &Budget,
) -> Result<ProgramValue<D::Tensor>> {
    budget.spend()?;
    if depth == DEPTH {
        return Err(Error::limit(format!("values nested more than {DEPTH} deep")));
    }
    let all = |items: &[Value<D::Tensor>]| -> Result<Vec<ProgramValue<D::Tensor>>> {
        // A list of sizes may contain tensors; these are sizes too.
        let sizes = items.iter().any(|item| matches!(item, Value::Int(_)));
        let items = items.iter().map(|item| match item {
            Value::Scalar(scalar) if sizes => match scalar.number.get() {
                Some(Number::Int(value)) => Ok(ProgramValue::Int(value)),
                _ => convert_nested(dispatch, item, depth + 1, budget),
            },
            item => convert_nested(dispatch, item, depth + 1, budget),
        });
        items.collect()
    };
    Ok(match value {
        Value::None => ProgramValue::None,
        Value::Bool(value) => ProgramValue::Bool(*value),
        Value::Int(value) => ProgramValue::Int(*value),
        Value::Float(value) => ProgramValue::Float(*value),
        Value::Str(text) | Value::Device(text) => ProgramValue::Str(text.to_string()),
        Value::Tensor(tensor) | Value::Complex(tensor) => ProgramValue::Tensor(tensor.clone()),
        Value::Scalar(scalar) => ProgramValue::Tensor(materialize(dispatch, scalar)?),
        Value::List(list) => ProgramValue::List(all(&list.items.borrow())?),
        // A named tuple becomes a dictionary of its fields, like in PyTorch's trees.
        Value::Tuple(tuple) => match &tuple.class {
            Some(class) => {
                let names = class.fields.iter().map(|(name, _)| ProgramValue::Str(name.to_string()));
                ProgramValue::Dict(names.zip(all(&tuple.items)?).collect())
            }
            None => ProgramValue::Tuple(all(&tuple.items)?),
        },
        Value::Dict(dict) => {
            let entries = dict.entries.borrow();
            let entries = entries.iter().map(|(key, value)| {
                Ok((
                    convert_nested(dispatch, key, depth + 1, budget)?,
                    convert_nested(dispatch, value, depth + 1, budget)?,
                ))
            });
            ProgramValue::Dict(entries.collect::<Result<_>>()?)
        }
        Value::Member(member) => convert_nested(dispatch, &member.value, depth + 1, budget)?,
        value => return Err(Error::runtime(format!("an operator or a caller cannot get a {}", value.type_name()))),
    })
}

/// Converts a value from an operator or a caller.
pub(crate) fn from_program<T>(value: ProgramValue<T>) -> Result<Value<T>>
where
    T: Clone,
{
    let all = |values: Vec<ProgramValue<T>>| values.into_iter().map(from_program).collect::<Result<Vec<_>>>();
    Ok(match value {
        ProgramValue::None => Value::None,
        ProgramValue::Bool(value) => Value::Bool(value),
        ProgramValue::Int(value) => Value::Int(value),
        ProgramValue::Float(value) => Value::Float(value),
        ProgramValue::Str(text) => Value::text(&text),
        ProgramValue::Bytes(bytes) => Value::ints(bytes.into_iter().map(i64::from)),
        ProgramValue::List(values) => Value::list(all(values)?),
        ProgramValue::Tuple(values) => Value::tuple(all(values)?),
        ProgramValue::Dict(entries) => {
            let mut dict = crate::dict::Dict::default();
            for (key, value) in entries {
                dict.insert(from_program(key)?, from_program(value)?)?;
            }
            Value::dict(dict)
        }
        ProgramValue::Tensor(tensor) => Value::Tensor(tensor),
    })
}

fn failure(error: ProgramError) -> Error {
    match error {
        ProgramError::MissingOperators(missing) => Error::MissingOperations { missing, location: Location::default() },
        ProgramError::File(error) => Error::Archive(error),
        ProgramError::Raised(message) => crate::builtins::exception("RuntimeError", message),
        error => Error::Operation { message: error.to_string(), location: Location::default() },
    }
}

impl<'d, D: Dispatch> Machine<'d, D> {
    /// Converts the error of an operation.
    pub(super) fn operation(&self, error: ProgramError) -> Error {
        match failure(error) {
            Error::MissingOperations { mut missing, location } => {
                missing.extend(self.missing.iter().filter(|name| !missing.contains(name)).cloned().collect::<Vec<_>>());
                Error::MissingOperations { missing, location }
            }
            error => error,
        }
    }

    /// Reads the element of a tensor that has one, or returns a number.
    pub(super) async fn number(&mut self, value: &Value<D::Tensor>) -> Result<Number> {
        if let Some(number) = value.number() {
            return Ok(number);
        }
        let tensor = self.tensor(value)?;
        let data = self.context.dispatch.read(&tensor).await.map_err(|error| self.operation(error))?;
        match &elements(&data)[..] {
            [number] => Ok(*number),
            numbers => {
                let message = format!("a tensor of {} elements is no number", numbers.len());
                Err(crate::builtins::exception("RuntimeError", message))
            }
        }
    }

    /// Returns the tensor of a value.
    pub(super) fn tensor(&self, value: &Value<D::Tensor>) -> Result<D::Tensor> {
        match value {
            Value::Tensor(tensor) | Value::Complex(tensor) => Ok(tensor.clone()),
            Value::Scalar(scalar) => materialize(self.context.dispatch, scalar),
            value => Err(Error::runtime(format!("a {} is no tensor", value.type_name()))),
        }
    }

    /// Converts a number to a tensor without dimensions.
    pub(super) fn wrap(&self, value: &Value<D::Tensor>) -> Result<Value<D::Tensor>> {
        let dtype = match value {
            Value::Bool(_) => DType::Bool,
            Value::Int(_) => DType::I64,
            _ => DType::F32,
        };
        match value.number() {
            Some(number) => Ok(Value::scalar(number, dtype)),
            None => Err(Error::runtime(format!("a {} is no number", value.type_name()))),
        }
    }

    /// Replaces tensors by numbers for a function that accepts only numbers.
    pub(super) async fn read_numbers(&mut self, builtin: &Builtin, args: &mut [Value<D::Tensor>]) -> Result<()> {
        let converts = matches!(
            &*builtin.name,
            "int"
                | "Int"
                | "IntImplicit"
                | "float"
                | "Float"
                | "FloatImplicit"
                | "bool"
                | "Bool"
                | "ScalarImplicit"
                | "item"
                | "range"
        );
        let math = builtin.python && builtin.own.is_some() && Builtin::is_math(&builtin.name);
        if !converts && !math {
            return Ok(());
        }
        for arg in args.iter_mut() {
            let Value::Tensor(tensor) = &*arg else { continue };
            let bool = self.context.dispatch.dtype(tensor) == DType::Bool;
            let value = arg.clone();
            *arg = match self.number(&value).await? {
                Number::Int(value) if bool => Value::Bool(value != 0),
                Number::Int(value) => Value::Int(value),
                Number::Float(value) => Value::Float(value),
            };
        }
        Ok(())
    }

    /// Calls an operator of ATen, or of the op table.
    pub(super) async fn operator(
        &self,
        builtin: &Builtin,
        args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Result<Value<D::Tensor>> {
        match self.complex(builtin, &args, &named)? {
            None => {
                let outcome = self.start_operator(builtin, args, named)?;
                self.finish(outcome.value().await, false)
            }
            Some(Adapted::Call(call)) => {
                let is_complex = call.is_complex;
                let outcome = self.start_operator(&call.target, call.args, call.named)?;
                self.finish(outcome.value().await, is_complex)
            }
            Some(Adapted::Parts(parts)) => {
                let mut results = Vec::with_capacity(2);
                for call in *parts {
                    let outcome = self.start_operator(&call.target, call.args, call.named)?;
                    results.push(self.finish(outcome.value().await, false)?);
                }
                self.operator_now("complex", results)
            }
        }
    }

    /// Calls an operator that reads no elements.
    pub(super) fn operator_now(&self, name: &str, args: Vec<Value<D::Tensor>>) -> Result<Value<D::Tensor>> {
        let builtin = Builtin::by_name(name, false);
        let now = |call: PairCall<D::Tensor>| {
            let outcome = self.start_operator(&call.target, call.args, call.named)?;
            self.finish(outcome.ready(name), call.is_complex)
        };
        match self.complex(&builtin, &args, &vec![])? {
            None => now(PairCall { target: builtin, args, named: vec![], is_complex: false }),
            Some(Adapted::Call(call)) => now(call),
            Some(Adapted::Parts(parts)) => {
                let parts = parts.into_iter().map(|call| now(PairCall { is_complex: false, ..call }));
                let parts = parts.collect::<Result<_>>()?;
                self.operator_now("complex", parts)
            }
        }
    }

    pub(super) fn finish(
        &self,
        result: lanthorn_program::Result<ProgramValue<D::Tensor>>,
        is_complex: bool,
    ) -> Result<Value<D::Tensor>> {
        let value = from_program(result.map_err(|error| self.operation(error))?)?;
        Ok(if is_complex { mark_complex(value) } else { value })
    }

    /// Starts an operator on real tensors, or on pairs.
    pub(super) fn start_operator(
        &self,
        builtin: &Builtin,
        args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Result<Outcome<'d, D::Tensor>> {
        let dispatch = self.context.dispatch;
        let name = &*builtin.name;
        if name.ends_with('_')
            && let Some(Value::Scalar(scalar)) = args.first()
        {
            materialize(dispatch, scalar)?;
            scalar.number.set(None);
        }
        let kinds = || -> String {
            let kinds: Vec<&str> = args.iter().map(Value::type_name).collect();
            kinds.join(", ")
        };
        let tensors = args.iter().chain(named.iter().map(|(_, value)| value)).any(has_tensor);
        if builtin.own.is_some() && !tensors {
            return Err(Error::runtime(format!("{name} does not take ({})", kinds())));
        }
        let aten = builtin.aten.or_else(|| lanthorn_program::aten::find(name).filter(|_| tensors));
        let table = !dispatch.overloads(name.strip_suffix('_').unwrap_or(name)).is_empty();
        if aten.is_none() && !table {
            if builtin.own.is_some() || builtin.python {
                return Err(Error::runtime(format!("{name} does not take ({})", kinds())));
            }
            return Err(self.operation(ProgramError::MissingOperators(vec![name.to_string()])));
        }
        let positional = args.iter().map(|value| to_program(dispatch, value)).collect::<Result<Vec<_>>>()?;
        let mut keywords = Vec::new();
        for (name, value) in &named {
            if builtin.functional && matches!(&**name, "inplace" | "_stacklevel") {
                continue;
            }
            keywords.push((name.to_string(), to_program(dispatch, value)?));
        }
        let target = aten.filter(|_| !(builtin.functional && table));
        for (name, value) in keywords.iter_mut().filter(|_| target.is_none()) {
            if name == "dtype"
                && let ProgramValue::Int(number) = value
                && let Some(dtype) = dtype_of(*number)
            {
                *value = ProgramValue::Str(lanthorn_program::device_dtype(dispatch, dtype).name().to_string());
            }
        }
        let call = |args: Vec<ProgramValue<D::Tensor>>| match target {
            Some(target) => target.call(dispatch, args, keywords.clone()),
            None => {
                let keywords: Vec<_> = keywords.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                table_call(dispatch, name, args, &keywords)
            }
        };
        // Sizes may be separate arguments.
        let packed = pack_integers(&positional);
        let called = match (call(positional), packed) {
            (Err(ProgramError::Argument { op, message }), Some(packed)) => {
                call(packed).map_err(|_| ProgramError::Argument { op, message })
            }
            (called, _) => called,
        };
        called.map_err(|error| self.operation(error))
    }

    /// Reads the elements of a tensor as nested lists.
    pub(super) async fn nested_list(&mut self, value: &Value<D::Tensor>) -> Result<Value<D::Tensor>> {
        let tensor = self.tensor(value)?;
        let data = self.context.dispatch.read(&tensor).await.map_err(|error| self.operation(error))?;
        let bool = data.dtype() == DType::Bool;
        let mut items: Vec<Value<D::Tensor>> = elements(&data)
            .into_iter()
            .map(|number| match number {
                Number::Int(value) if bool => Value::Bool(value != 0),
                Number::Int(value) => Value::Int(value),
                Number::Float(value) => Value::Float(value),
            })
            .collect();
        self.context.charge(items.len().saturating_mul(2))?;
        for &size in data.shape().iter().skip(1).rev() {
            if size == 0 {
                let count = items.len();
                items = (0..count.max(data.shape()[0])).map(|_| Value::list(Vec::new())).collect();
                break;
            }
            let mut rows = Vec::with_capacity(items.len() / size);
            let mut rest = items.into_iter().peekable();
            while rest.peek().is_some() {
                rows.push(Value::list(rest.by_ref().take(size).collect()));
            }
            items = rows;
        }
        if data.shape().is_empty() { Ok(items.pop().unwrap_or(Value::None)) } else { Ok(Value::list(items)) }
    }
}

fn has_tensor<T>(value: &Value<T>) -> bool {
    match value {
        Value::List(list) => list.items.borrow().iter().any(Value::is_tensor),
        Value::Tuple(tuple) => tuple.items.iter().any(Value::is_tensor),
        value => value.is_tensor(),
    }
}

/// Packs trailing integers of the arguments into a list. Returns `None` if there are none.
fn pack_integers<T: Clone>(args: &[ProgramValue<T>]) -> Option<Vec<ProgramValue<T>>> {
    let first = args.iter().position(|arg| !matches!(arg, ProgramValue::Tensor(_)))?;
    let ints = args[first..].iter().all(|arg| matches!(arg, ProgramValue::Int(_)));
    ints.then(|| {
        let packed = ProgramValue::List(args[first..].to_vec());
        args[..first].iter().cloned().chain([packed]).collect()
    })
}

/// Returns the scalar of a constant from its bytes.
pub(crate) fn scalar_of<T>(data: &TensorData) -> Option<Value<T>> {
    if !data.shape().is_empty() || matches!(data.dtype(), DType::F16 | DType::BF16) {
        return None;
    }
    let number = elements(data).first().copied()?;
    Some(Value::scalar(number, data.dtype()))
}
