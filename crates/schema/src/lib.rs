//! ATen-style schemas: `softmax(Tensor self, int dim) -> Tensor`.
//!
//! A schema is the single declaration of an op's signature. The `op` attribute reads it to write
//! the Rust method, the dispatcher reads it to bind dynamic arguments, and the JavaScript methods
//! are printed from it. This crate is the parser that they share. It has no dependencies, because a
//! procedural macro is built for the host and has to be light.

#![forbid(unsafe_code)]

mod kind;

pub use kind::{ArgKind, KindSet};

use std::fmt;

/// A parsed signature.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The operation's name in PyTorch.
    pub name: String,
    /// The overload's name, as in `max.dim`; empty for the first overload.
    pub overload: String,
    /// The parameters, positional ones first.
    pub params: Vec<Param>,
    /// The results.
    pub returns: Vec<Return>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Return {
    /// Its type: `Tensor`, `Tensor[]`, `int[]`, `bool`; in the schema of a module, the constructed
    /// type.
    pub ty: String,
    /// Its name among several results, or nothing.
    pub name: String,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name of the parameter.
    pub name: String,
    /// Its type.
    pub ty: ParamType,
    /// The strings that it takes, `none` and `tanh` of `str{none|tanh}`; empty if it takes any or
    /// takes none.
    pub choices: Vec<String>,
    /// Its default value.
    pub default: Option<Default>,
    /// Whether it follows `*`.
    pub keyword_only: bool,
}

macro_rules! param_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $accessor:ident;)*) => {
        /// The types of parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ParamType {
            $(#[doc = concat!("`", $name, "`")] $(#[doc = ""] #[$doc])* $variant,)*
        }

        const TYPES: &[(&str, ParamType)] = &[$(($name, ParamType::$variant),)*];

        impl ParamType {
            /// The accessor of the dispatcher's bound arguments for this type.
            pub fn accessor(self) -> &'static str {
                match self { $(ParamType::$variant => stringify!($accessor),)* }
            }
        }
    };
}

// Each type, its text in a schema, and its accessor.
param_types! {
    Tensor = "Tensor", tensor;
    OptionalTensor = "Tensor?", optional_tensor;
    /// PyTorch's overloads `.Tensor` and `.Scalar` in one.
    TensorOrScalar = "Tensor|Scalar", operand;
    Tensors = "Tensor[]", tensors;
    Scalar = "Scalar", scalar;
    OptionalScalar = "Scalar?", optional_scalar;
    Int = "int", int;
    OptionalInt = "int?", optional_int;
    Ints = "int[]", ints;
    OptionalInts = "int[]?", optional_ints;
    /// Sizes, some of which may be omitted.
    PartialInts = "int?[]", partial_ints;
    /// Sizes, or the name of a rule for them.
    IntsOrStr = "int[]|str", padding;
    Float = "float", float;
    OptionalFloat = "float?", optional_float;
    Floats = "float[]", floats;
    OptionalFloats = "float[]?", optional_floats;
    /// Numbers, some of which may be omitted.
    PartialFloats = "float?[]", floats;
    OptionalTensors = "Tensor?[]", optional_tensors;
    TensorOrInts = "Tensor|int[]", tensor_or_ints;
    Bool = "bool", bool;
    OptionalBool = "bool?", optional_bool;
    Str = "str", str;
    OptionalStr = "str?", optional_str;
    DType = "ScalarType", dtype;
    OptionalDType = "ScalarType?", optional_dtype;
    OptionalDevice = "Device?", optional_device;
    OptionalTensorList = "Tensor[]?", optional_tensor_list;
    /// For the constructor of a module.
    Module = "Module", object;
    OptionalModule = "Module?", optional_object;
    /// A module, or the name of an op.
    ModuleOrStr = "Module|str", object_or_str;
}

/// The functions that take tensors one by one in PyTorch, `meshgrid(*tensors)`.
const VARIADIC: [&str; 8] = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_tensors",
    "cartesian_prod",
    "einsum",
    "meshgrid",
];

/// The default value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1e-05`
    Float(f64),
    /// `[]`, `[1, 2]`
    Ints(Vec<i64>),
    /// `[0.9, 0.999]`, `[None, 0.001]`: NaN where an element is omitted.
    Floats(Vec<f64>),
    /// `"mean"`
    Str(String),
}

impl fmt::Display for Schema {
    /// Writes the syntax that [`Schema::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.full_name())?;
        let mut starred = false;
        for (index, param) in self.params.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let star = if param.keyword_only && !starred { "*, " } else { "" };
            starred |= param.keyword_only;
            write!(f, "{comma}{star}{} {}", param.type_text(), param.name)?;
            if let Some(default) = &param.default {
                write!(f, "={default}")?;
            }
        }
        let returns: Vec<String> = self.returns.iter().map(Return::to_string).collect();
        match &returns[..] {
            [one] => write!(f, ") -> {one}"),
            several => write!(f, ") -> ({})", several.join(", ")),
        }
    }
}

impl fmt::Display for Return {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ty)?;
        if self.name.is_empty() { Ok(()) } else { write!(f, " {}", self.name) }
    }
}

impl fmt::Display for ParamType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = TYPES.iter().find(|(_, ty)| ty == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Default::None => f.write_str("None"),
            Default::Bool(true) => f.write_str("True"),
            Default::Bool(false) => f.write_str("False"),
            Default::Int(value) => write!(f, "{value}"),
            Default::Float(value) => write!(f, "{value:?}"),
            Default::Ints(values) => write!(f, "{values:?}"),
            Default::Floats(values) => {
                let items =
                    values.iter().map(|value| if value.is_nan() { "None".to_string() } else { format!("{value:?}") });
                write!(f, "[{}]", items.collect::<Vec<_>>().join(", "))
            }
            Default::Str(text) => write!(f, "{text:?}"),
        }
    }
}

/// The error in a schema's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

fn fail<T>(message: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError(message.into()))
}

impl Schema {
    /// Parses a schema.
    ///
    /// # Errors
    ///
    /// The text that does not parse, with the reason.
    ///
    /// ```
    /// use lanthorn_schema::{Default, ParamType, Schema};
    /// let schema = Schema::parse("sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor").unwrap();
    /// assert_eq!(schema.params[1].ty, ParamType::OptionalInts);
    /// assert_eq!(schema.params[2].default, Some(Default::Bool(false)));
    /// ```
    pub fn parse(text: &str) -> Result<Schema, ParseError> {
        let Some((name, rest)) = text.split_once('(') else { return fail(format!("no `(` in {text:?}")) };
        let Some((params, returns)) = rest.rsplit_once(") -> ") else { return fail(format!("no `) -> ` in {text:?}")) };
        let mut keyword_only = false;
        let mut parsed = Vec::new();
        for part in split_outside_brackets(params) {
            if part == "*" {
                keyword_only = true;
            } else {
                parsed.push(parse_param(part, keyword_only)?);
            }
        }
        let returns = returns.trim().trim_start_matches('(').trim_end_matches(')');
        let returns = split_outside_brackets(returns).into_iter().map(|text| {
            let (ty, name) = text.split_once(' ').unwrap_or((text, ""));
            Return { ty: ty.to_string(), name: name.to_string() }
        });
        let (name, overload) = name.trim().split_once('.').unwrap_or((name.trim(), ""));
        Ok(Schema {
            name: name.to_string(),
            overload: overload.to_string(),
            params: parsed,
            returns: returns.collect(),
        })
    }

    /// The name with the overload's name: `max.dim`.
    pub fn full_name(&self) -> String {
        if self.overload.is_empty() { self.name.clone() } else { format!("{}.{}", self.name, self.overload) }
    }

    /// The name as Rust spells it: `max_dim`.
    pub fn identifier(&self) -> String {
        self.full_name().replace('.', "_")
    }

    /// The number of parameters that may be given by position.
    pub fn positional(&self) -> usize {
        self.params.iter().filter(|param| !param.keyword_only).count()
    }

    /// The index of a list whose elements may be given as separate arguments: `reshape(2, 3)`,
    /// `meshgrid(x, y)`. It is the last parameter that is required.
    ///
    /// ```
    /// use lanthorn_schema::Schema;
    /// let schema = Schema::parse("reshape(Tensor self, int[] shape) -> Tensor").unwrap();
    /// assert_eq!(schema.spread(), Some(1));
    /// ```
    pub fn spread(&self) -> Option<usize> {
        let positional = &self.params[..self.positional()];
        let last = positional.iter().rposition(Param::is_required)?;
        match positional[last].ty {
            ParamType::Ints | ParamType::PartialInts if last + 1 == positional.len() => Some(last),
            ParamType::Tensors if VARIADIC.contains(&self.name.as_str()) => Some(last),
            _ => None,
        }
    }

    /// Whether the op makes a tensor that is no result of a computation, whose gradient may be
    /// wanted: it takes a device, or is like `zeros_like` or `new_zeros`.
    pub fn makes_tensor(&self) -> bool {
        self.name.ends_with("_like")
            || self.name.starts_with("new_")
            || self.params.iter().any(|param| param.ty == ParamType::OptionalDevice)
    }

    /// Whether the op is a method of its first parameter.
    pub fn is_method(&self) -> bool {
        self.params.first().is_some_and(|param| param.name == "self")
    }
}

impl ParamType {
    /// Whether the argument may be `None`: `Tensor?`, `int[]?`.
    pub fn is_optional(self) -> bool {
        TYPES.iter().any(|(name, ty)| *ty == self && name.ends_with('?'))
    }
}

impl Param {
    /// Whether a call must pass it.
    pub fn is_required(&self) -> bool {
        self.default.is_none()
    }

    /// Whether it takes this string, if its type takes strings.
    pub fn takes(&self, text: &str) -> bool {
        self.choices.is_empty() || self.choices.iter().any(|choice| choice == text)
    }

    /// The type as a schema writes it: `str{none|tanh}?`.
    fn type_text(&self) -> String {
        let ty = self.ty.to_string();
        if self.choices.is_empty() { ty } else { ty.replace("str", &format!("str{{{}}}", self.choices.join("|"))) }
    }
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn parse_param(text: &str, keyword_only: bool) -> Result<Param, ParseError> {
    let Some((ty, rest)) = text.split_once(' ') else { return fail(format!("no name in parameter {text:?}")) };
    let (ty, choices) = parse_type(ty)?;
    let (name, default) = match rest.split_once('=') {
        Some((name, default)) => (name, Some(parse_default(default.trim())?)),
        None => (rest, None),
    };
    let param = Param { name: name.trim().to_string(), ty, choices, default, keyword_only };
    match &param.default {
        Some(Default::Str(value)) if !param.takes(value) => {
            fail(format!("the default {value:?} is no {}", param.type_text()))
        }
        _ => Ok(param),
    }
}

/// A type, and the choices in braces: `str{none|tanh}?`.
fn parse_type(text: &str) -> Result<(ParamType, Vec<String>), ParseError> {
    let found = |name: &str| TYPES.iter().find(|(known, _)| *known == name).map(|&(_, ty)| ty);
    let parsed = match text.split_once("str{").and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
        None => found(text).map(|ty| (ty, vec![])),
        Some((head, (list, tail))) => {
            let choices: Vec<String> = list.split('|').map(str::to_string).collect();
            let is_closed = choices.iter().all(|choice| !choice.is_empty());
            found(&format!("{head}str{tail}")).filter(|_| is_closed).map(|ty| (ty, choices))
        }
    };
    parsed.ok_or_else(|| ParseError(format!("unknown type {text:?}")))
}

fn parse_default(text: &str) -> Result<Default, ParseError> {
    Ok(match text {
        "None" => Default::None,
        "True" => Default::Bool(true),
        "False" => Default::Bool(false),
        _ if text.starts_with('"') => Default::Str(text.trim_matches('"').to_string()),
        _ if text.starts_with('[') => {
            let items = text.trim_start_matches('[').trim_end_matches(']').split(',').map(str::trim);
            let items: Vec<&str> = items.filter(|item| !item.is_empty()).collect();
            let floats =
                || items.iter().map(|&item| if item == "None" { Some(f64::NAN) } else { parse_float(item) }).collect();
            match items.iter().map(|item| item.parse()).collect() {
                Ok(ints) => Default::Ints(ints),
                Err::<_, std::num::ParseIntError>(_) => {
                    Default::Floats(Option::ok_or_else(floats(), || ParseError(format!("bad list {text:?}")))?)
                }
            }
        }
        _ => match (text.parse::<i64>(), parse_float(text)) {
            (Ok(int), _) => Default::Int(int),
            (_, Some(float)) => Default::Float(float),
            _ => return fail(format!("bad default {text:?}")),
        },
    })
}

/// A decimal number of few digits. It is exact because it is one multiplication or division of two
/// exact numbers.
///
/// Rejected: `str::parse`, which reads any number, with a table of powers that takes 10 KB of a
/// page's download.
fn parse_float(text: &str) -> Option<f64> {
    const MAX_DIGITS: u64 = 1 << f64::MANTISSA_DIGITS;
    const MAX_EXPONENT: u32 = 22;
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i64 = [whole, fraction].concat().parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if digits.unsigned_abs() > MAX_DIGITS || exponent.unsigned_abs() > MAX_EXPONENT {
        return None;
    }
    let (digits, power) = (digits as f64, 10f64.powi(exponent.abs()));
    Some(if exponent < 0 { digits / power } else { digits * power })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_part() {
        let text = "f.out(Tensor self, Tensor|Scalar other, int[] s=[1, 2], *, Scalar alpha=1, str r=\"mean\") -> (Tensor values, Tensor)";
        let schema = Schema::parse(text).unwrap();
        assert_eq!(schema.params[2].default, Some(Default::Ints(vec![1, 2])));
        assert_eq!(schema.params[4].default, Some(Default::Str("mean".into())));
        assert!(schema.params[3].keyword_only && !schema.params[2].keyword_only);
        assert_eq!(schema.returns[0], Return { ty: "Tensor".into(), name: "values".into() });
        assert_eq!((schema.returns.len(), schema.name.as_str(), schema.identifier().as_str()), (2, "f", "f_out"));
        assert_eq!(schema.to_string(), text);
    }

    #[test]
    fn the_strings_that_a_parameter_takes_stand_in_braces() {
        let text =
            "f(int[]|str{valid|same} padding=0, str{a|b}? s=None, Module|str{relu} m=\"relu\", str t=\"x\") -> Tensor";
        let schema = Schema::parse(text).unwrap();
        let choices: Vec<String> = schema.params.iter().map(|param| param.choices.join(" ")).collect();
        assert_eq!(
            (schema.to_string().as_str(), choices),
            (text, ["valid same", "a b", "relu", ""].map(String::from).into())
        );
        assert_eq!(schema.params[1].ty, ParamType::OptionalStr);
        assert!(schema.params[1].takes("b") && !schema.params[1].takes("c") && schema.params[3].takes("c"));
        let refused = |text: &str| Schema::parse(text).unwrap_err().to_string();
        assert_eq!(refused("f(str{a|b} s=\"c\") -> Tensor"), "the default \"c\" is no str{a|b}");
        for text in ["f(str{} s) -> Tensor", "f(int{a} s) -> Tensor", "f(str{a s) -> Tensor", "f(str{a|} s) -> Tensor"]
        {
            assert!(refused(text).starts_with("unknown type"), "{text}");
        }
    }

    #[test]
    fn a_list_of_numbers_is_read() {
        let text = "f(float[] betas=[0.9, 0.999], float?[] eps=[None, 0.001]) -> Tensor";
        let schema = Schema::parse(text).unwrap();
        assert_eq!(schema.params[0].default, Some(Default::Floats(vec![0.9, 0.999])));
        assert_eq!(schema.to_string(), text);
        assert!(Schema::parse("f(float[] betas=[0.9, x]) -> Tensor").is_err());
    }

    #[test]
    fn a_float_is_read_to_the_last_bit() {
        for text in ["1e-05", "0.01", "-0.1", "0.999", "1e-08", "2.5e3", "0.0", "1.5"] {
            assert_eq!(parse_float(text), Some(text.parse().unwrap()), "{text}");
        }
        for text in ["", "e", "1e", "1e400", "12345678901234567890.5", "nan", "0x1p3"] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(Schema::parse("f(Tenser self) -> Tensor").unwrap_err().to_string(), "unknown type \"Tenser\"");
        assert!(Schema::parse("f(Tensor self)").is_err());
        assert!(Schema::parse("f(int x=abc) -> Tensor").is_err());
    }
}
