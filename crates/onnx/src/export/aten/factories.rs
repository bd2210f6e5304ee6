//! Creates tensors.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value, value::is_floating_point};

pub const FUNCTIONS: Functions = &[
    ("arange", arange),
    ("empty", fill),
    ("empty_like", fill_like),
    ("empty_permuted", fill),
    ("empty_strided", fill),
    ("eye", eye),
    ("full", fill),
    ("full_like", fill_like),
    ("hamming_window", window),
    ("hann_window", window),
    ("linspace", linspace),
    ("new_empty", fill),
    ("new_full", fill),
    ("new_ones", fill),
    ("new_zeros", fill),
    ("ones", fill),
    ("ones_like", fill_like),
    ("scalar_tensor", scalar_tensor),
    ("tril_indices", triangle),
    ("triu_indices", triangle),
    ("zeros", fill),
    ("zeros_like", fill_like),
];

/// Returns the value of a factory's elements.
fn value(call: &Call) -> Arg {
    match call.args.get("fill_value") {
        Value::None => Value::Int(i64::from(call.base.contains("ones"))),
        value => value.clone(),
    }
}

fn fill(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dims = exporter.dims(call.args.get("size"))?;
    exporter.fill(&value(call), &dims, call.dtype()?).map(Value::Tensor)
}

fn fill_like(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let shape = exporter.shape_of(&item)?;
    exporter.fill_like(&value(call), &shape, call.dtype()?).map(Value::Tensor)
}

fn scalar_tensor(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = exporter.operand(call.args.get("s"), call.dtype()?)?;
    Ok(Value::Tensor(Item { is_number: false, ..item }))
}

fn arange(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    // Every runtime has `Range` of these types.
    let wide = if is_floating_point(dtype) { DType::F32 } else { DType::I64 };
    let or = |name: &str, default: i64| match call.args.get(name) {
        Value::None => Value::Int(default),
        value => value.clone(),
    };
    let start = exporter.operand(&or("start", 0), wide)?;
    let end = exporter.operand(call.args.get("end"), wide)?;
    let step = exporter.operand(&or("step", 1), wide)?;
    let range = exporter.op_of("Range", &[&start, &end, &step], &[], Some(wide));
    Ok(Value::Tensor(exporter.cast(&range, dtype)))
}

/// Computes steps from both ends, as PyTorch does.
fn linspace(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let steps = call.int("steps")?;
    check_count(&[steps])?;
    let number = |name: &str| {
        let value = call.args.get(name).as_float();
        value.ok_or_else(|| Error::unsupported(format!("{name} that the model computes")))
    };
    let (start, end) = (number("start")?, number("end")?);
    let step = ((end - start) as f32) / (steps - 1).max(1) as f32;
    let at = |index: i64| match index < steps / 2 {
        true => f64::from(start as f32 + step * index as f32),
        false => f64::from(end as f32 - step * (steps - index - 1) as f32),
    };
    let values: Vec<f64> = (0..steps).map(|index| if steps == 1 { start } else { at(index) }).collect();
    exporter.numbers(&values, vec![steps as usize], call.dtype()?).map(Value::Tensor)
}

fn eye(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let rows = exporter.dim(call.args.get("n"))?;
    let columns = match call.args.get("m") {
        Value::None => rows.clone(),
        value => exporter.dim(value)?,
    };
    let dtype = call.dtype()?;
    let wide = if is_floating_point(dtype) { DType::F32 } else { DType::I64 };
    let zeros = exporter.fill(&Value::Int(0), &[rows, columns], wide)?;
    let ones = exporter.op("EyeLike", &[&zeros], &[("k", Attr::Int(0))]);
    Ok(Value::Tensor(exporter.cast(&ones, dtype)))
}

/// Writes a cosine window.
fn window(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let length = call.int("window_length")?;
    check_count(&[length])?;
    let periodic = call.args.get("periodic").as_bool().unwrap_or(true);
    let (alpha, beta) = match call.base.as_str() {
        "hann_window" => (0.5, 0.5),
        _ => (call.float_or("alpha", 0.54)?, call.float_or("beta", 0.46)?),
    };
    let steps = (length - i64::from(!periodic)).max(1) as f64;
    let at = |index: i64| alpha - beta * (2.0 * std::f64::consts::PI * index as f64 / steps).cos();
    let values: Vec<f64> = (0..length).map(|index| if length == 1 { 1.0 } else { at(index) }).collect();
    exporter.numbers(&values, vec![length as usize], call.dtype()?).map(Value::Tensor)
}

/// Returns the row and column indices of a triangle.
fn triangle(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (rows, columns, offset) = (call.int("row")?, call.int("col")?, call.int("offset")?);
    check_count(&[rows, columns])?;
    let is_lower = call.base == "tril_indices";
    let inside = |row: i64, column: i64| if is_lower { column - row <= offset } else { column - row >= offset };
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let (first, second): (Vec<f64>, Vec<f64>) =
        all.filter(|&(row, column)| inside(row, column)).map(|(row, column)| (row as f64, column as f64)).unzip();
    let shape = vec![2, first.len()];
    exporter.numbers(&[first, second].concat(), shape, call.dtype()?).map(Value::Tensor)
}

impl Exporter<'_> {
    /// Returns a tensor of one value with constant sizes.
    pub fn constant_of(&mut self, value: f64, shape: &[i64], dtype: DType) -> Result<Item> {
        let dims: Vec<Dim> = shape.iter().copied().map(Dim::Int).collect();
        let count = shape.iter().try_fold(1i64, |count, &size| count.checked_mul(size)).unwrap_or(i64::MAX);
        if count <= 1024 {
            let shape = shape.iter().map(|&size| size as usize).collect();
            return self.numbers(&vec![value; count.max(0) as usize], shape, dtype);
        }
        self.fill(&Value::Float(value), &dims, dtype)
    }
}
