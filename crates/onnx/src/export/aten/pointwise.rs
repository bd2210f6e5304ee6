//! Pointwise operators that need more than one expression, and casts.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item},
    },
    Call, Functions,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value, value::is_floating_point};

pub const FUNCTIONS: Functions = &[
    ("_to_copy", cast),
    ("_local_scalar_dense", item),
    ("alias", identity),
    ("alias_copy", identity),
    ("arctan2", atan2),
    ("atan2", atan2),
    ("clamp", clamp),
    ("clip", clamp),
    ("clone", identity),
    ("contiguous", identity),
    ("copy", copy),
    ("cpu", identity),
    ("data", identity),
    ("detach", identity),
    ("detach_", identity),
    ("detach_copy", identity),
    ("div", div_mode),
    ("divide", div_mode),
    ("alpha_dropout", dropout),
    ("dropout", dropout),
    ("native_dropout", native_dropout),
    ("feature_dropout", dropout),
    ("elu", elu),
    ("fill", fill),
    ("floor_divide", div_mode),
    ("fix", trunc),
    ("fmax", fmax),
    ("fmin", fmax),
    ("glu", glu),
    ("isclose", isclose),
    ("item", item),
    ("lift", identity),
    ("lift_fresh", identity),
    ("lift_fresh_copy", identity),
    ("log_sigmoid", log_sigmoid),
    ("logit", logit),
    ("masked_fill", masked_fill),
    ("pin_memory", identity),
    ("prelu", prelu),
    ("_prelu_kernel", prelu),
    ("remainder", remainder),
    ("requires_grad_", identity),
    ("resolve_conj", identity),
    ("resolve_neg", identity),
    ("sign", sign),
    ("softplus", softplus),
    ("threshold", threshold),
    ("to", cast),
    ("trunc", trunc),
    ("type_as", cast),
    ("where", pick),
    ("zero", zero),
    ("nan_to_num", nan_to_num),
];

fn identity(_: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    Ok(call.args.values.first().cloned().unwrap_or(Value::None))
}

fn cast(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    Ok(Value::Tensor(exporter.cast(&item, call.dtype()?)))
}

/// Returns the only element of a tensor as a number.
fn item(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let number = exporter.reshape(&item, &[])?;
    Ok(Value::Tensor(Item { is_number: true, ..number }))
}

/// Writes the result of a copy: the source in the type and sizes of the destination.
fn copy(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, source) = (call.tensor("self")?, call.args.get("src").clone());
    let source = exporter.operand(&source, item.dtype()?)?;
    if item.shape().is_some() && item.shape() == source.shape() {
        return Ok(Value::Tensor(source));
    }
    let shape = exporter.shape_of(&item)?;
    Ok(Value::Tensor(exporter.op("Expand", &[&source, &shape], &[])))
}

fn fill(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let shape = exporter.shape_of(&item)?;
    exporter.fill_like(call.args.get("value"), &shape, item.dtype()?).map(Value::Tensor)
}

fn zero(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let shape = exporter.shape_of(&item)?;
    exporter.fill_like(&Value::Int(0), &shape, item.dtype()?).map(Value::Tensor)
}

/// Writes a division with rounding toward zero or down.
fn div_mode(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let (a, b) = (exporter.operand(call.args.get("self"), dtype)?, exporter.operand(call.args.get("other"), dtype)?);
    let mode =
        call.args.get("rounding_mode").as_str().unwrap_or(if call.base == "floor_divide" { "floor" } else { "" });
    let is_float = is_floating_point(dtype);
    Ok(Value::Tensor(match mode {
        // Subtracting the remainder makes the quotient nearly an integer, which rounding makes
        // exact.
        "floor" if is_float => {
            let rest = exporter.op("Mod", &[&a, &b], &[("fmod", Attr::Int(1))]);
            let multiple = exporter.op("Sub", &[&a, &rest], &[]);
            let quotient = exporter.op("Div", &[&multiple, &b], &[]);
            let one = exporter.number(1.0, dtype)?;
            let less = exporter.op("Sub", &[&quotient, &one], &[]);
            let below = differs(exporter, &rest, &b, dtype)?;
            let quotient = exporter.op_of("Where", &[&below, &less, &quotient], &[], Some(dtype));
            let rounded = exporter.op("Round", &[&quotient], &[]);
            let zero = exporter.number(0.0, dtype)?;
            let by_zero = exporter.op_of("Equal", &[&b, &zero], &[], Some(DType::Bool));
            let plain = exporter.op("Div", &[&a, &b], &[]);
            exporter.op_of("Where", &[&by_zero, &plain, &rounded], &[], Some(dtype))
        }
        "floor" => {
            let rest = exporter.op("Mod", &[&a, &b], &[]);
            let multiple = exporter.op("Sub", &[&a, &rest], &[]);
            exporter.op("Div", &[&multiple, &b], &[])
        }
        "trunc" if is_float => {
            let quotient = exporter.op("Div", &[&a, &b], &[]);
            truncate(exporter, &quotient)
        }
        _ => exporter.op("Div", &[&a, &b], &[]),
    }))
}

fn truncate(exporter: &mut Exporter<'_>, item: &Item) -> Item {
    let size = exporter.op("Abs", &[item], &[]);
    let floor = exporter.op("Floor", &[&size], &[]);
    let sign = exporter.op("Sign", &[item], &[]);
    exporter.op("Mul", &[&floor, &sign], &[])
}

fn trunc(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    Ok(Value::Tensor(if is_floating_point(item.dtype()?) { truncate(exporter, &item) } else { item }))
}

/// Writes a remainder with the sign of the divisor.
fn remainder(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let (a, b) = (exporter.operand(call.args.get("self"), dtype)?, exporter.operand(call.args.get("other"), dtype)?);
    if !is_floating_point(dtype) {
        return Ok(Value::Tensor(exporter.op("Mod", &[&a, &b], &[])));
    }
    let rest = exporter.op("Mod", &[&a, &b], &[("fmod", Attr::Int(1))]);
    let moved = exporter.op("Add", &[&rest, &b], &[]);
    let moves = differs(exporter, &rest, &b, dtype)?;
    Ok(Value::Tensor(exporter.op_of("Where", &[&moves, &moved, &rest], &[], Some(dtype))))
}

/// Whether a remainder is not 0 and has another sign than the divisor.
fn differs(exporter: &mut Exporter<'_>, rest: &Item, divisor: &Item, dtype: DType) -> Result<Item> {
    let zero = exporter.number(0.0, dtype)?;
    let mut compare = |op: &str, x: &Item| exporter.op_of(op, &[x, &zero], &[], Some(DType::Bool));
    let below = [compare("Less", rest), compare("Less", divisor)];
    let none = compare("Equal", rest);
    let apart = exporter.op("Xor", &[&below[0], &below[1]], &[]);
    let some = exporter.op("Not", &[&none], &[]);
    Ok(exporter.op("And", &[&apart, &some], &[]))
}

/// Clamps elements. `Clip` with one limit makes infinities finite, so a single limit becomes `Max`
/// or `Min`.
fn clamp(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let mut item = exporter.operand(call.args.get("self"), dtype)?;
    let both = ["min", "max"].iter().all(|name| call.args.is_given(name));
    if both && call.args.get("min").as_tensor().is_none() && call.args.get("max").as_tensor().is_none() {
        let limits = [exporter.operand(call.args.get("min"), dtype)?, exporter.operand(call.args.get("max"), dtype)?];
        return Ok(Value::Tensor(exporter.op("Clip", &[&item, &limits[0], &limits[1]], &[])));
    }
    for (name, op) in [("min", "Max"), ("max", "Min")] {
        if call.args.is_given(name) {
            let limit = exporter.operand(call.args.get(name), dtype)?;
            item = exporter.op(op, &[&item, &limit], &[]);
        }
    }
    Ok(Value::Tensor(item))
}

/// Writes the larger or the smaller of two elements. If one is NaN, the result is the other.
fn fmax(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let (a, b) = (exporter.operand(call.args.get("self"), dtype)?, exporter.operand(call.args.get("other"), dtype)?);
    let mut result = exporter.op(if call.base == "fmax" { "Max" } else { "Min" }, &[&a, &b], &[]);
    if is_floating_point(dtype) {
        for (item, other) in [(&b, &a), (&a, &b)] {
            let odd = exporter.op_of("IsNaN", &[item], &[], Some(DType::Bool));
            result = exporter.op_of("Where", &[&odd, other, &result], &[], Some(dtype));
        }
    }
    Ok(Value::Tensor(result))
}

/// Writes the sign. At NaN, PyTorch returns 0 and ONNX returns NaN.
fn sign(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dtype = item.dtype()?;
    let signs = exporter.op("Sign", &[&item], &[]);
    if !is_floating_point(dtype) {
        return Ok(Value::Tensor(signs));
    }
    let odd = exporter.op_of("IsNaN", &[&item], &[], Some(DType::Bool));
    exporter.choose(&odd, &Value::Int(0), &Value::Tensor(signs), dtype).map(Value::Tensor)
}

/// Returns the input. In training mode, writes `Dropout` if it drops single elements.
fn dropout(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("input")?;
    let p = call.float_or("p", 0.5)?;
    if !call.args.bool("train") || p == 0.0 {
        return Ok(Value::Tensor(item));
    }
    if call.base != "dropout" {
        return Err(Error::unsupported("in training mode"));
    }
    let (ratio, training) = (exporter.number(p, DType::F32)?, exporter.number(1.0, DType::Bool)?);
    Ok(Value::Tensor(exporter.op("Dropout", &[&item, &ratio, &training], &[])))
}

fn native_dropout(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("input")?;
    if call.args.get("train").as_bool() != Some(false) {
        return Err(Error::unsupported("in training mode"));
    }
    let shape = exporter.shape_of(&item)?;
    let kept = exporter.fill_like(&Value::Bool(true), &shape, DType::Bool)?;
    Ok(Value::List(vec![Value::Tensor(item), Value::Tensor(kept)]))
}

fn elu(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    if call.float_or("input_scale", 1.0)? != 1.0 {
        return Err(Error::unsupported("with a scale of its input"));
    }
    let (alpha, scale) = (call.float_or("alpha", 1.0)?, call.float_or("scale", 1.0)?);
    let result = exporter.op("Elu", &[&item], &[("alpha", Attr::Float(alpha))]);
    if scale == 1.0 {
        return Ok(Value::Tensor(result));
    }
    let scale = exporter.number(scale, item.dtype()?)?;
    Ok(Value::Tensor(exporter.op("Mul", &[&result, &scale], &[])))
}

fn softplus(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, dtype) = (call.tensor("self")?, call.dtype()?);
    let (beta, limit) = (call.float_or("beta", 1.0)?, call.float_or("threshold", 20.0)?);
    let (beta_item, limit) = (exporter.number(beta, dtype)?, exporter.number(limit, dtype)?);
    let scaled = if beta == 1.0 { item.clone() } else { exporter.op("Mul", &[&item, &beta_item], &[]) };
    let soft = exporter.op("Softplus", &[&scaled], &[]);
    let soft = if beta == 1.0 { soft } else { exporter.op("Div", &[&soft, &beta_item], &[]) };
    let above = exporter.op_of("Greater", &[&scaled, &limit], &[], Some(DType::Bool));
    Ok(Value::Tensor(exporter.op_of("Where", &[&above, &item, &soft], &[], Some(dtype))))
}

fn log_sigmoid(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let negative = exporter.op("Neg", &[&item], &[]);
    let soft = exporter.op("Softplus", &[&negative], &[]);
    Ok(Value::Tensor(exporter.op("Neg", &[&soft], &[])))
}

/// Writes a PReLU. The channels are the second dimension.
fn prelu(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, weight) = (call.tensor("self")?, call.tensor("weight")?);
    let slope = match (item.rank()?, weight.rank()?) {
        (rank, 1) if rank > 2 => {
            let mut dims = vec![super::super::item::Dim::Int(-1)];
            dims.extend((2..rank).map(|_| super::super::item::Dim::Int(1)));
            exporter.reshape(&weight, &dims)?
        }
        _ => weight,
    };
    Ok(Value::Tensor(exporter.op("PRelu", &[&item, &slope], &[])))
}

/// Writes one half of the channels times the sigmoid of the other half.
fn glu(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let attributes = [("axis", Attr::Int(call.int("dim")?)), ("num_outputs", Attr::Int(2))];
    let names = exporter.ops("Split", &[&item], &attributes, 2);
    let halves: Vec<Item> = names.into_iter().map(|name| Item::of(name, item.dtype)).collect();
    let [value, gate] = &halves[..] else { return Err(Error::malformed("a split without parts")) };
    let gate = exporter.op("Sigmoid", &[gate], &[]);
    Ok(Value::Tensor(exporter.op("Mul", &[value, &gate], &[])))
}

fn atan2(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let (y, x) = (exporter.operand(call.args.get("self"), dtype)?, exporter.operand(call.args.get("other"), dtype)?);
    exporter.angle(&y, &x, dtype).map(Value::Tensor)
}

fn logit(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let mut item = exporter.operand(call.args.get("self"), dtype)?;
    if call.args.is_given("eps") {
        let eps = call.float_or("eps", 0.0)?;
        let (low, high) = (exporter.number(eps, dtype)?, exporter.number(1.0 - eps, dtype)?);
        item = exporter.op("Clip", &[&item, &low, &high], &[]);
    }
    let one = exporter.number(1.0, dtype)?;
    let rest = exporter.op("Sub", &[&one, &item], &[]);
    let odds = exporter.op("Div", &[&item, &rest], &[]);
    Ok(Value::Tensor(exporter.op("Log", &[&odds], &[])))
}

/// Whether numbers are equal within a tolerance.
fn isclose(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.bool("equal_nan") {
        return Err(Error::unsupported("with numbers that are none as equal"));
    }
    let (a, b) = (call.tensor("self")?, call.tensor("other")?);
    let dtype = a.dtype()?;
    let (rtol, atol) =
        (exporter.number(call.float_or("rtol", 1e-5)?, dtype)?, exporter.number(call.float_or("atol", 1e-8)?, dtype)?);
    let apart = exporter.op("Sub", &[&a, &b], &[]);
    let (apart, size) = (exporter.op("Abs", &[&apart], &[]), exporter.op("Abs", &[&b], &[]));
    let relative = exporter.op("Mul", &[&size, &rtol], &[]);
    let bound = exporter.op("Add", &[&relative, &atol], &[]);
    let near = exporter.op_of("LessOrEqual", &[&apart, &bound], &[], Some(DType::Bool));
    // Every finite number is within an infinite bound.
    let infinite = exporter.op_of("IsInf", &[&bound], &[], Some(DType::Bool));
    let finite = exporter.op("Not", &[&infinite], &[]);
    let near = exporter.op("And", &[&near, &finite], &[]);
    let equal = exporter.op_of("Equal", &[&a, &b], &[], Some(DType::Bool));
    Ok(Value::Tensor(exporter.op("Or", &[&near, &equal], &[])))
}

fn threshold(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, dtype) = (call.tensor("self")?, call.dtype()?);
    let limit = exporter.operand(call.args.get("threshold"), dtype)?;
    let value = exporter.operand(call.args.get("value"), dtype)?;
    let below = exporter.op_of("LessOrEqual", &[&item, &limit], &[], Some(DType::Bool));
    Ok(Value::Tensor(exporter.op_of("Where", &[&below, &value, &item], &[], Some(dtype))))
}

/// Selects one of two values for each element.
fn pick(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.schema.params.len() == 1 {
        return Err(Error::unsupported("with a condition alone"));
    }
    let dtype = call.dtype()?;
    let condition = exporter.operand(call.args.get("condition"), DType::Bool)?;
    let (yes, no) = (call.args.get("self"), call.args.get("other"));
    exporter.choose(&condition, yes, no, dtype).map(Value::Tensor)
}

fn masked_fill(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let mask = exporter.operand(call.args.get("mask"), DType::Bool)?;
    exporter.choose(&mask, call.args.get("value"), call.args.get("self"), dtype).map(Value::Tensor)
}

fn nan_to_num(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, dtype) = (call.tensor("self")?, call.dtype()?);
    let largest = if dtype == DType::F16 { 65504.0 } else { f64::from(f32::MAX) };
    let (nan, high, low) =
        (call.float_or("nan", 0.0)?, call.float_or("posinf", largest)?, call.float_or("neginf", -largest)?);
    let mut result = Value::Tensor(item.clone());
    let is_nan = exporter.op_of("IsNaN", &[&item], &[], Some(DType::Bool));
    let infinite = |exporter: &mut Exporter<'_>, without: &str| {
        exporter.op_of("IsInf", &[&item], &[(without, Attr::Int(0))], Some(DType::Bool))
    };
    let (is_high, is_low) = (infinite(exporter, "detect_negative"), infinite(exporter, "detect_positive"));
    for (mask, value) in [(is_nan, nan), (is_high, high), (is_low, low)] {
        result = Value::Tensor(exporter.choose(&mask, &Value::Float(value), &result, dtype)?);
    }
    Ok(result)
}

impl Exporter<'_> {
    /// Returns the angle of a point: `atan(y / x)`, plus or minus π in the left half plane.
    pub fn angle(&mut self, y: &Item, x: &Item, dtype: DType) -> Result<Item> {
        let zero = self.number(0.0, dtype)?;
        let is_zero = self.op_of("Equal", &[x, &zero], &[], Some(DType::Bool));
        let divisor = self.choose(&is_zero, &Value::Int(1), &Value::Tensor(x.clone()), dtype)?;
        let ratio = self.op("Div", &[y, &divisor], &[]);
        let angle = self.op("Atan", &[&ratio], &[]);
        let is_left = self.op_of("Less", &[x, &zero], &[], Some(DType::Bool));
        let is_below = self.op_of("Less", &[y, &zero], &[], Some(DType::Bool));
        let pi = std::f64::consts::PI;
        let turn = self.choose(&is_below, &Value::Float(-pi), &Value::Float(pi), dtype)?;
        let turned = self.op("Add", &[&angle, &turn], &[]);
        let angle = self.choose(&is_left, &Value::Tensor(turned), &Value::Tensor(angle), dtype)?;
        let (sign, quarter) = (self.op("Sign", &[y], &[]), self.number(pi / 2.0, dtype)?);
        let upright = self.op("Mul", &[&sign, &quarter], &[]);
        self.choose(&is_zero, &Value::Tensor(upright), &Value::Tensor(angle), dtype)
    }

    /// Selects one of two values for each element. Some runtimes lack `Where` for booleans.
    pub fn choose(&mut self, condition: &Item, yes: &Arg, no: &Arg, dtype: DType) -> Result<Item> {
        let wide = if dtype == DType::Bool { DType::U8 } else { dtype };
        let (yes, no) = (self.operand(yes, wide)?, self.operand(no, wide)?);
        let picked = self.op_of("Where", &[condition, &yes, &no], &[], Some(wide));
        Ok(self.cast(&picked, dtype))
    }
}
