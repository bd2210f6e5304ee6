//! Encodes values.

use super::NAME;
use crate::{ArgKind, Call, Foreign, Handle, Scalar, Value};

/// Encoded values: a row of numbers, and the strings that it refers to by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The numbers.
    pub words: Vec<f64>,
    /// The strings.
    pub strings: Vec<String>,
}

impl Row {
    /// Appends a value. `handle` returns the handle of a tensor. Modules and devices have no
    /// encoding and are omitted.
    pub fn push<T: Handle>(&mut self, value: &Value<T>, handle: &mut impl FnMut(&T) -> f64) {
        let kind = match value.kind() {
            ArgKind::Module | ArgKind::Device => ArgKind::Missing,
            kind => kind,
        };
        self.words.push(f64::from(kind as u8));
        match value {
            Value::Tensor(tensor) => self.words.push(handle(tensor)),
            Value::Tensors(list) => self.list(list.iter().map(handle)),
            Value::OptionalTensors(list) => {
                self.list(list.iter().map(|tensor| tensor.as_ref().map_or(-1.0, &mut *handle)));
            }
            Value::Scalar(Scalar::Int(value)) => self.words.push(*value as f64),
            Value::Scalar(scalar) => self.words.push(scalar.to_f64()),
            Value::Ints(list) if list.is_empty() => {}
            Value::Ints(list) => self.list(list.iter().map(|&value| value as f64)),
            Value::PartialInts(list) => {
                self.list(list.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)));
            }
            Value::Floats(list) => self.list(list.iter().copied()),
            Value::Str(text) | Value::Foreign(Foreign { text, .. }) => self.text(text),
            Value::DType(dtype) => self.words.push(f64::from(dtype.number())),
            Value::Missing | Value::Null | Value::Device(_) | Value::Object(_) => {}
        }
    }

    /// Appends a call: its values, with names before those that are given by name.
    pub fn call<T: Handle>(&mut self, call: &Call<T>, handle: &mut impl FnMut(&T) -> f64) {
        let positional = call.values.len().saturating_sub(call.names.len());
        for (index, value) in call.values.iter().enumerate() {
            if let Some(name) = index.checked_sub(positional).and_then(|index| call.names.get(index)) {
                self.words.push(NAME);
                self.text(name);
            }
            self.push(value, handle);
        }
    }

    /// Appends a string.
    pub fn text(&mut self, text: &str) {
        self.words.push(self.strings.len() as f64);
        self.strings.push(text.to_string());
    }

    /// Appends a list of numbers with its length before it.
    pub fn list(&mut self, numbers: impl ExactSizeIterator<Item = f64>) {
        self.words.push(numbers.len() as f64);
        self.words.extend(numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Caller, Malformed, Reader, Whole};
    use lanthorn_ir::DType;

    fn handle(handle: f64) -> Result<usize, Malformed> {
        Ok(handle as usize)
    }

    fn all() -> Vec<Value<usize>> {
        vec![
            Value::Missing,
            Value::Null,
            7usize.into(),
            vec![7usize, 9].into(),
            Value::OptionalTensors(vec![Some(7), None]),
            true.into(),
            (-3).into(),
            0.5.into(),
            Value::Ints(vec![2, -1]),
            Value::Ints(vec![]),
            vec![0.5, 1.0].into(),
            Value::PartialInts(vec![Some(4), None]),
            Value::PartialInts(vec![None, None]),
            "mean".into(),
            DType::BF16.into(),
            Value::Foreign(Foreign { text: "an array".into(), is_array: true }),
            Value::Foreign("a function".into()),
        ]
    }

    #[test]
    fn every_value_is_read_as_it_was_written() {
        let mut row = Row::default();
        all().iter().for_each(|value| row.push(value, &mut |&tensor| tensor as f64));
        let read = Reader::new(&row.words, &row.strings, Whole::Int).values(&mut handle).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", all()));
    }

    #[test]
    fn a_call_keeps_its_names() {
        let call = Call::<usize>::new(vec![7usize.into()]).with("keepdim", true).with("dim", 1);
        let mut row = Row::default();
        row.call(&call, &mut |&tensor| tensor as f64);
        let read = Reader::new(&row.words, &row.strings, Whole::Int).call(Caller::PYTHON, &mut handle).unwrap();
        assert_eq!(format!("{read:?}"), format!("{call:?}"));
    }

    #[test]
    fn a_row_that_is_cut_or_changed_is_malformed_and_allocates_nothing() {
        let mut row = Row::default();
        row.push(&Value::<usize>::Ints(vec![1, 2, 3]), &mut |&tensor| tensor as f64);
        let read = |words: &[f64]| Reader::new(words, &[], Whole::Int).values(&mut handle);
        for length in 1..row.words.len() {
            assert_eq!(read(&row.words[..length]).unwrap_err(), Malformed);
        }
        let tag = |kind: ArgKind| f64::from(kind as u8);
        for words in [vec![99.0], vec![-2.0], vec![f64::NAN, 1.0, 1e18], vec![tag(ArgKind::Ints), 1e18]] {
            assert!(read(&words).is_err(), "{words:?}");
        }
        for words in [vec![tag(ArgKind::Str), 0.0], vec![tag(ArgKind::DType), 8.0], vec![tag(ArgKind::Device)]] {
            assert!(read(&words).is_err(), "{words:?}");
        }
        let names = [NAME, 0.0, tag(ArgKind::Null), tag(ArgKind::Null)];
        let call = Reader::new(&names, &["dim".to_string()], Whole::Int).call(Caller::PYTHON, &mut handle);
        assert_eq!(call.unwrap_err(), Malformed);
    }
}
