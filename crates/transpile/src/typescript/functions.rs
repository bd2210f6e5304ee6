//! Functions and methods: their signatures, the conversion of their arguments, and their bodies.

use super::{
    Printer, comments,
    expressions::quote,
    types::{argument_kind, argument_type},
};
use crate::{
    error::Result,
    library::{Function, Parameter},
    lower::Lowerer,
    names::{camel, function, variable},
    syntax::docs,
    tree::{Body, Kind, Stmt, walk},
    types::{Generics, Type},
};

/// A function with the words before its name.
pub(super) struct Declared<'a> {
    /// Its declaration.
    pub function: &'a Function,
    /// The name in errors: `Normal.logProb`.
    pub op: String,
    /// The words before the name: `export function `, `override `.
    pub prefix: String,
    /// Whether users call it, so that arguments are checked.
    pub is_checked: bool,
}

impl Printer<'_> {
    pub(super) fn free_function(&self, item: &syn::ItemFn) -> Result<String> {
        let name = item.sig.ident.to_string();
        let Some(declared) = self.library.function_in(&self.file.module, &name) else {
            return crate::error::unsupported(&self.file.path, &item.sig, "this function");
        };
        let generics = self.library.generics(self.file, &item.sig.generics, &Generics::new())?;
        let asynchronous = if declared.is_async { "async " } else { "" };
        let export = if self.library.is_private(&self.file.module, &name) { "" } else { "export " };
        let declared = Declared {
            function: declared,
            op: camel(&name),
            prefix: format!("{export}{asynchronous}function "),
            is_checked: declared.is_public && self.library.is_exported(&name),
        };
        let body = self.lower(&declared, &item.block, generics, None)?;
        let docs = docs(&item.attrs);
        let example = if declared.is_checked { self.example(&docs) } else { vec![] };
        Ok(comments::comment(&docs, &example, 0) + &self.print_function(&declared, &body, 0))
    }

    /// Lowers a body whose parameters are the function's.
    pub(super) fn lower(
        &self,
        declared: &Declared<'_>,
        block: &syn::Block,
        generics: Generics,
        own: Option<Type>,
    ) -> Result<Body> {
        let params: Vec<(String, Type)> =
            declared.function.params.iter().map(|param| (param.name.clone(), param.ty.clone())).collect();
        let mut lowerer = Lowerer::new(self.library, self.file, generics, own);
        lowerer.body(&params, &declared.function.result, block)
    }

    /// A function or method with its body.
    pub(super) fn print_function(&self, declared: &Declared<'_>, body: &Body, indent: usize) -> String {
        self.variables.replace(body.types.clone());
        let (space, name) = (" ".repeat(indent), function(&declared.function.name));
        let result = self.result(declared.function);
        let mut function = declared.function.clone();
        for (param, local) in function.params.iter_mut().zip(&body.params) {
            param.local = Some(local.clone());
        }
        let params: Vec<&Parameter> = params(&function);
        let prefix = format!("{space}{}", declared.prefix);
        if declared.function.is_property {
            return format!("{prefix}get {name}(): {result} {{\n{}\n{space}}}\n", self.body(declared, body, indent));
        }
        let is_used = params.iter().any(|param| !param.name.starts_with('_'));
        if !declared.is_checked || params.is_empty() || !is_used {
            let params =
                params.iter().map(|param| self.plain_parameter(param, declared.is_checked)).collect::<Vec<_>>();
            let head = format!("{prefix}{name}({}): {result} {{", params.join(", "));
            return format!("{head}\n{}\n{space}}}\n", self.body(declared, body, indent));
        }
        let overload = declared.prefix.replace("async ", "");
        let signatures =
            self.signatures(&params).into_iter().map(|list| format!("{space}{overload}{name}({list}): {result};\n"));
        let bound = self.bind_call(&declared.op, &params);
        format!(
            "{}{prefix}{name}(...args: unknown[]): {result} {{\n{space}  {bound}\n{}\n{space}}}\n",
            signatures.collect::<String>(),
            self.body(declared, body, indent)
        )
    }

    /// The type of a function's result.
    pub(super) fn result(&self, declared: &Function) -> String {
        let result = self.type_name(&declared.result);
        if declared.is_async { format!("Promise<{result}>") } else { result }
    }

    fn plain_parameter(&self, param: &Parameter, is_checked: bool) -> String {
        match is_checked {
            true => self.argument(param),
            false => format!("{}: {}", variable(param.local_name()), self.type_name(&param.ty)),
        }
    }

    /// A parameter in a signature that users see.
    fn argument(&self, param: &Parameter) -> String {
        let optional = if is_optional(param) { "?" } else { "" };
        format!("{}{optional}: {}", variable(param.name.trim_start_matches('_')), self.argument_type(&param.ty))
    }

    fn field(&self, param: &Parameter) -> String {
        let optional = if is_optional(param) { "?" } else { "" };
        format!("{}{optional}: {}", camel(param.name.trim_start_matches('_')), self.argument_type(&param.ty))
    }

    pub(super) fn argument_type(&self, ty: &Type) -> String {
        match ty.value() {
            Type::Tensor | Type::Operand => self.uses("TensorLike"),
            other => self.use_types(other),
        }
        argument_type(ty)
    }

    /// The lists of parameters that users may give: by position, and the optional ones by name.
    pub(super) fn signatures(&self, params: &[&Parameter]) -> Vec<String> {
        // A parameter is optional if those after it are.
        let required = params.iter().rposition(|param| !is_optional(param)).map_or(0, |last| last + 1);
        let all = params.iter().enumerate().map(|(index, param)| match index < required && is_optional(param) {
            true => self.argument(param).replacen("?: ", ": undefined | ", 1),
            false => self.argument(param),
        });
        let all: Vec<String> = all.collect();
        let mut signatures = vec![all.join(", ")];
        let (optional, required): (Vec<&Parameter>, Vec<&Parameter>) =
            params.iter().partition(|param| is_optional(param));
        if !optional.is_empty() {
            let fields: Vec<String> = optional.iter().map(|param| self.field(param)).collect();
            let mut parts: Vec<String> = required.iter().map(|param| self.argument(param)).collect();
            parts.push(format!("options?: {{ {} }}", fields.join("; ")));
            signatures.push(parts.join(", "));
        }
        signatures
    }

    /// The statement that checks the arguments and binds their names.
    pub(super) fn bind_call(&self, op: &str, params: &[&Parameter]) -> String {
        self.uses("bind");
        let mut classes: Vec<String> = Vec::new();
        let (mut names, mut types, mut defaults) = (vec![], vec![], vec![]);
        let mut text = op.to_string();
        for param in params {
            let optional = if is_optional(param) { "?" } else { "" };
            let kind = match self.library.choices_of(param.ty.value()) {
                Some(texts) => argument_kind(&Type::Texts(texts)),
                None => argument_kind(&param.ty),
            };
            text += &format!(" {}:{kind}{optional}", camel(param.name.trim_start_matches('_')));
            if let Type::Object(class) = param.ty.value() {
                self.use_global(class);
                if !classes.contains(class) {
                    classes.push(class.clone());
                }
            }
            let ty = self.type_name(&param.ty);
            match (&param.default, &param.ty) {
                // `null` is none, and not the default.
                (Some(default), Type::Optional(_)) if default != "undefined" => {
                    defaults.push(format!("{}: {default}", camel(&param.name)));
                    names.push(variable(param.local_name()));
                    types.push(ty);
                }
                (Some(default), _) if default != "undefined" => {
                    names.push(format!("{} = {default}", variable(param.local_name())));
                    types.push(format!("{ty} | undefined"));
                }
                _ => {
                    names.push(variable(param.local_name()));
                    types.push(ty);
                }
            }
        }
        let classes = match (classes.is_empty(), defaults.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!(", {{}}, {{ {} }}", defaults.join(", ")),
            (false, true) => format!(", {{ {} }}", classes.join(", ")),
            (false, false) => format!(", {{ {} }}, {{ {} }}", classes.join(", "), defaults.join(", ")),
        };
        format!("const [{}] = bind({}, args{classes}) as [{}];", names.join(", "), quote(&text), types.join(", "))
    }

    /// The statements of a body. Where it makes more than one tensor, they run in a scope, so that
    /// those that are not returned are freed. The parameters of a module that is returned are not.
    pub(super) fn body(&self, declared: &Declared<'_>, body: &Body, indent: usize) -> String {
        let makes_modules = self.library.has_modules(&declared.function.result);
        if declared.function.is_async || makes_modules || !self.makes_several(&body.stmts) {
            return self.statements(&body.stmts, indent + 2).join("\n");
        }
        self.uses("scope");
        let space = " ".repeat(indent + 2);
        let returned = if declared.function.result == Type::Unit { "" } else { "return " };
        if let [Stmt::Return(Some(value))] = &body.stmts[..] {
            let value = self.text(value, indent + 2, indent + 2 + returned.len() + 12, 2);
            return format!("{space}{returned}scope(() => {value});");
        }
        let lines = self.statements(&body.stmts, indent + 4).join("\n");
        format!("{space}{returned}scope(() => {{\n{lines}\n{space}}});")
    }
}

/// The parameters that JavaScript has.
pub(super) fn params(function: &Function) -> Vec<&Parameter> {
    function.params.iter().filter(|param| !matches!(param.ty.value(), Type::Device)).collect()
}

pub(super) fn is_optional(param: &Parameter) -> bool {
    param.default.is_some() || matches!(param.ty, Type::Optional(_))
}

impl Printer<'_> {
    /// Whether statements make more than one tensor.
    fn makes_several(&self, stmts: &[Stmt]) -> bool {
        let has_loop =
            stmts.iter().any(|stmt| matches!(stmt, Stmt::ForEach(..) | Stmt::ForRange(..) | Stmt::While(..)));
        let mut count = 0;
        walk(stmts, &mut |expr| {
            let is_call = match &expr.kind {
                Kind::Operation(_) | Kind::Call { .. } | Kind::Invoke(..) => true,
                Kind::Static { args, .. } => args.is_some(),
                Kind::Method { receiver, .. } => receiver.ty != Type::Tensor,
                _ => false,
            };
            count += usize::from(is_call && self.holds_tensors(&expr.ty));
        });
        count > 1 || (has_loop && count > 0)
    }

    /// Whether a value of this type may have a new tensor.
    fn holds_tensors(&self, ty: &Type) -> bool {
        self.library.has_tensors(ty) || *ty == Type::Open
    }
}
