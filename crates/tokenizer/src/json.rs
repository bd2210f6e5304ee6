//! Parts of a JSON file with their paths, so that an error names the part.

use crate::{Error, Result};
use serde_json::Value;

/// A value of a file, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Part<'a> {
    pub(crate) fn new(value: &'a Value, path: impl Into<String>) -> Part<'a> {
        Part { value, path: path.into() }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    /// An error about this part.
    pub(crate) fn malformed(&self, message: impl std::fmt::Display) -> Error {
        Error::malformed(format!("{}: {message}", self.path))
    }

    /// The error that this part is not known.
    pub(crate) fn unsupported(&self, message: impl AsRef<str>) -> Error {
        Error::unsupported(format!("{} {}", self.path, message.as_ref()))
    }

    /// A member; `None` if there is none, or null.
    pub(crate) fn get(&self, name: &str) -> Option<Part<'a>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let path = if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) };
        Some(Part { value, path })
    }

    /// A member that has to be there.
    pub(crate) fn need(&self, name: &str) -> Result<Part<'a>> {
        self.get(name).ok_or_else(|| self.malformed(format!("has no {name:?}")))
    }

    /// The name of the kind of the part.
    pub(crate) fn kind(&self) -> Result<&'a str> {
        self.need("type")?.str()
    }

    pub(crate) fn str(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.malformed("is no text"))
    }

    pub(crate) fn bool(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.malformed("is neither true nor false"))
    }

    pub(crate) fn u32(&self) -> Result<u32> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.malformed("is no whole number of 32 bits"))
    }

    /// A single character.
    pub(crate) fn char(&self) -> Result<char> {
        let mut characters = self.str()?.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(self.malformed("is not one character")),
        }
    }

    pub(crate) fn list(&self) -> Result<Vec<Part<'a>>> {
        Ok(self.values()?.iter().enumerate().map(|(index, value)| self.item(index, value)).collect())
    }

    /// The elements of a long list, for which no paths are made; [`Part::item`] makes one.
    pub(crate) fn values(&self) -> Result<&'a [Value]> {
        self.value.as_array().map(Vec::as_slice).ok_or_else(|| self.malformed("is no list"))
    }

    /// An element of a list.
    pub(crate) fn item(&self, index: usize, value: &'a Value) -> Part<'a> {
        Part { value, path: format!("{}[{index}]", self.path) }
    }

    /// The members of an object, in the order of their names; [`Part::member`] makes a part of one.
    pub(crate) fn members(&self) -> Result<impl Iterator<Item = (&'a str, &'a Value)> + use<'a>> {
        let all = self.value.as_object().ok_or_else(|| self.malformed("is no object"))?;
        Ok(all.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// A member of an object.
    pub(crate) fn member(&self, name: &str, value: &'a Value) -> Part<'a> {
        Part { value, path: format!("{}.{name:?}", self.path) }
    }

    pub(crate) fn bool_or(&self, name: &str, default: bool) -> Result<bool> {
        self.get(name).map_or(Ok(default), |part| part.bool())
    }

    pub(crate) fn str_or(&self, name: &str, default: &'a str) -> Result<&'a str> {
        self.get(name).map_or(Ok(default), |part| part.str())
    }

    pub(crate) fn u32_or(&self, name: &str, default: u32) -> Result<u32> {
        self.get(name).map_or(Ok(default), |part| part.u32())
    }
}
