//! The arguments of calls of the library's functions.

use super::{
    Printer,
    expressions::level,
    functions::{is_optional, params},
};
use crate::{
    layout::Doc,
    library::Function,
    tree::{Expr, Kind},
    types::Type,
};

/// A function of the library that printed code calls.
pub(super) struct Callee<'a> {
    function: &'a Function,
    /// Whether users call it, too: then it binds its arguments, of which the optional ones may be
    /// missing.
    is_checked: bool,
}

impl Printer<'_> {
    /// A free function. The functions of the host are written with optional parameters.
    pub(super) fn function_callee(&self, name: &str) -> Option<Callee<'_>> {
        let function = self.library.function_in(&self.file.module, name)?;
        let is_exported = function.is_public && self.library.is_exported(name);
        Some(Callee { function, is_checked: is_exported || function.module == "host" })
    }

    /// A method of an object; `call` of a module calls its `forward`.
    pub(super) fn method_callee(&self, receiver: &Expr, name: &str) -> Option<Callee<'_>> {
        let Type::Object(class) = receiver.ty.value() else { return None };
        let name = if name == "call" && self.library.is_module(class) { "forward" } else { name };
        let function = self.library.method(class, name)?;
        Some(Callee { function, is_checked: self.is_checked_member(class, function) })
    }

    /// A function of a struct or an enum.
    pub(super) fn static_callee(&self, owner: &str, name: &str) -> Option<Callee<'_>> {
        let function = self.library.method(owner, name)?;
        Some(Callee { function, is_checked: self.is_checked_member(owner, function) })
    }

    /// Whether a method or a function of a class binds its arguments. Users call a constructor by
    /// `new`, and printed code calls its unchecked form.
    pub(super) fn is_checked_member(&self, class: &str, function: &Function) -> bool {
        let is_constructor = function.name == "new" || function.name.starts_with("from_");
        self.library.is_exported(class) && function.is_public && (function.takes_self || !is_constructor)
    }

    /// The arguments of a call. Nothing at the end is no argument of a function that binds its
    /// arguments, and `null` is nothing where a missing argument has another default.
    pub(super) fn call_arguments(&self, callee: Option<Callee<'_>>, args: &[Expr]) -> Doc {
        let mut printed: Vec<(Doc, bool)> = Vec::new();
        let params = callee.as_ref().map(|callee| params(callee.function)).unwrap_or_default();
        let is_checked = callee.as_ref().is_some_and(|callee| callee.is_checked);
        for (index, arg) in args.iter().enumerate() {
            let param = params.get(index).filter(|_| is_checked && arg.kind == Kind::None);
            let has_default = param.is_some_and(|param| param.default.as_ref().is_some_and(|text| text != "undefined"));
            let doc = if has_default { Doc::text("null") } else { self.expr(arg, level::ARGUMENT) };
            printed.push((doc, param.is_some_and(|param| is_optional(param)) && !has_default));
        }
        while printed.last().is_some_and(|(_, is_omitted)| *is_omitted) {
            printed.pop();
        }
        Doc::Brackets("(".into(), printed.into_iter().map(|(doc, _)| doc).collect(), ")".into())
    }
}
