//! Parses statements.

use super::{Parser, is_keyword};
use crate::{
    Result,
    ast::{BinaryOp, Block, ClassDef, Expr, ExprKind, FunctionDef, ParamDef, Stmt, StmtKind},
    lexer::TokenKind,
};
use std::rc::Rc;

const AUGMENTED: &[(&str, BinaryOp)] = &[
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Sub),
    ("*=", BinaryOp::Mul),
    ("/=", BinaryOp::Div),
    ("//=", BinaryOp::FloorDiv),
    ("%=", BinaryOp::Mod),
    ("**=", BinaryOp::Pow),
    ("@=", BinaryOp::MatMul),
    ("&=", BinaryOp::And),
    ("|=", BinaryOp::Or),
    ("^=", BinaryOp::Xor),
    ("<<=", BinaryOp::LeftShift),
    (">>=", BinaryOp::RightShift),
];

impl Parser<'_> {
    /// Parses all statements of the text. A text that is indented as a whole is a single block.
    pub(super) fn file(&mut self) -> Result<Block> {
        let mut block = Block::new();
        if matches!(self.kind(), TokenKind::Indent) {
            self.advance();
        }
        while !matches!(self.kind(), TokenKind::End) {
            match self.kind() {
                TokenKind::Dedent | TokenKind::Newline => self.advance(),
                _ => self.statement(&mut block)?,
            }
        }
        Ok(block)
    }

    /// Parses `:` and the statements of a block.
    fn block(&mut self) -> Result<Block> {
        self.expect(":")?;
        self.deeper(|parser| {
            let mut block = Block::new();
            if !matches!(parser.kind(), TokenKind::Newline) {
                parser.simple_statements(&mut block)?;
                return Ok(block);
            }
            parser.advance();
            parser.expect_kind(&TokenKind::Indent, "an indented block")?;
            while !matches!(parser.kind(), TokenKind::Dedent | TokenKind::End) {
                parser.statement(&mut block)?;
            }
            if matches!(parser.kind(), TokenKind::Dedent) {
                parser.advance();
            }
            Ok(block)
        })
    }

    fn statement(&mut self, block: &mut Block) -> Result<()> {
        let at = self.at();
        let word = match self.kind() {
            TokenKind::Name(word) => word.clone(),
            TokenKind::Symbol("@") => "@".into(),
            TokenKind::Indent => return self.error("unexpected block"),
            _ => return self.simple_statements(block),
        };
        let kind = match &*word {
            "if" => self.if_statement()?,
            "while" => {
                self.advance();
                let test = self.expression()?;
                let body = self.block()?;
                self.no_else()?;
                StmtKind::While(test, body)
            }
            "for" => {
                self.advance();
                let target = self.targets()?;
                self.expect_word("in")?;
                let iterable = self.expressions()?;
                let body = self.block()?;
                self.no_else()?;
                StmtKind::For(target, iterable, body)
            }
            "with" => self.with_statement()?,
            "def" | "class" | "@" => self.definition()?,
            _ => return self.simple_statements(block),
        };
        block.push(Stmt { at, kind });
        Ok(())
    }

    fn no_else(&self) -> Result<()> {
        if self.is_word("else") { self.error("`else` of a loop is not part of the language") } else { Ok(()) }
    }

    fn if_statement(&mut self) -> Result<StmtKind> {
        let mut branches = Vec::new();
        let mut last = Block::new();
        self.advance();
        branches.push((self.condition()?, self.block()?));
        loop {
            if self.takes_word("elif") {
                branches.push((self.condition()?, self.block()?));
            } else if self.takes_word("else") {
                last = self.block()?;
                return Ok(StmtKind::If(branches, last));
            } else {
                return Ok(StmtKind::If(branches, last));
            }
        }
    }

    fn condition(&mut self) -> Result<Expr> {
        self.expression()
    }

    fn with_statement(&mut self) -> Result<StmtKind> {
        self.advance();
        let mut items = Vec::new();
        loop {
            let value = self.expression()?;
            let target = if self.takes_word("as") { Some(self.targets()?) } else { None };
            items.push((value, target));
            if !self.takes(",") {
                return Ok(StmtKind::With(items, self.block()?));
            }
        }
    }

    /// Parses a function or a class with its decorators.
    fn definition(&mut self) -> Result<StmtKind> {
        let mut decorators = Vec::new();
        while self.takes("@") {
            decorators.push(self.expression()?);
            self.expect_kind(&TokenKind::Newline, "the end of the line")?;
        }
        if self.takes_word("class") {
            let name = self.identifier()?;
            let mut bases = Vec::new();
            if self.takes("(") {
                while !self.takes(")") {
                    bases.push(self.expression()?);
                    if !self.takes(",") {
                        self.expect(")")?;
                        break;
                    }
                }
            }
            let body = self.block()?;
            return Ok(StmtKind::Class(Rc::new(ClassDef { name, bases, body })));
        }
        let at = self.at();
        self.expect_word("def")?;
        let name = self.identifier()?;
        self.expect("(")?;
        let params = self.parameters()?;
        if self.takes("->") {
            self.expression()?;
        }
        let body = self.block()?;
        Ok(StmtKind::Function(Rc::new(FunctionDef { at, name, params, body, decorators })))
    }

    fn parameters(&mut self) -> Result<Vec<ParamDef>> {
        let mut params: Vec<ParamDef> = Vec::new();
        let mut keyword_only = false;
        while !self.takes(")") {
            if self.is("**") || self.is("*") && !matches!(self.kind_after(), Some(TokenKind::Symbol(","))) {
                return self.error("a variable number of parameters is not part of the language");
            }
            if self.takes("*") {
                keyword_only = true;
            } else if !self.takes("/") {
                let at = self.at();
                let name = self.identifier()?;
                if params.iter().any(|param| param.name == name) {
                    return self.error_at(format!("the parameter {name} occurs twice"), at);
                }
                let annotation = if self.takes(":") { Some(self.expression()?) } else { None };
                let default = if self.takes("=") { Some(self.expression()?) } else { None };
                params.push(ParamDef { name, annotation, default, keyword_only });
            }
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(params)
    }

    /// Parses the statements of one line.
    fn simple_statements(&mut self, block: &mut Block) -> Result<()> {
        loop {
            let at = self.at();
            let kind = self.simple_statement()?;
            block.push(Stmt { at, kind });
            if self.takes(";") && !matches!(self.kind(), TokenKind::Newline) {
                continue;
            }
            return self.expect_kind(&TokenKind::Newline, "the end of the line");
        }
    }

    fn simple_statement(&mut self) -> Result<StmtKind> {
        let ends =
            |parser: &Self| matches!(parser.kind(), TokenKind::Newline | TokenKind::Symbol(";") | TokenKind::End);
        let TokenKind::Name(word) = self.kind().clone() else { return self.assignment() };
        if !is_keyword(&word) {
            return self.assignment();
        }
        let at = self.index;
        self.advance();
        match &*word {
            "pass" => Ok(StmtKind::Pass),
            "break" => Ok(StmtKind::Break),
            "continue" => Ok(StmtKind::Continue),
            "return" => Ok(StmtKind::Return(if ends(self) { None } else { Some(self.expressions()?) })),
            "raise" => {
                let exception = if ends(self) { None } else { Some(self.expression()?) };
                if self.takes_word("from") {
                    self.expression()?;
                }
                Ok(StmtKind::Raise(exception))
            }
            "assert" => {
                let test = self.expression()?;
                let message = if self.takes(",") { Some(self.expression()?) } else { None };
                Ok(StmtKind::Assert(test, message))
            }
            "del" => {
                let target = self.expressions()?;
                let targets = match target.kind {
                    ExprKind::Tuple(targets) => targets,
                    _ => vec![target],
                };
                targets.iter().try_for_each(|target| self.check_target(target))?;
                Ok(StmtKind::Delete(targets))
            }
            "True" | "False" | "None" | "not" => {
                self.index = at;
                self.assignment()
            }
            _ => {
                self.index = at;
                self.error(format!("`{word}` is not part of the language"))
            }
        }
    }

    fn assignment(&mut self) -> Result<StmtKind> {
        let first = self.expressions()?;
        if self.takes(":") {
            self.check_target(&first)?;
            let annotation = self.expression()?;
            let value = if self.takes("=") { Some(self.expressions()?) } else { None };
            return Ok(StmtKind::Annotated(first, annotation, value));
        }
        if let TokenKind::Symbol(symbol) = *self.kind()
            && let Some(&(_, op)) = AUGMENTED.iter().find(|(text, _)| *text == symbol)
        {
            if !matches!(first.kind, ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Index(..)) {
                return self.error_at("not something to assign to", first.at);
            }
            self.advance();
            return Ok(StmtKind::AugmentedAssign(first, op, self.expressions()?));
        }
        if !self.is("=") {
            return Ok(StmtKind::Expr(first));
        }
        let mut values = vec![first];
        while self.takes("=") {
            values.push(self.expressions()?);
        }
        let value = values.pop();
        values.iter().try_for_each(|target| self.check_target(target))?;
        match value {
            Some(value) => Ok(StmtKind::Assign(values, value)),
            None => self.error("expected a value"),
        }
    }
}
