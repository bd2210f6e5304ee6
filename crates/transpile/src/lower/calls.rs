//! Calls: of operations, of the library's functions, and of methods of lists, options and numbers.

use super::{Lowerer, modules::ModuleMethod};
use crate::{
    error::Result,
    intrinsics::{self, Intrinsic, Rule},
    library::{Function, Parameter},
    operations,
    tree::{Binding, Expr, Kind, Operation},
    types::Type,
};
use lanthorn_schema::{Default, ParamType, Schema};
use syn::punctuated::Punctuated;

pub(super) type Arguments = Punctuated<syn::Expr, syn::Token![,]>;

/// Methods that a language without ownership does not need, with any receiver.
const ERASED: &[&str] = &[
    "as_deref",
    "as_ref",
    "as_slice",
    "as_str",
    "borrow",
    "clone",
    "cloned",
    "collect",
    "copied",
    "deref",
    "dims",
    "into",
    "into_iter",
    "into_owned",
    "iter",
    "to_i64",
    "to_owned",
    "to_rc",
    "to_vec",
];

/// Methods of a tensor that are no operations: the name in the tree, and the type.
const TENSOR_PROPERTIES: &[(&str, &str, Type)] = &[
    ("rank", "ndim", Type::Int),
    ("numel", "numel", Type::Int),
    ("dtype", "dtype", Type::DType),
    ("device", "device", Type::Device),
    ("requires_grad", "requires_grad", Type::Bool),
];

impl Lowerer<'_> {
    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall, expected: Option<&Type>) -> Result<Expr> {
        let name = call.method.to_string();
        let name = name.trim_start_matches("r#");
        if let (syn::Expr::Range(range), "contains", Some(value)) =
            (super::strip(&call.receiver), name, call.args.first())
        {
            return self.range_contains(range, value);
        }
        if name == "build"
            && call.args.is_empty()
            && let Some(module) = self.built_module(call)?
        {
            return Ok(module);
        }
        // The type of an empty list follows from the expected one.
        let passed = expected.filter(|_| ERASED.contains(&name));
        let receiver = self.expr(&call.receiver, passed)?;
        if receiver.ty == Type::Tensor {
            return self.tensor_method(call, name, receiver);
        }
        let receiver = match self.module_method(call, name, receiver)? {
            ModuleMethod::Call(value) => return Ok(value),
            ModuleMethod::Other(receiver) => receiver,
        };
        if name == "to_string" && receiver.ty.is_number() {
            return Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name("number.to_text"), vec![receiver]), Type::Str));
        }
        if let (Type::Optional(_), "is_some" | "is_none") = (&receiver.ty, name) {
            let is_some = Expr::new(Kind::IsSome(Box::new(receiver)), Type::Bool);
            return Ok(if name == "is_some" { is_some } else { super::patterns::negate(is_some) });
        }
        // Of a map and of JSON these are no copies: `iter` and `as_str`.
        if matches!(receiver.ty, Type::Map(_) | Type::Json) && intrinsics::find(&receiver.ty, name, 0).is_some() {
            return self.intrinsic(call, name, receiver);
        }
        let is_erased =
            call.args.is_empty() && (ERASED.contains(&name) || name == "to_string" && receiver.ty == Type::Str);
        if let Type::Object(class) = &receiver.ty
            && let Some(function) = self.library.method(class, name).cloned()
        {
            let args = self.arguments(call, &function.params, &call.args)?;
            let (receiver, name) = (Box::new(receiver), name.to_string());
            let kind = Kind::Method { receiver, name, args, is_property: function.is_property };
            return Ok(Expr::new(kind, function.result));
        }
        if is_erased {
            return Ok(receiver);
        }
        if receiver.ty == Type::Operand
            && let Some(function) = self.library.functions.get(&format!("param_{name}")).cloned()
        {
            let mut args = self.arguments(call, &function.params[1..], &call.args)?;
            args.insert(0, receiver);
            return Ok(Expr::new(Kind::Call { function: function.name, args }, function.result));
        }
        self.intrinsic(call, name, receiver)
    }

    /// `(0.0..=1.0).contains(&x)`.
    fn range_contains(&mut self, range: &syn::ExprRange, value: &syn::Expr) -> Result<Expr> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else { return self.unsupported(range, "this range") };
        let value = self.expr(value, None)?;
        if !value.is_name() {
            return self.unsupported(range, "a range around an expression that is no variable");
        }
        let (start, end) = (self.expr(start, Some(&value.ty))?, self.expr(end, Some(&value.ty))?);
        let less = if matches!(range.limits, syn::RangeLimits::Closed(_)) { "<=" } else { "<" };
        let above = Expr::new(Kind::Binary(">=", Box::new(value.clone()), Box::new(start)), Type::Bool);
        let below = Expr::new(Kind::Binary(less, Box::new(value), Box::new(end)), Type::Bool);
        Ok(Expr::new(Kind::Binary("&&", Box::new(above), Box::new(below)), Type::Bool))
    }

    fn tensor_method(&mut self, call: &syn::ExprMethodCall, name: &str, receiver: Expr) -> Result<Expr> {
        let property = |name: &str, ty: Type| {
            let receiver = Box::new(receiver.clone());
            Expr::new(Kind::Method { receiver, name: name.to_string(), args: vec![], is_property: true }, ty)
        };
        if call.args.is_empty() {
            if let Some((_, printed, ty)) = TENSOR_PROPERTIES.iter().find(|(known, ..)| *known == name) {
                return Ok(property(printed, ty.clone()));
            }
            match name {
                "shape" => return Ok(property("shape", Type::list(Type::Int))),
                "clone" | "into" | "to_owned" => return Ok(receiver),
                "sum_all" => return Ok(super::expressions::method("sum", receiver, vec![])),
                "mean_all" => return Ok(super::expressions::method("mean", receiver, vec![])),
                "detach" => return Ok(super::expressions::method("detach", receiver, vec![])),
                "to_vec" => {
                    let list = super::expressions::method("tolist", receiver, vec![]);
                    return Ok(Expr { ty: Type::list(Type::Float), ..list });
                }
                "item" => return Ok(Expr { ty: Type::Float, ..super::expressions::method("item", receiver, vec![]) }),
                _ => {}
            }
        }
        match self.library.operations.get(name) {
            Some((schema, has_keywords)) => {
                let schema = schema.clone();
                self.operation(call, &schema, has_keywords, Some(receiver), &call.args)
            }
            None => self.error(call, format!("there is no operation {name}")),
        }
    }

    /// A call of an operation with Rust's arguments: all by position.
    fn operation(
        &mut self,
        node: &impl syn::spanned::Spanned,
        schema: &Schema,
        has_keywords: bool,
        receiver: Option<Expr>,
        args: &Arguments,
    ) -> Result<Expr> {
        let own = usize::from(receiver.is_some());
        let is_taken = |param: &&lanthorn_schema::Param| has_keywords || !param.keyword_only || param.default.is_none();
        let params: Vec<_> = schema.params[own..].iter().filter(is_taken).collect();
        if params.len() != args.len() {
            return self
                .error(node, format!("{} takes {} arguments, not {}", schema.full_name(), params.len(), args.len()));
        }
        let (mut positional, mut named, mut makes_float, mut has_dtype) = (vec![], vec![], false, false);
        // Arguments that are the defaults are printed only before others.
        let mut pending = Vec::new();
        for (param, arg) in params.into_iter().zip(args) {
            let value = self.expr(arg, Some(&operations::parameter(param)))?;
            if param.ty == ParamType::OptionalDevice || value.ty == Type::Device {
                continue;
            }
            makes_float |= matches!(param.ty, ParamType::Scalar | ParamType::TensorOrScalar) && value.ty == Type::Float;
            let is_default = param.default.as_ref().is_some_and(|default| is_default(default, &value));
            has_dtype |= param.name == "dtype" && !is_default;
            if param.keyword_only {
                if !is_default {
                    named.push((param.name.clone(), value));
                }
                continue;
            }
            pending.push(value);
            if !is_default {
                positional.append(&mut pending);
            }
        }
        let takes_dtype =
            schema.params.iter().any(|param| param.name == "dtype" && param.ty == ParamType::OptionalDType);
        if schema.makes_tensor() && makes_float && takes_dtype && !has_dtype {
            // A whole number would make a tensor of integers in JavaScript.
            named.push(("dtype".into(), Expr::new(Kind::Text("float32".into()), Type::DType)));
        }
        let ty = operations::result(schema);
        let call = Operation { name: schema.name.clone(), receiver, positional, named };
        Ok(Expr::new(Kind::Operation(Box::new(call)), ty))
    }

    pub(super) fn call(&mut self, call: &syn::ExprCall, expected: Option<&Type>) -> Result<Expr> {
        let syn::Expr::Path(path) = &*call.func else { return self.unsupported(call, "a call of this expression") };
        let segments = &path.path.segments;
        let names: Vec<String> = segments.iter().map(|part| part.ident.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match (&names[..], call.args.first()) {
            (["Ok"] | [.., "Rc" | "Arc" | "Box", "new"], Some(value)) => return self.expr(value, expected),
            (["pollster", "block_on"], Some(value)) => {
                let value = self.expr(value, expected)?;
                return Ok(Expr { ty: value.ty.clone(), kind: Kind::Await(Box::new(value)) });
            }
            (["Some"], Some(value)) => {
                let value = self.expr(value, expected.map(Type::value))?;
                return Ok(Expr { ty: Type::optional(value.ty.clone()), ..value });
            }
            ([.., "Vec" | "String", "new"], None) | ([.., "Vec", "with_capacity"], Some(_)) => {
                let is_text = names.contains(&"String");
                let empty = if is_text {
                    (Kind::Text(String::new()), Type::Str)
                } else {
                    (Kind::List(vec![]), Type::list(Type::Open))
                };
                return Ok(Expr::new(empty.0, empty.1));
            }
            ([.., "Map" | "BTreeMap", "new"], None) => {
                return Ok(Expr::new(
                    Kind::Intrinsic(intrinsics::by_name("map.new"), vec![]),
                    Type::Map(Type::Open.into()),
                ));
            }
            ([.., "Value", "from"], Some(value)) => {
                let value = self.expr(value, None)?;
                return Ok(match value.ty {
                    Type::Optional(_) => {
                        Expr::new(Kind::Intrinsic(intrinsics::by_name("option.or_null"), vec![value]), Type::Json)
                    }
                    _ => Expr { ty: Type::Json, ..value },
                });
            }
            ([.., "f64" | "f32" | "i64" | "usize" | "String", "from"], Some(value)) => {
                let value = self.expr(value, None)?;
                let ty = if matches!(names[names.len() - 2], "f64" | "f32") { Type::Float } else { value.ty.clone() };
                return Ok(Expr { ty, ..value });
            }
            (
                [.., "Param" | "Operand" | "Scalar" | "Ints", "from"]
                | [.., "Param" | "Operand", "Tensor" | "Number" | "Scalar"],
                Some(value),
            ) => {
                return self.expr(value, None);
            }
            ([.., "Error", kind], Some(_)) if call.args.len() == 2 => {
                let (op, message) = (self.expr(&call.args[0], None)?, self.expr(&call.args[1], None)?);
                return Ok(Expr::new(Kind::Error(kind.to_string(), Box::new(op), Box::new(message)), Type::Error));
            }
            _ => {}
        }
        match names[..] {
            [name] => self.function_call(call, name, segments.last(), expected),
            [.., owner, name] => {
                let owner = if owner == "Self" { self.own_name() } else { owner.to_string() };
                self.static_call(call, &owner, name)
            }
            _ => self.unsupported(call, "this call"),
        }
    }

    fn function_call(
        &mut self,
        call: &syn::ExprCall,
        name: &str,
        segment: Option<&syn::PathSegment>,
        expected: Option<&Type>,
    ) -> Result<Expr> {
        if let Some(variable) = self.lookup(name) {
            let callee = variable.value.clone();
            let Type::Function(params, result) = callee.ty.clone() else {
                return self.unsupported(call, "a call of this value");
            };
            let args = call.args.iter().zip(params).map(|(arg, ty)| self.expr(arg, Some(&ty)));
            let args = args.collect::<Result<_>>()?;
            return Ok(Expr::new(Kind::Invoke(Box::new(callee), args), *result));
        }
        let Some(function) = self.library.function_in(&self.file.module, name).cloned() else {
            return match self.module_function(name, &call.args)? {
                Some(value) => Ok(value),
                None => self.unsupported(call, "this function"),
            };
        };
        let mut args = self.arguments(call, &function.params, &call.args)?;
        if let Some(class) = self.turbofish(segment, &function, expected)? {
            // `downcast::<Normal>(x)`
            let value = args.pop().map(Box::new);
            return match (value, args.is_empty()) {
                (Some(value), true) => {
                    let ty = if matches!(function.result, Type::Optional(_)) {
                        Type::optional(class.clone())
                    } else {
                        class.clone()
                    };
                    let Type::Object(class) = class else { return self.unsupported(call, "this type") };
                    Ok(Expr::new(Kind::Downcast(value, class), ty))
                }
                _ => self.unsupported(call, "a function with a type"),
            };
        }
        // Shapes are lists of numbers in the printed languages, whatever their type in Rust.
        if name == "ints" && args.len() == 1 {
            return Ok(Expr { ty: function.result, ..args.remove(0) });
        }
        Ok(Expr::new(Kind::Call { function: name.to_string(), args }, function.result))
    }

    /// The type that a call names, `Normal` of `downcast::<Normal>(x)`, or the expected one.
    fn turbofish(
        &self,
        segment: Option<&syn::PathSegment>,
        function: &Function,
        expected: Option<&Type>,
    ) -> Result<Option<Type>> {
        let (Some(segment), Some(_)) = (segment, &function.turbofish) else { return Ok(None) };
        match (&segment.arguments, expected.map(Type::value)) {
            (syn::PathArguments::AngleBracketed(list), _) => match list.args.first() {
                Some(syn::GenericArgument::Type(ty)) => Ok(Some(self.read(ty)?)),
                _ => self.unsupported(segment, "this type"),
            },
            (_, Some(ty @ Type::Object(_))) => Ok(Some(ty.clone())),
            _ => {
                let name = &function.name;
                self.error(segment, format!("the type of the result is not known: call it as `{name}::<T>(..)`"))
            }
        }
    }

    fn static_call(&mut self, call: &syn::ExprCall, owner: &str, name: &str) -> Result<Expr> {
        let node = call;
        if owner == "Tensor" {
            if let Some((schema, has_keywords)) = self.library.operations.get(name) {
                let schema = schema.clone();
                // A method as a function: `Tensor::add(&x, &y)`.
                if schema.is_method() && !call.args.is_empty() {
                    let mut args = call.args.clone();
                    let rest = args.iter().skip(1).cloned().collect();
                    let receiver = self.expr(&args[0], Some(&Type::Tensor))?;
                    args = rest;
                    return self.operation(node, &schema, has_keywords, Some(receiver), &args);
                }
                return self.operation(node, &schema, has_keywords, None, &call.args);
            }
            if name == "from_slice" && call.args.len() == 3 {
                return self.tensor_of_numbers(call);
            }
            if name == "scalar" && !call.args.is_empty() {
                let value = self.expr(&call.args[0], None)?;
                let dtype = if value.ty == Type::Float { "float32" } else { "int64" };
                let named = vec![("dtype".to_string(), Expr::new(Kind::Text(dtype.into()), Type::DType))];
                let call = Operation { name: "scalar_tensor".into(), receiver: None, positional: vec![value], named };
                return Ok(Expr::new(Kind::Operation(Box::new(call)), Type::Tensor));
            }
            return self.error(node, format!("there is no operation {name}"));
        }
        if let Some(value) = self.module_static(call, owner, name)? {
            return Ok(value);
        }
        let class = self.library.classes.get(owner);
        if let Some((_, types)) = class.and_then(|class| class.variants.iter().find(|(variant, _)| variant == name)) {
            let params: Vec<Parameter> = types
                .iter()
                .map(|ty| Parameter { name: String::new(), ty: ty.clone(), default: None, local: None })
                .collect();
            let args = Some(self.arguments(node, &params, &call.args)?);
            let kind = Kind::Static { owner: owner.to_string(), name: name.to_string(), args };
            return Ok(Expr::new(kind, Type::Object(owner.to_string())));
        }
        let Some(function) = self.library.method(owner, name).cloned() else {
            return self.unsupported(node, "this function");
        };
        if function.takes_self {
            return self.unsupported(node, "a method called as a function");
        }
        let args = Some(self.arguments(node, &function.params, &call.args)?);
        Ok(Expr::new(Kind::Static { owner: owner.to_string(), name: name.to_string(), args }, function.result))
    }

    /// `Tensor::from_slice(&[1.0, 2.0], [2], &device)`, as examples have it.
    fn tensor_of_numbers(&mut self, call: &syn::ExprCall) -> Result<Expr> {
        let data = self.expr(&call.args[0], None)?;
        let shape = self.expr(&call.args[1], None)?;
        let is_vector = matches!(&shape.kind, Kind::List(sizes) if sizes.len() == 1);
        let dtype = |name: &str| ("dtype".to_string(), Expr::new(Kind::Text(name.into()), Type::DType));
        let named = integer_dtype(&call.args[0]).map(dtype).into_iter().collect();
        let made = Operation { name: "tensor".into(), receiver: None, positional: vec![data], named };
        let made = Expr::new(Kind::Operation(Box::new(made)), Type::Tensor);
        Ok(if is_vector { made } else { super::expressions::method("reshape", made, vec![shape]) })
    }

    /// The arguments of a function of the library, without devices.
    pub(super) fn arguments(
        &mut self,
        node: &impl syn::spanned::Spanned,
        params: &[Parameter],
        args: &Arguments,
    ) -> Result<Vec<Expr>> {
        if params.len() != args.len() {
            return self.error(node, format!("{} arguments are taken, not {}", params.len(), args.len()));
        }
        let mut lowered = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let value = self.expr(arg, Some(&param.ty))?;
            if !matches!(param.ty.value(), Type::Device) {
                lowered.push(value);
            }
        }
        Ok(lowered)
    }

    /// A row of the table of intrinsics.
    fn intrinsic(&mut self, call: &syn::ExprMethodCall, name: &str, receiver: Expr) -> Result<Expr> {
        let Some(row) = intrinsics::find(&receiver.ty, name, call.args.len()) else {
            return self.error(call, format!("the method {name} of {} is not in the subset", receiver.ty));
        };
        let item = receiver.ty.value().item();
        if name == "map"
            && let Kind::Intrinsic(inner, parts) = &receiver.kind
            && inner.name == "list.enumerate"
        {
            return self.map_with_index(call, row, parts[0].clone());
        }
        let given = match (&receiver.ty, name) {
            (Type::Optional(value), _) => vec![(**value).clone()],
            (_, "fold") => vec![],
            _ => item.clone().into_iter().collect(),
        };
        let mut args = Vec::new();
        for arg in &call.args {
            let expected =
                if matches!(name, "push" | "contains" | "unwrap_or") { given.first().cloned() } else { None };
            args.push(match arg {
                syn::Expr::Closure(closure) => self.closure(closure, &given, None)?,
                other => self.expr(other, expected.as_ref())?,
            });
        }
        match (name, &args[..], &receiver.ty) {
            ("push", [value], _) => self.learn(&call.receiver, &Type::list(value.ty.clone())),
            ("insert", [_, value], Type::Map(_)) => self.learn(&call.receiver, &Type::Map(value.ty.clone().into())),
            _ => {}
        }
        let ty = result_type(row, &receiver, &args);
        let Some(ty) = ty else {
            return self.error(call, format!("the type of {name} is not known: annotate the variable"));
        };
        let args = std::iter::once(receiver).chain(args).collect();
        self.check_type(call, Expr::new(Kind::Intrinsic(row, args), ty))
    }

    /// `list.iter().enumerate().map(|(index, item)| ..)`, whose parameters JavaScript swaps.
    fn map_with_index(&mut self, call: &syn::ExprMethodCall, row: &'static Intrinsic, list: Expr) -> Result<Expr> {
        let Some(syn::Expr::Closure(closure)) = call.args.first() else {
            return self.unsupported(call, "this function");
        };
        let pair = Type::Tuple(vec![Type::Int, list.ty.item().unwrap_or(Type::Open)]);
        let mut mapped = self.closure(closure, &[pair], None)?;
        let Kind::Closure(params, _) = &mut mapped.kind else { return self.unsupported(call, "this function") };
        let [Binding::Tuple(parts)] = &params[..] else { return self.unsupported(closure, "this parameter of a pair") };
        let swapped: Vec<Binding> = parts.iter().rev().cloned().collect();
        *params = swapped;
        let ty = match &mapped.ty {
            Type::Function(_, result) => Type::list((**result).clone()),
            _ => Type::Open,
        };
        Ok(Expr::new(Kind::Intrinsic(row, vec![list, mapped]), ty))
    }
}

/// The dtype of a list of integers, `uint8` for `&[1u8, 2]`. A list of other elements has none.
fn integer_dtype(list: &syn::Expr) -> Option<&'static str> {
    match super::strip(list) {
        syn::Expr::Array(array) => {
            let dtypes: Vec<_> = array.elems.iter().filter_map(integer_dtype).collect();
            dtypes.iter().find(|&&dtype| dtype != "int32").or(dtypes.first()).copied()
        }
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => integer_dtype(expr),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => match number.suffix() {
            "u8" => Some("uint8"),
            "i64" => Some("int64"),
            "" | "i32" => Some("int32"),
            _ => None,
        },
        _ => None,
    }
}

/// The type of a row's result.
fn result_type(row: &Intrinsic, receiver: &Expr, args: &[Expr]) -> Option<Type> {
    let item = receiver.ty.item();
    let returned = args.iter().rev().find_map(|arg| match &arg.ty {
        Type::Function(_, result) => Some((**result).clone()),
        _ => None,
    });
    Some(match row.result {
        Rule::Int => Type::Int,
        Rule::Float => Type::Float,
        Rule::Bool => Type::Bool,
        Rule::Str => Type::Str,
        Rule::Unit => Type::Unit,
        Rule::Own => match &receiver.ty {
            // A part of an array is a list.
            Type::Tuple(_) => Type::list(item?),
            own => own.clone(),
        },
        Rule::Item => item?,
        Rule::OptionalItem => Type::optional(item?),
        Rule::Mapped => Type::list(returned?),
        Rule::Flattened => Type::list(returned?.item()?),
        Rule::MappedOption => Type::optional(returned?),
        Rule::Enumerated => Type::list(Type::Tuple(vec![Type::Int, item?])),
        Rule::Zipped => Type::list(Type::Tuple(vec![item?, args.first()?.ty.item()?])),
        Rule::Value => receiver.ty.value().clone(),
        Rule::Returned => returned?,
        Rule::Texts => Type::list(Type::Str),
        Rule::Entries => Type::list(Type::Tuple(vec![Type::Str, item?])),
        Rule::OptionalOwn => Type::optional(receiver.ty.clone()),
        Rule::OptionalInt => Type::optional(Type::Int),
        Rule::OptionalFloat => Type::optional(Type::Float),
        Rule::OptionalBool => Type::optional(Type::Bool),
        Rule::OptionalStr => Type::optional(Type::Str),
        Rule::OptionalJsonList => Type::optional(Type::list(Type::Json)),
        Rule::OptionalJsonMap => Type::optional(Type::Map(Type::Json.into())),
    })
}

/// Whether an argument is a parameter's default.
fn is_default(default: &Default, value: &Expr) -> bool {
    match (default, &value.kind) {
        (Default::None, Kind::None) => true,
        (Default::Bool(default), Kind::Bool(value)) => default == value,
        (Default::Int(default), Kind::Number(text)) => text.parse() == Ok(*default),
        (Default::Float(default), Kind::Number(text)) => text.parse() == Ok(*default),
        (Default::Str(default), Kind::Text(text)) => default == text,
        (Default::Ints(default), Kind::List(items)) => default.is_empty() && items.is_empty(),
        _ => false,
    }
}
