//! Upgrades calls of older ONNX operators to the version in force.
//!
//! Most versions differ in defaults, and in which parameters are attributes or inputs. The exporter
//! binds a call by parameter names, and writes a default that has changed. A few operators need
//! more.

use super::{Exporter, OPSET, builder::Attr, item::Arg, native::NativeCall};
use crate::operators;
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    operators::{Operator, of_default},
};
use lanthorn_schema::{Param, Schema};

/// Renamed operators.
const RENAMED: [(&str, &str); 2] = [("Upsample", "Resize"), ("Scatter", "ScatterElements")];

/// Renamed parameters.
const RENAMED_PARAMS: [(&str, &str, &str); 4] = [
    ("Pad", "value", "constant_value"),
    ("TopK", "k", "K"),
    ("BatchNormalization", "mean", "input_mean"),
    ("BatchNormalization", "var", "input_var"),
];

/// Removed attributes.
const DROPPED: [&str; 2] = ["spatial", "outputs"];

/// Renamed values of attributes.
const RENAMED_VALUES: [(&str, &str, &str); 2] =
    [("GridSample", "bilinear", "linear"), ("GridSample", "bicubic", "cubic")];

impl Exporter<'_> {
    /// Writes a call by the operator in force.
    pub fn upgrade(&mut self, operator: &'static Operator, mut call: NativeCall, labels: &[&str]) -> Result<Arg> {
        let old = &operator.schema;
        let name = RENAMED.iter().find(|(old, _)| *old == call.op).map_or(call.op.clone(), |(_, new)| new.to_string());
        let current = operators::find("", &name, OPSET);
        let current = current.ok_or_else(|| Error::unsupported(format!("no {name} in version {OPSET}")))?;
        if std::ptr::eq(current, operator) {
            return self.write(operator, call, labels);
        }
        if matches!(call.op.as_str(), "Softmax" | "LogSoftmax" | "Hardmax") {
            return self.flat(&call);
        }
        if call.op == "GroupNormalization" {
            call.inputs = self.per_channel(&call)?;
            return self.write(current, call, labels);
        }
        let mut given: Vec<(String, Arg)> = Vec::new();
        let mut renamed = |old_name: &str, value: Arg| {
            let param = RENAMED_PARAMS.iter().find(|(op, from, _)| *op == name && *from == old_name);
            let value = match value {
                Value::Str(text) => {
                    let new = RENAMED_VALUES.iter().find(|(op, from, _)| *op == name && *from == text);
                    Value::Str(new.map_or(text, |(_, _, to)| to.to_string()))
                }
                value => value,
            };
            given.push((param.map_or(old_name, |(_, _, to)| to).to_string(), value));
        };
        let positional = old.params.iter().filter(|param| !param.keyword_only);
        for (param, value) in positional.zip(call.inputs.drain(..)) {
            renamed(&param.name, value);
        }
        for param in old.params.iter().filter(|param| param.keyword_only) {
            let found = call.attributes.iter().position(|(key, _)| *key == param.name);
            match found.map(|found| call.attributes.swap_remove(found).1) {
                Some(value) => renamed(&param.name, value),
                None => {
                    if let Some(default) = changed_default(param, &current.schema) {
                        renamed(&param.name, default);
                    }
                }
            }
        }
        let mut inputs = Vec::new();
        for param in current.schema.params.iter().filter(|param| !param.keyword_only) {
            let found = given.iter().position(|(key, _)| *key == param.name);
            inputs.push(found.map_or(Value::None, |found| given.swap_remove(found).1));
        }
        while matches!(inputs.last(), Some(Value::None)) {
            inputs.pop();
        }
        given.retain(|(key, _)| !DROPPED.contains(&key.as_str()));
        self.write(current, NativeCall { domain: String::new(), op: name, inputs, attributes: given }, labels)
    }

    /// Upgrades an operator that flattened all dimensions from an axis on.
    fn flat(&mut self, call: &NativeCall) -> Result<Arg> {
        let item = call.inputs.first().and_then(Value::as_tensor).cloned();
        let item = item.ok_or_else(|| Error::malformed(format!("{} without a tensor", call.op)))?;
        let axis = call.attributes.first().and_then(|(_, value)| value.as_int()).unwrap_or(1);
        let shape = self.op_of("Shape", &[&item], &[], Some(DType::I64));
        let flat = self.op("Flatten", &[&item], &[("axis", Attr::Int(axis))]);
        let result = self.op(&call.op, &[&flat], &[("axis", Attr::Int(-1))]);
        Ok(Value::Tensor(self.op("Reshape", &[&result, &shape], &[])))
    }

    /// Converts weights of groups to weights of channels.
    fn per_channel(&mut self, call: &NativeCall) -> Result<Vec<Arg>> {
        let item = |index: usize| {
            let found = call.inputs.get(index).and_then(Value::as_tensor).cloned();
            found.ok_or_else(|| Error::malformed("GroupNormalization takes three tensors"))
        };
        let (x, one) = (item(0)?, self.ints(&[-1])?);
        let channels = [("start", Attr::Int(1)), ("end", Attr::Int(2))];
        let channels = self.op_of("Shape", &[&x], &channels, Some(DType::I64));
        let mut inputs = vec![Value::Tensor(x)];
        for index in 1..3 {
            let weight = item(index)?;
            let groups = self.op_of("Shape", &[&weight], &[], Some(DType::I64));
            let each = self.op("Div", &[&channels, &groups], &[]);
            let shape = self.op("Concat", &[&groups, &each], &[("axis", Attr::Int(0))]);
            let column = self.unsqueeze(&weight, &[1])?;
            let wide = self.op("Expand", &[&column, &shape], &[]);
            inputs.push(Value::Tensor(self.op("Reshape", &[&wide, &one], &[])));
        }
        Ok(inputs)
    }
}

/// Returns the default of an attribute if the operator in force has another one.
fn changed_default(param: &Param, current: &Schema) -> Option<Arg> {
    let default = param.default.as_ref()?;
    let new = current.params.iter().find(|new| new.name == param.name);
    let same = new.is_some_and(|new| new.default.as_ref() == Some(default));
    let value: Arg = of_default(default);
    (!same && !matches!(value, Value::None)).then_some(value)
}
