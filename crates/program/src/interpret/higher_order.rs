//! Runs operators that have blocks: branches, loops and modes.

use super::Interpreter;
use crate::{
    Dispatch, Error, Result, Value, device_dtype,
    graph::{Graph, HigherOrder, Meta, Operand, Size},
    operators::table_call,
    value::{dtype_of, elements, ints, is_floating_point, tensors},
};
use lanthorn_io::{DType, TensorData};
use std::rc::Rc;

/// The arguments of a call, with blocks separate from values.
pub(super) struct Call<T> {
    pub args: Vec<Value<T>>,
    pub blocks: Vec<Rc<Graph>>,
}

impl<T: Clone> Call<T> {
    /// Returns the block with this index.
    fn block(&self, op: HigherOrder, index: usize) -> Result<Rc<Graph>> {
        let block = self.blocks.get(index).cloned();
        block.ok_or_else(|| Error::malformed(format!("{} has {} blocks", op.name(), self.blocks.len())))
    }

    /// Returns an argument that is a list; an omitted argument is an empty list.
    fn list(&self, index: usize) -> Vec<Value<T>> {
        match self.args.get(index) {
            Some(Value::List(items) | Value::Tuple(items)) => items.clone(),
            Some(Value::None) | None => vec![],
            Some(value) => vec![value.clone()],
        }
    }

    /// Returns the arguments from an index on, with lists flattened.
    fn rest(&self, from: usize) -> Vec<Value<T>> {
        (from..self.args.len()).flat_map(|index| self.list(index)).collect()
    }
}

impl<D: Dispatch> Interpreter<'_, D> {
    /// Runs an operator that has blocks. Several results are a list.
    pub(super) async fn higher_order(
        &self,
        op: HigherOrder,
        call: Call<D::Tensor>,
        depth: usize,
    ) -> Result<Value<D::Tensor>> {
        let depth = depth + 1;
        let results = match op {
            HigherOrder::Cond => {
                let condition = self.is_true(call.args.first()).await?;
                let block = call.block(op, usize::from(!condition))?;
                let operands = call.rest(1);
                let results = self.block(&block, operands.clone(), depth).await?;
                self.depend_on_all(results, &operands)?
            }
            HigherOrder::WhileLoop => self.while_loop(&call, depth).await?,
            HigherOrder::Loop => self.repeat(&call, depth).await?,
            HigherOrder::SequenceMap => self.map_lists(&call, depth).await?,
            HigherOrder::Map => self.map(&call, depth).await?,
            HigherOrder::Scan => self.scan(&call, depth).await?,
            HigherOrder::Call => {
                let block = call.block(op, 0)?;
                // Names of the block and options surround its arguments.
                let mut args: Vec<_> = call.rest(0).into_iter().filter(|arg| !matches!(arg, Value::Str(_))).collect();
                args.truncate(block.inputs.len());
                self.block(&block, args, depth).await?
            }
            HigherOrder::SetGradEnabled => {
                let enabled = call.args.first().and_then(Value::as_bool).unwrap_or(true);
                let block = call.block(op, 0)?;
                let before = self.dispatch.is_grad_enabled();
                self.dispatch.set_grad_enabled(enabled);
                let results = self.block(&block, call.rest(1), depth).await;
                self.dispatch.set_grad_enabled(before);
                results?
            }
            HigherOrder::Autocast => {
                // device_type, dtype, enabled, cache_enabled, block, arguments
                let dtype = call.args.get(1).and_then(Value::as_int).and_then(dtype_of);
                let enabled = call.args.get(2).and_then(Value::as_bool).unwrap_or(true);
                let block = call.block(op, 0)?;
                let before = self.dispatch.set_autocast(dtype.filter(|_| enabled))?;
                let results = self.block(&block, call.rest(4), depth).await;
                self.dispatch.set_autocast(before)?;
                results?
            }
        };
        Ok(Value::List(results))
    }

    async fn is_true(&self, value: Option<&Value<D::Tensor>>) -> Result<bool> {
        let value = match value {
            Some(Value::Tensor(tensor)) => {
                let shape = self.dispatch.shape(tensor);
                let elements = elements(&self.wait(self.dispatch.read(tensor)).await?)?;
                let [element] = <[Value<D::Tensor>; 1]>::try_from(elements)
                    .map_err(|_| Error::malformed(format!("a condition is a tensor of shape {shape:?}")))?;
                element
            }
            Some(value) => value.clone(),
            None => Value::None,
        };
        match value {
            Value::Bool(value) => Ok(value),
            Value::Int(value) => Ok(value != 0),
            Value::Float(value) => Ok(value != 0.0),
            value => Err(Error::malformed(format!("a condition is {}", crate::value::describe(&value)))),
        }
    }

    /// Makes results depend on all operands. As in PyTorch, an operand that only the other branch
    /// uses gets a gradient of zeros.
    fn depend_on_all(
        &self,
        mut results: Vec<Value<D::Tensor>>,
        operands: &[Value<D::Tensor>],
    ) -> Result<Vec<Value<D::Tensor>>> {
        if !self.dispatch.is_grad_enabled() {
            return Ok(results);
        }
        let recorded = |tensor: &D::Tensor| self.dispatch.requires_grad(tensor);
        let first = results
            .iter_mut()
            .find(|value| value.as_tensor().is_some_and(|tensor| is_floating_point(self.dispatch.dtype(tensor))));
        let Some(first) = first else { return Ok(results) };
        let call = |name, args| table_call(self.dispatch, name, args, &[])?.ready(name);
        for operand in operands.iter().filter(|operand| operand.as_tensor().is_some_and(recorded)) {
            // The sum of no elements is 0.
            let flat = call("reshape", vec![operand.clone(), ints([-1])])?;
            let none = call("narrow", vec![flat, Value::Int(0), Value::Int(0), Value::Int(0)])?;
            let zero = call("sum", vec![none])?;
            *first = call("add", vec![first.clone(), zero])?;
        }
        Ok(results)
    }

    async fn while_loop(&self, call: &Call<D::Tensor>, depth: usize) -> Result<Vec<Value<D::Tensor>>> {
        let (condition, body) = (call.block(HigherOrder::WhileLoop, 0)?, call.block(HigherOrder::WhileLoop, 1)?);
        let mut carried = call.list(0);
        let additional = call.rest(1);
        loop {
            let inputs = || carried.iter().chain(&additional).cloned().collect::<Vec<_>>();
            let goes_on = self.block(&condition, inputs(), depth).await?;
            if !self.is_true(goes_on.first()).await? {
                return Ok(carried);
            }
            // Empty blocks count against the limit too.
            self.step().await?;
            let next = self.block(&body, inputs(), depth).await?;
            if next.len() != carried.len() {
                return Err(Error::malformed(format!("a loop carries {} values, then {}", carried.len(), next.len())));
            }
            carried = next;
        }
    }

    /// Runs ONNX's loop. The block takes the iteration number, the condition and the carried
    /// values. It returns the condition, the carried values, and one slice of each stacked result.
    async fn repeat(&self, call: &Call<D::Tensor>, depth: usize) -> Result<Vec<Value<D::Tensor>>> {
        let block = call.block(HigherOrder::Loop, 0)?;
        let limit = match call.args.first() {
            Some(Value::Tensor(tensor)) => {
                let elements = elements::<()>(&self.wait(self.dispatch.read(tensor)).await?)?;
                elements.first().and_then(Value::as_int)
            }
            _ => None,
        };
        let mut goes_on = call.args.get(1).cloned().unwrap_or(Value::None);
        let mut carried = call.list(2);
        let captured = call.list(3);
        let mut rows: Vec<Vec<Value<D::Tensor>>> = Vec::new();
        let mut pass = 0;
        loop {
            let ends = limit.is_some_and(|limit| pass >= limit);
            if ends || (!matches!(goes_on, Value::None) && !self.is_true(Some(&goes_on)).await?) {
                break;
            }
            self.step().await?;
            let number = TensorData::new(DType::I64, vec![], pass.to_le_bytes().to_vec());
            let truth = TensorData::new(DType::Bool, vec![], vec![1]);
            let (Some(number), Some(truth)) = (number, truth) else { return Err(Error::malformed("a loop's number")) };
            let condition = match &goes_on {
                Value::None => Value::Tensor(self.dispatch.constant(truth)?),
                value => value.clone(),
            };
            let mut inputs = vec![Value::Tensor(self.dispatch.constant(number)?), condition];
            inputs.extend(carried.iter().chain(&captured).cloned());
            let mut results = self.block(&block, inputs, depth).await?.into_iter();
            let next = results.next().unwrap_or(Value::None);
            if !matches!(goes_on, Value::None) {
                goes_on = next;
            }
            let before = carried.len();
            carried = results.by_ref().take(before).collect();
            if carried.len() != before {
                return Err(Error::malformed(format!("a loop carries {before} values, then {}", carried.len())));
            }
            rows.push(results.collect());
            pass += 1;
        }
        if rows.is_empty() {
            for output in block.outputs.iter().skip(1 + carried.len()) {
                carried.push(self.no_rows(&block, output)?);
            }
        }
        carried.extend(self.stack(rows)?);
        Ok(carried)
    }

    /// Returns an empty stack with the type and known sizes of a block's result.
    fn no_rows(&self, block: &Graph, output: &Operand) -> Result<Value<D::Tensor>> {
        let meta = match output {
            Operand::Value(id) => block.meta(*id),
            _ => None,
        };
        let (dtype, sizes) = match meta {
            Some(Meta::Tensor(meta)) => (meta.dtype, &meta.sizes[..]),
            _ => (DType::F32, &[][..]),
        };
        let size = |size: &Size| match size {
            Size::Int(size) => *size,
            _ => 0,
        };
        let shape = std::iter::once(0).chain(sizes.iter().map(size));
        let dtype = [("dtype", Value::Str(device_dtype(self.dispatch, dtype).name().to_string()))];
        table_call(self.dispatch, "zeros", vec![ints(shape)], &dtype)?.ready("zeros")
    }

    /// Runs a block for each element of lists. Other arguments are constant.
    async fn map_lists(&self, call: &Call<D::Tensor>, depth: usize) -> Result<Vec<Value<D::Tensor>>> {
        let block = call.block(HigherOrder::SequenceMap, 0)?;
        let (inputs, captured) = (call.list(0), call.list(1));
        let length = inputs.first().and_then(Value::as_list).map_or(0, <[_]>::len);
        let mut lists: Vec<Vec<Value<D::Tensor>>> = vec![Vec::new(); block.outputs.len()];
        for index in 0..length {
            let element = |input: &Value<D::Tensor>| match input {
                Value::List(items) => items.get(index).cloned(),
                value => Some(value.clone()),
            };
            let given = inputs.iter().map(element).collect::<Option<Vec<_>>>();
            let mut given = given.ok_or_else(|| Error::Input("lists of different lengths".to_string()))?;
            given.extend(captured.iter().cloned());
            let results = self.block(&block, given, depth).await?;
            lists.iter_mut().zip(results).for_each(|(list, result)| list.push(result));
        }
        Ok(lists.into_iter().map(Value::List).collect())
    }

    /// Slices tensors along their first dimension. Each row has one slice of every tensor.
    fn slices(&self, xs: &[Value<D::Tensor>]) -> Result<Vec<Vec<Value<D::Tensor>>>> {
        let mut rows: Vec<Vec<Value<D::Tensor>>> = Vec::new();
        for (index, x) in xs.iter().enumerate() {
            let parts = table_call(self.dispatch, "unbind", vec![x.clone(), Value::Int(0)], &[])?.ready("unbind")?;
            let Value::List(parts) = parts else {
                return Err(Error::malformed("slices of something else than a tensor"));
            };
            if index == 0 {
                rows.resize_with(parts.len(), Vec::new);
            }
            if rows.len() != parts.len() {
                return Err(Error::Input(format!("tensors with {} and {} slices", rows.len(), parts.len())));
            }
            rows.iter_mut().zip(parts).for_each(|(row, part)| row.push(part));
        }
        Ok(rows)
    }

    /// Stacks the results of all slices.
    fn stack(&self, rows: Vec<Vec<Value<D::Tensor>>>) -> Result<Vec<Value<D::Tensor>>> {
        let width = rows.first().map_or(0, Vec::len);
        let mut results = Vec::new();
        for column in 0..width {
            let parts = rows.iter().filter_map(|row| row.get(column).and_then(Value::as_tensor).cloned());
            let parts = tensors(parts.collect::<Vec<_>>());
            results.push(table_call(self.dispatch, "stack", vec![parts, Value::Int(0)], &[])?.ready("stack")?);
        }
        Ok(results)
    }

    async fn map(&self, call: &Call<D::Tensor>, depth: usize) -> Result<Vec<Value<D::Tensor>>> {
        let block = call.block(HigherOrder::Map, 0)?;
        let mut rows = Vec::new();
        for mut inputs in self.slices(&call.list(0))? {
            inputs.extend(call.rest(1));
            rows.push(self.block(&block, inputs, depth).await?);
        }
        self.stack(rows)
    }

    async fn scan(&self, call: &Call<D::Tensor>, depth: usize) -> Result<Vec<Value<D::Tensor>>> {
        let block = call.block(HigherOrder::Scan, 0)?;
        let mut carried = call.list(0);
        let additional = call.rest(2);
        let mut rows = Vec::new();
        for slice in self.slices(&call.list(1))? {
            let inputs = carried.iter().chain(&slice).chain(&additional).cloned().collect();
            let mut results = self.block(&block, inputs, depth).await?;
            if results.len() < carried.len() {
                return Err(Error::malformed(format!(
                    "a scan carries {} values, then {}",
                    carried.len(),
                    results.len()
                )));
            }
            rows.push(results.split_off(carried.len()));
            carried = results;
        }
        carried.extend(self.stack(rows)?);
        Ok(carried)
    }
}
