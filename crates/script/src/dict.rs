//! Dictionaries in the order of insertion.

use crate::{Error, Result, value::Value};
use std::{collections::HashMap, rc::Rc};

/// A key, compared by value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    None,
    Int(i64),
    Float(u64),
    Str(Rc<str>),
    Device(Rc<str>),
    Tuple(Vec<Key>),
    /// A member of an enumeration, by its class and name.
    Member(Rc<str>, Rc<str>),
}

impl Key {
    /// Returns the key of a value.
    pub fn of<T>(value: &Value<T>) -> Result<Key> {
        Key::at_depth(value, 0)
    }

    fn at_depth<T>(value: &Value<T>, depth: usize) -> Result<Key> {
        Ok(match value {
            Value::None => Key::None,
            Value::Bool(value) => Key::Int(i64::from(*value)),
            Value::Int(value) => Key::Int(*value),
            // Equal numbers are equal keys.
            Value::Float(value) if *value == *value as i64 as f64 => Key::Int(*value as i64),
            Value::Float(value) => Key::Float(value.to_bits()),
            Value::Str(text) => Key::Str(text.clone()),
            Value::Device(name) => Key::Device(name.clone()),
            Value::Member(member) => Key::Member(member.class.name.clone(), member.name.clone()),
            Value::Tuple(tuple) if depth < 4 && tuple.items.len() <= 64 => {
                let keys = tuple.items.iter().map(|item| Key::at_depth(item, depth + 1));
                Key::Tuple(keys.collect::<Result<_>>()?)
            }
            _ => return Err(Error::runtime(format!("a {} cannot be a key of a dictionary", value.type_name()))),
        })
    }
}

/// A dictionary. A removed entry leaves a gap until half of the entries are gaps.
pub(crate) struct Dict<T> {
    indices: HashMap<Key, usize>,
    entries: Vec<Option<(Value<T>, Value<T>)>>,
}

impl<T> Default for Dict<T> {
    fn default() -> Self {
        Dict { indices: HashMap::new(), entries: Vec::new() }
    }
}

impl<T> Dict<T> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Iterates over the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Value<T>, &Value<T>)> {
        self.entries.iter().flatten().map(|(key, value)| (key, value))
    }
}

impl<T: Clone> Dict<T> {
    /// Returns the value of a key.
    pub fn get(&self, key: &Key) -> Option<&Value<T>> {
        self.entries[*self.indices.get(key)?].as_ref().map(|(_, value)| value)
    }

    /// Returns the value of a string key.
    pub fn attribute(&self, name: &Rc<str>) -> Option<&Value<T>> {
        self.get(&Key::Str(name.clone()))
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: Value<T>, value: Value<T>) -> Result<()> {
        let index = Key::of(&key)?;
        match self.indices.get(&index) {
            Some(&index) => {
                if let Some(entry) = &mut self.entries[index] {
                    entry.1 = value;
                }
            }
            None => {
                self.indices.insert(index, self.entries.len());
                self.entries.push(Some((key, value)));
            }
        }
        Ok(())
    }

    /// Sets the value of a string key.
    pub fn set_attribute(&mut self, name: &Rc<str>, value: Value<T>) {
        // A string is always a valid key.
        let _ = self.insert(Value::Str(name.clone()), value);
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: &Key) -> Option<Value<T>> {
        let index = self.indices.remove(key)?;
        let removed = self.entries[index].take();
        if self.entries.len() > 16 && self.indices.len() * 2 < self.entries.len() {
            self.compact();
        }
        removed.map(|(_, value)| value)
    }

    /// Removes the last entry.
    pub fn pop_last(&mut self) -> Option<(Value<T>, Value<T>)> {
        while let Some(entry) = self.entries.pop() {
            if let Some((key, value)) = entry {
                self.indices.remove(&Key::of(&key).ok()?);
                return Some((key, value));
            }
        }
        None
    }

    fn compact(&mut self) {
        self.entries.retain(Option::is_some);
        self.indices.clear();
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(key) = entry.as_ref().and_then(|(key, _)| Key::of(key).ok()) {
                self.indices.insert(key, index);
            }
        }
    }

    /// Copies the dictionary. The entries are shared.
    pub fn copy(&self) -> Dict<T> {
        let mut copy = Dict { indices: self.indices.clone(), entries: self.entries.clone() };
        copy.compact();
        copy
    }
}

impl<T> Dict<T> {
    /// Moves all keys and values out.
    pub fn drain_into(&mut self, stack: &mut Vec<Value<T>>) {
        self.indices.clear();
        for (key, value) in self.entries.drain(..).flatten() {
            stack.push(key);
            stack.push(value);
        }
    }
}
