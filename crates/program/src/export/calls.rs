//! Converts traced calls to nodes.

use super::{
    TensorId, TracedOp,
    build::{Builder, differs, tensors},
};
use crate::{
    Error, Result, Value,
    aten::{Raised, raise},
    graph::{Meta, ModuleStack, Node, Operand, Results, Target, TensorMeta},
    value::scalar_type,
};
use lanthorn_io::DType;

/// Operators that accept indices only as int64 in PyTorch, with the parameter.
const INT64: [(&str, &str); 14] = [
    ("cross_entropy_loss", "target"),
    ("gather", "index"),
    ("index_copy", "index"),
    ("index_fill", "index"),
    ("max_unpool2d", "indices"),
    ("max_unpool3d", "indices"),
    ("multi_margin_loss", "target"),
    ("multilabel_margin_loss", "target"),
    ("nll_loss_nd", "target"),
    ("one_hot", "self"),
    ("put", "index"),
    ("take", "index"),
    ("take_along_dim", "indices"),
    ("scatter", "index"),
];

impl Builder<'_> {
    /// Adds the node of a call.
    pub(super) fn op(&mut self, index: usize) -> Result<()> {
        let traces = self.traces;
        let first = &traces[0].ops[index];
        let name = first.schema.full_name();
        let other = || differs(&name, "is another operation for other sizes of the arguments");
        let calls = traces.iter().map(|trace| trace.ops.get(index)).collect::<Option<Vec<&TracedOp>>>();
        let calls = calls.filter(|calls| {
            calls[0].result.as_list().map(<[_]>::len) == calls[calls.len() - 1].result.as_list().map(<[_]>::len)
        });
        let calls = calls.ok_or_else(other)?;
        if traces.iter().any(|trace| trace.ops.len() != traces[0].ops.len()) {
            return Err(differs("the function", "calls another number of operations for other sizes of the arguments"));
        }
        let mut raised = Vec::with_capacity(calls.len());
        for (trace, call) in calls.iter().enumerate() {
            let shape =
                |tensor: &TensorId| traces[trace].tensors.get(*tensor).map_or(vec![], |tensor| tensor.shape.clone());
            let missing = || Error::argument(&name, "no operator of ATen stands for this call");
            raised.push(raise(&call.schema, &call.args, call.in_place, &shape).ok_or_else(missing)?);
        }
        if raised.iter().any(|call| call.name != raised[0].name || call.args.len() != raised[0].args.len()) {
            return Err(other());
        }
        let node = self.node(&name, first, &raised)?;
        let base = raised[0].name.split('.').next().unwrap_or_default().to_string();
        let results: Vec<&Value<TensorId>> = calls.iter().map(|call| &call.result).collect();
        let results = match results[0] {
            Value::Tensor(_) => Results::One(self.tensor(&base, &tensors(&results).ok_or_else(other)?)?),
            value => {
                let count = value.as_list().map_or(0, <[_]>::len);
                let ids = (0..count).map(|item| {
                    let items: Option<Vec<&Value<TensorId>>> =
                        results.iter().map(|result| result.as_list()?.get(item)).collect();
                    let ids = items.and_then(|items| tensors(&items)).ok_or_else(other)?;
                    self.tensor(&base, &ids).map(Some)
                });
                Results::Several(ids.collect::<Result<_>>()?)
            }
        };
        self.graph.nodes.push(Node { results, ..node });
        Ok(())
    }

    fn node(&mut self, name: &str, first: &TracedOp, raised: &[Raised<TensorId>]) -> Result<Node> {
        let target = Target::find(&format!("torch.ops.aten.{}", raised[0].name));
        let target = target.ok_or_else(|| Error::MissingOperators(vec![raised[0].name.clone()]))?;
        let mut args = Vec::with_capacity(raised[0].args.len());
        for index in 0..raised[0].args.len() {
            let values: Vec<&Value<TensorId>> = raised.iter().map(|call| &call.args[index]).collect();
            args.push(self.operand(name, &values)?);
        }
        let mut named = Vec::with_capacity(raised[0].named.len());
        for (index, (param, _)) in raised[0].named.iter().enumerate() {
            let values = raised
                .iter()
                .map(|call| call.named.get(index).filter(|(other, _)| other == param).map(|(_, value)| value));
            let values = values.collect::<Option<Vec<_>>>();
            let values = values.ok_or_else(|| differs(name, "has other arguments for other sizes"))?;
            named.push((param.clone(), self.operand(name, &values)?));
        }
        self.widen_indices(&raised[0].name, &target, &mut args, &mut named)?;
        if !first.grad_enabled {
            let written = usize::from(first.in_place);
            args.iter_mut().skip(written).for_each(|operand| self.detach(operand));
            named.iter_mut().for_each(|(_, operand)| self.detach(operand));
        }
        Ok(Node { target, args, named, results: Results::None, modules: ModuleStack::default() })
    }

    /// Converts indices to int64 if PyTorch requires it; lanthorn has int32.
    fn widen_indices(
        &mut self,
        name: &str,
        target: &Target,
        args: &mut [Operand],
        named: &mut [(String, Operand)],
    ) -> Result<()> {
        let base = name.split('.').next().unwrap_or_default().trim_end_matches('_');
        let Some((_, param)) = INT64.iter().find(|(known, _)| *known == base) else { return Ok(()) };
        let Target::Aten(_, operators) = target else { return Ok(()) };
        let params = operators.operators().first().map(|operator| &operator.schema.params);
        let position = params.and_then(|params| params.iter().position(|known| known.name == *param));
        let operand = match position.filter(|&position| position < args.len()) {
            Some(position) => Some(&mut args[position]),
            None => named.iter_mut().find(|(known, _)| known == param).map(|(_, operand)| operand),
        };
        let Some(Operand::Value(id)) = operand else { return Ok(()) };
        let Some(Meta::Tensor(meta)) = self.graph.meta(*id) else { return Ok(()) };
        if meta.dtype != DType::I32 {
            return Ok(());
        }
        let meta = TensorMeta { dtype: DType::I64, requires_grad: false, ..meta.clone() };
        let target = Target::find("torch.ops.aten.to.dtype");
        let target = target.ok_or_else(|| Error::MissingOperators(vec!["to.dtype".to_string()]))?;
        let name = self.unique("to");
        let wide = self.graph.add_value(name, Some(meta.into()));
        let dtype = Operand::Constant(Value::Int(scalar_type(DType::I64)));
        let args = vec![Operand::Value(*id), dtype];
        self.graph.nodes.push(Node {
            target,
            args,
            named: vec![],
            results: Results::One(wide),
            modules: ModuleStack::default(),
        });
        *id = wide;
        Ok(())
    }

    /// Detaches the values of an operand, for a call without gradients.
    fn detach(&mut self, operand: &mut Operand) {
        match operand {
            Operand::List(items) => items.iter_mut().for_each(|item| self.detach(item)),
            Operand::Value(id) => {
                let Some(Meta::Tensor(meta)) = self.graph.meta(*id) else { return };
                if !meta.requires_grad {
                    return;
                }
                let meta = TensorMeta { requires_grad: false, ..meta.clone() };
                let known = self.detached.get(id).copied();
                let detached = known.unwrap_or_else(|| {
                    let target = Target::find("torch.ops.aten.detach.default");
                    let name = self.unique("detach");
                    let result = self.graph.add_value(name, Some(meta.into()));
                    if let Some(target) = target {
                        let args = vec![Operand::Value(*id)];
                        self.graph.nodes.push(Node {
                            target,
                            args,
                            named: vec![],
                            results: Results::One(result),
                            modules: ModuleStack::default(),
                        });
                    }
                    self.detached.insert(*id, result);
                    result
                });
                *operand = Operand::Value(detached);
            }
            Operand::Constant(_) | Operand::Block(_) => {}
        }
    }
}
