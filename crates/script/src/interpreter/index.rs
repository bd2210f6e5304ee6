//! Indexes tensors and other values.

use super::{Flow, Machine, call::Called};
use crate::{
    Error, Result,
    ast::BinaryOp,
    builtins::{Builtin, element, set_element},
    value::Value,
};
use lanthorn_io::DType;
use lanthorn_program::Dispatch;

/// A view by the basic indices, and the tensors that index its dimensions.
struct Indexed<T> {
    view: Value<T>,
    tensors: Vec<Value<T>>,
}

impl<D: Dispatch> Machine<'_, D> {
    /// `object[index]`.
    pub(super) async fn index(&mut self, object: Value<D::Tensor>, index: Value<D::Tensor>) -> Called<D::Tensor> {
        if let Value::Object(instance) = &object {
            return match instance.class.methods.get("__getitem__").cloned() {
                Some(function) => self.enter_function(function, vec![object, index], vec![], None),
                None => self.module_item(&object, &index).map(Some),
            };
        }
        if let Value::Class(class) = &object
            && let Value::Str(name) = &index
        {
            return self.class_attribute(&class.clone(), name).map(Some);
        }
        if !object.is_tensor() {
            let index = match index {
                tensor @ Value::Tensor(_) => Value::Int(self.number(&tensor).await?.int()?),
                index => index,
            };
            return match element(&mut self.context, &object, &index)? {
                Some(value) => Ok(Some(value)),
                None => Err(Error::runtime(format!("a {} cannot be indexed", object.type_name()))),
            };
        }
        let Indexed { view, tensors } = self.view(object, &index).await?;
        if tensors.is_empty() {
            return Ok(Some(view));
        }
        self.operator(&Builtin::by_name("index", false), vec![view, Value::list(tensors)], vec![]).await.map(Some)
    }

    /// Returns an item of a container of modules.
    fn module_item(&mut self, object: &Value<D::Tensor>, index: &Value<D::Tensor>) -> Result<Value<D::Tensor>> {
        let Value::Object(object) = object else { return Ok(Value::None) };
        let attributes = object.attributes.borrow();
        let name = match index {
            Value::Str(name) => name.clone(),
            Value::Int(index) if *index >= 0 => index.to_string().into(),
            Value::Int(index) => {
                let children = attributes.iter().filter(|(_, value)| matches!(value, Value::Object(_))).count() as i64;
                (children + index).to_string().into()
            }
            _ => return Err(Error::runtime(format!("a {} is no index of a module", index.type_name()))),
        };
        let found = attributes.attribute(&name).cloned();
        found.ok_or_else(|| Error::runtime(format!("a {} has no item {name}", object.class.name)))
    }

    /// Applies the basic indices, and collects the tensors.
    async fn view(&mut self, object: Value<D::Tensor>, index: &Value<D::Tensor>) -> Result<Indexed<D::Tensor>> {
        let mut items = match index {
            Value::Tuple(tuple) => tuple.items.clone(),
            index => vec![index.clone()],
        };
        for item in &mut items {
            if let Value::List(_) = item {
                *item = self.make_tensor(vec![item.clone()], vec![]).await?;
            }
        }
        let dims = |machine: &Self, item: &Value<D::Tensor>| match item {
            Value::None | Value::Ellipsis | Value::Bool(_) => 0,
            Value::Tensor(tensor) if is_mask(machine.context.dispatch.dtype(tensor)) => {
                machine.context.dispatch.shape(tensor).len()
            }
            _ => 1,
        };
        let used: usize = items.iter().map(|item| dims(self, item)).sum();
        let rank = self.context.dispatch.shape(&self.tensor(&object)?).len();
        if used > rank {
            return Err(Error::runtime(format!("{used} indices for a tensor of {rank} dimensions")));
        }
        let mut tensors: Vec<Value<D::Tensor>> = Vec::new();
        let (mut view, mut dim) = (object, 0);
        for item in items {
            let at = Value::Int(dim as i64);
            match &item {
                Value::None => {
                    view = self.operator_now("unsqueeze", vec![view, at])?;
                    dim += 1;
                }
                Value::Ellipsis => dim += rank - used,
                Value::Int(_) => view = self.operator_now("select", vec![view, at, item])?,
                Value::Scalar(scalar) if scalar.dtype == DType::I64 && scalar.number.get().is_some() => {
                    let index = Value::Int(scalar.number.get().map_or(Ok(0), |number| number.int())?);
                    view = self.operator_now("select", vec![view, at, index])?;
                }
                Value::Slice(parts) => {
                    let mut args = vec![view, at];
                    for (position, part) in parts.items.iter().enumerate() {
                        args.push(match part {
                            Value::None if position == 2 => Value::Int(1),
                            Value::None => Value::None,
                            part => Value::Int(self.number(part).await?.int()?),
                        });
                    }
                    view = self.operator_now("slice", args)?;
                    dim += 1;
                }
                Value::Bool(_) => {
                    view = self.operator_now("unsqueeze", vec![view, at])?;
                    tensors.resize(dim, Value::None);
                    tensors.push(self.make_tensor(vec![Value::list(vec![item])], vec![]).await?);
                    dim += 1;
                }
                Value::Tensor(_) | Value::Scalar(_) => {
                    let used = dims(self, &item);
                    tensors.resize(dim, Value::None);
                    tensors.push(item);
                    dim += used;
                }
                value => return Err(Error::runtime(format!("a {} is no index of a tensor", value.type_name()))),
            }
        }
        // A mask over several dimensions is a single entry in the list of tensors.
        Ok(Indexed { view, tensors })
    }

    /// `object[index] = value`.
    pub(super) async fn set_index(
        &mut self,
        object: Value<D::Tensor>,
        index: Value<D::Tensor>,
        value: Value<D::Tensor>,
    ) -> Result<Flow<D::Tensor>> {
        if let Value::Object(instance) = &object {
            let Some(function) = instance.class.methods.get("__setitem__").cloned() else {
                return Err(Error::runtime(format!("an item of a {} cannot be set", instance.class.name)));
            };
            self.enter_function(function, vec![object, index, value], vec![], None)?;
            return Ok(Flow::Switch);
        }
        if !object.is_tensor() {
            if !set_element(&mut self.context, &object, &index, value)? {
                return Err(Error::runtime(format!("an item of a {} cannot be set", object.type_name())));
            }
            return Ok(Flow::Next);
        }
        let Indexed { view, tensors } = self.view(object, &index).await?;
        self.write(view, tensors, value).await?;
        Ok(Flow::Next)
    }

    async fn write(
        &mut self,
        view: Value<D::Tensor>,
        tensors: Vec<Value<D::Tensor>>,
        value: Value<D::Tensor>,
    ) -> Result<()> {
        let value = match value {
            list @ (Value::List(_) | Value::Tuple(_)) => self.make_tensor(vec![list], vec![]).await?,
            value => value,
        };
        if !tensors.is_empty() {
            let value = if value.is_tensor() { value } else { self.wrap(&value)? };
            self.operator_now("index_put_", vec![view, Value::list(tensors), value])?;
        } else if value.is_tensor() {
            self.operator_now("copy_", vec![view, value])?;
        } else {
            self.operator_now("fill_", vec![view, value])?;
        }
        Ok(())
    }

    /// `object[index] op= value`.
    pub(super) async fn augment_index(
        &mut self,
        op: BinaryOp,
        object: Value<D::Tensor>,
        index: Value<D::Tensor>,
        value: Value<D::Tensor>,
    ) -> Result<Flow<D::Tensor>> {
        let call = |called: Option<Value<D::Tensor>>| {
            called.ok_or_else(|| Error::runtime("an augmented assignment to an item of an object with operators"))
        };
        if !object.is_tensor() {
            let old = call(self.index(object.clone(), index.clone()).await?)?;
            let new = call(self.binary(op, old, value, true).await?)?;
            return self.set_index(object, index, new).await;
        }
        let Indexed { view, tensors } = self.view(object, &index).await?;
        if tensors.is_empty() {
            // Writes in place, through the view.
            call(self.binary(op, view, value, true).await?)?;
            return Ok(Flow::Next);
        }
        let old = self
            .operator(&Builtin::by_name("index", false), vec![view.clone(), Value::list(tensors.clone())], vec![])
            .await?;
        let new = call(self.binary(op, old, value, false).await?)?;
        self.write(view, tensors, new).await?;
        Ok(Flow::Next)
    }
}

/// Whether tensors of this type are masks in an index.
fn is_mask(dtype: DType) -> bool {
    matches!(dtype, DType::Bool | DType::U8)
}
