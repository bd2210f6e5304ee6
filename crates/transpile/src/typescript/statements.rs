//! Statements in TypeScript.

use super::{
    Printer,
    expressions::{binding, level, quote},
    has_tuples,
    types::mutable,
};
use crate::{
    layout::render,
    names::{variable, variant},
    tree::{Binding, Expr, Kind, Stmt},
    types::Type,
};

impl Printer<'_> {
    /// The lines of statements.
    pub(super) fn statements(&self, stmts: &[Stmt], indent: usize) -> Vec<String> {
        stmts.iter().map(|stmt| self.statement(stmt, indent)).collect()
    }

    fn statement(&self, stmt: &Stmt, indent: usize) -> String {
        let space = " ".repeat(indent);
        match stmt {
            Stmt::Let { binding: pattern, value, is_assigned, id } => {
                self.variable(pattern, value.as_ref(), *is_assigned, *id, indent)
            }
            Stmt::Assign(target, operator, value) => {
                let target = self.text(target, indent, indent, 0);
                let value = self.text(value, indent, indent + target.len() + operator.len() + 2, 1);
                format!("{space}{target} {operator} {value};")
            }
            Stmt::If(condition, then, otherwise) => self.condition(condition, then, otherwise, indent),
            Stmt::ForEach(pattern, list, body) => {
                let (pattern, list) = (binding(pattern), self.loop_list(list, indent));
                format!("{space}for (const {pattern} of {list}) {}", self.block(body, indent))
            }
            Stmt::ForRange(name, from, to, is_reversed, body) => {
                let name = if name.starts_with('_') { "step".to_string() } else { variable(name) };
                let (from, to) = (self.text(from, indent, indent, 0), self.text(to, indent, indent, 0));
                let head = match is_reversed {
                    false => format!("let {name} = {from}; {name} < {to}; {name}++"),
                    true => format!("let {name} = {to} - 1; {name} >= {from}; {name}--"),
                };
                format!("{space}for ({head}) {}", self.block(body, indent))
            }
            Stmt::While(condition, body) => {
                format!("{space}while ({}) {}", self.text(condition, indent, indent + 7, 3), self.block(body, indent))
            }
            Stmt::Return(None) => format!("{space}return;"),
            Stmt::Return(Some(value)) => format!("{space}return {};", self.text(value, indent, indent + 7, 1)),
            Stmt::Throw(error) => format!("{space}throw {};", self.text(error, indent, indent + 6, 1)),
            Stmt::Expr(value) => format!("{space}{};", self.text(value, indent, indent, 1)),
            Stmt::Break => format!("{space}break;"),
            Stmt::Continue => format!("{space}continue;"),
        }
    }

    fn variable(&self, pattern: &Binding, value: Option<&Expr>, is_assigned: bool, id: usize, indent: usize) -> String {
        let space = " ".repeat(indent);
        let keyword = if is_assigned { "let" } else { "const" };
        let ty = self.variable_type(id);
        let annotation = match (value.map(|value| &value.kind), pattern) {
            (None, _) => format!(": {}", self.type_name(&ty)),
            // An example shows no types that its reader need not write.
            (Some(Kind::List(items)), Binding::Name(_))
                if items.is_empty() || !self.is_example.get() && is_wider_list(&ty, items) =>
            {
                self.use_types(&ty);
                format!(": {}", mutable(&ty))
            }
            (Some(Kind::Intrinsic(row, _)), Binding::Name(_)) if row.name == "map.new" => {
                self.use_types(&ty);
                format!(": {}", mutable(&ty))
            }
            (Some(Kind::Closure(..)), Binding::Name(_)) => format!(": {}", self.type_name(&ty)),
            (Some(Kind::Copy(_)), Binding::Name(_)) if matches!(ty, Type::Map(_)) => {
                self.use_types(&ty);
                format!(": {}", mutable(&ty))
            }
            (Some(Kind::None), Binding::Name(_)) => format!(": {}", self.type_name(&ty)),
            (Some(Kind::List(_)), Binding::Name(_)) if matches!(ty, Type::Tuple(_)) && !self.is_example.get() => {
                format!(": {}", self.type_name(&ty))
            }
            (Some(_), Binding::Name(_)) if is_assigned && has_wider_type(&ty) => format!(": {}", self.type_name(&ty)),
            _ => String::new(),
        };
        let head = format!("{keyword} {}{annotation}", binding(pattern));
        match value {
            None => format!("{space}{head};"),
            Some(value) => {
                let value = self.text(value, indent, indent + head.len() + 3, 1);
                format!("{space}{head} = {value};")
            }
        }
    }

    fn loop_list(&self, list: &Expr, indent: usize) -> String {
        if let Kind::Intrinsic(row, args) = &list.kind
            && row.name == "list.enumerate"
        {
            return format!("{}.entries()", render(&self.expr(&args[0], level::POSTFIX), indent, indent, 0));
        }
        self.text(list, indent, indent, 0)
    }

    fn block(&self, stmts: &[Stmt], indent: usize) -> String {
        if stmts.is_empty() {
            return "{}".into();
        }
        let lines = self.statements(stmts, indent + 2).join("\n");
        format!("{{\n{lines}\n{}}}", " ".repeat(indent))
    }

    fn condition(&self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt], indent: usize) -> String {
        let space = " ".repeat(indent);
        if let Some(text) = self.switch(condition, then, otherwise, indent) {
            return text;
        }
        let head = format!("{space}if ({})", self.text(condition, indent, indent + 4, 3));
        // A branch that ends the function needs no else.
        let ends = matches!(then.last(), Some(Stmt::Return(_) | Stmt::Throw(_) | Stmt::Break | Stmt::Continue));
        let head = match then {
            [
                one @ (Stmt::Return(_)
                | Stmt::Throw(_)
                | Stmt::Break
                | Stmt::Continue
                | Stmt::Expr(_)
                | Stmt::Assign(..)),
            ] => {
                let line = self.statement(one, 0);
                match line.contains('\n') || head.len() + 1 + line.len() > 100 || head.contains('\n') {
                    true => format!("{head} {}", self.block(then, indent)),
                    false => format!("{head} {line}"),
                }
            }
            _ => format!("{head} {}", self.block(then, indent)),
        };
        if otherwise.is_empty() {
            return head;
        }
        // Nothing follows two branches that both end it, so their variables share a block.
        if ends && ends_in_branches(otherwise) {
            return format!("{head}\n{}", self.statements(otherwise, indent).join("\n"));
        }
        let joint = if head.ends_with('}') { " ".to_string() } else { format!("\n{space}") };
        match otherwise {
            [Stmt::If(..)] => {
                format!("{head}{joint}else {}", self.statements(otherwise, indent).join("\n").trim_start())
            }
            _ => format!("{head}{joint}else {}", self.block(otherwise, indent)),
        }
    }

    /// A chain of conditions on one value as a `switch`.
    fn switch(&self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt], indent: usize) -> Option<String> {
        let mut cases: Vec<(Vec<String>, &[Stmt])> = Vec::new();
        let (subject, labels) = labels(condition)?;
        cases.push((labels, then));
        let mut rest = otherwise;
        while let [Stmt::If(condition, then, otherwise)] = rest {
            let Some((own, labels)) = labels_of(condition, subject) else { break };
            if own != subject {
                break;
            }
            cases.push((labels, then));
            rest = otherwise;
        }
        if cases.len() < 3 {
            return None;
        }
        let is_variant = is_variant(condition);
        let subject = render(&self.expr(subject, level::POSTFIX), indent, indent, 0);
        let subject = if is_variant { format!("{subject}.kind") } else { subject };
        let (space, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
        let mut text = format!("{space}switch ({subject}) {{");
        let mut print_case = |head: &str, body: &[Stmt]| match body {
            [one @ (Stmt::Return(_) | Stmt::Throw(_))] if self.statement(one, indent + 4).contains('\n') => {
                text += &format!("\n{inner}{head}\n{}", self.statement(one, indent + 4));
            }
            [one @ (Stmt::Return(_) | Stmt::Throw(_))] => {
                let line = self.statement(one, 0);
                match indent + 3 + head.len() + line.len() > 100 {
                    true => text += &format!("\n{inner}{head}\n{}", self.statement(one, indent + 4)),
                    false => text += &format!("\n{inner}{head} {line}"),
                }
            }
            body => {
                let ends = matches!(body.last(), Some(Stmt::Return(_) | Stmt::Throw(_))) || ends_in_branches(body);
                let end = if ends { String::new() } else { format!("{}break;\n", " ".repeat(indent + 4)) };
                let lines = self.statements(body, indent + 4).join("\n");
                text += &format!("\n{inner}{head} {{\n{lines}\n{end}{inner}}}");
            }
        };
        for (labels, body) in cases {
            let labels: Vec<String> = labels.iter().map(|label| format!("case {label}:")).collect();
            let head = if labels.iter().map(String::len).sum::<usize>() > 90 - indent {
                labels.join(&format!("\n{inner}"))
            } else {
                labels.join(" ")
            };
            print_case(&head, body);
        }
        if !rest.is_empty() {
            print_case("default:", rest);
        }
        Some(format!("{text}\n{space}}}"))
    }
}

/// Whether the elements of a list do not show its type: they are of narrower types, or tuples,
/// which would be lists.
fn is_wider_list(ty: &Type, items: &[Expr]) -> bool {
    let Type::List(own) = ty else { return false };
    has_tuples(ty) || items.iter().any(|item| item.ty != **own && !item.ty.is_number())
}

/// Whether a variable may take values of a type that its first value does not show.
fn has_wider_type(ty: &Type) -> bool {
    matches!(ty, Type::Operand | Type::Optional(_) | Type::Object(_) | Type::Choice(_) | Type::List(_) | Type::Tuple(_))
}

/// Whether every branch of the last condition ends the function.
fn ends_in_branches(body: &[Stmt]) -> bool {
    match body.last() {
        Some(Stmt::Return(_) | Stmt::Throw(_)) => true,
        Some(Stmt::If(_, then, otherwise)) => ends_in_branches(then) && ends_in_branches(otherwise),
        _ => false,
    }
}

fn is_variant(condition: &Expr) -> bool {
    match &condition.kind {
        Kind::Binary("||", left, _) => is_variant(left),
        Kind::IsVariant(..) => true,
        _ => false,
    }
}

fn labels(condition: &Expr) -> Option<(&Expr, Vec<String>)> {
    match &condition.kind {
        Kind::IsVariant(value, name) => Some((value, vec![quote(&variant(name))])),
        Kind::Binary("===", value, literal) if value.is_name() => match &literal.kind {
            Kind::Text(text) => Some((value, vec![quote(text)])),
            Kind::Number(text) => Some((value, vec![text.clone()])),
            _ => None,
        },
        Kind::Binary("||", left, right) => {
            let (subject, mut all) = labels(left)?;
            let (other, more) = labels(right)?;
            all.extend(more);
            (subject == other).then_some((subject, all))
        }
        _ => None,
    }
}

fn labels_of<'e>(condition: &'e Expr, subject: &Expr) -> Option<(&'e Expr, Vec<String>)> {
    labels(condition).filter(|(own, _)| *own == subject)
}
