//! Describes values by formulas, and creates values for numbers.

use super::{
    TensorId, Trace, TracedTensor,
    build::{Builder, differs, plain, tensors},
};
use crate::{
    Error, Result, Value,
    graph::{Function, Meta, ModuleStack, Node, Operand, Results, ScalarOp, Size, Target, TensorMeta, ValueId},
};

fn traced_tensor(traces: &[Trace], trace: usize, tensor: TensorId) -> Result<&TracedTensor> {
    traces[trace].tensors.get(tensor).ok_or_else(|| Error::malformed("a traced tensor that is not described"))
}

/// Returns the strides of a dense tensor, with any order of dimensions, as products of its sizes.
/// Each row has a number for each trace. Returns `None` for other tensors.
fn dense(shape: &[Vec<i64>], strides: &[Vec<i64>], sizes: &[Size]) -> Option<Vec<Size>> {
    let first = |rows: &[Vec<i64>], dim: usize| rows[dim].first().copied();
    let mut order: Vec<usize> = (0..shape.len()).collect();
    // If strides are equal, the dimension of size 1 is the outer one.
    order.sort_by_key(|&dim| (first(strides, dim), first(shape, dim), std::cmp::Reverse(dim)));
    let mut values = vec![1i64; shape.first().map_or(0, Vec::len)];
    let mut stride = Size::Int(1);
    let mut found = vec![Size::Int(1); shape.len()];
    for dim in order {
        if strides[dim] != values {
            return None;
        }
        found[dim] = stride.clone();
        values.iter_mut().zip(&shape[dim]).for_each(|(value, size)| *value = value.saturating_mul(*size));
        stride = stride.times(sizes[dim].clone());
    }
    Some(found)
}

impl Builder<'_> {
    /// Describes a tensor, with sizes and strides as formulas.
    pub(super) fn meta(&mut self, name: &str, tensors: &[TensorId]) -> Result<TensorMeta> {
        let traces = self.traces;
        let traced = tensors
            .iter()
            .enumerate()
            .map(|(trace, id)| traced_tensor(traces, trace, *id))
            .collect::<Result<Vec<_>>>()?;
        let first = traced[0];
        if traced.iter().any(|other| other.dtype != first.dtype || other.shape.len() != first.shape.len()) {
            return Err(differs(name, "has another type or number of dimensions for other sizes of the arguments"));
        }
        let (dtype, requires_grad, rank) = (first.dtype, first.requires_grad, first.shape.len());
        let column = |of: fn(&TracedTensor) -> &Vec<i64>, dim: usize| -> Vec<i64> {
            traced.iter().map(|tensor| of(tensor)[dim]).collect()
        };
        let shape: Vec<Vec<i64>> = (0..rank).map(|dim| column(|tensor| &tensor.shape, dim)).collect();
        let strides: Vec<Vec<i64>> = (0..rank).map(|dim| column(|tensor| &tensor.strides, dim)).collect();
        let sizes = shape.iter().enumerate();
        let sizes = sizes.map(|(dim, values)| self.formula(values, || format!("{name}: the size of dimension {dim}")));
        let sizes = sizes.collect::<Result<Vec<_>>>()?;
        let strides = match dense(&shape, &strides, &sizes) {
            Some(strides) => strides,
            None => {
                let strides = strides.iter().enumerate();
                let found = strides
                    .map(|(dim, values)| self.formula(values, || format!("{name}: the stride of dimension {dim}")));
                found.collect::<Result<_>>()?
            }
        };
        Ok(TensorMeta { dtype, sizes, strides, requires_grad })
    }

    pub(super) fn formula(&mut self, values: &[i64], what: impl Fn() -> String) -> Result<Size> {
        self.formulas.find(self.probes, values).ok_or_else(|| {
            let calls = self.probes.sizes.iter().zip(values);
            let calls = calls.map(|(sizes, value)| {
                let dims = self.probes.dims.iter().zip(sizes).map(|(dim, size)| format!("{}={size}", dim.name));
                format!("{value} for {}", dims.collect::<Vec<_>>().join(", "))
            });
            let calls = calls.collect::<Vec<_>>().join("; ");
            Error::Input(format!("{} is no formula of the dynamic sizes: {calls}", what()))
        })
    }

    /// Converts an argument to an operand: tensors become values, and numbers that depend on sizes
    /// become values of formulas.
    pub(super) fn operand(&mut self, name: &str, values: &[&Value<TensorId>]) -> Result<Operand> {
        let other = || differs(name, "has other arguments for other sizes");
        match values[0] {
            Value::Tensor(_) => self.tensor_operand(name, &tensors(values).ok_or_else(other)?).map(Operand::Value),
            Value::List(first) | Value::Tuple(first) => {
                let lists = values.iter().map(|value| value.as_list().filter(|list| list.len() == first.len()));
                let lists = lists.collect::<Option<Vec<_>>>().ok_or_else(other)?;
                let items = (0..first.len()).map(|index| {
                    let items: Vec<&Value<TensorId>> = lists.iter().map(|list| &list[index]).collect();
                    self.operand(name, &items)
                });
                let items = items.collect::<Result<Vec<_>>>()?;
                let constants = items.iter().map(|item| match item {
                    Operand::Constant(value) => Some(value.clone()),
                    _ => None,
                });
                Ok(match constants.collect::<Option<Vec<_>>>() {
                    Some(constants) => Operand::Constant(Value::List(constants)),
                    None => Operand::List(items),
                })
            }
            Value::Int(_) => {
                let numbers =
                    values.iter().map(|value| value.as_int()).collect::<Option<Vec<i64>>>().ok_or_else(other)?;
                let size = self.formula(&numbers, || format!("{name}: an argument"))?;
                self.size(&size)
            }
            constant => {
                let constant = plain(constant).ok_or_else(other)?;
                if values.iter().any(|value| plain(value).as_ref() != Some(&constant)) {
                    return Err(differs(name, "has a number that differs for other sizes and is no integer"));
                }
                Ok(Operand::Constant(constant))
            }
        }
    }

    fn tensor_operand(&mut self, name: &str, ids: &[TensorId]) -> Result<ValueId> {
        let known: Vec<Option<ValueId>> =
            self.known.iter().zip(ids).map(|(known, id)| known.get(id).copied()).collect();
        if known.iter().any(|id| *id != known[0]) {
            return Err(differs(name, "takes another tensor for other sizes"));
        }
        if let Some(id) = known[0] {
            return Ok(id);
        }
        let id = self.tensor(&format!("c_lifted_tensor_{}", self.constants.len()), ids)?;
        if let Some(Meta::Tensor(meta)) = self.graph.meta(id)
            && meta.sizes.iter().any(|size| !matches!(size, Size::Int(_)))
        {
            return Err(differs(name, "takes outside data whose size equals the size of an argument"));
        }
        self.constants.push((ids[0], id));
        Ok(id)
    }

    /// Returns the value of a size.
    fn size(&mut self, size: &Size) -> Result<Operand> {
        if let Size::Int(value) = size {
            return Ok(Operand::Constant(Value::Int(*value)));
        }
        let key = size.to_string();
        if let Some(&id) = self.sizes.get(&key) {
            return Ok(Operand::Value(id));
        }
        let (target, args, base) = match size {
            Size::Call(function, args) => {
                let (op, base) = match function {
                    Function::Add => (ScalarOp::Add, "add"),
                    Function::Mul => (ScalarOp::Mul, "mul"),
                    Function::FloorDiv => (ScalarOp::FloorDiv, "floordiv"),
                    _ => return Err(Error::unsupported(format!("the size {size}"))),
                };
                let (last, rest) = args.split_last().ok_or_else(|| Error::malformed("a sum of nothing"))?;
                let left = if let [one] = rest { one.clone() } else { Size::Call(*function, rest.to_vec()) };
                (Target::Scalar(op), vec![self.size(&left)?, self.size(last)?], base)
            }
            symbol => {
                let (input, dim) = self.dimension(symbol)?;
                let target = Target::find("torch.ops.aten.sym_size.int");
                let target = target.ok_or_else(|| Error::MissingOperators(vec!["sym_size.int".to_string()]))?;
                (target, vec![Operand::Value(input), Operand::Constant(Value::Int(dim))], "sym_size_int")
            }
        };
        let name = self.unique(base);
        let id = self.graph.add_value(name, Some(Meta::Int(size.clone())));
        self.graph.nodes.push(Node {
            target,
            args,
            named: vec![],
            results: Results::One(id),
            modules: ModuleStack::default(),
        });
        self.sizes.insert(key, id);
        Ok(Operand::Value(id))
    }

    /// Finds an argument with a dimension of this size.
    fn dimension(&self, symbol: &Size) -> Result<(ValueId, i64)> {
        let values = self.graph.metas.iter().enumerate();
        let mut found = values.filter_map(|(id, meta)| {
            let Some(Meta::Tensor(meta)) = meta else { return None };
            Some((id, meta.sizes.iter().position(|size| size == symbol)? as i64))
        });
        found.next().ok_or_else(|| Error::malformed(format!("no argument has the size {symbol}")))
    }
}
