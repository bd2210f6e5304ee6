//! Expressions in TypeScript.

use super::{Printer, types::type_name};
use crate::{
    intrinsics::Intrinsic,
    layout::{Doc, render},
    names::{camel, function, global, variable, variant},
    tree::{Binding, Expr, Kind, Operation, Part, Stmt},
    types::Type,
};

/// How tightly an expression binds: brackets are put around one that binds less than its context.
pub mod level {
    /// An argument: anything.
    pub const ARGUMENT: u8 = 0;
    /// `a ? b : c`, and a function.
    pub const CONDITIONAL: u8 = 2;
    /// `a ?? b`
    pub const COALESCE: u8 = 3;
    /// `a || b`
    pub const OR: u8 = 4;
    /// `a && b`
    pub const AND: u8 = 5;
    /// `a === b`
    pub const EQUAL: u8 = 6;
    /// `a < b`
    pub const COMPARE: u8 = 7;
    /// `a + b`
    pub const ADD: u8 = 8;
    /// `a * b`
    pub const MULTIPLY: u8 = 9;
    /// `-a`
    pub const UNARY: u8 = 10;
    /// `a.b`, `a(b)`
    pub const POSTFIX: u8 = 11;
    /// A name, a literal, brackets.
    pub const ATOM: u8 = 12;
}

/// The namespaces of operations, each with the prefix of its operations' names.
const NAMESPACES: &[(&str, &str)] =
    &[("fft", "fft_"), ("linalg", "linalg_"), ("special", "special_"), ("windows", "signal_windows_")];

/// Operations without arguments that are properties in PyTorch.
const OPERATION_PROPERTIES: &[&str] = &["H", "T", "mH", "mT"];

impl Printer<'_> {
    /// An expression, in brackets if it binds less than `least`.
    pub(super) fn expr(&self, expr: &Expr, least: u8) -> Doc {
        let (doc, level) = self.parts(expr);
        if level < least { Doc::Concat(vec![Doc::text("("), doc, Doc::text(")")]) } else { doc }
    }

    /// An expression on one line or several.
    pub(super) fn text(&self, expr: &Expr, indent: usize, column: usize, after: usize) -> String {
        render(&self.expr(expr, level::ARGUMENT), indent, column, after)
    }

    /// An expression on one line, for a template.
    fn line(&self, expr: &Expr, least: u8) -> String {
        render(&self.expr(expr, least), 0, 0, 0)
    }

    fn parts(&self, expr: &Expr) -> (Doc, u8) {
        use level::*;
        let atom = |text: String| (Doc::Text(text), ATOM);
        match &expr.kind {
            Kind::Number(text) => (Doc::text(text), if text.starts_with('-') { UNARY } else { ATOM }),
            Kind::Text(text) => atom(quote(text)),
            Kind::Bool(value) => atom(value.to_string()),
            Kind::None => atom("undefined".into()),
            Kind::This => atom("this".into()),
            Kind::Local(name) => atom(variable(name)),
            Kind::Global(name) => {
                self.use_global(name);
                atom(global(name))
            }
            Kind::Field(base, _) => {
                let field = self.raw_field(expr);
                match self.is_nullable(base, &expr.ty) {
                    true => (Doc::Concat(vec![field, Doc::text(" ?? undefined")]), COALESCE),
                    false => (field, POSTFIX),
                }
            }
            Kind::Operation(call) => (self.operation(call), POSTFIX),
            Kind::Method { receiver, name: called, args, is_property } => {
                let name = function(called);
                let mut parts = vec![self.expr(receiver, POSTFIX), Doc::Text(format!(".{name}"))];
                if !is_property {
                    parts.push(self.call_arguments(self.method_callee(receiver, called), args));
                }
                (Doc::Concat(parts), POSTFIX)
            }
            Kind::Call { function: name, args } => {
                self.use_global(name);
                let namespace = if self.is_example.get() { self.library.namespace_of(name) } else { String::new() };
                let callee = Doc::Text(format!("{namespace}{}", camel(name)));
                (Doc::Concat(vec![callee, self.call_arguments(self.function_callee(name), args)]), POSTFIX)
            }
            Kind::Static { owner, name, args } => {
                self.use_global(owner);
                if let Some(made) = args.as_ref().and_then(|args| self.new_object(owner, name, args)) {
                    return (made, POSTFIX);
                }
                let is_variant = name.chars().next().is_some_and(char::is_uppercase);
                let callee = self.static_callee(owner, name);
                let name = if is_variant { variant(name) } else { function(name) };
                let path = Doc::Text(format!("{owner}.{name}"));
                match args {
                    None => (path, POSTFIX),
                    Some(args) => (Doc::Concat(vec![path, self.call_arguments(callee, args)]), POSTFIX),
                }
            }
            Kind::Invoke(callee, args) => {
                (Doc::Concat(vec![self.expr(callee, POSTFIX), self.arguments("(", args, ")")]), POSTFIX)
            }
            Kind::Construct { class, fields, rest } => (self.construct(class, fields, rest.as_deref()), POSTFIX),
            Kind::Package { name, is_new, args, named } => (self.package(name, *is_new, args, named), POSTFIX),
            Kind::Spread(list) => (Doc::Concat(vec![Doc::text("..."), self.expr(list, ARGUMENT)]), ARGUMENT),
            Kind::Intrinsic(row, args) => (self.intrinsic(row, args), row.level),
            Kind::Binary(operator, left, right) => self.binary(operator, left, right),
            Kind::Unary("!", inner) => self.negation(inner),
            Kind::Unary(operator, inner) => (Doc::Concat(vec![Doc::text(*operator), self.expr(inner, POSTFIX)]), UNARY),
            Kind::IsSome(value) => (self.compare_with_none(value, "!="), EQUAL),
            Kind::IsTensor(value) => {
                self.uses("Tensor");
                (Doc::Concat(vec![self.expr(value, ADD), Doc::text(" instanceof Tensor")]), COMPARE)
            }
            Kind::IsVariant(value, name) => {
                let kind = quote(&variant(name));
                (Doc::Concat(vec![self.expr(value, POSTFIX), Doc::Text(format!(".kind === {kind}"))]), EQUAL)
            }
            Kind::Datum(value, index) => {
                let ty = self.type_name(&expr.ty);
                let parts = vec![self.expr(value, POSTFIX), Doc::Text(format!(".values[{index}] as {ty}"))];
                (Doc::Concat(parts), COMPARE)
            }
            Kind::Conditional(condition, then, otherwise) => {
                let rest = vec![
                    ("?".to_string(), self.expr(then, CONDITIONAL)),
                    (":".to_string(), self.expr(otherwise, CONDITIONAL)),
                ];
                (Doc::Chain(Box::new(self.expr(condition, COALESCE)), rest), CONDITIONAL)
            }
            Kind::Closure(params, body) => (self.closure(params, body), CONDITIONAL),
            Kind::List(items) => (self.arguments("[", items, "]"), ATOM),
            Kind::Copy(map) if matches!(map.ty, Type::Map(_)) => {
                (Doc::Concat(vec![Doc::text("{ ..."), self.expr(map, ARGUMENT), Doc::text(" }")]), ATOM)
            }
            Kind::Copy(list) => (Doc::Concat(vec![Doc::text("[..."), self.expr(list, ARGUMENT), Doc::text("]")]), ATOM),
            Kind::Index(list, index) => {
                let parts = vec![self.expr(list, POSTFIX), Doc::text("["), self.expr(index, ARGUMENT), Doc::text("]")];
                let is_tuple = matches!(list.ty, Type::Tuple(_)) && matches!(index.kind, Kind::Number(_));
                let checked = if is_tuple { vec![] } else { vec![Doc::text("!")] };
                (Doc::Concat([parts, checked].concat()), POSTFIX)
            }
            Kind::Format(parts) => atom(self.template(parts)),
            Kind::Downcast(value, class) => {
                self.use_type(class);
                (Doc::Concat(vec![self.expr(value, ADD), Doc::Text(format!(" as {class}"))]), COMPARE)
            }
            Kind::Error(kind, op, message) => {
                self.uses("failure");
                let args = vec![Doc::Text(quote(kind)), self.expr(op, ARGUMENT), self.expr(message, ARGUMENT)];
                (Doc::Brackets("failure(".into(), args, ")".into()), POSTFIX)
            }
            Kind::Await(value) => (Doc::Concat(vec![Doc::text("await "), self.expr(value, UNARY)]), UNARY),
        }
    }

    /// A field of an object.
    fn raw_field(&self, expr: &Expr) -> Doc {
        let Kind::Field(base, name) = &expr.kind else { return self.expr(expr, level::POSTFIX) };
        let name = self.field_name(&base.ty, name);
        Doc::Concat(vec![self.expr(base, level::POSTFIX), Doc::Text(format!(".{name}"))])
    }

    /// Whether a field of plain data may be null.
    fn is_nullable(&self, base: &Expr, ty: &Type) -> bool {
        matches!((&base.ty, ty), (Type::Object(class), Type::Optional(_)) if self.is_record(class))
    }

    /// A comparison of an optional value with none, which is also null in plain data.
    fn compare_with_none(&self, value: &Expr, operator: &str) -> Doc {
        match &value.kind {
            Kind::Field(base, _) if self.is_nullable(base, &value.ty) => {
                Doc::Concat(vec![self.raw_field(value), Doc::Text(format!(" {operator} null"))])
            }
            _ => Doc::Concat(vec![self.expr(value, level::COMPARE), Doc::Text(format!(" {operator}= undefined"))]),
        }
    }

    fn arguments(&self, open: &str, args: &[Expr], close: &str) -> Doc {
        let args = args.iter().map(|arg| self.expr(arg, level::ARGUMENT)).collect();
        Doc::Brackets(open.into(), args, close.into())
    }

    fn operation(&self, call: &Operation) -> Doc {
        let mut args: Vec<Doc> = call.positional.iter().map(|arg| self.expr(arg, level::ARGUMENT)).collect();
        args.extend(self.options(&call.named));
        let namespace = NAMESPACES.iter().find(|(_, prefix)| call.name.starts_with(prefix));
        match (namespace, &call.receiver) {
            (Some((namespace, prefix)), receiver) => {
                self.uses(namespace);
                if let Some(receiver) = receiver {
                    args.insert(0, self.expr(receiver, level::ARGUMENT));
                }
                let name = camel(&call.name[prefix.len()..]);
                Doc::Brackets(format!("{namespace}.{name}("), args, ")".into())
            }
            (None, Some(receiver)) => {
                let name = camel(&call.name);
                let receiver = self.expr(receiver, level::POSTFIX);
                if OPERATION_PROPERTIES.contains(&call.name.as_str()) {
                    return Doc::Concat(vec![receiver, Doc::Text(format!(".{name}"))]);
                }
                Doc::Concat(vec![receiver, Doc::Text(format!(".{name}")), Doc::Brackets("(".into(), args, ")".into())])
            }
            (None, None) => {
                self.uses("torch");
                let namespace = if self.is_example.get() { "" } else { "torch." };
                Doc::Brackets(format!("{namespace}{}(", camel(&call.name)), args, ")".into())
            }
        }
    }

    /// The object of arguments by name.
    fn options(&self, named: &[(String, Expr)]) -> Option<Doc> {
        let fields = named.iter().map(|(name, value)| {
            Doc::Concat(vec![Doc::Text(format!("{}: ", camel(name))), self.expr(value, level::ARGUMENT)])
        });
        (!named.is_empty()).then(|| Doc::Brackets("{".into(), fields.collect(), "}".into()))
    }

    /// A call of the package's `nn`.
    fn package(&self, name: &str, is_new: bool, args: &[Expr], named: &[(String, Expr)]) -> Doc {
        self.uses("nn");
        let name = if is_new { name.to_string() } else { camel(name) };
        let args = args.iter().map(|arg| self.expr(arg, level::ARGUMENT)).chain(self.options(named)).collect();
        Doc::Brackets(format!("{}nn.{name}(", if is_new { "new " } else { "" }), args, ")".into())
    }

    fn construct(&self, class: &str, fields: &[(String, Expr)], rest: Option<&Expr>) -> Doc {
        let is_record = self.is_record(class);
        let make = if self.library.is_module(class) { "makeModule" } else { "make" };
        if !is_record {
            self.uses(make);
            self.use_global(class);
        }
        if self.is_example.get() && fields.is_empty() {
            return Doc::Text(format!("new {class}()"));
        }
        let own = Type::Object(class.to_string());
        let spread = rest.map(|rest| Doc::Concat(vec![Doc::text("..."), self.expr(rest, level::ARGUMENT)]));
        let fields = fields.iter().map(|(name, value)| {
            let name = self.field_name(&own, name);
            let value = match is_record && matches!(value.ty, Type::Optional(_)) {
                true if value.kind == Kind::None => Doc::text("null"),
                true => Doc::Concat(vec![self.expr(value, level::COALESCE), Doc::text(" ?? null")]),
                false => self.expr(value, level::ARGUMENT),
            };
            match value {
                Doc::Text(text) if text == name => Doc::Text(text),
                value => Doc::Concat(vec![Doc::Text(format!("{name}: ")), value]),
            }
        });
        let fields = Doc::Brackets("{".into(), spread.into_iter().chain(fields).collect(), "}".into());
        if is_record {
            return fields;
        }
        Doc::Brackets(format!("{make}("), vec![Doc::Text(class.into()), fields], ")".into())
    }

    fn intrinsic(&self, row: &Intrinsic, args: &[Expr]) -> Doc {
        for helper in super::HELPERS {
            if row.typescript.starts_with(&format!("{helper}(")) {
                self.uses(helper);
            }
        }
        let mut parts = Vec::new();
        let mut rest = row.typescript;
        while let Some(at) = rest.find(['$', '@']) {
            parts.push(Doc::text(&rest[..at]));
            let number = rest[at + 1..].chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(0);
            let least = if rest[at..].starts_with('@') { level::POSTFIX } else { level::ARGUMENT };
            // `??` takes null as none.
            let is_coalesced = rest[at + 2..].starts_with(" ??");
            parts.push(args.get(number as usize).map_or(Doc::text(""), |arg| match arg.kind {
                Kind::Field(..) if is_coalesced => self.raw_field(arg),
                _ => self.expr(arg, least),
            }));
            rest = &rest[at + 2..];
        }
        parts.push(Doc::text(rest));
        Doc::Concat(parts)
    }

    fn binary(&self, operator: &str, left: &Expr, right: &Expr) -> (Doc, u8) {
        let level = match operator {
            "||" => level::OR,
            "&&" => level::AND,
            "===" | "!==" => level::EQUAL,
            "<" | "<=" | ">" | ">=" => level::COMPARE,
            "+" | "-" => level::ADD,
            _ => level::MULTIPLY,
        };
        let rest = vec![(operator.to_string(), self.expr(right, level + 1))];
        (Doc::Chain(Box::new(self.expr(left, level)), rest), level)
    }

    /// `!a`, or the opposite of a comparison.
    fn negation(&self, inner: &Expr) -> (Doc, u8) {
        let opposite = |operator: &str| match operator {
            "===" => Some("!=="),
            "!==" => Some("==="),
            _ => None,
        };
        match &inner.kind {
            Kind::IsSome(value) => (self.compare_with_none(value, "=="), level::EQUAL),
            Kind::Binary(operator, left, right) if opposite(operator).is_some() => {
                self.binary(opposite(operator).unwrap_or(operator), left, right)
            }
            _ => (Doc::Concat(vec![Doc::text("!"), self.expr(inner, level::POSTFIX)]), level::UNARY),
        }
    }

    fn closure(&self, params: &[Binding], body: &[Stmt]) -> Doc {
        let head = match params {
            [Binding::Name(name)] => format!("({})", variable(name)),
            params => format!("({})", params.iter().map(binding).collect::<Vec<_>>().join(", ")),
        };
        if let [Stmt::Return(Some(value))] = body {
            return Doc::Concat(vec![Doc::Text(format!("{head} => ")), self.expr(value, level::CONDITIONAL)]);
        }
        let lines = self.statements(body, 0);
        Doc::Block(format!("{head} => {{"), lines, "}".into())
    }

    fn template(&self, parts: &[Part]) -> String {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(characters) => text += &escape(characters, '`').replace("${", "\\${"),
                Part::Display(value) | Part::Debug(value) if value.ty.item().is_some() => {
                    text += &format!("[${{{}.join(', ')}}]", self.line(value, level::POSTFIX));
                }
                Part::Display(value) | Part::Debug(value) if value.ty == Type::Json => {
                    text += &format!("${{JSON.stringify({})}}", self.line(value, level::ARGUMENT));
                }
                Part::Debug(value) if value.ty == Type::Str => {
                    text += &format!("${{JSON.stringify({})}}", self.line(value, level::ARGUMENT));
                }
                Part::Display(value) | Part::Debug(value) => {
                    text += &format!("${{{}}}", self.line(value, level::ARGUMENT));
                }
            }
        }
        format!("`{text}`")
    }

    /// A type, whose classes are imported.
    pub(super) fn type_name(&self, ty: &Type) -> String {
        self.use_types(ty);
        type_name(ty)
    }
}

/// The names that a variable or a parameter binds.
pub(super) fn binding(pattern: &Binding) -> String {
    match pattern {
        Binding::Name(name) => variable(name),
        Binding::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(binding).collect();
            format!("[{}]", parts.join(", ").trim_end_matches([',', ' ']))
        }
        Binding::Skip => String::new(),
    }
}

/// A string's literal.
pub(super) fn quote(text: &str) -> String {
    format!("'{}'", escape(text, '\''))
}

fn escape(text: &str, quote: char) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace(quote, &format!("\\{quote}"))
}
