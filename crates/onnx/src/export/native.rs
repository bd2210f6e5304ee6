//! Exports calls of ONNX operators: the inverse of binding a node's inputs and attributes.

use super::{
    Exporter, OPSET,
    builder::Attr,
    frame::Frame,
    item::{Arg, Item, normal},
};
use crate::{operators, proto::TensorProto};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    graph::{Node, Results},
    operators::Operator,
    value::as_ints,
};
use lanthorn_schema::{Param, ParamType};

/// Parameters that the table adds to an earlier version of their operator, with the version that
/// introduced them.
const LATER: [(&str, &str, i64); 4] = [
    ("Attention", "nonpad_kv_seqlen", 24),
    ("Attention", "left_window_size", 25),
    ("Attention", "right_window_size", 25),
    ("SpaceToDepth", "mode", 28),
];

/// A call with its inputs, `None` for omitted ones, and its attributes.
pub struct NativeCall {
    pub domain: String,
    pub op: String,
    pub inputs: Vec<Arg>,
    pub attributes: Vec<(String, Arg)>,
}

impl Exporter<'_> {
    /// Writes a call of an ONNX operator, and returns its result.
    pub fn onnx(&mut self, frame: &Frame<'_>, node: &Node, name: &str, operator: &'static Operator) -> Result<Arg> {
        let schema = &operator.schema;
        let domain = name.strip_suffix(&format!("{}.{}", schema.name, schema.overload)).unwrap_or_default();
        let inputs = node.args.iter().map(|arg| frame.resolve(arg)).collect::<Result<Vec<Arg>>>()?;
        let named = node.named.iter().filter(|(name, _)| name != "outputs");
        let attributes =
            named.map(|(name, arg)| Ok((name.clone(), frame.resolve(arg)?))).collect::<Result<Vec<_>>>()?;
        let domain = domain.trim_end_matches('.').to_string();
        let call = NativeCall { domain, op: schema.name.clone(), inputs, attributes };
        if call.domain == "lanthorn" {
            return self.reader_call(&call);
        }
        let labels: Vec<&str> = match &node.results {
            Results::None => vec![],
            Results::One(id) => vec![frame.graph.names.get(*id).map_or("value", String::as_str)],
            Results::Several(ids) => {
                let name = |id: usize| frame.graph.names.get(id).map_or("value", String::as_str);
                ids.iter().map(|id| id.map_or("", name)).collect()
            }
        };
        let since: i64 = schema.overload.parse().unwrap_or(OPSET);
        let is_given = |name: &str| {
            let position = schema.params.iter().position(|param| param.name == name);
            let input = position.and_then(|position| call.inputs.get(position));
            input.is_some_and(|value| !matches!(value, Value::None))
                || call.attributes.iter().any(|(key, _)| key == name)
        };
        let later = LATER.iter().filter(|(op, param, _)| *op == call.op && is_given(param));
        let since = later.map(|(_, _, version)| *version).fold(since, i64::max);
        if !call.domain.is_empty() {
            let version = self.opsets.entry(call.domain.clone()).or_insert(since);
            *version = since.max(*version);
            return self.write(operator, call, &labels);
        }
        let current = operators::find("", &schema.name, OPSET);
        match current {
            _ if since <= OPSET => self.upgrade(operator, call, &labels),
            Some(older) if call.attributes.iter().all(|(name, _)| has_param(older, name)) => {
                self.write(older, call, &labels)
            }
            _ => {
                let version = self.opsets.entry(String::new()).or_insert(since);
                *version = since.max(*version);
                self.write(operator, call, &labels)
            }
        }
    }

    /// Writes a node of an operator whose version is in force.
    pub fn write(&mut self, operator: &'static Operator, call: NativeCall, labels: &[&str]) -> Result<Arg> {
        let params = &operator.schema.params;
        let positional: Vec<&Param> = params.iter().filter(|param| !param.keyword_only).collect();
        let first = call.inputs.first().and_then(Value::as_tensor).cloned();
        let mut inputs = Vec::new();
        for (index, value) in call.inputs.iter().enumerate() {
            let param = positional.get(index).or(positional.last());
            let param = param.ok_or_else(|| Error::malformed(format!("{} takes no inputs", call.op)))?;
            inputs.push(self.input(&call.op, param, value, first.as_ref())?.name);
        }
        let mut attributes = Vec::new();
        // The operator's function body has no constant for an omitted attribute.
        if call.op == "MeanVarianceNormalization" && call.attributes.is_empty() {
            attributes.push(Attr::Ints(vec![0, 2, 3]).proto("axes"));
        }
        // In older versions, a split without sizes has equal parts.
        let has = |name: &str| call.attributes.iter().any(|(key, _)| key == name);
        if call.op == "Split" && inputs.len() < 2 && !has("num_outputs") {
            attributes.push(Attr::Int(labels.len() as i64).proto("num_outputs"));
        }
        for (name, value) in &call.attributes {
            let param = params.iter().find(|param| param.keyword_only && param.name == *name);
            let param = param.ok_or_else(|| Error::malformed(format!("{} has no attribute {name}", call.op)))?;
            if !matches!(value, Value::None) {
                attributes.push(self.attribute(param, value)?.proto(name));
            }
        }
        let names = self.builder.node((&call.domain, &call.op), inputs, attributes, labels);
        let mut items: Vec<Arg> = names.into_iter().map(|name| Value::Tensor(Item::of(name, None))).collect();
        Ok(if items.len() == 1 { items.remove(0) } else { Value::List(items) })
    }

    /// Returns a value as an input. Integers and numbers become constants.
    fn input(&mut self, op: &str, param: &Param, value: &Arg, first: Option<&Item>) -> Result<Item> {
        match (param.ty, value) {
            (_, Value::Tensor(item)) => Ok(item.clone()),
            (_, Value::None) => Ok(Item::none()),
            (ParamType::Int | ParamType::OptionalInt, Value::Int(value)) if op == "TopK" => self.ints(&[*value]),
            (_, Value::Int(value)) if !is_number(param.ty) => self.int(*value),
            (_, Value::Bool(value)) => self.number(f64::from(*value), DType::Bool),
            (ParamType::Floats | ParamType::OptionalFloats, Value::List(items)) => {
                let values: Vec<f64> = items.iter().filter_map(Value::as_float).collect();
                self.numbers(&values, vec![values.len()], DType::F32)
            }
            (_, Value::List(items)) if items.iter().all(|item| item.as_int().is_some()) => {
                self.ints(&as_ints(value).unwrap_or_default())
            }
            (ty, value) => {
                let number = value.as_float();
                let refused = || Error::unsupported(format!("{} as the input {}", value.short(), param.name));
                let constant = self.number(number.ok_or_else(refused)?, DType::F32)?;
                match first {
                    // A number has the type of the tensor.
                    Some(first) if matches!(ty, ParamType::Scalar | ParamType::OptionalScalar) => {
                        Ok(self.op_of("CastLike", &[&constant, first], &[], first.dtype))
                    }
                    _ => Ok(constant),
                }
            }
        }
    }

    /// Converts a value to an attribute.
    fn attribute(&mut self, param: &Param, value: &Arg) -> Result<Attr> {
        let refused = || Error::unsupported(format!("{} as the attribute {}", value.short(), param.name));
        let floats = || value.as_list().and_then(|items| items.iter().map(Value::as_float).collect::<Option<Vec<_>>>());
        Ok(match (param.ty, value) {
            (_, Value::Tensor(item)) => Attr::Tensor(self.tensor_attribute(item)?),
            // Schemas have no lists of strings.
            (_, Value::Str(text)) if param.name == "activations" || param.name.ends_with("_strings") => {
                Attr::Strs(text.split(operators::TEXT_SEPARATOR).map(str::to_string).collect())
            }
            (_, Value::Str(text)) => Attr::Str(text.clone()),
            (_, Value::Bool(value)) => Attr::Int((*value).into()),
            (ParamType::Floats | ParamType::OptionalFloats, _) => Attr::Floats(floats().ok_or_else(refused)?),
            (ty, value) if is_number(ty) => Attr::Float(value.as_float().ok_or_else(refused)?),
            (_, Value::Int(value)) => Attr::Int(*value),
            (_, value) => Attr::Ints(as_ints(value).ok_or_else(refused)?),
        })
    }

    /// Returns the tensor of an attribute, which is an entry of the state.
    fn tensor_attribute(&self, item: &Item) -> Result<TensorProto> {
        let data = self.state.get(&item.name).and_then(|&index| self.program.tensors.get(index));
        let data = data.ok_or_else(|| Error::unsupported("an attribute that the model computes"))?;
        TensorProto::from_data("", data.clone(), None)
    }

    /// Writes a call of an operator of the domain `lanthorn`, which only the reader writes.
    fn reader_call(&mut self, call: &NativeCall) -> Result<Arg> {
        let int = |name: &str| {
            let found = call.attributes.iter().find(|(key, _)| key == name);
            found.and_then(|(_, value)| value.as_int()).unwrap_or(0)
        };
        let item = call.inputs.first().and_then(Value::as_tensor).cloned();
        let item = item.ok_or_else(|| Error::malformed(format!("{} without a tensor", call.op)))?;
        if call.op == "Flip" {
            let dim = super::item::Dim::Int;
            return Ok(Value::Tensor(self.slice(&item, int("axis"), &dim(-1), &dim(i64::MIN), -1)?));
        }
        let rank = item.rank()?;
        let (from, to) = (normal(int("source"), rank)?, normal(int("destination"), rank)?);
        let mut perm: Vec<i64> = (0..rank).filter(|&dim| dim != from).collect();
        perm.insert(to as usize, from);
        Ok(Value::Tensor(self.transpose(&item, &perm)))
    }
}

fn has_param(operator: &Operator, name: &str) -> bool {
    operator.schema.params.iter().any(|param| param.name == name)
}

/// Whether a parameter accepts a float.
fn is_number(ty: ParamType) -> bool {
    matches!(ty, ParamType::Float | ParamType::OptionalFloat | ParamType::Scalar | ParamType::OptionalScalar)
}
