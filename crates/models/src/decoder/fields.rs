//! The fields of a configuration's file.

use lanthorn_tensor::{Error, Result};
use serde_json::{Map, Value};

/// The largest integer of a configuration that float64 represents exactly, as all smaller ones.
const MAX_COUNT: f64 = 9007199254740991.0;

/// The error of a configuration.
pub(crate) fn refuse(message: String) -> Error {
    Error::file("config.json", message)
}

/// The fields of a configuration, with defaults, and errors that name them.
pub(crate) struct Fields {
    values: Map<String, Value>,
}

impl Fields {
    pub fn new(values: Map<String, Value>) -> Fields {
        Fields { values }
    }

    /// The value of a field; null where there is none.
    pub fn get(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Null)
    }

    /// A number, or none where the field is null.
    pub fn optional(&self, name: &str) -> Result<Option<f64>> {
        let value = self.get(name);
        if value.is_null() {
            return Ok(None);
        }
        let Some(number) = value.as_f64() else {
            return Err(refuse(format!("{name} is {value}, not a number")));
        };
        Ok(Some(number))
    }

    /// A number.
    pub fn number(&self, name: &str) -> Result<f64> {
        let Some(number) = self.optional(name)? else {
            return Err(refuse(format!("{name} is null, not a number")));
        };
        Ok(number)
    }

    fn positive(&self, name: &str, count: f64) -> Result<usize> {
        if count < 1.0 || count.fract() != 0.0 || count > MAX_COUNT {
            return Err(refuse(format!("{name} is {count}, not a positive integer")));
        }
        Ok(count as usize)
    }

    /// A positive integer.
    pub fn count(&self, name: &str) -> Result<usize> {
        self.positive(name, self.number(name)?)
    }

    /// A positive integer; `otherwise` where there is none.
    pub fn count_or(&self, name: &str, otherwise: usize) -> Result<usize> {
        self.positive(name, self.optional(name)?.unwrap_or(otherwise as f64))
    }

    /// A flag, which is false where the field is null.
    pub fn flag(&self, name: &str) -> Result<bool> {
        let value = self.get(name);
        if value.is_null() {
            return Ok(false);
        }
        let Some(flag) = value.as_bool() else {
            return Err(refuse(format!("{name} is {value}, not true or false")));
        };
        Ok(flag)
    }

    /// A flag of the table, or the flag of the field that the table names.
    pub fn either(&self, flag: &Value) -> Result<bool> {
        match flag.as_str() {
            Some(name) => self.flag(name),
            None => Ok(flag.as_bool().unwrap_or(false)),
        }
    }
}
