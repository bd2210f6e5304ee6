//! Builds the structures of arguments and results.

use super::{
    TensorId,
    build::{Builder, Leaf, differs, plain, tensors},
};
use crate::{
    Result, Value,
    graph::{Operand, Tree},
};

impl Builder<'_> {
    /// Creates values for the leaves of the arguments, with the names of `torch.export`.
    pub(super) fn arguments(
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

    /// Returns the structure of the results, and appends their leaves to `leaves`.
    pub(super) fn results(&mut self, values: &[&Value<TensorId>], leaves: &mut Vec<Operand>) -> Result<Tree> {
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
}
