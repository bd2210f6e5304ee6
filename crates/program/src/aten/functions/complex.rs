//! Arithmetic and functions of complex numbers, represented as pairs along a last dimension.

use super::{Given, Output, arg, tensor};
use crate::{
    Dispatch, Error, Outcome, Result, Value, aten,
    operators::{Args, number_tensor},
    value::{elements, tensors},
};

/// The real and the imaginary parts of complex numbers.
type Parts<T> = [T; 2];

/// Writes formulas with operations of the table.
struct Reals<'d, D: Dispatch>(&'d D);

impl<D: Dispatch> Reals<'_, D> {
    fn unary(&self, name: &str, x: &D::Tensor) -> Result<D::Tensor> {
        tensor(self.0, name, vec![arg(x)])
    }

    fn binary(&self, name: &str, x: &D::Tensor, y: &D::Tensor) -> Result<D::Tensor> {
        tensor(self.0, name, vec![arg(x), arg(y)])
    }

    fn by(&self, name: &str, x: &D::Tensor, number: f64) -> Result<D::Tensor> {
        tensor(self.0, name, vec![arg(x), Value::Float(number)])
    }

    fn choose(&self, condition: &D::Tensor, yes: &D::Tensor, no: &D::Tensor) -> Result<D::Tensor> {
        tensor(self.0, "where", vec![arg(condition), arg(yes), arg(no)])
    }

    /// Splits pairs into parts. A real number gets the type of `like`.
    fn parts(&self, x: &Value<D::Tensor>, like: Option<&D::Tensor>) -> Result<Parts<D::Tensor>> {
        let Value::Tensor(x) = x else {
            let like = like.ok_or_else(|| Error::argument("complex", "no argument is a tensor"))?;
            let number = |value| number_tensor(self.0, value, self.0.dtype(like));
            return Ok([number(x.clone())?, number(Value::Float(0.0))?]);
        };
        let part = |index| tensor(self.0, "select", vec![arg(x), Value::Int(-1), Value::Int(index)]);
        Ok([part(0)?, part(1)?])
    }

    fn pair(&self, [real, imag]: Parts<D::Tensor>) -> Result<D::Tensor> {
        // One part may be a number and the other a tensor.
        let all = self.0.shape(&real) == self.0.shape(&imag);
        let (real, imag) = match all {
            true => (real, imag),
            false => {
                let zeros = self.unary("zeros_like", &self.binary("add", &real, &imag)?)?;
                (self.binary("add", &real, &zeros)?, self.binary("add", &imag, &zeros)?)
            }
        };
        tensor(self.0, "stack", vec![tensors([real, imag]), Value::Int(-1)])
    }

    fn modulus(&self, [a, b]: &Parts<D::Tensor>) -> Result<D::Tensor> {
        self.binary("hypot", a, b)
    }

    fn add(&self, x: &Parts<D::Tensor>, y: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        Ok([self.binary("add", &x[0], &y[0])?, self.binary("add", &x[1], &y[1])?])
    }

    fn scale(&self, [a, b]: &Parts<D::Tensor>, number: f64) -> Result<Parts<D::Tensor>> {
        Ok([self.by("mul", a, number)?, self.by("mul", b, number)?])
    }

    fn product(&self, [a, b]: &Parts<D::Tensor>, [c, e]: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let mul = |x: &D::Tensor, y: &D::Tensor| self.binary("mul", x, y);
        let real = self.binary("sub", &mul(a, c)?, &mul(b, e)?)?;
        Ok([real, self.binary("add", &mul(a, e)?, &mul(b, c)?)?])
    }

    /// Divides. The divisor is first divided by its larger part, so its square does not overflow.
    fn quotient(&self, [a, b]: &Parts<D::Tensor>, [c, e]: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let largest = self.binary("maximum", &self.unary("abs", c)?, &self.unary("abs", e)?)?;
        let (c, e) = (self.binary("div", c, &largest)?, self.binary("div", e, &largest)?);
        let square = self.binary("add", &self.binary("mul", &c, &c)?, &self.binary("mul", &e, &e)?)?;
        let conjugate = [c, self.unary("neg", &e)?];
        let [real, imag] = self.product(&[a.clone(), b.clone()], &conjugate)?;
        let over = |x: &D::Tensor| self.binary("div", &self.binary("div", x, &square)?, &largest);
        Ok([over(&real)?, over(&imag)?])
    }

    fn exp(&self, [a, b]: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let size = self.unary("exp", a)?;
        let real = self.binary("mul", &size, &self.unary("cos", b)?)?;
        Ok([real, self.binary("mul", &size, &self.unary("sin", b)?)?])
    }

    fn log(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        Ok([self.unary("log", &self.modulus(x)?)?, self.binary("atan2", &x[1], &x[0])?])
    }

    /// Returns the root with a nonnegative real part. Its parts are `t = sqrt((|z| + |a|) / 2)` and
    /// `b / 2t`.
    fn sqrt(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let [a, b] = x;
        let sum = self.binary("add", &self.modulus(x)?, &self.unary("abs", a)?)?;
        let large = self.unary("sqrt", &self.by("mul", &sum, 0.5)?)?;
        let small = self.binary("div", &self.by("mul", &self.unary("abs", b)?, 0.5)?, &large)?;
        let none = self.by("eq", &large, 0.0)?;
        let small = self.choose(&none, &large, &small)?;
        let left = self.by("lt", a, 0.0)?;
        let imag = self.choose(&left, &large, &small)?;
        Ok([self.choose(&left, &small, &large)?, self.binary("copysign", &imag, b)?])
    }

    /// `(tanh a + i tan b) / (1 + i tanh a tan b)`.
    fn tanh(&self, [a, b]: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let (real, imag) = (self.unary("tanh", a)?, self.unary("tan", b)?);
        let cross = self.binary("mul", &real, &imag)?;
        let one = self.unary("ones_like", &cross)?;
        self.quotient(&[real, imag], &[one, cross])
    }

    /// Multiplies by the imaginary unit.
    fn turn(&self, [a, b]: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        Ok([self.unary("neg", b)?, a.clone()])
    }

    fn one(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        Ok([self.unary("ones_like", &x[0])?, self.unary("zeros_like", &x[0])?])
    }

    fn cosh(&self, [a, b]: &Parts<D::Tensor>, names: [&str; 2]) -> Result<Parts<D::Tensor>> {
        let [first, second] = names;
        let real = self.binary("mul", &self.unary(first, a)?, &self.unary("cos", b)?)?;
        Ok([real, self.binary("mul", &self.unary(second, a)?, &self.unary("sin", b)?)?])
    }

    /// Computes a function by its hyperbolic counterpart, or the reverse: `sin z = -i sinh iz`.
    fn by_turning(
        &self,
        x: &Parts<D::Tensor>,
        function: impl Fn(&Parts<D::Tensor>) -> Result<Parts<D::Tensor>>,
    ) -> Result<Parts<D::Tensor>> {
        let [real, imag] = function(&self.turn(x)?)?;
        Ok([imag, self.unary("neg", &real)?])
    }

    fn sin(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        self.by_turning(x, |x| self.cosh(x, ["sinh", "cosh"]))
    }

    /// Returns the square roots of `1 - z` and `1 + z`.
    fn roots(&self, [a, b]: &Parts<D::Tensor>) -> Result<[Parts<D::Tensor>; 2]> {
        let minus = [self.by("rsub", a, 1.0)?, self.unary("neg", b)?];
        let plus = [self.by("add", a, 1.0)?, b.clone()];
        Ok([self.sqrt(&minus)?, self.sqrt(&plus)?])
    }

    /// `asinh(a c - b e)`, or `asinh(a c + b e)`: a part of a complex product.
    fn asinh_of(&self, name: &str, [a, c]: [&D::Tensor; 2], [b, e]: [&D::Tensor; 2]) -> Result<D::Tensor> {
        self.unary("asinh", &self.binary(name, &self.binary("mul", a, c)?, &self.binary("mul", b, e)?)?)
    }

    // The formulas of Kahan, "Branch Cuts for Complex Elementary Functions", 1987.

    fn acos(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let [minus, plus] = self.roots(x)?;
        let real = self.by("mul", &self.binary("atan2", &minus[0], &plus[0])?, 2.0)?;
        Ok([real, self.asinh_of("sub", [&plus[0], &minus[1]], [&plus[1], &minus[0]])?])
    }

    fn asin(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let [minus, plus] = self.roots(x)?;
        let [product, _] = self.product(&minus, &plus)?;
        let real = self.binary("atan2", &x[0], &product)?;
        Ok([real, self.asinh_of("sub", [&minus[0], &plus[1]], [&minus[1], &plus[0]])?])
    }

    fn acosh(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let [a, b] = x;
        let minus = self.sqrt(&[self.by("sub", a, 1.0)?, b.clone()])?;
        let plus = self.sqrt(&[self.by("add", a, 1.0)?, b.clone()])?;
        let imag = self.by("mul", &self.binary("atan2", &minus[1], &plus[0])?, 2.0)?;
        Ok([self.asinh_of("add", [&minus[0], &plus[0]], [&minus[1], &plus[1]])?, imag])
    }

    /// `log1p(4 a / ((1 - a)^2 + b^2)) / 4` and `atan2(2 b, (1 - a)(1 + a) - b^2) / 2`. The first
    /// function is odd, so it is computed for `|a|`.
    fn atanh(&self, [a, b]: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let size = self.unary("abs", a)?;
        let beyond = self.by("rsub", &size, 1.0)?;
        let distance = self.binary("hypot", &beyond, b)?;
        // Divides twice, because the square of a large distance overflows.
        let ratio = self.binary("div", &self.binary("div", &self.by("mul", &size, 4.0)?, &distance)?, &distance)?;
        let real = self.by("mul", &self.unary("log1p", &ratio)?, 0.25)?;
        let product = self.binary("mul", &beyond, &self.by("add", &size, 1.0)?)?;
        let across = self.binary("sub", &product, &self.binary("mul", b, b)?)?;
        let imag = self.by("mul", &self.binary("atan2", &self.by("mul", b, 2.0)?, &across)?, 0.5)?;
        Ok([self.binary("copysign", &real, a)?, imag])
    }

    /// `sin(pi z) / (pi z)`, which is 1 at 0.
    fn sinc(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let x = self.scale(x, std::f64::consts::PI)?;
        let [real, imag] = self.quotient(&self.sin(&x)?, &x)?;
        let none = self.is_zero(&x)?;
        let real = self.choose(&none, &self.unary("ones_like", &real)?, &real)?;
        Ok([real, self.choose(&none, &self.unary("zeros_like", &imag)?, &imag)?])
    }

    fn is_zero(&self, [a, b]: &Parts<D::Tensor>) -> Result<D::Tensor> {
        self.binary("logical_and", &self.by("eq", a, 0.0)?, &self.by("eq", b, 0.0)?)
    }

    fn sigmoid(&self, x: &Parts<D::Tensor>) -> Result<Parts<D::Tensor>> {
        let one = self.one(x)?;
        let size = self.exp(&self.scale(x, -1.0)?)?;
        self.quotient(&one, &self.add(&one, &size)?)
    }

    fn power(&self, x: &Parts<D::Tensor>, count: u32) -> Result<Parts<D::Tensor>> {
        let (mut result, mut square, mut rest) = (None::<Parts<D::Tensor>>, x.clone(), count);
        while rest > 0 {
            if rest % 2 == 1 {
                result = Some(match result {
                    Some(result) => self.product(&result, &square)?,
                    None => square.clone(),
                });
            }
            rest /= 2;
            if rest > 0 {
                square = self.product(&square, &square)?;
            }
        }
        result.map_or_else(|| self.one(x), Ok)
    }
}

/// The largest exponent for which a power is computed as a product.
const MAX_PRODUCT: i64 = 64;

fn result<D: Dispatch>(d: &D, parts: Parts<D::Tensor>) -> Output<D> {
    Reals(d).pair(parts).map(Value::Tensor)
}

/// Applies a function to each complex number.
pub fn complex_unary<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let x = r.parts(args.get("self"), None)?;
    let parts = match args.op() {
        "complex_acos" => r.acos(&x)?,
        "complex_acosh" => r.acosh(&x)?,
        "complex_asin" => r.asin(&x)?,
        // asin iz = i asinh z, atanh iz = i atan z
        "complex_asinh" => r.by_turning(&x, |x| r.asin(x))?,
        "complex_atan" => r.by_turning(&x, |x| r.atanh(x))?,
        "complex_atanh" => r.atanh(&x)?,
        "complex_cos" => r.cosh(&r.turn(&x)?, ["cosh", "sinh"])?,
        "complex_cosh" => r.cosh(&x, ["cosh", "sinh"])?,
        "complex_exp" => r.exp(&x)?,
        "complex_exp2" => r.exp(&r.scale(&x, std::f64::consts::LN_2)?)?,
        "complex_expm1" => {
            // expm1(a) cos b - 2 sin(b / 2)^2
            let [_, imag] = r.exp(&x)?;
            let half = r.unary("sin", &r.by("mul", &x[1], 0.5)?)?;
            let square = r.by("mul", &r.binary("mul", &half, &half)?, 2.0)?;
            let real = r.binary("mul", &r.unary("expm1", &x[0])?, &r.unary("cos", &x[1])?)?;
            [r.binary("sub", &real, &square)?, imag]
        }
        "complex_log" => r.log(&x)?,
        "complex_log10" => r.scale(&r.log(&x)?, std::f64::consts::LOG10_E)?,
        "complex_log1p" => r.log(&r.add(&r.one(&x)?, &x)?)?,
        "complex_log2" => r.scale(&r.log(&x)?, std::f64::consts::LOG2_E)?,
        "complex_reciprocal" => r.quotient(&r.one(&x)?, &x)?,
        "complex_rsqrt" => r.quotient(&r.one(&x)?, &r.sqrt(&x)?)?,
        "complex_sgn" => {
            let size = r.modulus(&x)?;
            let none = r.by("eq", &size, 0.0)?;
            let size = r.choose(&none, &r.unary("ones_like", &size)?, &size)?;
            [r.binary("div", &x[0], &size)?, r.binary("div", &x[1], &size)?]
        }
        "complex_sigmoid" => r.sigmoid(&x)?,
        "complex_silu" => r.product(&x, &r.sigmoid(&x)?)?,
        "complex_sin" => r.sin(&x)?,
        "complex_sinc" => r.sinc(&x)?,
        "complex_sinh" => r.cosh(&x, ["sinh", "cosh"])?,
        "complex_sqrt" => r.sqrt(&x)?,
        "complex_square" => r.product(&x, &x)?,
        "complex_tan" => r.by_turning(&x, |x| r.tanh(x))?,
        _ => r.tanh(&x)?,
    };
    result(d, parts)
}

/// Returns the first argument that is a complex tensor.
fn like<T: Clone>(args: &Args<T>) -> Option<&T> {
    args.values.iter().find_map(Value::as_tensor)
}

/// Multiplies complex numbers.
pub fn complex_mul<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    if let Some(number) = args.get("other").as_float() {
        return r.by("mul", args.tensor("self")?, number).map(Value::Tensor);
    }
    result(d, r.product(&r.parts(args.get("self"), None)?, &r.parts(args.get("other"), None)?)?)
}

/// Divides complex numbers.
pub fn complex_div<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    if let Some(number) = args.get("other").as_float() {
        return r.by("div", args.tensor("self")?, number).map(Value::Tensor);
    }
    result(d, r.quotient(&r.parts(args.get("self"), None)?, &r.parts(args.get("other"), None)?)?)
}

/// Returns powers of complex numbers. A power of 0 is 0, or 1 if the exponent is 0.
pub fn complex_pow<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let base = r.parts(args.get("self"), like(&args))?;
    let number = args.get("exponent").as_float();
    let whole = number.filter(|number| number.fract() == 0.0 && number.abs() <= MAX_PRODUCT as f64);
    if let Some(count) = whole {
        let power = r.power(&base, count.abs() as u32)?;
        return result(d, if count < 0.0 { r.quotient(&r.one(&power)?, &power)? } else { power });
    }
    if number == Some(0.5) {
        return result(d, r.sqrt(&base)?);
    }
    let exponent = r.parts(args.get("exponent"), like(&args))?;
    let power = r.exp(&r.product(&exponent, &r.log(&base)?)?)?;
    let (zero, none) = (r.is_zero(&base)?, r.is_zero(&exponent)?);
    let part = |index: usize, of_none: &str| -> Result<D::Tensor> {
        let own = &power[index];
        let own = r.choose(&zero, &r.unary("zeros_like", own)?, own)?;
        r.choose(&none, &r.unary(of_none, &own)?, &own)
    };
    result(d, [part(0, "ones_like")?, part(1, "zeros_like")?])
}

/// Whether complex numbers are equal, or whether they differ.
pub fn complex_eq<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let (x, y) = (r.parts(args.get("self"), None)?, r.parts(args.get("other"), like(&args))?);
    let (name, both) = if args.op() == "complex_eq" { ("eq", "logical_and") } else { ("ne", "logical_or") };
    r.binary(both, &r.binary(name, &x[0], &y[0])?, &r.binary(name, &x[1], &y[1])?).map(Value::Tensor)
}

/// Whether both parts of a complex number are finite, one part is infinite or NaN, or the imaginary
/// part is 0.
pub fn complex_test<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let [a, b] = r.parts(args.get("self"), None)?;
    let name = args.op().trim_start_matches("complex_");
    Ok(Value::Tensor(match name {
        "isreal" => r.by("eq", &b, 0.0)?,
        "isfinite" => r.binary("logical_and", &r.unary(name, &a)?, &r.unary(name, &b)?)?,
        _ => r.binary("logical_or", &r.unary(name, &a)?, &r.unary(name, &b)?)?,
    }))
}

fn close<D: Dispatch>(d: &D, args: &Given<D>) -> Result<D::Tensor> {
    let r = Reals(d);
    let (x, y) = (r.parts(args.get("self"), None)?, r.parts(args.get("other"), None)?);
    let difference = r.add(&x, &r.scale(&y, -1.0)?)?;
    let bound = r.by("add", &r.by("mul", &r.modulus(&y)?, args.float("rtol")?)?, args.float("atol")?)?;
    let near = r.binary("le", &r.modulus(&difference)?, &bound)?;
    let near = r.binary("logical_and", &near, &r.unary("isfinite", &bound)?)?;
    let equal = |index: usize| r.binary("eq", &x[index], &y[index]);
    let near = r.binary("logical_or", &near, &r.binary("logical_and", &equal(0)?, &equal(1)?)?)?;
    if !args.bool("equal_nan") {
        return Ok(near);
    }
    let odd = |x: &Parts<D::Tensor>| r.binary("logical_or", &r.unary("isnan", &x[0])?, &r.unary("isnan", &x[1])?);
    r.binary("logical_or", &near, &r.binary("logical_and", &odd(&x)?, &odd(&y)?)?)
}

/// Whether complex numbers are equal within a tolerance.
pub fn complex_isclose<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    close(d, &args).map(Value::Tensor)
}

/// Whether all complex numbers are equal within a tolerance.
pub fn complex_allclose<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let all = tensor(d, "all", vec![Value::Tensor(close(d, &args)?)])?;
    Ok(Outcome::pending(async move {
        let read = d.read(&all).await?;
        Ok(elements(&read)?.pop().unwrap_or(Value::Bool(true)))
    }))
}

/// Returns a given number, or 1, for each complex number.
pub fn complex_full_like<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let [real, _] = r.parts(args.get("self"), None)?;
    let value = if args.op() == "complex_ones_like" { Value::Int(1) } else { args.get("fill_value").clone() };
    let filled = tensor(d, "full_like", vec![arg(&real), value])?;
    result(d, [filled, r.unary("zeros_like", &real)?])
}

/// Transposes and conjugates matrices.
pub fn complex_adjoint<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let turned = tensor(d, "transpose", vec![args.get("self").clone(), Value::Int(-3), Value::Int(-2)])?;
    let [real, imag] = r.parts(&Value::Tensor(turned), None)?;
    let imag = r.unary("neg", &imag)?;
    result(d, [real, imag])
}

/// Returns the cumulative products along a dimension, and the dimension counted from the first.
fn products<D: Dispatch>(d: &D, x: &D::Tensor, dim: i64, rank: i64) -> Result<(Vec<D::Tensor>, i64)> {
    let r = Reals(d);
    let counted = if dim < 0 { dim + rank } else { dim };
    let size = usize::try_from(counted).ok().and_then(|dim| d.shape(x).get(dim).copied());
    let size = size
        .filter(|_| counted < rank.max(1))
        .ok_or_else(|| Error::argument("prod", format!("the dimension {dim} of a tensor of {rank} dimensions")))?;
    let mut products: Vec<Parts<D::Tensor>> = Vec::new();
    for index in 0..size {
        let part = tensor(d, "select", vec![arg(x), Value::Int(counted), Value::Int(index as i64)])?;
        let next = r.parts(&Value::Tensor(part), None)?;
        products.push(match products.last() {
            Some(product) => r.product(product, &next)?,
            None => next,
        });
    }
    Ok((products.into_iter().map(|product| r.pair(product)).collect::<Result<_>>()?, counted))
}

/// Multiplies complex numbers along a dimension, or all of them.
pub fn complex_prod<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let (x, dim, rank) = match args.get("dim").as_int() {
        Some(dim) => (x.clone(), dim, d.shape(x).len() as i64 - 1),
        None => (tensor(d, "reshape", vec![arg(x), crate::value::ints([-1, 2])])?, 0, 1),
    };
    let (mut products, dim) = products(d, &x, dim, rank)?;
    let product = products.pop().ok_or_else(|| Error::unsupported("prod of no complex numbers"))?;
    match args.bool("keepdim") {
        true => tensor(d, "unsqueeze", vec![Value::Tensor(product), Value::Int(dim)]).map(Value::Tensor),
        false => Ok(Value::Tensor(product)),
    }
}

/// Returns cumulative products of complex numbers along a dimension.
pub fn complex_cumprod<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let (products, dim) = products(d, x, args.int("dim")?, d.shape(x).len() as i64 - 1)?;
    match products.is_empty() {
        true => Ok(Value::Tensor(x.clone())),
        false => tensor(d, "stack", vec![tensors(products), Value::Int(dim)]).map(Value::Tensor),
    }
}

/// Returns the variance of complex numbers, which is the sum of the variances of their parts, or
/// the standard deviation.
pub fn complex_var<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let variance = |part: &D::Tensor| -> Result<D::Tensor> {
        let values = std::iter::once(arg(part)).chain(args.values.iter().skip(1).cloned());
        let named = args.schema.params.iter().map(|param| param.name.clone()).zip(values).collect();
        match aten::call(d, "var", vec![], named)?.ready("var")? {
            Value::Tensor(variance) => Ok(variance),
            _ => Err(Error::argument("var", "does not give one tensor")),
        }
    };
    let [real, imag] = r.parts(args.get("self"), None)?;
    let sum = r.binary("add", &variance(&real)?, &variance(&imag)?)?;
    Ok(Value::Tensor(if args.op() == "complex_std" { r.unary("sqrt", &sum)? } else { sum }))
}

/// Calls the ATen operator without the prefix on these arguments.
fn real_call<D: Dispatch>(d: &D, args: &Given<D>, values: Vec<Value<D::Tensor>>) -> Result<D::Tensor> {
    let name = args.op().trim_start_matches("complex_");
    let named = args.schema.params.iter().map(|param| param.name.clone()).zip(values).collect();
    match aten::call(d, name, vec![], named)?.ready(name)? {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(Error::argument(name, "does not give one tensor")),
    }
}

/// Applies an operator that is linear in each of two arguments and may add a third one.
pub fn complex_bilinear<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let mut x = r.parts(&args.values[0], None)?;
    let y = r.parts(&args.values[1], None)?;
    if args.op() == "complex_vdot" {
        x[1] = r.unary("neg", &x[1])?;
    }
    let bias = match args.get("bias") {
        Value::Tensor(bias) => Some(r.parts(&arg(bias), None)?),
        _ => None,
    };
    let call = |a: &D::Tensor, b: &D::Tensor, bias: Option<&D::Tensor>| {
        let mut values = args.values.clone();
        (values[0], values[1]) = (arg(a), arg(b));
        if let Some(index) = args.schema.params.iter().position(|param| param.name == "bias") {
            values[index] = bias.map_or(Value::None, arg);
        }
        real_call(d, &args, values)
    };
    let of_bias = |index: usize| bias.as_ref().map(|bias| &bias[index]);
    let real = r.binary("sub", &call(&x[0], &y[0], of_bias(0))?, &call(&x[1], &y[1], None)?)?;
    let imag = r.binary("add", &call(&x[0], &y[1], of_bias(1))?, &call(&x[1], &y[0], None)?)?;
    result(d, [real, imag])
}

/// Computes an Einstein sum of complex tensors.
pub fn complex_einsum<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let operands = args.get("tensors").as_list().unwrap_or_default();
    let operands = operands.iter().map(|operand| r.parts(operand, None)).collect::<Result<Vec<_>>>()?;
    if operands.len() > 4 {
        return Err(Error::unsupported(format!("einsum of {} complex tensors; at most 4", operands.len())));
    }
    // A term uses the imaginary part of each operand whose bit is set. Its factor is i to the power
    // of the number of bits.
    let mut sums: [Option<D::Tensor>; 2] = [None, None];
    for term in 0..1usize << operands.len() {
        let chosen = operands.iter().enumerate().map(|(index, parts)| parts[term >> index & 1].clone());
        let product = tensor(d, "einsum", vec![args.get("equation").clone(), tensors(chosen)])?;
        let power = term.count_ones() as usize % 4;
        let sum = &mut sums[power % 2];
        let subtracts = power >= 2;
        *sum = Some(match (sum.take(), subtracts) {
            (None, false) => product,
            (None, true) => r.unary("neg", &product)?,
            (Some(sum), false) => r.binary("add", &sum, &product)?,
            (Some(sum), true) => r.binary("sub", &sum, &product)?,
        });
    }
    match sums {
        [Some(real), Some(imag)] => result(d, [real, imag]),
        _ => Err(Error::argument("einsum", "takes at least one tensor")),
    }
}

/// Adds a multiple of the product or quotient of two tensors to a tensor.
pub fn complex_added<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let r = Reals(d);
    let named = |first: &str, second: &str| -> Result<[Value<D::Tensor>; 2]> {
        Ok([arg(args.tensor(first)?), arg(args.tensor(second)?)])
    };
    let (name, operands) = match args.op() {
        "complex_addmm" => ("complex_mm", named("mat1", "mat2")?),
        "complex_addmv" => ("complex_mv", named("mat", "vec")?),
        "complex_addr" => ("complex_outer", named("vec1", "vec2")?),
        "complex_baddbmm" => ("complex_bmm", named("batch1", "batch2")?),
        "complex_addcdiv" => ("complex_div", named("tensor1", "tensor2")?),
        _ => ("complex_mul", named("tensor1", "tensor2")?),
    };
    let Value::Tensor(product) = aten::call(d, name, operands.into(), vec![])?.ready(name)? else {
        return Err(Error::argument(name, "does not give one tensor"));
    };
    let factor = |name: &str| args.get(name).as_float().unwrap_or(1.0);
    let added = r.by("mul", &product, factor("alpha") * factor("value"))?;
    r.binary("add", &r.by("mul", args.tensor("self")?, factor("beta"))?, &added).map(Value::Tensor)
}
