//! Modules: built-in ones with their options, calls of modules, and the functions of `init`.

use super::{Lowerer, calls::Arguments, statements::strip};
use crate::{
    error::Result,
    intrinsics,
    operations::{SEQUENTIAL, parameter},
    tree::{Expr, Kind},
    types::Type,
};

/// A method call with a module or another value as receiver.
pub(super) enum ModuleMethod {
    /// The lowered call.
    Call(Expr),
    /// The receiver, whose method is none of modules.
    Other(Expr),
}

impl Lowerer<'_> {
    /// A new module of a built-in class.
    pub(super) fn new_module(&self, name: &str, args: Vec<Expr>, named: Vec<(String, Expr)>) -> Expr {
        let ty = Type::Module(name.to_string());
        Expr::new(Kind::Package { name: name.to_string(), is_new: true, args, named }, ty)
    }

    /// `Conv2d::builder(3, 8, 3).stride(2).build()`, or nothing if it is another method `build`.
    pub(super) fn built_module(&mut self, build: &syn::ExprMethodCall) -> Result<Option<Expr>> {
        let mut setters = Vec::new();
        let mut receiver = strip(&build.receiver);
        while let syn::Expr::MethodCall(setter) = receiver {
            setters.push(setter);
            receiver = strip(&setter.receiver);
        }
        let syn::Expr::Call(start) = receiver else { return Ok(None) };
        let Some((owner, _)) = last_two(&start.func).filter(|(_, name)| name == "builder") else { return Ok(None) };
        let owner = owner.as_str();
        let Some(schema) = self.library.operations.module(owner).cloned() else { return Ok(None) };
        let args = self.module_arguments(owner, &start.args)?;
        let mut named = Vec::new();
        for setter in setters.into_iter().rev() {
            let name = setter.method.to_string();
            let Some(param) = schema.params.iter().find(|param| param.name == name) else {
                return self.error(setter, format!("{owner} has no option {name}"));
            };
            let [value] = setter.args.iter().collect::<Vec<_>>()[..] else {
                return self.unsupported(setter, "an option without one value");
            };
            named.push((name, self.expr(value, Some(&parameter(param)))?));
        }
        Ok(Some(self.new_module(owner, args, named)))
    }

    /// The arguments of a constructor by position.
    fn module_arguments(&mut self, owner: &str, args: &Arguments) -> Result<Vec<Expr>> {
        let schema = self.library.operations.module(owner).cloned();
        let params = schema.map(|schema| schema.params).unwrap_or_default();
        let types = params.iter().map(|param| Some(parameter(param))).chain(std::iter::repeat(None));
        args.iter().zip(types).map(|(arg, ty)| self.expr(arg, ty.as_ref())).collect()
    }

    /// `Conv2d::new(3, 8, 3)`, `Sequential::new(layers)` or `init::normal_(weight, 0.0, 1.0)`.
    pub(super) fn module_static(&mut self, call: &syn::ExprCall, owner: &str, name: &str) -> Result<Option<Expr>> {
        let operations = &self.library.operations;
        if owner == "init" && operations.is_initializer(name) {
            let args = call.args.iter().map(|arg| self.expr(arg, None)).collect::<Result<_>>()?;
            let name = format!("init.{name}");
            return Ok(Some(Expr::new(Kind::Package { name, is_new: false, args, named: vec![] }, Type::Unit)));
        }
        if !operations.is_module(owner) || self.library.names.contains_key(owner) {
            return Ok(None);
        }
        let modules = Type::list(Type::Module("Module".into()));
        match (owner, name, call.args.first()) {
            (SEQUENTIAL, "new", Some(list)) => {
                let list = self.expr(list, Some(&modules))?;
                let args = match list.kind {
                    Kind::List(items) => items,
                    _ => vec![Expr::new(Kind::Spread(Box::new(list)), modules)],
                };
                Ok(Some(self.new_module(owner, args, vec![])))
            }
            (SEQUENTIAL, "with_names", Some(list)) => {
                let list = self.expr(list, None)?;
                let object = Kind::Intrinsic(intrinsics::by_name("list.to_object"), vec![list]);
                Ok(Some(self.new_module(owner, vec![Expr::new(object, modules)], vec![])))
            }
            (_, "new", _) => {
                let args = self.module_arguments(owner, &call.args)?;
                Ok(Some(self.new_module(owner, args, vec![])))
            }
            _ => self.unsupported(call, "this function of a module"),
        }
    }

    /// `parameter(data)` and `buffer(data)`.
    pub(super) fn module_function(&mut self, name: &str, args: &Arguments) -> Result<Option<Expr>> {
        let [data] = args.iter().collect::<Vec<_>>()[..] else { return Ok(None) };
        if !["parameter", "buffer"].contains(&name) {
            return Ok(None);
        }
        let args = vec![self.expr(data, Some(&Type::Tensor))?];
        let kind = Kind::Package { name: name.to_string(), is_new: false, args, named: vec![] };
        Ok(Some(Expr::new(kind, Type::Tensor)))
    }

    /// A call of a module, or of a method that all modules have.
    pub(super) fn module_method(
        &mut self,
        call: &syn::ExprMethodCall,
        name: &str,
        receiver: Expr,
    ) -> Result<ModuleMethod> {
        let own = match &receiver.ty {
            Type::Module(_) => None,
            Type::Object(class) if self.library.is_module(class) => self.library.method(class, name).cloned(),
            // The mode of a module: `self.training.get()`.
            Type::Bool if name == "get" && call.args.is_empty() => return Ok(ModuleMethod::Call(receiver)),
            _ => return Ok(ModuleMethod::Other(receiver)),
        };
        let method = |receiver: Expr, name: &str, args: Vec<Expr>, ty: Type| {
            let kind = Kind::Method { receiver: Box::new(receiver), name: name.into(), args, is_property: false };
            Ok(ModuleMethod::Call(Expr::new(kind, ty)))
        };
        match (name, own) {
            // `call` applies hooks, too.
            ("forward", Some(own)) => {
                let args = self.arguments(call, &own.params, &call.args)?;
                method(receiver, "call", args, own.result)
            }
            ("forward", None) => {
                let args = call.args.iter().map(|arg| self.expr(arg, Some(&Type::Tensor))).collect::<Result<_>>()?;
                method(receiver, "call", args, Type::Tensor)
            }
            ("named_parameters", None) => {
                let ty = Type::list(Type::Tuple(vec![Type::Str, Type::Tensor]));
                let row = intrinsics::by_name("module.named_parameters");
                Ok(ModuleMethod::Call(Expr::new(Kind::Intrinsic(row, vec![receiver]), ty)))
            }
            _ => Ok(ModuleMethod::Other(receiver)),
        }
    }
}

/// The last two names of a path.
fn last_two(path: &syn::Expr) -> Option<(String, String)> {
    let syn::Expr::Path(path) = path else { return None };
    let mut names = path.path.segments.iter().rev().map(|part| part.ident.to_string());
    let last = names.next()?;
    Some((names.next()?, last))
}
