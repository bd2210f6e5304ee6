//! Examples in TypeScript.

use super::{Printer, expressions::level, functions::params};
use crate::{
    layout::{Doc, render},
    lower::{
        Lowerer,
        examples::{Line, code},
    },
    names::camel,
    tree::Expr,
    types::{Generics, Type},
};

impl Printer<'_> {
    /// The lines `@example` of a documentation comment, if its example can be printed.
    pub(super) fn example(&self, docs: &[String]) -> Vec<String> {
        let code = code(docs);
        let mut lowerer = Lowerer::new(self.library, self.file, Generics::new(), None);
        let lines = lowerer.example(&code);
        if lines.is_empty() {
            return vec![];
        }
        let outer = self.variables.replace(lowerer.take_types());
        // The names in an example are not imported.
        let uses = self.uses.take();
        self.is_example.set(true);
        let mut printed = vec!["@example".to_string()];
        for line in &lines {
            let text = match line {
                Line::Stmt(stmt) => self.statements(std::slice::from_ref(stmt), 0).remove(0),
                Line::Value(value, expected) => {
                    format!("{}; // {}", self.text(value, 0, 0, 1), self.text(expected, 0, 0, 0))
                }
            };
            printed.extend(text.split('\n').map(str::to_string));
        }
        self.is_example.set(false);
        self.uses.replace(uses);
        self.variables.replace(outer);
        printed
    }

    /// A call of a constructor as users write it.
    pub(super) fn new_object(&self, class: &str, name: &str, args: &[Expr]) -> Option<Doc> {
        let function = self.library.classes.get(class)?.functions.get(name)?;
        let is_constructor = name == "new" || name.starts_with("from_");
        if !self.is_example.get() || !is_constructor || function.result != Type::Object(class.to_string()) {
            return None;
        }
        let given: Vec<String> = args.iter().map(|arg| render(&self.expr(arg, level::ARGUMENT), 0, 0, 0)).collect();
        let args = match name {
            "new" => given.join(", "),
            _ => {
                let params = params(function);
                let named = params.iter().map(|param| camel(&param.name)).zip(given);
                let fields = named.map(|(name, value)| if name == value { name } else { format!("{name}: {value}") });
                format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
        };
        Some(Doc::Text(format!("new {}{class}({args})", self.library.namespace_of(class))))
    }
}
