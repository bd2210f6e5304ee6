//! `torch.tensor`: creates a tensor from nested lists of numbers.

use super::{Machine, call::Named, tensor::element};
use crate::{Error, Result, builtins::exception, number::Number, value::Value};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Dispatch, value::dtype_of};

impl<D: Dispatch> Machine<'_, D> {
    /// Creates a tensor.
    pub(super) async fn make_tensor(
        &mut self,
        args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Result<Value<D::Tensor>> {
        let keyword = |name: &str| named.iter().find(|(key, _)| &**key == name).map(|(_, value)| value.clone());
        let data = args.first().cloned().or_else(|| keyword("data")).unwrap_or(Value::None);
        let dtype = match args.get(1).cloned().or_else(|| keyword("dtype")) {
            Some(Value::Int(number)) => Some(dtype_of(number).ok_or_else(|| {
                Error::runtime(format!("tensors of the element type number {number} are not supported"))
            })?),
            _ => None,
        };
        if data.is_tensor() {
            let Some(dtype) = dtype else { return Ok(data) };
            let number = Value::Int(lanthorn_program::value::scalar_type(dtype));
            return self.operator_now("to", vec![data, number]);
        }
        let (mut shape, mut numbers, mut kind) = (Vec::new(), Vec::new(), DType::Bool);
        self.collect(&data, 0, &mut shape, &mut numbers, &mut kind).await?;
        if numbers.is_empty() {
            kind = DType::F32;
        }
        let dtype = dtype.unwrap_or(kind);
        let stored = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
        let mut bytes = Vec::with_capacity(numbers.len() * stored.size());
        for number in numbers {
            let element = element(number, stored);
            bytes.extend(element.ok_or_else(|| exception("RuntimeError", format!("{number:?} is no {dtype}")))?);
        }
        let data = TensorData::new(stored, shape, bytes);
        let data = data.ok_or_else(|| exception("ValueError", "lists of different lengths make no tensor"))?;
        let tensor = self.context.dispatch.tensor(data).map_err(|error| self.operation(error))?;
        if stored != dtype {
            let number = Value::Int(lanthorn_program::value::scalar_type(dtype));
            return self.operator_now("to", vec![Value::Tensor(tensor), number]);
        }
        if matches!(keyword("requires_grad"), Some(Value::Bool(true))) {
            self.context.dispatch.set_requires_grad(&tensor, true).map_err(|error| self.operation(error))?;
        }
        Ok(Value::Tensor(tensor))
    }

    /// Collects the numbers of nested lists in order, and the shape.
    async fn collect(
        &mut self,
        data: &Value<D::Tensor>,
        depth: usize,
        shape: &mut Vec<usize>,
        numbers: &mut Vec<Number>,
        kind: &mut DType,
    ) -> Result<()> {
        let items = match data {
            Value::List(list) => list.items.borrow().clone(),
            Value::Tuple(tuple) => tuple.items.clone(),
            value => {
                if depth != shape.len() {
                    return Err(exception("ValueError", "lists of different depths make no tensor"));
                }
                let dtype = match value {
                    Value::Tensor(tensor) => self.context.dispatch.dtype(tensor),
                    Value::Bool(_) => DType::Bool,
                    Value::Int(_) => DType::I64,
                    Value::Float(_) => DType::F32,
                    Value::Scalar(scalar) => scalar.dtype,
                    value => return Err(exception("TypeError", format!("a {} is no element", value.type_name()))),
                };
                let rank = |dtype: DType| match dtype {
                    DType::Bool => 0,
                    DType::F16 | DType::BF16 | DType::F32 | DType::F64 => 2,
                    _ => 1,
                };
                if rank(dtype) > rank(*kind) {
                    *kind = dtype;
                }
                let number = self.number(value).await?;
                numbers.push(number);
                return Ok(());
            }
        };
        if depth == 32 {
            return Err(Error::limit("a tensor of more than 32 dimensions"));
        }
        self.context.charge(items.len())?;
        // The first path to a number determines the shape.
        if depth == shape.len() && numbers.is_empty() {
            shape.push(items.len());
        } else if shape.get(depth) != Some(&items.len()) {
            return Err(exception("ValueError", "lists of different lengths make no tensor"));
        }
        for item in &items {
            Box::pin(self.collect(item, depth + 1, shape, numbers, kind)).await?;
        }
        Ok(())
    }
}
