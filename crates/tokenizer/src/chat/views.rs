//! Values of Python that are printed otherwise than lists: ranges, the views of a dictionary, and
//! the groups of `groupby`.

use super::text::representation;
use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Rest, Tuple};
use minijinja::{Error, ErrorKind, Value};
use std::fmt;
use std::sync::Arc;

/// The most numbers of a range, as in Jinja's sandbox.
const RANGE_LIMIT: i64 = 100_000;

/// `range(start, stop, step)`.
#[derive(Debug)]
pub(super) struct Range {
    start: i64,
    stop: i64,
    step: i64,
}

impl Range {
    fn len(&self) -> i64 {
        let distance =
            if self.step > 0 { self.stop.saturating_sub(self.start) } else { self.start.saturating_sub(self.stop) };
        if distance <= 0 { 0 } else { (distance - 1) / self.step.saturating_abs() + 1 }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            1 => write!(f, "range({}, {})", self.start, self.stop),
            step => write!(f, "range({}, {}, {step})", self.start, self.stop),
        }
    }
}

impl Object for Range {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let index = key.as_i64()?;
        (0..self.len()).contains(&index).then(|| Value::from(self.start + index * self.step))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.len() as usize)
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

/// `range(stop)`, `range(start, stop, step=1)`.
pub(super) fn range(args: Rest<Value>) -> Result<Value, Error> {
    let wrong = |message: String| Error::new(ErrorKind::InvalidOperation, format!("range: {message}"));
    let number = |value: &Value| match value.as_i64().filter(|_| value.is_integer()) {
        Some(number) => Ok(number),
        None => Err(wrong(format!("takes whole numbers, not {value}"))),
    };
    let numbers = args.iter().map(number).collect::<Result<Vec<i64>, Error>>()?;
    let range = match numbers[..] {
        [stop] => Range { start: 0, stop, step: 1 },
        [start, stop] => Range { start, stop, step: 1 },
        [start, stop, step] if step != 0 => Range { start, stop, step },
        [_, _, _] => return Err(wrong("the step is 0".to_string())),
        _ => return Err(wrong(format!("takes one to three numbers, not {}", numbers.len()))),
    };
    match range.len() <= RANGE_LIMIT {
        true => Ok(Value::from_object(range)),
        false => Err(wrong(format!("{} numbers are more than {RANGE_LIMIT}", range.len()))),
    }
}

/// The keys, the values or the items of a dictionary.
#[derive(Debug)]
pub(super) struct View {
    name: &'static str,
    items: Vec<Value>,
}

impl View {
    /// A view with Python's name of its type, `dict_keys`.
    pub(super) fn value(name: &'static str, items: Vec<Value>) -> Value {
        Value::from_object(View { name, items })
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self.items.iter().map(representation).collect();
        write!(f, "{}([{}])", self.name, items.join(", "))
    }
}

impl Object for View {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.items.clone())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

/// A group of `groupby`: a tuple whose parts have names.
#[derive(Debug)]
pub(super) struct Group {
    grouper: Value,
    list: Value,
}

impl Group {
    /// The parts of the tuple.
    pub(super) fn parts(&self) -> [&Value; 2] {
        [&self.grouper, &self.list]
    }
}

impl Object for Group {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match (key.as_i64(), key.as_str()) {
            (Some(0), _) | (_, Some("grouper")) => Some(self.grouper.clone()),
            (Some(1), _) | (_, Some("list")) => Some(self.list.clone()),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(2)
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&representation(&Tuple::from([self.grouper.clone(), self.list.clone()]).into()))
    }
}

/// `groupby(attribute, default=none, case_sensitive=false)`.
pub(super) fn groupby(value: Value, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut options: Vec<(&str, Value)> = Vec::new();
    for (name, given) in ["attribute", "default", "case_sensitive"].into_iter().zip(args.iter()) {
        // The index of an item is a path, too.
        let is_index = name == "attribute" && given.is_integer();
        options.push((name, if is_index { given.to_string().into() } else { given.clone() }));
    }
    let named = options.into_iter().map(|(name, given)| (name.to_string(), given)).chain(
        named
            .args()
            .map(|name| Ok((name.to_string(), named.get::<Value>(name)?)))
            .collect::<Result<Vec<_>, Error>>()?,
    );
    let named: Kwargs = named.collect();
    let groups = minijinja::filters::groupby(value, None, named)?;
    let group = |group: Value| {
        let list: Vec<Value> = group.get_attr("list")?.try_iter()?.collect();
        Ok(Value::from_object(Group { grouper: group.get_attr("grouper")?, list: list.into() }))
    };
    Ok(groups.try_iter()?.map(group).collect::<Result<Vec<Value>, Error>>()?.into())
}
