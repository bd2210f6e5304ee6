//! Operators that are expressions of ONNX operators.
//!
//! A row is an ATen name, with its overload if that matters, and an expression of the parameters:
//! `silu = Mul(self, Sigmoid(self))`. Positional arguments of a call are inputs, and named
//! arguments are attributes. The section of the file sets the element type of tensors and numbers:
//! the result's type, the promoted type of the arguments, boolean, or each operand's own. `[dim]`
//! is a list. `i64(x)`, `bool(x)` and `float32(x)` are casts. Size parameters are integers in every
//! section.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item},
    },
    Call,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    value::{as_ints, promote_types},
};
use lanthorn_schema::ParamType;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The rows by the element type of their operands.
const SECTIONS: [(Operands, &str); 4] = [
    (Operands::Result, include_str!("rows/result.txt")),
    (Operands::Promoted, include_str!("rows/promoted.txt")),
    (Operands::Bool, include_str!("rows/bool.txt")),
    (Operands::Own, include_str!("rows/own.txt")),
];

/// The attributes that are floats.
const FLOATS: [&str; 5] = ["alpha", "beta", "bias", "gamma", "lambd"];

/// The element type of a row's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    Result,
    Promoted,
    Bool,
    Own,
}

/// A row.
#[derive(Debug)]
pub struct Row {
    operands: Operands,
    expression: Expression,
}

#[derive(Debug)]
enum Expression {
    Param(&'static str),
    Number(f64),
    List(Vec<Expression>),
    Cast(DType, Box<Expression>),
    Call { op: &'static str, inputs: Vec<Expression>, attributes: Vec<(&'static str, Value<()>)> },
}

/// Finds the row of an operator's overload, or the row of its name.
pub fn find(full_name: &str, base: &str) -> Option<&'static Row> {
    static TABLE: OnceLock<FxHashMap<&'static str, Row>> = OnceLock::new();
    let table = TABLE.get_or_init(|| lines().filter_map(|(operands, line)| parse(operands, line)).collect());
    let overload = full_name.split_once('.').map(|(_, overload)| format!("{base}.{overload}"));
    overload.and_then(|name| table.get(name.as_str())).or_else(|| table.get(base))
}

fn lines() -> impl Iterator<Item = (Operands, &'static str)> {
    SECTIONS.iter().flat_map(|(operands, text)| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| (*operands, line))
    })
}

fn parse(operands: Operands, line: &'static str) -> Option<(&'static str, Row)> {
    let (name, text) = line.split_once(" = ")?;
    let mut parser = Parser { rest: text };
    let expression = parser.expression()?;
    parser.rest.trim().is_empty().then_some((name, Row { operands, expression }))
}

struct Parser {
    rest: &'static str,
}

impl Parser {
    fn eat(&mut self, token: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'static str {
        let rest = self.rest.trim_start();
        let end =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '"'))).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    fn expression(&mut self) -> Option<Expression> {
        if self.eat('[') {
            let mut items = Vec::new();
            while !self.eat(']') {
                items.push(self.expression()?);
                self.eat(',');
            }
            return Some(Expression::List(items));
        }
        let word = self.word();
        if let Ok(number) = word.parse() {
            return Some(Expression::Number(number));
        }
        if !self.eat('(') {
            return (!word.is_empty()).then_some(Expression::Param(word));
        }
        let (mut inputs, mut attributes) = (Vec::new(), Vec::new());
        while !self.eat(')') {
            let start = self.rest;
            let name = self.word();
            if self.eat('=') {
                attributes.push((name, self.attribute()?));
            } else {
                self.rest = start;
                inputs.push(self.expression()?);
            }
            if !self.eat(',') && !self.rest.trim_start().starts_with(')') {
                return None;
            }
        }
        let dtype = match word {
            "i64" => Some(DType::I64),
            name => DType::from_name(name),
        };
        match dtype {
            Some(dtype) => Some(Expression::Cast(dtype, Box::new(inputs.pop()?))),
            None => Some(Expression::Call { op: word, inputs, attributes }),
        }
    }

    /// Parses a number, a string, a list of numbers, or the name of a parameter, which becomes
    /// bytes.
    fn attribute(&mut self) -> Option<Value<()>> {
        if self.eat('[') {
            let mut items = Vec::new();
            while !self.eat(']') {
                items.push(Value::Int(self.word().parse().ok()?));
                self.eat(',');
            }
            return Some(Value::List(items));
        }
        let word = self.word();
        Some(match (word.parse::<i64>(), word.parse::<f64>()) {
            (Ok(value), _) => Value::Int(value),
            (_, Ok(value)) => Value::Float(value),
            _ if word.starts_with('"') => Value::Str(word.trim_matches('"').to_string()),
            _ => Value::Bytes(word.as_bytes().to_vec()),
        })
    }
}

impl Exporter<'_> {
    /// Writes a row.
    pub fn row(&mut self, row: &Row, call: &Call) -> Result<Item> {
        let dtype = match row.operands {
            Operands::Result => Some(call.dtype()?),
            Operands::Promoted => Some(promote_operands(call)?),
            Operands::Bool => Some(DType::Bool),
            Operands::Own => None,
        };
        self.expression(&row.expression, call, dtype)
    }

    fn expression(&mut self, expression: &Expression, call: &Call, dtype: Option<DType>) -> Result<Item> {
        match expression {
            Expression::Number(value) => self.number(*value, dtype.unwrap_or(DType::F32)),
            Expression::Param(name) => self.param(name, call, dtype),
            Expression::Cast(to, inner) => {
                let item = self.expression(inner, call, dtype)?;
                Ok(self.cast(&item, *to))
            }
            Expression::List(items) => {
                let mut dims = Vec::new();
                for item in items {
                    dims.push(match item {
                        Expression::Param(name) => self.dim(call.args.get(name))?,
                        Expression::Number(value) => super::super::item::Dim::Int(*value as i64),
                        _ => return Err(Error::malformed("a list of expressions")),
                    });
                }
                self.shape(&dims)
            }
            Expression::Call { op, inputs, attributes } => {
                if let ("Mul", [x, Expression::Param(factor)]) = (*op, &inputs[..])
                    && call.args.get(factor).as_float() == Some(1.0)
                {
                    return self.expression(x, call, dtype);
                }
                let items = inputs.iter().map(|input| self.expression(input, call, dtype));
                let items = items.collect::<Result<Vec<Item>>>()?;
                let mut attrs = Vec::new();
                for (name, value) in attributes {
                    if let Some(attr) = attribute(name, value, call)? {
                        attrs.push((*name, attr));
                    }
                }
                let bools = items.first().is_some_and(|item| item.dtype == Some(DType::Bool));
                let op = if bools { of_booleans(op) } else { op };
                let result = match op {
                    "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" | "IsNaN" | "IsInf" => {
                        Some(DType::Bool)
                    }
                    "Where" => items.get(1).and_then(|item| item.dtype),
                    _ => items.first().and_then(|item| item.dtype),
                };
                let all: Vec<&Item> = items.iter().collect();
                Ok(self.op_of(op, &all, &attrs, result))
            }
        }
    }

    fn param(&mut self, name: &str, call: &Call, dtype: Option<DType>) -> Result<Item> {
        let value = call.args.get(name);
        let ty = call.args.schema.params.iter().find(|param| param.name == name).map(|param| param.ty);
        match (ty, value) {
            (_, Value::None) => Ok(Item::none()),
            // An empty list of dimensions selects all.
            (Some(ParamType::Ints | ParamType::OptionalInts), Value::List(items)) if items.is_empty() => {
                Ok(Item::none())
            }
            (Some(ParamType::Ints | ParamType::OptionalInts), value) => {
                let dims = self.dims(value)?;
                self.shape(&dims)
            }
            (Some(ParamType::Int | ParamType::OptionalInt), value) => self.operand(value, DType::I64),
            (_, Value::Tensor(item)) => Ok(dtype.map_or_else(|| item.clone(), |dtype| self.cast(item, dtype))),
            (_, value) => self.operand(value, dtype.unwrap_or(DType::F32)),
        }
    }
}

/// Returns the boolean counterpart of an operator.
fn of_booleans(op: &'static str) -> &'static str {
    match op {
        "Mul" | "BitwiseAnd" | "Min" => "And",
        "Add" | "BitwiseOr" | "Max" => "Or",
        "BitwiseXor" | "Sub" => "Xor",
        "BitwiseNot" => "Not",
        op => op,
    }
}

/// Returns the promoted type of the tensors and numbers among the arguments. A number affects the
/// type only if its category is higher.
pub fn promote_operands(call: &Call) -> Result<DType> {
    let items = || call.args.values.iter().filter_map(Value::as_tensor);
    let of = |dimensions: bool| {
        let chosen = items().filter(|item| item.sizes.as_deref().is_none_or(|sizes| sizes.is_empty() != dimensions));
        chosen.map(Item::dtype).collect::<Result<Vec<DType>>>().map(|found| found.into_iter().reduce(promote_types))
    };
    let kind = |dtype: DType| match dtype {
        DType::Bool => 0,
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => 2,
        _ => 1,
    };
    let number = |value: &Arg| match value {
        Value::Int(_) => Some(DType::I64),
        Value::Float(_) => Some(DType::F32),
        _ => None,
    };
    let values = call.args.values.iter().filter_map(number).reduce(promote_types);
    // The order of priority: tensors with dimensions, tensors without, numbers.
    let found = [of(true)?, of(false)?, values].into_iter().flatten();
    let joined = found.reduce(|strong, weak| if kind(weak) > kind(strong) { weak } else { strong });
    let dtype = joined.unwrap_or(DType::F32);
    // ONNX has no ordering of booleans.
    Ok(if dtype == DType::Bool && !matches!(call.base.as_str(), "eq" | "ne" | "equal") { DType::I32 } else { dtype })
}

/// Returns an attribute of a row for a call, or `None` if the call omits the parameter.
fn attribute(attribute: &str, value: &Value<()>, call: &Call) -> Result<Option<Attr>> {
    let given = match value {
        Value::Bytes(name) => {
            let name = std::str::from_utf8(name).unwrap_or_default();
            // A boolean that the overload lacks is false.
            if !call.args.schema.params.iter().any(|param| param.name == name) {
                return Ok(Some(Attr::Int(0)));
            }
            call.args.get(name).clone()
        }
        value => super::super::frame::constant(value),
    };
    Ok(Some(match given {
        Value::None => return Ok(None),
        Value::Bool(value) => Attr::Int(value.into()),
        Value::Int(value) if FLOATS.contains(&attribute) => Attr::Float(value as f64),
        Value::Int(value) => Attr::Int(value),
        Value::Float(value) => Attr::Float(value),
        Value::Str(text) => Attr::Str(text),
        value => Attr::Ints(as_ints(&value).ok_or_else(|| Error::unsupported("an attribute that the model computes"))?),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OPSET, operators};
    use lanthorn_program::aten;

    fn check(expression: &Expression, line: &str, params: &[&str]) {
        let known = |name: &str| assert!(params.contains(&name), "{line}: no parameter {name}");
        match expression {
            Expression::Number(_) => {}
            Expression::Param(name) => known(name),
            Expression::List(items) => items.iter().for_each(|item| check(item, line, params)),
            Expression::Cast(_, inner) => check(inner, line, params),
            Expression::Call { op, inputs, attributes } => {
                let operator = operators::find("", op, OPSET).unwrap_or_else(|| panic!("{line}: no {op}"));
                inputs.iter().for_each(|input| check(input, line, params));
                for (name, value) in attributes {
                    let has = operator.schema.params.iter().any(|param| param.keyword_only && param.name == *name);
                    assert!(has, "{line}: {op} has no attribute {name}");
                    if let Value::Bytes(name) = value {
                        known(std::str::from_utf8(name).unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn every_row_is_an_expression_of_operators_that_are_in_force() {
        let mut names = std::collections::HashSet::new();
        for (operands, line) in lines() {
            let (name, row) = parse(operands, line).unwrap_or_else(|| panic!("{line}"));
            assert!(names.insert(name), "{name} is there twice");
            let target = aten::find(name).unwrap_or_else(|| panic!("{name}"));
            let params = target.operators().iter().flat_map(|operator| &operator.schema.params);
            check(&row.expression, line, &params.map(|param| param.name.as_str()).collect::<Vec<_>>());
        }
    }
}
