//! Attributes.

use super::{Machine, call::Called};
use crate::{
    Result,
    builtins::{Builtin, exception},
    value::{Method, Value},
};
use lanthorn_program::Dispatch;
use std::rc::Rc;

impl<D: Dispatch> Machine<'_, D> {
    /// `object.name`.
    pub(super) async fn attribute(&mut self, object: Value<D::Tensor>, name: &Rc<str>) -> Called<D::Tensor> {
        let absent = |what: &str| Err(exception("AttributeError", format!("{what} has no attribute {name}")));
        match &object {
            Value::Object(instance) => {
                if let Some(value) = instance.attributes.borrow().attribute(name) {
                    return Ok(Some(value.clone()));
                }
                let class = instance.class.clone();
                if let Some(function) = class.methods.get(name).cloned() {
                    if class.properties.contains(name) {
                        return self.enter_function(function, vec![object], vec![], None);
                    }
                    return Ok(Some(Value::Method(Rc::new(Method { receiver: object, function }))));
                }
                if class.constants.contains_key(name) {
                    return self.class_attribute(&class, name).map(Some);
                }
                absent(&format!("a {}", class.name))
            }
            Value::Tuple(tuple) => {
                let fields = tuple.class.iter().flat_map(|class| class.fields.iter());
                match fields.map(|(field, _)| field).position(|field| field == name) {
                    Some(index) => Ok(tuple.items.get(index).cloned()),
                    None => absent(&format!("a {}", object.type_name())),
                }
            }
            Value::Member(member) => match &**name {
                "name" => Ok(Some(Value::Str(member.name.clone()))),
                "value" => Ok(Some(member.value.clone())),
                _ => absent(&format!("a {}", member.class.name)),
            },
            Value::Class(class) => self.class_attribute(&class.clone(), name).map(Some),
            Value::Device(device) => {
                let (kind, index) = device.split_once(':').unwrap_or((device, ""));
                match &**name {
                    "type" => Ok(Some(Value::text(kind))),
                    "index" => Ok(Some(index.parse().map_or(Value::None, Value::Int))),
                    _ => absent("a device"),
                }
            }
            Value::Tensor(_) | Value::Complex(_) | Value::Scalar(_) => {
                let (operator, args) = match &**name {
                    "ndim" => ("dim", vec![]),
                    "T" => ("numpy_T", vec![]),
                    "mT" => ("transpose", vec![Value::Int(-2), Value::Int(-1)]),
                    "H" | "mH" => ("matrix_H", vec![]),
                    "data" => ("detach", vec![]),
                    "grad" => return Ok(Some(Value::None)),
                    "is_leaf" => return Ok(Some(Value::Bool(false))),
                    "shape" | "dtype" | "device" | "layout" | "requires_grad" | "real" | "imag" | "itemsize"
                    | "nbytes" | "output_nr" | "_version" | "retains_grad" => (&**name, vec![]),
                    query if query.starts_with("is_") && Builtin::by_name(query, false).own.is_some() => {
                        (query, vec![])
                    }
                    _ => return absent("a Tensor"),
                };
                let args = std::iter::once(object).chain(args).collect();
                self.builtin(&Builtin::by_name(operator, false), args, vec![]).await
            }
            value => absent(&format!("a {}", value.type_name())),
        }
    }

    /// `object.name = value`.
    pub(super) fn set_attribute(
        &mut self,
        object: &Value<D::Tensor>,
        name: &Rc<str>,
        value: Value<D::Tensor>,
    ) -> Result<()> {
        match object {
            Value::Object(object) => {
                self.context.charge(1)?;
                object.attributes.borrow_mut().set_attribute(name, value);
                Ok(())
            }
            Value::Tensor(tensor) if &**name == "requires_grad" => {
                let set = self.context.dispatch.set_requires_grad(tensor, matches!(value, Value::Bool(true)));
                set.map_err(|error| self.operation(error))
            }
            object => Err(exception("AttributeError", format!("a {}'s attributes cannot be set", object.type_name()))),
        }
    }
}
