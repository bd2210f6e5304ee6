//! Traces of the core as rows of numbers. The counterpart is `trace.rs` in `lanthorn-js`.

use crate::{calls::operations::Operations, error::Thrown};
use lanthorn_call::{Malformed, Reader, Whole};
use lanthorn_program::{
    Value,
    export::{TensorId, TracedOp, TracedTensor, not_in_table},
    value,
};
use lanthorn_schema::Schema;
use std::rc::Rc;

/// Reads a row.
pub struct Row<'a> {
    reader: Reader<'a>,
    operations: &'a Operations,
}

fn malformed() -> Thrown {
    Thrown::argument("the core's trace is not encoded as this version of the package expects")
}

impl From<Malformed> for Thrown {
    fn from(_: Malformed) -> Thrown {
        malformed()
    }
}

fn id(number: f64) -> Result<TensorId, Malformed> {
    Ok(number as TensorId)
}

fn int(number: f64) -> Result<i64, Malformed> {
    Ok(number as i64)
}

fn to_value(argument: &lanthorn_call::Value<TensorId>) -> Value<TensorId> {
    value::of_argument(argument, &mut |&id| id)
}

impl<'a> Row<'a> {
    /// A reader of a row of numbers, and the strings that it refers to by index.
    pub fn new(words: &'a [f64], strings: &'a [String], operations: &'a Operations) -> Row<'a> {
        Row { reader: Reader::new(words, strings, Whole::Int), operations }
    }

    /// A count or an index. A count is followed by as many entries.
    fn index(&mut self) -> Result<usize, Thrown> {
        Ok(self.reader.number()? as usize)
    }

    fn flag(&mut self) -> Result<bool, Thrown> {
        Ok(self.reader.number()? != 0.0)
    }

    /// All arguments that are left.
    pub fn arguments(mut self) -> Result<Vec<Value<TensorId>>, Thrown> {
        Ok(self.reader.values(&mut id)?.iter().map(to_value).collect())
    }

    /// The calls of a trace.
    pub fn calls(&mut self) -> Result<Vec<TracedOp>, Thrown> {
        let count = self.index()?;
        (0..count).map(|_| self.call()).collect()
    }

    fn call(&mut self) -> Result<TracedOp, Thrown> {
        let number = self.reader.number()?;
        let schema = if number < 0.0 { not_in_table(self.reader.text()?) } else { self.schema(number as usize) };
        let schema = Rc::new(schema.ok_or_else(malformed)?);
        let (in_place, grad_enabled, is_list) = (self.flag()?, self.flag()?, self.flag()?);
        let mut results: Vec<Value<TensorId>> = self.reader.list(&mut id)?.into_iter().map(Value::Tensor).collect();
        let result = match is_list {
            true => Value::List(results),
            false => results.pop().ok_or_else(malformed)?,
        };
        let count = self.index()?;
        let args = (0..count).map(|_| Ok(to_value(&self.reader.value(&mut id)?)));
        let args = args.collect::<Result<_, Malformed>>()?;
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
                let (dtype, requires_grad) = (self.reader.dtype()?.into(), self.flag()?);
                let shape = self.reader.list(&mut int)?;
                let strides = shape.iter().map(|_| int(self.reader.number()?)).collect::<Result<_, Malformed>>()?;
                Ok(TracedTensor { dtype, shape, strides, requires_grad })
            })
            .collect()
    }
}
