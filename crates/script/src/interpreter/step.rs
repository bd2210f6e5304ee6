//! Executes instructions.

use super::{Flow, Machine};
use crate::{
    Error, Result,
    builtins::{Builtin, exception, iterable, next, truth},
    code::{Code, Constant, Instr},
    context::Budget,
    dict::Dict,
    format::{format_text, repr, str_of},
    value::{Tuple, Value},
};
use lanthorn_program::Dispatch;
use std::rc::Rc;

impl<D: Dispatch> Machine<'_, D> {
    fn variable(&mut self, slot: u32) -> &mut Value<D::Tensor> {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        // A frame reserves a slot for each of its variables.
        &mut self.stack[base + slot as usize]
    }

    /// Returns the text of a constant.
    pub(super) fn text<'c>(&self, code: &'c Code, index: u32) -> &'c Rc<str> {
        match &code.constants[index as usize] {
            Constant::Str(text) => text,
            // The compiler emits indices of texts only.
            _ => &code.locals[0],
        }
    }

    fn item(&self, below: u32) -> Option<&Value<D::Tensor>> {
        self.stack.len().checked_sub(1 + below as usize).map(|index| &self.stack[index])
    }

    /// Runs an instruction that neither reads a tensor nor calls an operation. Returns `None` for
    /// other instructions.
    pub(super) fn step(&mut self, code: &Code, instr: &Instr) -> Result<Option<Flow<D::Tensor>>> {
        match instr {
            Instr::Constant(index) => {
                let value = self.constant(&code.constants[*index as usize], 0)?;
                self.push(value)?;
            }
            Instr::Load(slot) => {
                let value = self.variable(*slot).clone();
                if matches!(value, Value::Unset) {
                    let name = code.locals.get(*slot as usize).map_or("", |name| name);
                    return Err(Error::runtime(format!("the variable {name} has no value here")));
                }
                self.push(value)?;
            }
            Instr::Store(slot) => *self.variable(*slot) = self.pop(),
            Instr::Delete(slot) => *self.variable(*slot) = Value::Unset,
            Instr::Pop => drop(self.pop()),
            Instr::Copy => {
                let value = self.item(0).cloned().unwrap_or(Value::None);
                self.push(value)?;
            }
            Instr::Swap => {
                let (b, a) = (self.pop(), self.pop());
                self.push(b)?;
                self.push(a)?;
            }
            Instr::Rotate => {
                let (c, b, a) = (self.pop(), self.pop(), self.pop());
                self.push(c)?;
                self.push(a)?;
                self.push(b)?;
            }
            Instr::List(count) => {
                self.context.charge(*count as usize)?;
                let items = self.pop_many(*count as usize);
                self.push(Value::list(items))?;
            }
            Instr::Tuple(count) => {
                self.context.charge(*count as usize)?;
                let items = self.pop_many(*count as usize);
                self.push(Value::tuple(items))?;
            }
            Instr::Dict(count) => {
                let mut items = self.pop_many(2 * *count as usize).into_iter();
                let mut dict = Dict::default();
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    dict.insert(key, value)?;
                }
                self.push(Value::dict(dict))?;
            }
            Instr::Append(below) => {
                let value = self.pop();
                if let Some(Value::List(list)) = self.item(*below) {
                    list.items.borrow_mut().push(value);
                }
            }
            Instr::Insert(below) => {
                let (value, key) = (self.pop(), self.pop());
                if let Some(Value::Dict(dict)) = self.item(*below) {
                    dict.entries.borrow_mut().insert(key, value)?;
                }
            }
            Instr::Extend => {
                let values = self.pop();
                let iterator = iterable(&mut self.context, &values)?;
                while let Some(item) = next(&iterator, 0)? {
                    self.context.charge(1)?;
                    if let Some(Value::List(list)) = self.item(0) {
                        list.items.borrow_mut().push(item);
                    }
                }
            }
            Instr::Format(conversion, spec) => {
                let mut value = self.pop();
                match conversion {
                    Some('r') => value = Value::text(&repr(&mut self.context, &value)?),
                    Some('s') => value = Value::text(&str_of(&mut self.context, &value)?),
                    _ => {}
                }
                let spec = self.text(code, *spec).clone();
                let text = format_text(&mut self.context, &value, &spec)?;
                self.push(Value::text(&text))?;
            }
            Instr::Join(count) => {
                let mut text = String::new();
                for value in self.pop_many(*count as usize) {
                    if let Value::Str(part) = value {
                        self.context.charge(part.len())?;
                        text.push_str(&part);
                    }
                }
                self.push(Value::text(&text))?;
            }
            Instr::SetAttribute(name) => {
                let (object, value) = (self.pop(), self.pop());
                self.set_attribute(&object, self.text(code, *name), value)?;
            }
            Instr::DeleteAttribute(name) => {
                let object = self.pop();
                let Value::Object(object) = &object else {
                    return Err(Error::runtime("only attributes of objects can be deleted"));
                };
                object.attributes.borrow_mut().remove(&crate::dict::Key::Str(self.text(code, *name).clone()));
            }
            Instr::DeleteIndex => {
                let (index, object) = (self.pop(), self.pop());
                crate::builtins::remove_element(&mut self.context, &object, &index)?;
            }
            Instr::Slice => {
                let items = self.pop_many(3);
                self.push(Value::Slice(Rc::new(Tuple { items, class: None })))?;
            }
            Instr::IsInstance(index) => {
                let value = self.pop();
                if let Constant::Type(ty) = &code.constants[*index as usize] {
                    let is = self.is_instance(&value, ty, 0, &Budget::new());
                    self.push(Value::Bool(is))?;
                }
            }
            Instr::Jump(target) => return Ok(Some(Flow::Jump(*target))),
            Instr::JumpIfFalse(target) | Instr::JumpIfTrue(target) => {
                let Some(truth) = self.item(0).and_then(truth) else { return Ok(None) };
                self.pop();
                if truth == matches!(instr, Instr::JumpIfTrue(_)) {
                    return Ok(Some(Flow::Jump(*target)));
                }
            }
            Instr::JumpIfFalseOrPop(target) | Instr::JumpIfTrueOrPop(target) => {
                let Some(truth) = self.item(0).and_then(truth) else { return Ok(None) };
                if truth == matches!(instr, Instr::JumpIfTrueOrPop(_)) {
                    return Ok(Some(Flow::Jump(*target)));
                }
                self.pop();
            }
            Instr::Next(target) => {
                let Some(Value::Iterator(iterator)) = self.item(0) else {
                    return Err(Error::runtime("nothing to iterate over"));
                };
                match next(&iterator.clone(), 0)? {
                    Some(item) => self.push(item)?,
                    None => {
                        self.pop();
                        return Ok(Some(Flow::Jump(*target)));
                    }
                }
            }
            Instr::Return => {
                let value = self.pop();
                let Some(frame) = self.frames.pop() else { return Ok(Some(Flow::Done(value))) };
                self.stack.truncate(frame.base);
                let value = frame.result.unwrap_or(value);
                if self.frames.is_empty() {
                    return Ok(Some(Flow::Done(value)));
                }
                self.push(value)?;
                return Ok(Some(Flow::Switch));
            }
            Instr::Raise => {
                let exception = self.pop();
                return Err(self.exception(&exception)?);
            }
            Instr::AssertionError => {
                let message = self.pop();
                return Err(exception("AssertionError", str_of(&mut self.context, &message)?));
            }
            _ => return Ok(None),
        }
        Ok(Some(Flow::Next))
    }

    /// Converts a raised value to an error.
    fn exception(&mut self, value: &Value<D::Tensor>) -> Result<Error> {
        Ok(match value {
            Value::Class(class) => exception(class.short_name(), ""),
            Value::Object(object) => {
                let args = object.attributes.borrow().attribute(&"args".into()).cloned();
                let message = match args {
                    Some(Value::Tuple(args)) if args.items.len() == 1 => str_of(&mut self.context, &args.items[0])?,
                    Some(args) => str_of(&mut self.context, &args)?,
                    None => String::new(),
                };
                exception(object.class.short_name(), message)
            }
            Value::None => exception("RuntimeError", "No active exception to reraise"),
            value => exception("Exception", str_of(&mut self.context, value)?),
        })
    }

    /// Runs an instruction that calls or reads.
    pub(super) async fn wait(&mut self, code: &Code, instr: &Instr) -> Result<Flow<D::Tensor>> {
        let result = match instr {
            Instr::Call(arguments) => {
                let (args, named) = self.arguments(code, *arguments);
                let callee = self.pop();
                self.invoke(callee, args, named).await?
            }
            Instr::Method(name, arguments) => {
                let (args, named) = self.arguments(code, *arguments);
                let receiver = self.pop();
                self.method(receiver, self.text(code, *name), args, named).await?
            }
            Instr::Builtin(index, arguments) => {
                let (args, named) = self.arguments(code, *arguments);
                self.builtin(&code.builtins[*index as usize], args, named).await?
            }
            Instr::Attribute(name) => {
                let object = self.pop();
                self.attribute(object, self.text(code, *name)).await?
            }
            Instr::Index => {
                let (index, object) = (self.pop(), self.pop());
                self.index(object, index).await?
            }
            Instr::SetIndex => {
                let (index, object, value) = (self.pop(), self.pop(), self.pop());
                return self.set_index(object, index, value).await;
            }
            Instr::AugmentIndex(op) => {
                let (value, index, object) = (self.pop(), self.pop(), self.pop());
                return self.augment_index(*op, object, index, value).await;
            }
            Instr::Unary(op) => {
                let value = self.pop();
                self.unary(*op, value).await?
            }
            Instr::Binary(op) => {
                let (b, a) = (self.pop(), self.pop());
                self.binary(*op, a, b, false).await?
            }
            Instr::Augment(op) => {
                let (b, a) = (self.pop(), self.pop());
                self.binary(*op, a, b, true).await?
            }
            Instr::Compare(op) => {
                let (b, a) = (self.pop(), self.pop());
                self.compare(*op, a, b).await?
            }
            Instr::Unpack(_) | Instr::UnpackStarred(..) => {
                let value = self.pop();
                return self.unpack(value, instr).await;
            }
            Instr::Iterate => {
                let value = self.pop();
                let value = match value {
                    // A tensor's items are its slices along the first dimension.
                    tensor if tensor.is_tensor() => self
                        .builtin(&Builtin::by_name("unbind", false), vec![tensor], vec![])
                        .await?
                        .unwrap_or(Value::None),
                    value => value,
                };
                Some(Value::Iterator(iterable(&mut self.context, &value)?))
            }
            Instr::JumpIfFalse(target) | Instr::JumpIfTrue(target) => {
                let value = self.pop();
                let truth = self.truth(&value).await?;
                let jumps = truth == matches!(instr, Instr::JumpIfTrue(_));
                return Ok(if jumps { Flow::Jump(*target) } else { Flow::Next });
            }
            Instr::JumpIfFalseOrPop(target) | Instr::JumpIfTrueOrPop(target) => {
                let value = self.item(0).cloned().unwrap_or(Value::None);
                let truth = self.truth(&value).await?;
                if truth == matches!(instr, Instr::JumpIfTrueOrPop(_)) {
                    return Ok(Flow::Jump(*target));
                }
                self.pop();
                return Ok(Flow::Next);
            }
            Instr::Enter => {
                let manager = self.pop();
                self.enter(manager).await?
            }
            Instr::Exit => {
                let manager = self.pop();
                self.exit(manager).await?
            }
            _ => Some(Value::None),
        };
        match result {
            Some(value) => {
                self.push(value)?;
                Ok(Flow::Next)
            }
            None => Ok(Flow::Switch),
        }
    }

    /// Unpacks the items of a value.
    async fn unpack(&mut self, value: Value<D::Tensor>, instr: &Instr) -> Result<Flow<D::Tensor>> {
        let value = if value.is_tensor() {
            self.builtin(&Builtin::by_name("unbind", false), vec![value], vec![]).await?.unwrap_or(Value::None)
        } else {
            value
        };
        let iterator = iterable(&mut self.context, &value)?;
        let mut items = Vec::new();
        while let Some(item) = next(&iterator, 0)? {
            self.context.charge(1)?;
            items.push(item);
        }
        let count = items.len();
        match instr {
            Instr::Unpack(expected) if *expected as usize == count => {}
            Instr::UnpackStarred(before, after) if count >= (*before + *after) as usize => {
                let (before, after) = (*before as usize, *after as usize);
                let middle: Vec<_> = items.splice(before..count - after, [Value::None]).collect();
                items[before] = Value::list(middle);
            }
            _ => return Err(exception("ValueError", format!("{count} values for another number of targets"))),
        }
        for item in items.into_iter().rev() {
            self.push(item)?;
        }
        Ok(Flow::Next)
    }
}
