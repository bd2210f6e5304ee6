//! Nested structures of arguments and results (pytrees).

use crate::{Error, Result, Value, json::Json};

/// The deepest structure.
const MAX_DEPTH: usize = 64;

/// A nested structure with tensors and other values as leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// A value.
    Leaf,
    /// A tuple.
    Tuple(Vec<Tree>),
    /// A list.
    List(Vec<Tree>),
    /// A dictionary, a named tuple or a dataclass: values by name, with the type's name.
    Named {
        /// The type's name in Python.
        ty: String,
        /// The names and the values.
        entries: Vec<(String, Tree)>,
        /// The JSON of the type in the treespec. `None` if it is a text with the list of names, as
        /// for a dictionary.
        context: Option<String>,
    },
    /// `None`.
    None,
}

impl Tree {
    /// Parses a treespec of `torch.utils._pytree`. `fields` returns the fields of a named tuple by
    /// its type.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for invalid treespecs, [`Error::Unsupported`] for another protocol.
    pub fn parse(json: &str, fields: &dyn Fn(&str) -> Option<Vec<String>>) -> Result<Tree> {
        let json = Json::parse(json)?;
        let Some([protocol, spec]) = json.as_array() else {
            return Err(Error::malformed("a treespec is a protocol and a structure"));
        };
        if *protocol != Json::Int(1) {
            return Err(Error::unsupported(format!("treespecs of protocol {protocol}")));
        }
        convert(spec, fields, 0)
    }

    /// A dictionary.
    pub fn dict(entries: Vec<(String, Tree)>) -> Tree {
        Tree::Named { ty: "builtins.dict".to_string(), entries, context: None }
    }

    /// Returns the treespec that [`Tree::parse`] reads.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] for too deep a structure.
    pub fn to_json(&self) -> Result<String> {
        Ok(Json::Array(vec![Json::Int(1), self.spec(0)?]).to_string())
    }

    fn spec(&self, depth: usize) -> Result<Json> {
        if depth > MAX_DEPTH {
            return Err(Error::Limit(format!("more than {MAX_DEPTH} nested structures")));
        }
        let text = |text: &str| Json::Str(text.to_string());
        let (ty, context, children) = match self {
            Tree::Leaf => (Json::Null, Json::Null, vec![]),
            Tree::Tuple(items) => (text("builtins.tuple"), text("null"), items.iter().collect()),
            Tree::List(items) => (text("builtins.list"), text("null"), items.iter().collect()),
            // PyTorch's structures have `None` as a leaf. In older versions it is an empty node.
            Tree::None => (text("builtins.NoneType"), text("null"), vec![]),
            Tree::Named { ty, entries, context } => {
                let names = || Json::Array(entries.iter().map(|(name, _)| text(name)).collect()).to_string();
                let context = context.as_deref().map_or_else(|| Ok(Json::Str(names())), Json::parse)?;
                (text(ty), context, entries.iter().map(|(_, item)| item).collect::<Vec<&Tree>>())
            }
        };
        let children = children.into_iter().map(|child| child.spec(depth + 1)).collect::<Result<_>>()?;
        Ok(Json::object([("type", ty), ("context", context), ("children_spec", Json::Array(children))]))
    }

    /// Returns the type of a named tuple, which is its context.
    pub fn named_tuple(&self) -> Option<String> {
        match self {
            Tree::Named { ty, context: Some(context), .. } if ty == "collections.namedtuple" => {
                Json::parse(context).ok()?.as_str().map(str::to_string)
            }
            _ => None,
        }
    }

    /// Returns the number of leaves.
    pub fn leaves(&self) -> usize {
        match self {
            Tree::Leaf => 1,
            Tree::None => 0,
            Tree::Tuple(items) | Tree::List(items) => items.iter().map(Tree::leaves).sum(),
            Tree::Named { entries, .. } => entries.iter().map(|(_, tree)| tree.leaves()).sum(),
        }
    }

    /// Returns the path of each leaf: indices and names joined by dots.
    pub fn paths(&self) -> Vec<String> {
        fn walk(tree: &Tree, path: &str, paths: &mut Vec<String>) {
            let join = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
            match tree {
                Tree::Leaf => paths.push(path.to_string()),
                Tree::None => {}
                Tree::Tuple(items) | Tree::List(items) => {
                    items.iter().enumerate().for_each(|(index, item)| walk(item, &join(&index.to_string()), paths));
                }
                Tree::Named { entries, .. } => entries.iter().for_each(|(name, item)| walk(item, &join(name), paths)),
            }
        }
        let mut paths = Vec::new();
        walk(self, "", &mut paths);
        paths
    }

    /// Returns the leaves of a value with this structure, in order.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with both structures if the value has another structure.
    pub fn flatten<T: Clone>(&self, value: &Value<T>) -> Result<Vec<Value<T>>> {
        let mut leaves = Vec::new();
        if self.collect(value, &mut leaves) {
            return Ok(leaves);
        }
        Err(Error::Input(format!("the program takes {self}, not {}", structure(value))))
    }

    fn collect<T: Clone>(&self, value: &Value<T>, leaves: &mut Vec<Value<T>>) -> bool {
        match (self, value) {
            (Tree::Leaf, Value::Dict(_) | Value::List(_) | Value::Tuple(_)) => false,
            (Tree::Leaf, value) => {
                leaves.push(value.clone());
                true
            }
            (Tree::None, Value::None) => true,
            (Tree::Tuple(trees) | Tree::List(trees), Value::List(values) | Value::Tuple(values)) => {
                trees.len() == values.len() && trees.iter().zip(values).all(|(tree, value)| tree.collect(value, leaves))
            }
            (Tree::Named { entries, .. }, Value::Dict(values)) => {
                entries.len() == values.len()
                    && entries.iter().all(|(name, tree)| {
                        let found = values.iter().find(|(key, _)| key.short() == *name);
                        found.is_some_and(|(_, value)| tree.collect(value, leaves))
                    })
            }
            (Tree::Named { entries, .. }, Value::List(values) | Value::Tuple(values)) => {
                entries.len() == values.len()
                    && entries.iter().zip(values).all(|((_, tree), value)| tree.collect(value, leaves))
            }
            _ => false,
        }
    }

    /// Builds a value with this structure from its leaves.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if there are too few leaves.
    pub fn unflatten<T>(&self, leaves: &mut impl Iterator<Item = Value<T>>) -> Result<Value<T>> {
        let mut all = |trees: &[Tree]| trees.iter().map(|tree| tree.unflatten(leaves)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Tree::Leaf => leaves.next().ok_or_else(|| Error::malformed("fewer results than their structure has"))?,
            Tree::None => Value::None,
            Tree::Tuple(trees) => Value::Tuple(all(trees)?),
            Tree::List(trees) => Value::List(all(trees)?),
            Tree::Named { entries, .. } => {
                let values = entries.iter().map(|(name, tree)| Ok((Value::Str(name.clone()), tree.unflatten(leaves)?)));
                Value::Dict(values.collect::<Result<_>>()?)
            }
        })
    }
}

fn convert(spec: &Json, fields: &dyn Fn(&str) -> Option<Vec<String>>, depth: usize) -> Result<Tree> {
    if depth > MAX_DEPTH {
        return Err(Error::Limit(format!("more than {MAX_DEPTH} nested structures")));
    }
    if spec.as_object().is_none() {
        return Err(Error::malformed("a treespec is an object"));
    }
    let children = spec.get("children_spec").and_then(Json::as_array).unwrap_or_default();
    let children = children.iter().map(|child| convert(child, fields, depth + 1));
    let children = children.collect::<Result<Vec<Tree>>>()?;
    let Some(ty) = spec.get("type").and_then(Json::as_str) else { return Ok(Tree::Leaf) };
    Ok(match ty {
        "builtins.tuple" => Tree::Tuple(children),
        "builtins.list" | "collections.deque" => Tree::List(children),
        "builtins.NoneType" => Tree::None,
        _ => {
            // The context is JSON in a string, or a plain string.
            let source = spec.get("context").cloned().unwrap_or(Json::Null);
            let context = source.as_str().and_then(|text| Json::parse(text).ok()).unwrap_or_else(|| source.clone());
            let names = names(&context).filter(|names| names.len() == children.len());
            let named_tuple = context.as_str().and_then(fields).or_else(|| fields(ty));
            let names =
                names.or(named_tuple).unwrap_or_else(|| (0..children.len()).map(|index| index.to_string()).collect());
            if names.len() != children.len() {
                return Err(Error::malformed(format!(
                    "a {ty} with {} names and {} values",
                    names.len(),
                    children.len()
                )));
            }
            // A list of the names adds no information.
            let listed = Json::Array(names.iter().cloned().map(Json::Str).collect());
            let kept = (context != listed).then(|| source.to_string());
            Tree::Named { ty: ty.to_string(), entries: names.into_iter().zip(children).collect(), context: kept }
        }
    })
}

/// Returns the keys of a dictionary or the fields of a dataclass.
fn names(context: &Json) -> Option<Vec<String>> {
    let list = match context {
        Json::Array(items) => items,
        // A default dictionary has its factory next to the keys. A dataclass has lists of fields.
        context => context.get("dict_context").or_else(|| context.get("flatten_fields"))?.as_array()?,
    };
    // A dataclass has two lists: its fields, and the fields that are None.
    let list = list.first().and_then(Json::as_array).unwrap_or(list);
    Some(list.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_string)).collect())
}

impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |items: &[Tree]| items.iter().map(Tree::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Tree::Leaf => f.write_str("*"),
            Tree::None => f.write_str("None"),
            Tree::Tuple(items) => write!(f, "({})", list(items)),
            Tree::List(items) => write!(f, "[{}]", list(items)),
            Tree::Named { entries, .. } => {
                let entries: Vec<String> = entries.iter().map(|(name, tree)| format!("{name}: {tree}")).collect();
                write!(f, "{{{}}}", entries.join(", "))
            }
        }
    }
}

/// Describes the structure of a value in a message.
fn structure<T>(value: &Value<T>) -> String {
    let list = |items: &[Value<T>]| items.iter().map(structure).collect::<Vec<_>>().join(", ");
    let text = match value {
        Value::Tuple(items) => format!("({})", list(items)),
        Value::List(items) => format!("[{}]", list(items)),
        Value::Dict(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}: {}", key.short(), structure(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::None => "None".to_string(),
        _ => "*".to_string(),
    };
    lanthorn_io::shorten(&text, 500).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_is_flattened_and_rebuilt() {
        let leaf = r#"{"type": null, "context": null, "children_spec": []}"#;
        let json = format!(
            r#"[1, {{"type": "builtins.tuple", "context": "null", "children_spec": [{leaf},
            {{"type": "builtins.dict", "context": "[\"a\", \"b\"]", "children_spec": [{leaf}, {leaf}]}}]}}]"#
        );
        let tree = Tree::parse(&json, &|_| None).unwrap();
        assert_eq!(tree.to_string(), "(*, {a: *, b: *})");
        assert_eq!(tree.paths(), ["0", "1.a", "1.b"]);
        assert_eq!(Tree::parse(&tree.to_json().unwrap(), &|_| None).unwrap(), tree);
        let value: Value<()> =
            Value::Tuple(vec![Value::Int(1), Value::dict([("a", Value::Int(2)), ("b", Value::Int(3))])]);
        let leaves = tree.flatten(&value).unwrap();
        assert_eq!(leaves, [Value::Int(1), Value::Int(2), Value::Int(3)]);
        assert_eq!(tree.unflatten(&mut leaves.into_iter()).unwrap(), value);
        let error = tree.flatten(&Value::<()>::Tuple(vec![Value::Int(1)])).unwrap_err();
        assert_eq!(error.to_string(), "input: the program takes (*, {a: *, b: *}), not (*)");
    }

    #[test]
    fn the_context_of_a_type_is_kept() {
        let leaf = r#"{"type":null,"context":null,"children_spec":[]}"#;
        let json =
            format!(r#"[1,{{"type":"collections.namedtuple","context":"m.Point","children_spec":[{leaf},{leaf}]}}]"#);
        let fields = |ty: &str| (ty == "m.Point").then(|| vec!["x".to_string(), "y".to_string()]);
        let tree = Tree::parse(&json, &fields).unwrap();
        assert_eq!((tree.paths(), tree.named_tuple()), (vec!["x".into(), "y".into()], Some("m.Point".into())));
        assert_eq!(tree.to_json().unwrap(), json);
        let numbers = format!(r#"[1,{{"type":"builtins.dict","context":"[3]","children_spec":[{leaf}]}}]"#);
        assert_eq!(Tree::parse(&numbers, &|_| None).unwrap().to_json().unwrap(), numbers);
    }
}
