//! Evaluates operations of the table on arrays. Other operations, and those with large results, run
//! on the device.

use super::{
    array::{Array, Elements, MAX_ELEMENTS, count},
    indexing, numbers,
};
use lanthorn_io::DType;
use lanthorn_program::Value;

/// An argument of an operation on arrays.
pub type Argument = Value<Array>;

/// Evaluates an operation of the table on arrays. Returns `None` if it has to run on the device.
pub fn evaluate(name: &str, args: &[Argument]) -> Option<Argument> {
    let one = |array: Option<Array>| array.filter(|array| array.elements.count() <= MAX_ELEMENTS).map(Value::Tensor);
    let arg = Given(args);
    let base = name.split('.').next().unwrap_or(name);
    if let Some(result) = numbers::unary(base, arg) {
        return one(Some(result));
    }
    if let Some(result) = numbers::binary(base, arg) {
        return one(result);
    }
    match base {
        "to" => one(Some(arg.array(0)?.to(arg.dtype(1)?))),
        "where" if args.len() == 3 => one(numbers::choose(arg)),
        "clamp" => one(numbers::clamp(arg)),
        "sum" | "prod" | "amax" | "amin" | "mean" | "all" | "any" => one(numbers::reduce(base, arg)),
        "cumsum" => one(numbers::cumsum(arg)),
        "arange" if args.len() >= 4 => one(arange(arg)),
        "full" => one(full(arg)),
        "split" | "split_with_sizes" | "unbind" => {
            Some(Value::List(indexing::parts(base, arg)?.into_iter().map(Value::Tensor).collect()))
        }
        _ => one(indexing::rearrange(base, arg)),
    }
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub struct Given<'a>(pub &'a [Argument]);

impl<'a> Given<'a> {
    pub fn get(self, index: usize) -> Option<&'a Argument> {
        self.0.get(index).filter(|value| !matches!(value, Value::None))
    }

    pub fn array(self, index: usize) -> Option<&'a Array> {
        self.get(index)?.as_tensor()
    }

    pub fn arrays(self, index: usize) -> Option<Vec<&'a Array>> {
        self.get(index)?.as_list()?.iter().map(Value::as_tensor).collect()
    }

    pub fn int(self, index: usize) -> Option<i64> {
        self.get(index)?.as_int()
    }

    pub fn ints(self, index: usize) -> Option<Vec<i64>> {
        lanthorn_program::value::as_ints(self.get(index)?)
    }

    pub fn text(self, index: usize) -> Option<&'a str> {
        self.get(index)?.as_str()
    }

    pub fn bool(self, index: usize) -> Option<bool> {
        self.get(index)?.as_bool()
    }

    pub fn dtype(self, index: usize) -> Option<DType> {
        DType::from_name(self.text(index)?)
    }

    /// Returns an array; a number becomes an array without dimensions.
    pub fn operand(self, index: usize) -> Option<Array> {
        match self.get(index)? {
            Value::Tensor(array) => Some(array.clone()),
            number => of_number(number),
        }
    }

    /// Returns a dimension of an array of this rank, counted from the first.
    pub fn dim(self, index: usize, rank: usize) -> Option<usize> {
        dimension(self.int(index)?, rank)
    }
}

/// Converts a number to an array without dimensions.
pub fn of_number(number: &Argument) -> Option<Array> {
    match number {
        Value::Bool(value) => Some(Array::ints(DType::Bool, vec![], vec![i64::from(*value)])),
        Value::Int(value) => Some(Array::ints(DType::I64, vec![], vec![*value])),
        Value::Float(value) => Some(Array::floats(DType::F32, vec![], vec![*value])),
        _ => None,
    }
}

/// Counts a dimension from the first.
pub fn dimension(dim: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let dim = if dim < 0 { dim + rank } else { dim };
    (0..rank.max(1)).contains(&dim).then_some(dim as usize)
}

/// Returns the integers from a start to an end.
fn arange(arg: Given<'_>) -> Option<Array> {
    let dtype = arg.dtype(3)?;
    if lanthorn_program::value::is_floating_point(dtype) {
        return None;
    }
    let (start, end, step) = (arg.int(0)?, arg.int(1)?, arg.int(2)?);
    let mut values = Vec::new();
    let mut value = start;
    while (step > 0 && value < end) || (step < 0 && value > end) {
        if values.len() == MAX_ELEMENTS {
            return None;
        }
        values.push(value);
        value = value.checked_add(step)?;
    }
    Some(Array::ints(dtype, vec![values.len()], values))
}

/// Returns an array with one value. A larger array of floats is created on the device.
fn full(arg: Given<'_>) -> Option<Array> {
    let dtype = arg.dtype(2)?;
    let shape: Vec<usize> = arg.ints(0)?.into_iter().map(|size| usize::try_from(size).ok()).collect::<Option<_>>()?;
    let elements = count(&shape).filter(|&elements| elements <= MAX_ELEMENTS)?;
    let number = of_number(arg.get(1)?)?.to(dtype);
    let is_float = matches!(number.elements, Elements::Floats(_));
    (!is_float || elements <= 1).then(|| number.gather(shape, |_| 0))
}
