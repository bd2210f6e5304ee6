//! Sizes of tensors as expressions of symbols, and the ranges of symbols.

use crate::{Error, Result, number};
use rustc_hash::FxHashMap;

/// The deepest expression.
const MAX_DEPTH: usize = 64;

/// A size: a number, or an expression of symbols.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// A number.
    Int(i64),
    /// A symbol: `s0`.
    Symbol(String),
    /// A sum, a product, and so on.
    Call(Function, Vec<Size>),
    /// An expression with an unknown function. It cannot be evaluated.
    Unknown {
        /// sympy's text.
        sympy: String,
        /// Its value in the exported example.
        hint: Option<i64>,
    },
}

/// A function of sizes, with sympy's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// A power with a nonnegative exponent.
    Pow,
    /// Division that rounds down.
    FloorDiv,
    /// Division that rounds up.
    CeilDiv,
    /// The remainder.
    Mod,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

const FUNCTIONS: [(&str, Function); 13] = [
    ("Add", Function::Add),
    ("Mul", Function::Mul),
    ("Pow", Function::Pow),
    ("PowByNatural", Function::Pow),
    ("FloorDiv", Function::FloorDiv),
    ("CleanDiv", Function::FloorDiv),
    ("IntTrueDiv", Function::FloorDiv),
    ("CeilDiv", Function::CeilDiv),
    ("Mod", Function::Mod),
    ("PythonMod", Function::Mod),
    ("Max", Function::Max),
    ("Min", Function::Min),
    ("TruncToInt", Function::Max),
];

/// The values of symbols.
pub type Symbols = FxHashMap<String, i64>;

/// The values that a symbol may have; both ends are inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The smallest.
    pub min: Option<i64>,
    /// The largest.
    pub max: Option<i64>,
}

impl Range {
    /// Whether a number is in the range.
    pub fn contains(&self, value: i64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = |end: Option<i64>, none: &str| end.map_or(none.to_string(), |end| end.to_string());
        write!(f, "{} to {}", end(self.min, "-∞"), end(self.max, "∞"))
    }
}

impl Size {
    /// Parses sympy's `srepr`: `Mul(Integer(4), Symbol('s0', integer=True))`. An expression with an
    /// unknown function becomes [`Size::Unknown`].
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for text that is not an expression; [`Error::Limit`] for too deep an
    /// expression.
    pub fn parse(text: &str) -> Result<Size> {
        let mut parser = Parser { rest: text };
        let size = parser.expression(0)?;
        if !parser.rest.trim().is_empty() {
            return Err(parser.error());
        }
        Ok(if size == UNKNOWN { Size::Unknown { sympy: text.to_string(), hint: None } } else { size })
    }

    /// Multiplies the size by another one.
    #[must_use]
    pub fn times(self, other: Size) -> Size {
        let mut constant = 1i64;
        let mut factors = Vec::new();
        for size in [self, other] {
            let parts = match size {
                Size::Call(Function::Mul, parts) => parts,
                size => vec![size],
            };
            for part in parts {
                match part {
                    // A product that overflows stays symbolic.
                    Size::Int(value) => match constant.checked_mul(value) {
                        Some(product) => constant = product,
                        None => factors.push(Size::Int(value)),
                    },
                    part => factors.push(part),
                }
            }
        }
        if constant != 1 || factors.is_empty() {
            factors.insert(0, Size::Int(constant));
        }
        match <[Size; 1]>::try_from(factors) {
            Ok([size]) => size,
            Err(factors) => Size::Call(Function::Mul, factors),
        }
    }

    /// Evaluates the size with values of its symbols. Returns `None` for a symbol without a value
    /// and for an overflow.
    pub fn evaluate(&self, symbols: &Symbols) -> Option<i64> {
        match self {
            Size::Int(value) => Some(*value),
            Size::Symbol(name) => symbols.get(name).copied(),
            Size::Unknown { .. } => None,
            Size::Call(function, args) => {
                let values = args.iter().map(|arg| arg.evaluate(symbols)).collect::<Option<Vec<i64>>>()?;
                function.apply(&values)
            }
        }
    }
}

/// The ranges of symbols.
pub type Ranges = FxHashMap<String, Range>;

/// Returns the declaration of a symbol in sympy's `srepr`. All declarations in a program must be
/// equal.
///
/// # Errors
///
/// [`Error::Malformed`] for a name with characters other than letters, digits and `_`.
fn declaration(name: &str, ranges: &Ranges) -> Result<String> {
    if name.is_empty() || name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        return Err(Error::malformed(format!("the symbol {name:?} is no identifier")));
    }
    let positive = ranges.get(name).is_some_and(|range| range.min.is_some_and(|min| min > 0));
    Ok(format!("Symbol('{name}', {}integer=True)", if positive { "positive=True, " } else { "" }))
}

/// Replaces the declarations of symbols in a `srepr` by the program's declarations.
///
/// # Errors
///
/// [`Error::Malformed`] if a symbol is not well formed.
pub(crate) fn redeclare(expression: &str, ranges: &Ranges) -> Result<String> {
    const START: &str = "Symbol('";
    let mut text = String::new();
    let mut rest = expression;
    while let Some((before, after)) = rest.split_once(START) {
        let malformed = || Error::malformed(format!("a symbol in {:?}", lanthorn_io::shorten(expression, 80)));
        let (name, after) = after.split_once('\'').ok_or_else(malformed)?;
        let (_, after) = after.split_once(')').ok_or_else(malformed)?;
        text.push_str(before);
        text.push_str(&declaration(name, ranges)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

impl Size {
    /// Returns the expression in sympy's `srepr`, which [`Size::parse`] reads. Symbols are positive
    /// if their range is.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a symbol whose name has characters other than letters, digits and
    /// `_`; [`Error::Limit`] for too deep an expression.
    pub fn sympy(&self, ranges: &Ranges) -> Result<String> {
        let mut text = String::new();
        self.write_sympy(&mut text, ranges, 0)?;
        Ok(text)
    }

    fn write_sympy(&self, text: &mut String, ranges: &Ranges, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        match self {
            Size::Int(value) => text.push_str(&format!("Integer({value})")),
            Size::Symbol(name) => text.push_str(&declaration(name, ranges)?),
            Size::Unknown { sympy, .. } => text.push_str(&redeclare(sympy, ranges)?),
            // The maximum or minimum of one number is the number.
            Size::Call(Function::Max | Function::Min, args) if args.len() == 1 => {
                args[0].write_sympy(text, ranges, depth + 1)?;
            }
            Size::Call(function, args) => {
                let name = FUNCTIONS.iter().find(|(_, known)| known == function).map_or("", |(name, _)| name);
                text.push_str(name);
                text.push('(');
                for (index, arg) in args.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    arg.write_sympy(text, ranges, depth + 1)?;
                }
                text.push(')');
            }
        }
        Ok(())
    }
}

fn too_deep() -> Error {
    Error::Limit(format!("a size of more than {MAX_DEPTH} nested expressions"))
}

impl Function {
    fn apply(self, values: &[i64]) -> Option<i64> {
        let two = || <[i64; 2]>::try_from(values).ok();
        match self {
            Function::Add => values.iter().try_fold(0i64, |sum, &value| sum.checked_add(value)),
            Function::Mul => values.iter().try_fold(1i64, |product, &value| product.checked_mul(value)),
            Function::Pow => two().and_then(|[base, exponent]| number::power(base, exponent)),
            Function::FloorDiv => two().and_then(|[a, b]| number::floor_div(a, b)),
            Function::CeilDiv => two().and_then(|[a, b]| number::floor_div(a.checked_neg()?, b)?.checked_neg()),
            Function::Mod => two().and_then(|[a, b]| number::modulo(a, b)),
            Function::Max => values.iter().copied().max(),
            Function::Min => values.iter().copied().min(),
        }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |args: &[Size], sign: &str| args.iter().map(Size::to_string).collect::<Vec<_>>().join(sign);
        match self {
            Size::Int(value) => write!(f, "{value}"),
            Size::Symbol(name) => f.write_str(name),
            Size::Unknown { .. } => f.write_str("?"),
            Size::Call(Function::Add, args) => write!(f, "({})", list(args, " + ")),
            Size::Call(Function::Mul, args) => f.write_str(&list(args, "*")),
            Size::Call(Function::FloorDiv, args) => write!(f, "({})", list(args, "//")),
            Size::Call(Function::Pow, args) => write!(f, "({})", list(args, "**")),
            Size::Call(function, args) => write!(f, "{function:?}({})", list(args, ", ")),
        }
    }
}

/// An unknown expression, whose text is filled in later.
const UNKNOWN: Size = Size::Unknown { sympy: String::new(), hint: None };

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn error(&self) -> Error {
        Error::malformed(format!("a size ends with {:?}", lanthorn_io::shorten(self.rest, 80)))
    }

    fn take(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.take(text) { Ok(()) } else { Err(self.error()) }
    }

    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn expression(&mut self, depth: usize) -> Result<Size> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let name = self.word();
        if let Ok(value) = name.parse() {
            return Ok(Size::Int(value));
        }
        if name.is_empty() {
            return Err(self.error());
        }
        if !self.take("(") {
            return Ok(UNKNOWN);
        }
        match name {
            "Integer" => {
                let value = self.word().parse().map_err(|_| self.error())?;
                self.expect(")")?;
                Ok(Size::Int(value))
            }
            "Symbol" => {
                self.expect("'")?;
                let (symbol, rest) = self.rest.split_once('\'').ok_or_else(|| self.error())?;
                self.rest = rest;
                let (_, rest) = self.rest.split_once(')').ok_or_else(|| self.error())?;
                self.rest = rest;
                Ok(Size::Symbol(symbol.to_string()))
            }
            _ => {
                let mut args = Vec::new();
                while !self.take(")") {
                    if !args.is_empty() {
                        self.expect(",")?;
                    }
                    args.push(self.expression(depth + 1)?);
                }
                let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
                Ok(match function {
                    Some((_, function)) if !args.contains(&UNKNOWN) => Size::Call(*function, args),
                    _ => UNKNOWN,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_read_and_evaluated() {
        let text = "Add(Mul(Integer(6), FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(8))), Integer(6))";
        let size = Size::parse(text).unwrap();
        assert_eq!(size.to_string(), "(6*((s53 + -1)//8) + 6)");
        let symbols = Symbols::from_iter([("s53".to_string(), 18)]);
        assert_eq!(size.evaluate(&symbols), Some(18));
        assert_eq!(size.evaluate(&Symbols::default()), None);
        let positive = Range { min: Some(1), max: None };
        assert_eq!(size.sympy(&Ranges::from_iter([("s53".to_string(), positive)])).unwrap(), text);
    }

    #[test]
    fn odd_expressions_are_errors_or_unknown() {
        for text in ["", "Add(Integer(1)", "Symbol('s", "Integer(x)", "Integer(99999999999999999999)", "Add(,)"] {
            assert!(Size::parse(text).is_err(), "{text}");
        }
        assert!(matches!(Size::parse(&"Add(".repeat(100_000)), Err(Error::Limit(_))));
        for text in ["Where(Integer(1), Integer(2))", "Add(Where(Integer(1)), Integer(2))"] {
            assert_eq!(Size::parse(text).unwrap(), Size::Unknown { sympy: text.to_string(), hint: None });
        }
        assert!(Size::Symbol("s0') or f('".to_string()).sympy(&Ranges::default()).is_err());
        let text = redeclare("Eq(Symbol('u0', nonnegative=True), Symbol('s1'))", &Ranges::default()).unwrap();
        assert_eq!(text, "Eq(Symbol('u0', integer=True), Symbol('s1', integer=True))");
        assert!(redeclare("Symbol('u0", &Ranges::default()).is_err());
        let huge = Size::parse("Pow(Integer(10), Integer(30))").unwrap();
        assert_eq!(huge.evaluate(&Symbols::default()), None);
        assert_eq!(Size::parse("Mod(Integer(1), Integer(0))").unwrap().evaluate(&Symbols::default()), None);
    }
}
