//! Jinja's functions `joiner` and `cycler`.

use minijinja::value::{Object, Rest, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[derive(Debug)]
struct Joiner {
    separator: Value,
    used: AtomicBool,
}

impl Object for Joiner {
    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let () = from_args(args)?;
        Ok(if self.used.swap(true, Ordering::Relaxed) { self.separator.clone() } else { Value::from("") })
    }
}

/// `joiner(sep=', ')`: returns an empty text at the first call, and the separator at each other
/// one.
pub(super) fn joiner(separator: Option<Value>, named: minijinja::value::Kwargs) -> Result<Value, Error> {
    let separator = separator.or(named.get("sep")?).unwrap_or_else(|| Value::from(", "));
    named.assert_all_used()?;
    Ok(Value::from_object(Joiner { separator, used: AtomicBool::new(false) }))
}

#[derive(Debug)]
struct Cycler {
    items: Vec<Value>,
    position: AtomicUsize,
}

impl Cycler {
    fn current(&self) -> Value {
        self.items[self.position.load(Ordering::Relaxed)].clone()
    }
}

impl Object for Cycler {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "current" => Some(self.current()),
            "pos" => Some(self.position.load(Ordering::Relaxed).into()),
            "items" => Some(self.items.clone().into()),
            _ => None,
        }
    }

    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, method: &str, args: &[Value]) -> Result<Value, Error> {
        let () = from_args(args)?;
        let current = self.current();
        match method {
            "next" | "__next__" => {
                let next = (self.position.load(Ordering::Relaxed) + 1) % self.items.len();
                self.position.store(next, Ordering::Relaxed);
                Ok(current)
            }
            "reset" => {
                self.position.store(0, Ordering::Relaxed);
                Ok(Value::from(()))
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }
}

/// `cycler(a, b, ...)`: returns its items one after the other, again and again.
pub(super) fn cycler(items: Rest<Value>) -> Result<Value, Error> {
    if items.is_empty() {
        return Err(Error::new(ErrorKind::InvalidOperation, "cycler takes at least one item"));
    }
    Ok(Value::from_object(Cycler { items: items.0, position: AtomicUsize::new(0) }))
}
