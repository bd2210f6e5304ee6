//! Traces of the core as rows of numbers. The counterpart is `trace.rs` in `lanthorn-js`.

use crate::{calls::operations::Operations, error::Thrown};
use lanthorn_program::{
    Value,
    export::{TensorId, TracedOp, TracedTensor, not_in_table},
    value,
};
use lanthorn_schema::{ArgKind, Schema};
use std::rc::Rc;

/// Reads a row.
pub struct Row<'a> {
    words: std::slice::Iter<'a, f64>,
    strings: &'a [String],
    operations: &'a Operations,
}

fn malformed() -> Thrown {
    Thrown::argument("the core's trace is not encoded as this version of the package expects")
}

impl<'a> Row<'a> {
    /// A reader of a row of numbers, and the strings that it refers to by index.
    pub fn new(words: &'a [f64], strings: &'a [String], operations: &'a Operations) -> Row<'a> {
        Row { words: words.iter(), strings, operations }
    }

    fn number(&mut self) -> Result<f64, Thrown> {
        self.words.next().copied().ok_or_else(malformed)
    }

    /// A count or an index. A row is as long as what it counts.
    fn index(&mut self) -> Result<usize, Thrown> {
        Ok(self.number()? as usize)
    }

    fn flag(&mut self) -> Result<bool, Thrown> {
        Ok(self.number()? != 0.0)
    }

    fn text(&mut self) -> Result<String, Thrown> {
        let index = self.index()?;
        self.strings.get(index).cloned().ok_or_else(malformed)
    }

    fn dtype(&mut self) -> Result<lanthorn_io::DType, Thrown> {
        let number = self.index()?;
        self.operations.dtype(number).ok_or_else(malformed)
    }

    fn list(&mut self, item: impl Fn(f64) -> Value<TensorId>) -> Result<Value<TensorId>, Thrown> {
        let count = self.index()?;
        Ok(Value::List((0..count).map(|_| Ok(item(self.number()?))).collect::<Result<_, Thrown>>()?))
    }

    /// All arguments that are left.
    pub fn arguments(mut self) -> Result<Vec<Value<TensorId>>, Thrown> {
        let mut arguments = Vec::new();
        while !self.words.as_slice().is_empty() {
            arguments.push(self.argument()?);
        }
        Ok(arguments)
    }

    fn argument(&mut self) -> Result<Value<TensorId>, Thrown> {
        let kind = self.index()?;
        let tensor = |id: f64| Value::Tensor(id as TensorId);
        let int = |value: f64| Value::Int(value as i64);
        Ok(match ArgKind::ALL.get(kind).ok_or_else(malformed)? {
            ArgKind::Missing | ArgKind::Null | ArgKind::Device | ArgKind::Module => Value::None,
            ArgKind::Tensor => tensor(self.number()?),
            ArgKind::Tensors => self.list(tensor)?,
            ArgKind::OptionalTensors => self.list(|id| if id < 0.0 { Value::None } else { tensor(id) })?,
            ArgKind::Bool => Value::Bool(self.flag()?),
            ArgKind::Int => int(self.number()?),
            ArgKind::Float => Value::Float(self.number()?),
            ArgKind::Ints => self.list(int)?,
            ArgKind::Empty | ArgKind::Nulls => Value::List(vec![]),
            ArgKind::PartialInts => self.list(|value| if value.is_nan() { Value::None } else { int(value) })?,
            ArgKind::Floats => self.list(Value::Float)?,
            ArgKind::Str => Value::Str(self.text()?),
            ArgKind::DType => Value::Str(self.dtype()?.name().to_string()),
        })
    }

    /// The calls of a trace.
    pub fn calls(&mut self) -> Result<Vec<TracedOp>, Thrown> {
        let count = self.index()?;
        (0..count).map(|_| self.call()).collect()
    }

    fn call(&mut self) -> Result<TracedOp, Thrown> {
        let number = self.number()?;
        let schema = if number < 0.0 { not_in_table(&self.text()?) } else { self.schema(number as usize) };
        let schema = Rc::new(schema.ok_or_else(malformed)?);
        let (in_place, grad_enabled, is_list) = (self.flag()?, self.flag()?, self.flag()?);
        let mut result = self.list(|id| Value::Tensor(id as TensorId))?;
        if let (false, Value::List(items)) = (is_list, &mut result) {
            result = items.pop().ok_or_else(malformed)?;
        }
        let count = self.index()?;
        let args = (0..count).map(|_| self.argument()).collect::<Result<_, Thrown>>()?;
        Ok(TracedOp { schema, args, in_place, grad_enabled, result })
    }

    fn schema(&self, number: usize) -> Option<Schema> {
        self.operations.overload(number).map(|overload| overload.schema.clone())
    }

    /// The tensors of a trace.
    pub fn tensors(&mut self) -> Result<Vec<TracedTensor>, Thrown> {
        let count = self.index()?;
        (0..count)
            .map(|_| {
                let (dtype, requires_grad) = (self.dtype()?, self.flag()?);
                let shape = self.list(|size| Value::Int(size as i64))?;
                let shape = value::as_ints(&shape).ok_or_else(malformed)?;
                let strides = (0..shape.len()).map(|_| Ok(self.number()? as i64)).collect::<Result<_, Thrown>>()?;
                Ok(TracedTensor { dtype, shape, strides, requires_grad })
            })
            .collect()
    }
}
