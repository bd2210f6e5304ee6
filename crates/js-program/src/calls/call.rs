//! The arguments of calls of programs, positional and named.

use super::{
    host::Tensor,
    tree::{Reader, is_plain},
};
use crate::error::Thrown;
use js_sys::{Array, Object};
use lanthorn_program::Value;
use wasm_bindgen::JsCast;

/// The arguments of a call.
pub struct Arguments {
    /// By position.
    pub positional: Vec<Value<Tensor>>,
    /// By name.
    pub named: Vec<(String, Value<Tensor>)>,
}

impl Arguments {
    /// The arguments of a call of a function with parameters of these names. An object at the end
    /// has arguments by name, if all of its keys are names of parameters without a positional
    /// argument.
    pub fn read(reader: &mut Reader<'_, Tensor>, inputs: &Array, names: &[String]) -> Result<Arguments, Thrown> {
        let last = inputs.length().checked_sub(1);
        let options = last.map(|index| inputs.get(index)).filter(is_plain);
        let free = names.get(last.unwrap_or_default() as usize..).unwrap_or_default();
        let options = options.filter(|options| {
            let keys = Object::keys(options.unchecked_ref::<Object>());
            keys.length() > 0 && keys.iter().all(|key| key.as_string().is_some_and(|key| free.contains(&key)))
        });
        let count = inputs.length() - u32::from(options.is_some());
        let positional = inputs.iter().take(count as usize).map(|value| reader.read(&value));
        let positional = positional.collect::<Result<_, _>>()?;
        let mut named = Vec::new();
        if let Some(options) = options {
            for pair in Object::entries(options.unchecked_ref::<Object>()).iter() {
                let pair: Array = pair.unchecked_into();
                named.push((pair.get(0).as_string().unwrap_or_default(), reader.read(&pair.get(1))?));
            }
        }
        Ok(Arguments { positional, named })
    }

    /// Makes the first `count` arguments positional and the others named, by the names of all.
    pub fn arrange(&mut self, names: &[String], count: usize) {
        for name in names.iter().take(count).skip(self.positional.len()) {
            let Some(index) = self.named.iter().position(|(given, _)| given == name) else { return };
            self.positional.push(self.named.remove(index).1);
        }
        // More arguments than there are names stay where they are, and are refused by their number.
        if self.positional.len() > count && self.positional.len() <= names.len() {
            let extra = self.positional.split_off(count);
            self.named.extend(names[count..].iter().cloned().zip(extra));
        }
    }
}
