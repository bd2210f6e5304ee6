//! A program from the traces of a function.

use super::{
    NamedState, Probes, TensorId, Trace, TracedOp, TracedTensor,
    formula::{formula, symbol},
};
use crate::{
    Error, ExportedProgram, Input, InputKind, Output, OutputKind, Result, State, StateKind, Value,
    aten::{Raised, raise},
    graph::{Function, Graph, Meta, Node, Operand, Results, ScalarOp, Size, Target, TensorMeta, Tree, ValueId},
    passes::remove_dead,
    value::scalar_type,
};
use lanthorn_io::DType;
use rustc_hash::{FxHashMap, FxHashSet};

/// A program without the elements of its state.
#[derive(Debug)]
pub struct Built {
    /// The program. Its tensors are to be filled in.
    pub program: ExportedProgram,
    /// For each tensor of the program, the tensor of the first trace with its elements.
    pub sources: Vec<TensorId>,
}

/// Builds the program of a function.
///
/// There is a trace for each call of [`Probes`], in its order; each has the state under the same ids.
/// `argument_names` are those of the positional arguments.
///
/// # Errors
///
/// [`Error::Argument`] for an operation that no operator of ATen can stand for; [`Error::Input`] if the
/// operations, or a number that is no formula of the sizes, differ from call to call.
pub fn build(state: &[NamedState], argument_names: Vec<String>, probes: &Probes, traces: &[Trace]) -> Result<Built> {
    let first = traces.first().ok_or_else(|| Error::malformed("a program without a call"))?;
    let mut builder = Builder {
        probes,
        traces,
        known: vec![FxHashMap::default(); traces.len()],
        graph: Graph::default(),
        names: FxHashSet::default(),
        sizes: FxHashMap::default(),
        detached: FxHashMap::default(),
        constants: vec![],
    };
    let state_ids = builder.state(state)?;
    let mut user = Vec::new();
    let arguments: Vec<&Value<TensorId>> = traces.iter().map(|trace| &trace.arguments).collect();
    let tree = builder.arguments(&arguments, &mut String::new(), &argument_names, &mut user)?;
    for index in 0..first.ops.len() {
        builder.op(index)?;
    }
    let mut results = Vec::new();
    let given: Vec<&Value<TensorId>> = traces.iter().map(|trace| &trace.results).collect();
    let result_tree = builder.results(&given, &mut results)?;
    builder.finish(state, &state_ids, user, argument_names, tree, (result_tree, results))
}

/// Operators with indices that PyTorch takes as int64 only, and the parameter.
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

/// An argument that is a leaf: its name, and the value or the constant.
type Leaf = (String, Operand);

struct Builder<'a> {
    probes: &'a Probes,
    traces: &'a [Trace],
    /// For each trace, the values of its tensors.
    known: Vec<FxHashMap<TensorId, ValueId>>,
    graph: Graph,
    names: FxHashSet<String>,
    /// The values of sizes, by the formula.
    sizes: FxHashMap<String, ValueId>,
    /// Values outside of the autograd graph.
    detached: FxHashMap<ValueId, ValueId>,
    /// Tensors of the first trace that are constants, with their values.
    constants: Vec<(TensorId, ValueId)>,
}

impl Builder<'_> {
    /// A name that no value has.
    fn unique(&mut self, base: &str) -> String {
        let base: String = base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let numbered = (1..).map(|number| format!("{base}_{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(|name| !self.names.contains(name)).unwrap_or(base);
        self.names.insert(name.clone());
        name
    }

    /// A new value for a tensor of each trace.
    fn tensor(&mut self, name: &str, tensors: &[TensorId]) -> Result<ValueId> {
        let meta = self.meta(name, tensors)?;
        let name = self.unique(name);
        let id = self.graph.add_value(name, Some(meta.into()));
        for (known, tensor) in self.known.iter_mut().zip(tensors) {
            known.insert(*tensor, id);
        }
        Ok(id)
    }

    fn traced(&self, trace: usize, tensor: TensorId) -> Result<&TracedTensor> {
        self.traces[trace].tensors.get(tensor).ok_or_else(|| Error::malformed("a traced tensor that is not described"))
    }

    /// What is known of a tensor, with sizes and strides as formulas.
    fn meta(&self, name: &str, tensors: &[TensorId]) -> Result<TensorMeta> {
        let traced =
            tensors.iter().enumerate().map(|(trace, id)| self.traced(trace, *id)).collect::<Result<Vec<_>>>()?;
        let first = traced[0];
        if traced.iter().any(|other| other.dtype != first.dtype || other.shape.len() != first.shape.len()) {
            return Err(differs(name, "has another type or number of dimensions for other sizes of the arguments"));
        }
        let sizes = |of: fn(&TracedTensor) -> &Vec<i64>, what: &str| -> Result<Vec<Size>> {
            (0..first.shape.len())
                .map(|dim| {
                    let values: Vec<i64> = traced.iter().map(|tensor| of(tensor)[dim]).collect();
                    self.formula(&values, || format!("{name}: the {what} of dimension {dim}"))
                })
                .collect()
        };
        Ok(TensorMeta {
            dtype: first.dtype,
            sizes: sizes(|tensor| &tensor.shape, "size")?,
            strides: sizes(|tensor| &tensor.strides, "stride")?,
            requires_grad: first.requires_grad,
        })
    }

    fn formula(&self, values: &[i64], what: impl Fn() -> String) -> Result<Size> {
        formula(self.probes, values).ok_or_else(|| {
            let calls = self.probes.sizes.iter().zip(values);
            let calls = calls.map(|(sizes, value)| {
                let dims = self.probes.dims.iter().zip(sizes).map(|(dim, size)| format!("{}={size}", dim.name));
                format!("{value} for {}", dims.collect::<Vec<_>>().join(", "))
            });
            let calls = calls.collect::<Vec<_>>().join("; ");
            Error::Input(format!("{} is no formula of the dynamic sizes: {calls}", what()))
        })
    }

    /// Values for parameters and buffers.
    fn state(&mut self, state: &[NamedState]) -> Result<Vec<ValueId>> {
        let mut ids = Vec::with_capacity(state.len());
        for entry in state {
            let prefix = if entry.kind == StateKind::Parameter { "p" } else { "b" };
            let tensors = vec![entry.tensor; self.traces.len()];
            let before: Vec<Option<ValueId>> =
                self.known.iter().map(|known| known.get(&entry.tensor).copied()).collect();
            let id = self.tensor(&format!("{prefix}_{}", entry.name), &tensors)?;
            // Uses of tied entries are uses of the first.
            for (known, before) in self.known.iter_mut().zip(before) {
                if let Some(first) = before {
                    known.insert(entry.tensor, first);
                }
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// Values for the leaves of the arguments, with the names that `torch.export` gives them.
    fn arguments(
        &mut self,
        values: &[&Value<TensorId>],
        path: &mut String,
        names: &[String],
        leaves: &mut Vec<Leaf>,
    ) -> Result<Tree> {
        let items = |of: fn(&Value<TensorId>) -> Option<&[Value<TensorId>]>| -> Option<Vec<&[Value<TensorId>]>> {
            values.iter().map(|value| of(value)).collect()
        };
        let is_tuple = matches!(values[0], Value::Tuple(_));
        if let Some(lists) = items(|value| value.as_list()) {
            let count = lists[0].len();
            if lists.iter().any(|list| list.len() != count) {
                return Err(differs("the arguments", "have another structure for other sizes"));
            }
            let trees = (0..count).map(|index| {
                let item: Vec<&Value<TensorId>> = lists.iter().map(|list| &list[index]).collect();
                // The arguments are a tuple of positional and a dictionary of named ones.
                let mut path = match path.as_str() {
                    "" => ["positional", "named"][index.min(1)].to_string(),
                    "positional" => names.get(index).cloned().unwrap_or_else(|| format!("args_{index}")),
                    path => format!("{path}_{index}"),
                };
                self.arguments(&item, &mut path, names, leaves)
            });
            let trees = trees.collect::<Result<Vec<_>>>()?;
            return Ok(if is_tuple { Tree::Tuple(trees) } else { Tree::List(trees) });
        }
        match values[0] {
            Value::Dict(entries) => {
                let mut named = Vec::new();
                for (index, (key, _)) in entries.iter().enumerate() {
                    let key = key.short();
                    let item = values.iter().map(|value| match value {
                        Value::Dict(entries) => {
                            entries.get(index).filter(|(other, _)| other.short() == key).map(|(_, value)| value)
                        }
                        _ => None,
                    });
                    let item = item.collect::<Option<Vec<_>>>();
                    let item =
                        item.ok_or_else(|| differs("the arguments", "have another structure for other sizes"))?;
                    let key = key.trim_matches('"').to_string();
                    let mut path = if path == "named" { key.clone() } else { format!("{path}_{key}") };
                    named.push((key, self.arguments(&item, &mut path, names, leaves)?));
                }
                Ok(Tree::dict(named))
            }
            Value::Tensor(_) => {
                let tensors = tensors(values).ok_or_else(|| differs("the arguments", "are other values"))?;
                let id = self.tensor(path, &tensors)?;
                leaves.push((self.graph.names[id].clone(), Operand::Value(id)));
                Ok(Tree::Leaf)
            }
            constant => {
                let constant = plain(constant).ok_or_else(|| differs("the arguments", "have other values"))?;
                let name = self.unique(path);
                leaves.push((name, Operand::Constant(constant)));
                Ok(Tree::Leaf)
            }
        }
    }

    /// The node of a call.
    fn op(&mut self, index: usize) -> Result<()> {
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
        Ok(Node { target, args, named, results: Results::None })
    }

    /// Converts indices to int64 where PyTorch takes nothing else; here they are int32.
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
        let place = params.and_then(|params| params.iter().position(|known| known.name == *param));
        let operand = match place.filter(|&place| place < args.len()) {
            Some(place) => Some(&mut args[place]),
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
        self.graph.nodes.push(Node { target, args, named: vec![], results: Results::One(wide) });
        *id = wide;
        Ok(())
    }

    /// Takes the values of an operand out of the autograd graph, as those of a call without gradients.
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
                        self.graph.nodes.push(Node { target, args, named: vec![], results: Results::One(result) });
                    }
                    self.detached.insert(*id, result);
                    result
                });
                *operand = Operand::Value(detached);
            }
            Operand::Constant(_) | Operand::Block(_) => {}
        }
    }

    /// An argument as an operand: tensors as values, numbers that follow from sizes as values of formulas.
    fn operand(&mut self, name: &str, values: &[&Value<TensorId>]) -> Result<Operand> {
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
            return Err(differs(name, "takes data from outside of the function whose size is that of an argument"));
        }
        self.constants.push((ids[0], id));
        Ok(id)
    }

    /// The value of a size.
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
        self.graph.nodes.push(Node { target, args, named: vec![], results: Results::One(id) });
        self.sizes.insert(key, id);
        Ok(Operand::Value(id))
    }

    /// An argument with a dimension of this size.
    fn dimension(&self, symbol: &Size) -> Result<(ValueId, i64)> {
        let values = self.graph.metas.iter().enumerate();
        let mut found = values.filter_map(|(id, meta)| {
            let Some(Meta::Tensor(meta)) = meta else { return None };
            Some((id, meta.sizes.iter().position(|size| size == symbol)? as i64))
        });
        found.next().ok_or_else(|| Error::malformed(format!("no argument has the size {symbol}")))
    }

    /// The structure of the results, whose leaves are added to `leaves`.
    fn results(&mut self, values: &[&Value<TensorId>], leaves: &mut Vec<Operand>) -> Result<Tree> {
        let other = || differs("the result", "has another structure for other sizes of the arguments");
        match values[0] {
            Value::List(first) | Value::Tuple(first) => {
                let lists = values.iter().map(|value| value.as_list().filter(|list| list.len() == first.len()));
                let lists = lists.collect::<Option<Vec<_>>>().ok_or_else(other)?;
                let trees = (0..first.len()).map(|index| {
                    let items: Vec<&Value<TensorId>> = lists.iter().map(|list| &list[index]).collect();
                    self.results(&items, leaves)
                });
                let trees = trees.collect::<Result<Vec<_>>>()?;
                Ok(if matches!(values[0], Value::Tuple(_)) { Tree::Tuple(trees) } else { Tree::List(trees) })
            }
            Value::Dict(entries) => {
                let mut named = Vec::new();
                for (index, (key, _)) in entries.iter().enumerate() {
                    let items = values.iter().map(|value| match value {
                        Value::Dict(entries) => {
                            entries.get(index).filter(|(other, _)| other.short() == key.short()).map(|(_, value)| value)
                        }
                        _ => None,
                    });
                    let items = items.collect::<Option<Vec<_>>>().ok_or_else(other)?;
                    named.push((key.short().trim_matches('"').to_string(), self.results(&items, leaves)?));
                }
                Ok(Tree::dict(named))
            }
            _ => {
                leaves.push(self.operand("the result", values)?);
                Ok(Tree::Leaf)
            }
        }
    }

    fn finish(
        mut self,
        state: &[NamedState],
        state_ids: &[ValueId],
        user: Vec<Leaf>,
        argument_names: Vec<String>,
        arguments: Tree,
        (results, leaves): (Tree, Vec<Operand>),
    ) -> Result<Built> {
        let mut inputs = Vec::new();
        let mut sources: Vec<TensorId> = Vec::new();
        let mut entries = Vec::new();
        let constants = std::mem::take(&mut self.constants);
        let constant = |index: usize| NamedState {
            name: format!("lifted_tensor_{index}"),
            tensor: constants[index].0,
            kind: StateKind::Constant,
            requires_grad: false,
        };
        let lifted: Vec<NamedState> = (0..constants.len()).map(constant).collect();
        let ids = state_ids.iter().copied().chain(constants.iter().map(|(_, id)| *id));
        for (entry, id) in state.iter().chain(&lifted).zip(ids) {
            let known = sources.iter().position(|source| *source == entry.tensor);
            let tensor = known.unwrap_or_else(|| {
                sources.push(entry.tensor);
                sources.len() - 1
            });
            self.graph.inputs.push(id);
            inputs.push(self.input(id, InputKind::State(entries.len())));
            entries.push(State {
                name: entry.name.clone(),
                kind: entry.kind,
                tensor,
                requires_grad: entry.requires_grad,
            });
        }
        for (name, operand) in user {
            match operand {
                Operand::Value(id) => {
                    self.graph.inputs.push(id);
                    inputs.push(self.input(id, InputKind::User));
                }
                Operand::Constant(value) => {
                    let id = self.graph.add_value(name.clone(), None);
                    self.graph.inputs.push(id);
                    inputs.push(Input { name, kind: InputKind::Constant(value), sizes: None, dtype: None });
                }
                Operand::List(_) | Operand::Block(_) => return Err(Error::malformed("an argument that is no leaf")),
            }
        }
        self.graph.outputs = leaves;
        remove_dead(&mut self.graph);
        let outputs = self.graph.outputs.iter().map(|_| Output { kind: OutputKind::User }).collect();
        let dims = self.probes.dims.iter().enumerate();
        let hints = self.probes.sizes[0].iter().enumerate();
        let program = ExportedProgram {
            graph: self.graph,
            inputs,
            outputs,
            state: entries,
            tensors: vec![],
            arguments,
            results,
            argument_names,
            ranges: dims.map(|(index, dim)| (symbol(index).to_string(), dim.range())).collect(),
            hints: hints.map(|(index, &size)| (symbol(index).to_string(), size)).collect(),
        };
        program.check_graph()?;
        Ok(Built { program, sources })
    }

    fn input(&self, id: ValueId, kind: InputKind) -> Input {
        let meta = match self.graph.meta(id) {
            Some(Meta::Tensor(meta)) => Some(meta),
            _ => None,
        };
        Input {
            name: self.graph.names[id].clone(),
            kind,
            sizes: meta.map(|meta| meta.sizes.clone()),
            dtype: meta.map(|meta| meta.dtype),
        }
    }
}

fn differs(name: &str, message: &str) -> Error {
    Error::Input(format!("{name}: {message}, so it cannot be exported with dynamic shapes"))
}

/// The tensors, if all are.
fn tensors(values: &[&Value<TensorId>]) -> Option<Vec<TensorId>> {
    values.iter().map(|value| value.as_tensor().copied()).collect()
}

/// A value without tensors.
fn plain(value: &Value<TensorId>) -> Option<Value<()>> {
    Some(match value {
        Value::None => Value::None,
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Float(value) => Value::Float(*value),
        Value::Str(text) => Value::Str(text.clone()),
        Value::List(items) | Value::Tuple(items) => Value::List(items.iter().map(plain).collect::<Option<_>>()?),
        _ => return None,
    })
}
