//! The arguments of a call by position or by name, as Python takes them.

use minijinja::value::{Kwargs, Rest, from_args};
use minijinja::{Error, ErrorKind, Value};

/// The arguments of one call of a method or a filter, taken in their order.
pub(super) struct Arguments {
    name: String,
    positional: std::vec::IntoIter<Value>,
    named: Kwargs,
}

impl Arguments {
    pub(super) fn new(name: &str, args: &[Value]) -> Result<Arguments, Error> {
        let (positional, named): (Rest<Value>, Kwargs) = from_args(args)?;
        Ok(Arguments::of(name, positional, named))
    }

    pub(super) fn of(name: &str, positional: Rest<Value>, named: Kwargs) -> Arguments {
        Arguments { name: name.to_string(), positional: positional.0.into_iter(), named }
    }

    /// An error of this call.
    pub(super) fn wrong(&self, message: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::InvalidOperation, format!("{}: {message}", self.name))
    }

    /// The next argument, by its position or by this name.
    pub(super) fn next(&mut self, name: &str) -> Result<Option<Value>, Error> {
        let named = if self.named.has(name) { Some(self.named.get::<Value>(name)?) } else { None };
        match (self.positional.next(), named) {
            (Some(_), Some(_)) => Err(self.wrong(format!("{name} is given twice"))),
            (first, second) => Ok(first.or(second)),
        }
    }

    pub(super) fn need(&mut self, name: &str) -> Result<Value, Error> {
        self.next(name)?.ok_or_else(|| self.wrong(format!("{name} is missing")))
    }

    /// The next argument, a text; none if it is left out or none.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.next(name)?.filter(|value| !value.is_none()) {
            None => Ok(None),
            Some(value) => match value.as_str() {
                Some(text) => Ok(Some(text.to_string())),
                None => Err(self.wrong(format!("{name} takes a text, not {}", value.kind()))),
            },
        }
    }

    pub(super) fn need_text(&mut self, name: &str) -> Result<String, Error> {
        self.text(name)?.ok_or_else(|| self.wrong(format!("{name} takes a text")))
    }

    /// The next argument, an integer; none if it is left out or none.
    pub(super) fn int(&mut self, name: &str) -> Result<Option<i64>, Error> {
        match self.next(name)?.filter(|value| !value.is_none()) {
            None => Ok(None),
            Some(value) => match value.as_i64().filter(|_| value.is_integer()) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(format!("{name} takes a whole number, not {value}"))),
            },
        }
    }

    pub(super) fn need_int(&mut self, name: &str) -> Result<i64, Error> {
        self.int(name)?.ok_or_else(|| self.wrong(format!("{name} is missing")))
    }

    /// The end of the arguments.
    ///
    /// # Errors
    /// There are more, or names that the call does not take.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        if self.positional.next().is_some() {
            return Err(self.wrong("there are more arguments than it takes"));
        }
        self.named.assert_all_used().map_err(|error| self.wrong(error.detail().unwrap_or_default()))
    }
}
