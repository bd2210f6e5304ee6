//! Exports branches, loops and modes.

use super::{
    Exporter,
    builder::Attr,
    frame::Frame,
    item::{Arg, Item, inner_info},
};
use crate::proto::{GraphProto, ValueInfoProto};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    graph::{Graph, HigherOrder, Node, Operand, Results},
};
use std::rc::Rc;

impl Exporter<'_> {
    /// Writes an operator that runs blocks, and returns its result.
    pub fn higher_order(&mut self, frame: &Frame<'_>, node: &Node, op: HigherOrder) -> Result<Arg> {
        let mut args = Vec::new();
        let mut blocks = Vec::new();
        for operand in node.operands() {
            match operand {
                Operand::Block(block) => blocks.push(Rc::clone(block)),
                operand => args.push(frame.resolve(operand)?),
            }
        }
        let few = || Error::malformed(format!("{} without its blocks", op.name()));
        let block = |index: usize| blocks.get(index).cloned().ok_or_else(few);
        let results = match op {
            HigherOrder::Cond => self.branch(&args, &*block(0)?, &*block(1)?, node)?,
            HigherOrder::WhileLoop => self.while_loop(&args, &*block(0)?, &*block(1)?)?,
            HigherOrder::Loop => self.onnx_loop(&args, &*block(0)?, node)?,
            HigherOrder::Scan => self.scan(&args, &*block(0)?, node)?,
            HigherOrder::SequenceMap => self.sequence_map(&args, &*block(0)?, node)?,
            HigherOrder::SetGradEnabled => self.graph(&*block(0)?, rest(&args, 1), false)?,
            HigherOrder::Autocast if args.get(2).and_then(Value::as_bool) == Some(false) => {
                self.graph(&*block(0)?, rest(&args, 4), false)?
            }
            HigherOrder::Call => {
                let block = block(0)?;
                let mut given = rest(&args, 0);
                given.retain(|arg| !matches!(arg, Value::Str(_)));
                given.truncate(block.inputs.len());
                self.graph(&block, given, false)?
            }
            HigherOrder::Autocast | HigherOrder::Map => return Err(Error::unsupported("")),
        };
        Ok(Value::List(results))
    }

    /// Writes the graph of an attribute. `own` are its inputs; it takes outer values by their
    /// names.
    fn block(
        &mut self,
        own: Vec<Item>,
        write: impl FnOnce(&mut Self, &[Item]) -> Result<Vec<Arg>>,
    ) -> Result<(GraphProto, Vec<Item>)> {
        let label = std::mem::take(&mut self.label);
        self.builder.open();
        let mut inputs = Vec::new();
        for item in own {
            let name = self.builder.name(if item.name.is_empty() { "input" } else { &item.name });
            inputs.push(Item { name, ..item });
        }
        let results = write(self, &inputs)
            .and_then(|results| results.iter().map(|result| self.block_result(result)).collect::<Result<Vec<Item>>>());
        // Readers infer the types of the results.
        let untyped = |item: &Item| ValueInfoProto { name: Some(item.name.to_string()), r#type: None };
        let outputs = results.as_ref().map(|items| items.iter().map(untyped).collect()).unwrap_or_default();
        let inputs = inputs.iter().map(inner_info).collect();
        let graph = self.builder.close(&format!("block_{label}"), inputs, outputs);
        self.label = label;
        Ok((graph?, results?))
    }

    /// Returns a result of a block under a new name. An `Identity` renames it, also an outer value.
    fn block_result(&mut self, value: &Arg) -> Result<Item> {
        let item = self.result(value, None)?;
        let name = self.builder.copy(&item.name, "result");
        Ok(Item { name, ..item })
    }

    fn branch(&mut self, args: &[Arg], then: &Graph, other: &Graph, node: &Node) -> Result<Vec<Arg>> {
        let condition = args.first().ok_or_else(|| Error::malformed("cond without a condition"))?;
        let condition = self.operand(condition, DType::Bool)?;
        let condition = if condition.sizes.as_deref().is_some_and(|sizes| !sizes.is_empty()) {
            self.scalar(&condition)?
        } else {
            condition
        };
        let given = rest(args, 1);
        let (then, results) = self.block(vec![], |exporter, _| exporter.graph(then, given.clone(), false))?;
        let (other, _) = self.block(vec![], |exporter, _| exporter.graph(other, given, false))?;
        let attributes = [("then_branch", Attr::Graph(then)), ("else_branch", Attr::Graph(other))];
        let names = self.ops("If", &[&condition], &attributes, count(node).max(results.len()));
        Ok(with_names(names, &results))
    }

    /// Writes a loop that runs `body` while `condition` is true. Each iteration ends with the
    /// condition of the next.
    fn while_loop(&mut self, args: &[Arg], condition: &Graph, body: &Graph) -> Result<Vec<Arg>> {
        let carried = list(args, 0);
        let captured = rest(args, 1);
        let with = |carried: Vec<Arg>| carried.into_iter().chain(captured.iter().cloned()).collect::<Vec<_>>();
        let carried = carried.iter().map(|value| self.result(value, None)).collect::<Result<Vec<Item>>>()?;
        let as_args = |items: &[Item]| items.iter().cloned().map(Value::Tensor).collect::<Vec<Arg>>();
        let first = self.graph(condition, with(as_args(&carried)), false)?;
        let first = self.truth(first.first())?;
        let own = [("pass", DType::I64), ("condition", DType::Bool)];
        let own = own.map(|(name, dtype)| Item::tensor(name.into(), dtype, &[]));
        let own = own.into_iter().chain(carried.iter().cloned()).collect();
        let (graph, results) = self.block(own, |exporter, own| {
            let next = exporter.graph(body, with(as_args(&own[2..])), false)?;
            let goes_on = exporter.graph(condition, with(next.clone()), false)?;
            let goes_on = exporter.truth(goes_on.first())?;
            Ok(std::iter::once(Value::Tensor(goes_on)).chain(next).collect())
        })?;
        let none = Item::none();
        let inputs: Vec<&Item> = [&none, &first].into_iter().chain(&carried).collect();
        let names = self.ops("Loop", &inputs, &[("body", Attr::Graph(graph))], carried.len());
        Ok(with_names(names, &results[1..]))
    }

    /// Returns a condition as a boolean without dimensions.
    fn truth(&mut self, value: Option<&Arg>) -> Result<Item> {
        let value = self.operand(value.unwrap_or(&Value::None), DType::Bool)?;
        if value.sizes.as_deref().is_some_and(<[_]>::is_empty) { Ok(value) } else { self.scalar(&value) }
    }

    fn onnx_loop(&mut self, args: &[Arg], body: &Graph, node: &Node) -> Result<Vec<Arg>> {
        let optional = |value: Option<&Arg>| match value {
            Some(Value::Tensor(item)) => item.clone(),
            _ => Item::none(),
        };
        let (limit, condition) = (optional(args.first()), optional(args.get(1)));
        let carried = list(args, 2).iter().map(|value| self.result(value, None)).collect::<Result<Vec<Item>>>()?;
        let own = self.own_inputs(body, 2 + carried.len());
        let captured = rest(args, 3);
        let (graph, results) = self.block(own, |exporter, own| exporter.graph(body, all(own, &captured), false))?;
        let inputs: Vec<&Item> = [&limit, &condition].into_iter().chain(&carried).collect();
        let names = self.ops("Loop", &inputs, &[("body", Attr::Graph(graph))], count(node));
        Ok(with_names(names, results.get(1..).unwrap_or_default()))
    }

    fn scan(&mut self, args: &[Arg], body: &Graph, node: &Node) -> Result<Vec<Arg>> {
        let states = list(args, 0).iter().map(|value| self.result(value, None)).collect::<Result<Vec<Item>>>()?;
        let xs = list(args, 1).iter().map(|value| self.result(value, None)).collect::<Result<Vec<Item>>>()?;
        let own = self.own_inputs(body, states.len() + xs.len());
        let captured = rest(args, 2);
        let (graph, results) = self.block(own, |exporter, own| exporter.graph(body, all(own, &captured), false))?;
        let inputs: Vec<&Item> = states.iter().chain(&xs).collect();
        let attributes = [("body", Attr::Graph(graph)), ("num_scan_inputs", Attr::Int(xs.len() as i64))];
        let names = self.ops("Scan", &inputs, &attributes, count(node));
        Ok(with_names(names, &results))
    }

    fn sequence_map(&mut self, args: &[Arg], body: &Graph, node: &Node) -> Result<Vec<Arg>> {
        let inputs = list(args, 0).iter().map(|value| self.result(value, None)).collect::<Result<Vec<Item>>>()?;
        let own = self.own_inputs(body, inputs.len());
        let captured = rest(args, 1);
        let (graph, _) = self.block(own, |exporter, own| exporter.graph(body, all(own, &captured), false))?;
        let inputs: Vec<&Item> = inputs.iter().collect();
        let names = self.ops("SequenceMap", &inputs, &[("body", Attr::Graph(graph))], count(node));
        Ok(names.into_iter().map(|name| Value::Tensor(Item::of(name, None))).collect())
    }

    /// Returns the first inputs of a block as values.
    fn own_inputs(&self, body: &Graph, count: usize) -> Vec<Item> {
        let inputs = body.inputs.iter().take(count);
        let name = |id: usize| body.names.get(id).map_or("input", String::as_str);
        inputs.map(|&id| Item::of(name(id).into(), None).with_meta(body.meta(id))).collect()
    }
}

/// Returns an argument that is a list.
fn list(args: &[Arg], index: usize) -> Vec<Arg> {
    match args.get(index) {
        Some(Value::List(items) | Value::Tuple(items)) => items.clone(),
        Some(Value::None) | None => vec![],
        Some(value) => vec![value.clone()],
    }
}

/// Returns the arguments from an index on, with lists flattened.
fn rest(args: &[Arg], from: usize) -> Vec<Arg> {
    (from..args.len()).flat_map(|index| list(args, index)).collect()
}

/// Returns the inputs of a block and the outer values that it takes.
fn all(own: &[Item], captured: &[Arg]) -> Vec<Arg> {
    own.iter().cloned().map(Value::Tensor).chain(captured.iter().cloned()).collect()
}

/// Returns the number of results of a node.
fn count(node: &Node) -> usize {
    match &node.results {
        Results::None => 0,
        Results::One(_) => 1,
        Results::Several(ids) => ids.len(),
    }
}

/// Returns results with new names and the types of a block's results.
fn with_names(names: Vec<Rc<str>>, results: &[Item]) -> Vec<Arg> {
    let item = |(name, result): (Rc<str>, &Item)| Value::Tensor(Item { name, sizes: None, ..result.clone() });
    names.into_iter().zip(results).map(item).collect()
}
