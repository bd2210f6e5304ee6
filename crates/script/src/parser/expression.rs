//! Parses expressions.

use super::{POSTFIX, Parser, is_keyword};
use crate::{
    Result,
    ast::{Argument, BinaryOp, CompareOp, Expr, ExprKind, Loop, UnaryOp},
    lexer::TokenKind,
};

/// The binary operators, lowest precedence first.
const BINARY: [&[(&str, BinaryOp)]; 6] = [
    &[("|", BinaryOp::Or)],
    &[("^", BinaryOp::Xor)],
    &[("&", BinaryOp::And)],
    &[("<<", BinaryOp::LeftShift), (">>", BinaryOp::RightShift)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
    &[
        ("*", BinaryOp::Mul),
        ("/", BinaryOp::Div),
        ("//", BinaryOp::FloorDiv),
        ("%", BinaryOp::Mod),
        ("@", BinaryOp::MatMul),
    ],
];

impl Parser<'_> {
    /// Parses expressions. A comma makes a tuple.
    pub(super) fn expressions(&mut self) -> Result<Expr> {
        let at = self.at();
        let first = self.item()?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.takes(",") && self.begins_expression() {
            items.push(self.item()?);
        }
        Ok(Expr { at, kind: ExprKind::Tuple(items) })
    }

    /// Parses an expression or `*values`.
    fn item(&mut self) -> Result<Expr> {
        let at = self.at();
        if !self.takes("*") {
            return self.expression();
        }
        let values = self.deeper(|parser| parser.binary(0))?;
        Ok(Expr { at, kind: ExprKind::Starred(Box::new(values)) })
    }

    fn begins_expression(&self) -> bool {
        match self.kind() {
            TokenKind::Name(name) => !is_keyword(name) || ["True", "False", "None", "not"].contains(&&**name),
            TokenKind::Symbol(symbol) => ["(", "[", "{", "-", "+", "~", "*", "..."].contains(symbol),
            TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent | TokenKind::End => false,
            _ => true,
        }
    }

    /// Parses an expression: `a if b else c`.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.deeper(|parser| {
            let at = parser.at();
            let mut value = parser.or()?;
            let mut branches = Vec::new();
            while parser.takes_word("if") {
                let test = parser.or()?;
                parser.expect_word("else")?;
                branches.push((test, std::mem::replace(&mut value, parser.or()?)));
            }
            if branches.is_empty() {
                return Ok(value);
            }
            Ok(Expr { at, kind: ExprKind::Conditional(branches, Box::new(value)) })
        })
    }

    pub(super) fn or(&mut self) -> Result<Expr> {
        let at = self.at();
        let first = self.and()?;
        if !self.is_word("or") {
            return Ok(first);
        }
        let mut values = vec![first];
        while self.takes_word("or") {
            values.push(self.and()?);
        }
        Ok(Expr { at, kind: ExprKind::Or(values) })
    }

    fn and(&mut self) -> Result<Expr> {
        let at = self.at();
        let first = self.not()?;
        if !self.is_word("and") {
            return Ok(first);
        }
        let mut values = vec![first];
        while self.takes_word("and") {
            values.push(self.not()?);
        }
        Ok(Expr { at, kind: ExprKind::And(values) })
    }

    fn not(&mut self) -> Result<Expr> {
        let at = self.at();
        if self.takes_word("not") {
            let value = self.deeper(Self::not)?;
            return Ok(Expr { at, kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)) });
        }
        let first = self.binary(0)?;
        let mut rest = Vec::new();
        loop {
            let at = self.at();
            let Some(op) = self.comparison() else { break };
            rest.push((op, at, self.binary(0)?));
        }
        if rest.is_empty() { Ok(first) } else { Ok(Expr { at, kind: ExprKind::Compare(Box::new(first), rest) }) }
    }

    fn comparison(&mut self) -> Option<CompareOp> {
        let op = match self.kind() {
            TokenKind::Symbol("==") => CompareOp::Eq,
            TokenKind::Symbol("!=") => CompareOp::Ne,
            TokenKind::Symbol("<") => CompareOp::Lt,
            TokenKind::Symbol("<=") => CompareOp::Le,
            TokenKind::Symbol(">") => CompareOp::Gt,
            TokenKind::Symbol(">=") => CompareOp::Ge,
            TokenKind::Name(name) if &**name == "in" => CompareOp::In,
            TokenKind::Name(name) if &**name == "is" => {
                self.advance();
                return Some(if self.takes_word("not") { CompareOp::IsNot } else { CompareOp::Is });
            }
            TokenKind::Name(name) if &**name == "not" => {
                matches!(self.kind_after(), Some(TokenKind::Name(next)) if &**next == "in").then_some(())?;
                self.advance();
                CompareOp::NotIn
            }
            _ => return None,
        };
        self.advance();
        Some(op)
    }

    /// Parses binary operators of at least this precedence, by precedence climbing. All levels
    /// share one stack frame.
    fn binary(&mut self, level: usize) -> Result<Expr> {
        let at = self.at();
        let mut value = self.unary()?;
        // The precedence of the chain in `value`.
        let mut chain = BINARY.len();
        loop {
            let TokenKind::Symbol(symbol) = *self.kind() else { return Ok(value) };
            let found = BINARY.iter().enumerate().skip(level).find_map(|(level, operators)| {
                operators.iter().find(|(text, _)| *text == symbol).map(|&(_, op)| (level, op))
            });
            let Some((level, op)) = found else { return Ok(value) };
            let operator = self.at();
            self.advance();
            let operand = self.binary(level + 1)?;
            match &mut value.kind {
                ExprKind::Binary(_, rest) if chain == level => rest.push((op, operator, operand)),
                _ => {
                    let kind = ExprKind::Binary(Box::new(value), vec![(op, operator, operand)]);
                    value = Expr { at, kind };
                    chain = level;
                }
            }
        }
    }

    fn unary(&mut self) -> Result<Expr> {
        let at = self.at();
        let op = match self.kind() {
            TokenKind::Symbol("-") => UnaryOp::Neg,
            TokenKind::Symbol("+") => UnaryOp::Pos,
            TokenKind::Symbol("~") => UnaryOp::Invert,
            _ => return self.power(),
        };
        self.advance();
        if let (UnaryOp::Neg, &TokenKind::Int(value)) = (op, self.kind())
            && !matches!(self.kind_after(), Some(TokenKind::Symbol("**" | ".")))
        {
            // The smallest int64 has no positive counterpart.
            self.advance();
            let value = 0i64.checked_sub_unsigned(value);
            return match value {
                Some(value) => Ok(Expr { at, kind: ExprKind::Int(value) }),
                None => self.error_at("an integer of more than 64 bits", at),
            };
        }
        let value = self.deeper(Self::unary)?;
        Ok(match (op, value.kind) {
            (UnaryOp::Neg, ExprKind::Float(value)) => Expr { at, kind: ExprKind::Float(-value) },
            (op, kind) => Expr { at, kind: ExprKind::Unary(op, Box::new(Expr { at: value.at, kind })) },
        })
    }

    fn power(&mut self) -> Result<Expr> {
        let base = self.postfix()?;
        let at = self.at();
        if !self.takes("**") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        Ok(Expr { at, kind: ExprKind::Binary(Box::new(base), vec![(BinaryOp::Pow, at, exponent)]) })
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut value = self.atom()?;
        for _ in 0..POSTFIX {
            let at = self.at();
            let kind = if self.takes(".") {
                // Names of the archive's files may contain keywords.
                let TokenKind::Name(name) = self.kind() else { return self.error("expected a name") };
                let name = name.clone();
                self.advance();
                ExprKind::Attribute(Box::new(value), name)
            } else if self.takes("(") {
                let at = value.at;
                let arguments = self.arguments()?;
                value = Expr { at, kind: ExprKind::Call(Box::new(value), arguments) };
                continue;
            } else if self.takes("[") {
                let index = self.subscripts()?;
                ExprKind::Index(Box::new(value), Box::new(index))
            } else {
                return Ok(value);
            };
            value = Expr { at, kind };
        }
        self.error(format!("more than {POSTFIX} operations on one value"))
    }

    /// Parses the arguments of a call and the closing bracket.
    fn arguments(&mut self) -> Result<Vec<Argument>> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.takes(")") {
            let named = matches!(self.kind(), TokenKind::Name(name) if !is_keyword(name))
                && matches!(self.kind_after(), Some(TokenKind::Symbol("=")));
            let keyword = if named { Some(self.identifier()?) } else { None };
            if named {
                self.advance();
            }
            if keyword.is_none() && arguments.iter().any(|argument| argument.keyword.is_some()) {
                return self.error("a positional argument after a keyword");
            }
            if self.is("**") {
                return self.error("`**` of keywords is not part of the language");
            }
            let mut value = self.item()?;
            if self.is_word("for") {
                value = self.list_comprehension(value)?;
            }
            arguments.push(Argument { keyword, value });
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(arguments)
    }

    /// Parses the indices between square brackets and the closing one.
    fn subscripts(&mut self) -> Result<Expr> {
        let at = self.at();
        let mut items = vec![self.subscript()?];
        let mut tuple = false;
        while self.takes(",") {
            tuple = true;
            if self.is("]") {
                break;
            }
            items.push(self.subscript()?);
        }
        self.expect("]")?;
        match items.pop() {
            Some(item) if !tuple => Ok(item),
            last => {
                items.extend(last);
                Ok(Expr { at, kind: ExprKind::Tuple(items) })
            }
        }
    }

    fn subscript(&mut self) -> Result<Expr> {
        let at = self.at();
        // `Tuple[()]`, the type of an empty tuple, is an expression.
        let start = if self.is(":") { None } else { Some(self.item()?) };
        if !self.takes(":") {
            return start.map_or_else(|| self.error("expected an index"), Ok);
        }
        let part = |parser: &mut Self| -> Result<Option<Box<Expr>>> {
            if parser.is(":") || parser.is(",") || parser.is("]") {
                return Ok(None);
            }
            Ok(Some(Box::new(parser.expression()?)))
        };
        let stop = part(self)?;
        let step = if self.takes(":") { part(self)? } else { None };
        Ok(Expr { at, kind: ExprKind::Slice(start.map(Box::new), stop, step) })
    }

    fn atom(&mut self) -> Result<Expr> {
        let at = self.at();
        let kind = match self.kind().clone() {
            TokenKind::Name(name) => match &*name {
                "None" => ExprKind::None,
                "True" => ExprKind::Bool(true),
                "False" => ExprKind::Bool(false),
                "lambda" | "await" | "yield" => {
                    return self.error(format!("`{name}` is not part of the language"));
                }
                _ if is_keyword(&name) => return self.error("expected an expression"),
                _ => ExprKind::Name(name),
            },
            TokenKind::Int(value) => match i64::try_from(value) {
                Ok(value) => ExprKind::Int(value),
                Err(_) => return self.error("an integer of more than 64 bits"),
            },
            TokenKind::Float(value) => ExprKind::Float(value),
            TokenKind::Str(_) | TokenKind::FString(_) => return self.text(),
            TokenKind::Symbol("...") => ExprKind::Ellipsis,
            TokenKind::Symbol("(") => return self.parenthesis(),
            TokenKind::Symbol("[") => return self.list(),
            TokenKind::Symbol("{") => return self.dict(),
            _ => return self.error("expected an expression"),
        };
        self.advance();
        Ok(Expr { at, kind })
    }

    fn parenthesis(&mut self) -> Result<Expr> {
        let at = self.at();
        self.advance();
        if self.takes(")") {
            return Ok(Expr { at, kind: ExprKind::Tuple(Vec::new()) });
        }
        let mut value = self.expressions()?;
        if self.is_word("for") {
            value = self.list_comprehension(value)?;
        }
        self.expect(")")?;
        // Operators after the bracket do not extend the chain in it.
        Ok(value)
    }

    fn list(&mut self) -> Result<Expr> {
        let at = self.at();
        self.advance();
        let mut items = Vec::new();
        while !self.takes("]") {
            let item = self.item()?;
            if self.is_word("for") && items.is_empty() {
                let list = self.list_comprehension(item)?;
                self.expect("]")?;
                return Ok(list);
            }
            items.push(item);
            if !self.takes(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(Expr { at, kind: ExprKind::List(items) })
    }

    fn dict(&mut self) -> Result<Expr> {
        let at = self.at();
        self.advance();
        let mut items = Vec::new();
        while !self.takes("}") {
            let key = self.expression()?;
            if !self.takes(":") {
                return self.error("expected \":\"; sets are not part of the language");
            }
            let value = self.expression()?;
            if self.is_word("for") && items.is_empty() {
                let loops = self.loops()?;
                self.expect("}")?;
                return Ok(Expr { at, kind: ExprKind::DictComprehension(Box::new((key, value)), loops) });
            }
            items.push((key, value));
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expr { at, kind: ExprKind::Dict(items) })
    }

    fn list_comprehension(&mut self, element: Expr) -> Result<Expr> {
        let at = element.at;
        Ok(Expr { at, kind: ExprKind::ListComprehension(Box::new(element), self.loops()?) })
    }

    fn loops(&mut self) -> Result<Vec<Loop>> {
        let mut loops = Vec::new();
        while self.takes_word("for") {
            let target = self.targets()?;
            self.expect_word("in")?;
            let iterable = self.or()?;
            let mut conditions = Vec::new();
            while self.takes_word("if") {
                conditions.push(self.or()?);
            }
            loops.push(Loop { target, iterable, conditions });
            if loops.len() > 16 {
                return self.error("a comprehension of more than 16 loops");
            }
        }
        Ok(loops)
    }

    /// Parses the targets of a loop: names and tuples, without `in`.
    pub(super) fn targets(&mut self) -> Result<Expr> {
        let at = self.at();
        let target = |parser: &mut Self| -> Result<Expr> {
            let at = parser.at();
            let starred = parser.takes("*");
            let target = parser.deeper(Self::postfix)?;
            parser.check_target(&target)?;
            Ok(if starred { Expr { at, kind: ExprKind::Starred(Box::new(target)) } } else { target })
        };
        let first = target(self)?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut targets = vec![first];
        while self.takes(",") && !self.is_word("in") && !self.is("=") {
            targets.push(target(self)?);
        }
        Ok(Expr { at, kind: ExprKind::Tuple(targets) })
    }

    /// Checks that an expression is a valid target of an assignment.
    pub(super) fn check_target(&self, target: &Expr) -> Result<()> {
        match &target.kind {
            ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Index(..) => Ok(()),
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let starred = targets.iter().filter(|target| matches!(target.kind, ExprKind::Starred(_))).count();
                if starred > 1 {
                    return self.error_at("two starred targets", target.at);
                }
                targets.iter().try_for_each(|target| match &target.kind {
                    ExprKind::Starred(target) => self.check_target(target),
                    _ => self.check_target(target),
                })
            }
            _ => self.error_at("not something to assign to", target.at),
        }
    }
}
