//! Reads a formula: recursive descent over the tokens, with the precedence of C and Python's `**`.

use super::{
    Mistake, Step, formula_of,
    functions::{Domain, FUNCTIONS},
    tokens::{Token, tokens},
};
use crate::ops::{Op, Rule};
use lanthorn_ir::expr::BinaryOp;
use lanthorn_schema::{Default, Param, ParamType};

/// Brackets within brackets; a page's stack is small.
const MAX_DEPTH: usize = 64;
/// Steps of a formula.
const MAX_STEPS: usize = 4096;

pub(super) struct Parsed {
    pub params: Vec<Param>,
    pub steps: Vec<Step>,
    pub computes: Rule,
    pub is_bool: bool,
    /// Whether a function takes whole numbers alone.
    pub whole: bool,
}

struct Parser<'a> {
    tokens: Vec<(usize, Token<'a>)>,
    next: usize,
    depth: usize,
    params: Vec<Param>,
    steps: Vec<Step>,
    /// Whether each step is a truth value; an argument is not known to be one.
    truths: Vec<bool>,
    /// Whether the arguments become floating point, or at least numbers.
    computes: Rule,
    /// A function that takes whole numbers alone, and where it stands.
    whole: Option<(usize, &'static str)>,
}

type Parse<T> = Result<T, Mistake>;

pub(super) fn parse(text: &str) -> Parse<Parsed> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens,
        next: 0,
        depth: 0,
        params: vec![],
        steps: vec![],
        truths: vec![],
        computes: Rule::Same,
        whole: None,
    };
    parser.parameters()?;
    let result = parser.formula()?;
    let Token::End = parser.token() else { return Err(parser.unexpected("the end of the formula")) };
    if let (Some((at, name)), Rule::Float) = (parser.whole, parser.computes) {
        let why = "a `/`, a number with a point or a function of floats makes them floating point";
        return Err(Mistake::new(at, format!("`{name}` takes whole numbers, and {why}")));
    }
    let is_bool = parser.truths[result];
    // The last step is the result.
    debug_assert_eq!(result + 1, parser.steps.len());
    let Parser { params, steps, computes, whole, .. } = parser;
    Ok(Parsed { params, steps, computes, is_bool, whole: whole.is_some() })
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token<'a> {
        self.tokens[self.next].1
    }

    fn at(&self) -> usize {
        self.tokens[self.next].0
    }

    /// Goes on to the next token; the last one stays.
    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = matches!(self.token(), Token::Symbol(found) if found == symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expects(&mut self, symbol: &str) -> Parse<()> {
        if self.takes(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Mistake {
        let found = match self.token() {
            Token::Name(name) => format!("`{name}`"),
            Token::Number(..) => "a number".into(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".into(),
        };
        Mistake::new(self.at(), format!("expected {wanted}, found {found}"))
    }

    /// `x, y, b=4.0 ->`
    fn parameters(&mut self) -> Parse<()> {
        loop {
            let Token::Name(name) = self.token() else { return Err(self.unexpected("the name of an argument")) };
            if name.contains(':') || constant(name).is_some() {
                return Err(Mistake::new(self.at(), format!("`{name}` cannot name an argument")));
            }
            if self.params.iter().any(|param| param.name == name) {
                return Err(Mistake::new(self.at(), format!("the argument `{name}` stands twice")));
            }
            let at = self.at();
            self.advance();
            let default = if self.takes("=") { Some(self.default()?) } else { None };
            if default.is_none() && self.params.iter().any(|param| param.default.is_some()) {
                return Err(Mistake::new(
                    at,
                    format!("the argument `{name}` needs a default, as those before it have"),
                ));
            }
            let ty = match default {
                Some(_) => ParamType::Scalar,
                None if self.params.is_empty() => ParamType::Tensor,
                None => ParamType::TensorOrScalar,
            };
            if matches!(default, Some(Default::Float(_))) {
                self.computes = Rule::Float;
            }
            if self.params.is_empty() && default.is_some() {
                return Err(Mistake::new(at, "the first argument is a tensor, which has no default"));
            }
            self.params.push(Param { name: name.into(), ty, choices: vec![], default, keyword_only: false });
            if self.takes("->") {
                return Ok(());
            }
            self.expects(",")?;
        }
    }

    fn default(&mut self) -> Parse<Default> {
        let sign = if self.takes("-") { -1.0 } else { 1.0 };
        let default = match self.token() {
            Token::Number(value, true) if value < 9e15 => Default::Int((sign * value) as i64),
            Token::Number(value, _) => Default::Float(sign * value),
            Token::Name("true") if sign > 0.0 => Default::Bool(true),
            Token::Name("false") if sign > 0.0 => Default::Bool(false),
            _ => return Err(self.unexpected("a number as the default")),
        };
        self.advance();
        Ok(default)
    }

    fn push(&mut self, at: usize, step: Step, is_truth: bool) -> Parse<usize> {
        if self.steps.len() >= MAX_STEPS {
            return Err(Mistake::new(at, format!("the formula has more than {MAX_STEPS} steps")));
        }
        self.steps.push(step);
        self.truths.push(is_truth);
        Ok(self.steps.len() - 1)
    }

    /// Says that the arguments are computed with as numbers, or as floating-point ones.
    fn needs(&mut self, rule: Rule) {
        let rank = |rule: Rule| match rule {
            Rule::Float => 2,
            Rule::Number => 1,
            Rule::Same | Rule::Bool => 0,
        };
        if rank(rule) > rank(self.computes) {
            self.computes = rule;
        }
    }

    /// What stands between brackets, or is the whole: `condition ? a : b`.
    fn formula(&mut self) -> Parse<usize> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Mistake::new(self.at(), format!("more than {MAX_DEPTH} brackets within one another")));
        }
        let condition = self.disjunction()?;
        let at = self.at();
        let result = if self.takes("?") {
            let a = self.formula()?;
            self.expects(":")?;
            let b = self.formula()?;
            self.select(at, condition, a, b)?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn select(&mut self, at: usize, condition: usize, a: usize, b: usize) -> Parse<usize> {
        let is_truth = self.truths[a] && self.truths[b];
        self.push(at, Step::Select(condition, a, b), is_truth)
    }

    fn disjunction(&mut self) -> Parse<usize> {
        let mut left = self.conjunction()?;
        loop {
            let at = self.at();
            if !self.takes("||") {
                return Ok(left);
            }
            let right = self.conjunction()?;
            left = self.push(at, Step::Or(left, right), true)?;
        }
    }

    fn conjunction(&mut self) -> Parse<usize> {
        let mut left = self.comparison()?;
        loop {
            let at = self.at();
            if !self.takes("&&") {
                return Ok(left);
            }
            let right = self.comparison()?;
            left = self.push(at, Step::And(left, right), true)?;
        }
    }

    fn comparison(&mut self) -> Parse<usize> {
        use BinaryOp::*;
        const COMPARISONS: &[(&str, BinaryOp)] =
            &[("<", Lt), ("<=", Le), (">", Gt), (">=", Ge), ("==", Eq), ("!=", Ne)];
        let left = self.operators(0)?;
        let at = self.at();
        let Some(op) = self.operator(COMPARISONS) else { return Ok(left) };
        if !matches!(op, Eq | Ne) {
            self.needs(Rule::Number);
        }
        let right = self.operators(0)?;
        if let Some(&(again, _)) = COMPARISONS.iter().find(|(symbol, _)| self.token() == Token::Symbol(symbol)) {
            return Err(Mistake::new(self.at(), format!("comparisons do not chain; write a < b && b {again} c")));
        }
        self.push(at, Step::Binary(op, left, right), true)
    }

    fn operator(&mut self, operators: &[(&'static str, BinaryOp)]) -> Option<BinaryOp> {
        let &(_, op) = operators.iter().find(|(symbol, _)| self.token() == Token::Symbol(symbol))?;
        self.advance();
        Some(op)
    }

    /// Sums of products: `level` 0 and 1.
    fn operators(&mut self, level: usize) -> Parse<usize> {
        use BinaryOp::*;
        const LEVELS: [&[(&str, BinaryOp)]; 2] = [&[("+", Add), ("-", Sub)], &[("*", Mul), ("/", Div), ("%", Rem)]];
        let Some(&operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.operators(level + 1)?;
        loop {
            let at = self.at();
            let Some(op) = self.operator(operators) else { return Ok(left) };
            self.needs(if op == Div { Rule::Float } else { Rule::Number });
            let right = self.operators(level + 1)?;
            left = self.push(at, Step::Binary(op, left, right), false)?;
        }
    }

    fn unary(&mut self) -> Parse<usize> {
        // Signs in a row are counted, not nested.
        let at = self.at();
        if self.takes("-") {
            let mut negates = true;
            while let Token::Symbol(sign @ ("-" | "+")) = self.token() {
                negates ^= sign == "-";
                self.advance();
            }
            self.needs(Rule::Number);
            let operand = self.unary_operand()?;
            return if negates { self.push(at, Step::Neg(operand), false) } else { Ok(operand) };
        }
        self.unary_operand()
    }

    fn unary_operand(&mut self) -> Parse<usize> {
        let at = self.at();
        if self.takes("!") {
            let mut negates = true;
            while self.takes("!") {
                negates = !negates;
            }
            let mut operand = self.power()?;
            for _ in 0..if negates { 1 } else { 2 } {
                operand = self.push(at, Step::Not(operand), true)?;
            }
            return Ok(operand);
        }
        self.power()
    }

    /// `a ** -b ** c` is `a ** (-(b ** c))`.
    fn power(&mut self) -> Parse<usize> {
        let base = self.primary()?;
        let at = self.at();
        if !self.takes("**") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Mistake::new(at, "too many powers of one another"));
        }
        self.needs(Rule::Number);
        let exponent = self.unary()?;
        self.depth -= 1;
        self.push(at, Step::Binary(BinaryOp::Pow, base, exponent), false)
    }

    fn primary(&mut self) -> Parse<usize> {
        let at = self.at();
        match self.token() {
            Token::Number(value, whole) => {
                self.advance();
                self.needs(if whole { Rule::Number } else { Rule::Float });
                self.push(at, Step::Number(value), false)
            }
            Token::Name(name) => {
                self.advance();
                if self.takes("(") { self.call(at, name) } else { self.name(at, name) }
            }
            _ if self.takes("(") => {
                let inner = self.formula()?;
                self.expects(")")?;
                Ok(inner)
            }
            _ => Err(self.unexpected("a number, an argument, a function or `(`")),
        }
    }

    fn name(&mut self, at: usize, name: &str) -> Parse<usize> {
        if let Some(index) = self.params.iter().position(|param| param.name == name) {
            return self.push(at, Step::Argument(index), false);
        }
        match (name, constant(name)) {
            ("true" | "false", _) => self.push(at, Step::Bool(name == "true"), true),
            (_, Some(value)) => {
                self.needs(Rule::Float);
                self.push(at, Step::Number(value), false)
            }
            _ => Err(Mistake::new(at, format!("there is no argument `{name}`"))),
        }
    }

    /// The arguments of a function, and its call.
    fn call(&mut self, at: usize, name: &str) -> Parse<usize> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.expects(",")?;
            }
            arguments.push(self.formula()?);
        }
        let count = |fewest: usize, most: usize| {
            let given = arguments.len();
            if (fewest..=most).contains(&given) {
                return Ok(());
            }
            let wanted = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
            Err(Mistake::new(at, format!("`{name}` takes {wanted} arguments, {given} were given")))
        };
        if name == "where" {
            count(3, 3)?;
            return self.select(at, arguments[0], arguments[1], arguments[2]);
        }
        if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
            count(function.takes.0, function.takes.1)?;
            match function.domain {
                Domain::Numbers => self.needs(Rule::Number),
                Domain::Floats => self.needs(Rule::Float),
                Domain::Whole => {
                    self.needs(Rule::Number);
                    self.whole.get_or_insert((at, function.name));
                }
            }
            return self.push(at, Step::Function(function.build, arguments), false);
        }
        let Some(op) = Op::find(name) else { return Err(Mistake::new(at, format!("there is no function `{name}`"))) };
        let Some((computes, gives)) = formula_of(op) else {
            return Err(Mistake::new(
                at,
                format!("`{name}` is not one formula of numbers, so a formula cannot call it"),
            ));
        };
        let params = &op.schema().params;
        count(params.iter().filter(|param| param.is_required()).count(), params.len())?;
        self.needs(if computes == Rule::Same { Rule::Number } else { computes });
        for param in &params[arguments.len()..] {
            let default = match param.default {
                Some(Default::Int(value)) => Step::Number(value as f64),
                Some(Default::Float(value)) => {
                    self.needs(Rule::Float);
                    Step::Number(value)
                }
                Some(Default::Bool(value)) => Step::Bool(value),
                _ => return Err(Mistake::new(at, format!("`{name}` needs its argument {}", param.name))),
            };
            arguments.push(self.push(at, default, false)?);
        }
        self.push(at, Step::Call(op, arguments), gives == Rule::Bool)
    }
}

/// Names of numbers.
fn constant(name: &str) -> Option<f64> {
    Some(match name {
        "true" => 1.0,
        "false" => 0.0,
        "pi" => std::f64::consts::PI,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    })
}
