//! Expressions without control flow.

use super::{Lowerer, patterns::negate, statements::strip};
use crate::{
    error::Result,
    intrinsics,
    tree::{Expr, Kind, Operation, Part, Stmt},
    types::Type,
};

/// Constants of the standard library, as JavaScript writes them, by their last name.
const CONSTANTS: &[(&str, &str)] = &[
    ("PI", "Math.PI"),
    ("E", "Math.E"),
    ("LN_2", "Math.LN2"),
    ("LN_10", "Math.LN10"),
    ("SQRT_2", "Math.SQRT2"),
    ("FRAC_1_SQRT_2", "Math.SQRT1_2"),
    ("INFINITY", "Infinity"),
    ("NEG_INFINITY", "-Infinity"),
    ("NAN", "NaN"),
];

/// The variants of `DType` with the names of element types.
const DTYPES: &[(&str, &str)] = &[
    ("F32", "float32"),
    ("F64", "float64"),
    ("F16", "float16"),
    ("BF16", "bfloat16"),
    ("I8", "int8"),
    ("I16", "int16"),
    ("I32", "int32"),
    ("I64", "int64"),
    ("U8", "uint8"),
    ("U16", "uint16"),
    ("U32", "uint32"),
    ("Bool", "bool"),
];

impl Lowerer<'_> {
    /// An expression whose type is known, or follows from the expected one.
    pub(super) fn expr(&mut self, expr: &syn::Expr, expected: Option<&Type>) -> Result<Expr> {
        let mut lowered = match expr {
            syn::Expr::Paren(_) | syn::Expr::Group(_) | syn::Expr::Try(_) => {
                return self.expr(strip_one(expr), expected);
            }
            syn::Expr::Reference(inner) if inner.mutability.is_none() => return self.expr(&inner.expr, expected),
            syn::Expr::Unary(unary) => self.unary(unary, expected)?,
            syn::Expr::Lit(literal) => self.literal(literal)?,
            syn::Expr::Path(path) => self.path(path, expected)?,
            syn::Expr::Binary(binary) => self.binary(binary)?,
            syn::Expr::MethodCall(call) => self.method_call(call, expected)?,
            syn::Expr::Call(call) => self.call(call, expected)?,
            syn::Expr::Field(field) => self.field(field)?,
            syn::Expr::Index(index) => self.index(index)?,
            syn::Expr::Macro(call) => self.macro_call(&call.mac, expected)?,
            syn::Expr::Array(array) => self.list(array.elems.iter(), expected, true)?,
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => Expr::new(Kind::None, Type::Unit),
            syn::Expr::Tuple(tuple) => self.tuple(tuple, expected)?,
            syn::Expr::Repeat(repeat) => self.repeat(&repeat.expr, &repeat.len, expected)?,
            syn::Expr::Closure(closure) => self.closure(closure, &[], expected)?,
            syn::Expr::Cast(cast) => self.cast(cast)?,
            syn::Expr::Struct(literal) => self.construct(literal)?,
            syn::Expr::If(branch) => self.conditional(branch, expected)?,
            syn::Expr::Range(range) => self.range(range)?,
            syn::Expr::Await(inner) => {
                let value = self.expr(&inner.base, expected)?;
                Expr { ty: value.ty.clone(), kind: Kind::Await(Box::new(value)) }
            }
            syn::Expr::Match(_) | syn::Expr::Block(_) => {
                return self.error(expr, "a match or a block inside of an expression: bind it to a variable first");
            }
            _ => return self.unsupported(expr, "this expression"),
        };
        if let Some(expected) = expected {
            lowered.ty = lowered.ty.fill(expected);
        }
        Ok(lowered)
    }

    fn literal(&self, literal: &syn::ExprLit) -> Result<Expr> {
        Ok(match &literal.lit {
            syn::Lit::Int(number) => {
                let is_float = matches!(number.suffix(), "f32" | "f64");
                let ty = if is_float { Type::Float } else { Type::Int };
                Expr::new(Kind::Number(number.base10_digits().to_string()), ty)
            }
            syn::Lit::Float(number) => {
                let Ok(value) = number.base10_parse::<f64>() else { return self.unsupported(literal, "this number") };
                // A whole float is printed as an integer, and an exponent as in the source.
                let digits = number.base10_digits().replace('_', "");
                let text = if digits.contains(['e', 'E']) { digits } else { value.to_string() };
                Expr::new(Kind::Number(text), Type::Float)
            }
            syn::Lit::Str(text) => Expr::new(Kind::Text(text.value()), Type::Str),
            syn::Lit::Bool(value) => Expr::new(Kind::Bool(value.value), Type::Bool),
            _ => return self.unsupported(literal, "this literal"),
        })
    }

    fn path(&mut self, path: &syn::ExprPath, expected: Option<&Type>) -> Result<Expr> {
        let names: Vec<String> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let [name] = names[..] {
            if name == "self" {
                let Some(own) = self.own.clone() else { return self.unsupported(path, "`self` outside of an impl") };
                return Ok(Expr::new(Kind::This, own));
            }
            if name == "None" {
                let ty = expected.cloned().filter(|ty| matches!(ty, Type::Optional(_)));
                return Ok(Expr::new(Kind::None, ty.unwrap_or(Type::optional(Type::Open))));
            }
            if let Some(variable) = self.lookup(name.trim_start_matches("r#")) {
                return Ok(variable.value.clone());
            }
        }
        let Some(&last) = names.last() else { return self.unsupported(path, "this name") };
        if let [.., owner, variant] = names[..] {
            let owner = if owner == "Self" { self.own_name() } else { owner.to_string() };
            if (owner.as_str(), variant) == ("Value", "Null") {
                return Ok(Expr::new(Kind::Number("null".into()), Type::Json));
            }
            if let Some((_, name)) = DTYPES.iter().find(|(known, _)| owner == "DType" && *known == variant) {
                return Ok(Expr::new(Kind::Text(name.to_string()), Type::DType));
            }
            if let Some(text) = self.library.operations.choice(&owner, variant) {
                let ty = self.library.names.get(&owner).cloned().unwrap_or(Type::Str);
                return Ok(Expr::new(Kind::Text(text.to_string()), ty));
            }
            if self
                .library
                .choices
                .get(&owner)
                .is_some_and(|(_, variants)| variants.iter().any(|known| known == variant))
            {
                return Ok(Expr::new(Kind::Text(snake(variant)), Type::Choice(owner)));
            }
            let class = self.library.classes.get(&owner);
            if class.is_some_and(|class| class.variants.iter().any(|(known, data)| known == variant && data.is_empty()))
            {
                let kind = Kind::Static { owner: owner.clone(), name: variant.to_string(), args: None };
                return Ok(Expr::new(kind, Type::Object(owner)));
            }
        }
        // A struct without fields is its own value.
        if self.library.names.get(last) == Some(&Type::Object(last.to_string())) {
            let kind = Kind::Construct { class: last.to_string(), fields: vec![], rest: None };
            return Ok(Expr::new(kind, Type::Object(last.to_string())));
        }
        if self.library.operations.is_module(last) && !self.library.names.contains_key(last) {
            return Ok(self.new_module(last, vec![], vec![]));
        }
        if let Some(ty) = self.library.constant_in(&self.file.module, last) {
            return Ok(Expr::new(Kind::Global(last.to_string()), ty.clone()));
        }
        if let Some((_, text)) = CONSTANTS.iter().find(|(known, _)| *known == last) {
            return Ok(Expr::new(Kind::Number(text.to_string()), Type::Float));
        }
        if let Some(function) = self.library.function_in(&self.file.module, last) {
            let params = function.params.iter().map(|param| param.ty.clone()).collect();
            let ty = Type::Function(params, Box::new(function.result.clone()));
            return Ok(Expr::new(Kind::Global(last.to_string()), ty));
        }
        self.unsupported(path, "this name")
    }

    /// The name of the type that `Self` stands for.
    pub(super) fn own_name(&self) -> String {
        match &self.own {
            Some(Type::Object(name) | Type::Choice(name)) => name.clone(),
            _ => String::new(),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary, expected: Option<&Type>) -> Result<Expr> {
        let value = self.expr(&unary.expr, expected)?;
        match (&unary.op, &value.ty) {
            (syn::UnOp::Deref(_), _) => Ok(value),
            (syn::UnOp::Not(_), Type::Bool) => Ok(negate(value)),
            (syn::UnOp::Neg(_), Type::Tensor) => Ok(method("neg", value, vec![])),
            (syn::UnOp::Neg(_), Type::Int | Type::Float) => {
                Ok(Expr { ty: value.ty.clone(), kind: Kind::Unary("-", Box::new(value)) })
            }
            (_, ty) => self.error(unary, format!("this operator on {ty} is not in the subset")),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Result<Expr> {
        let left = self.expr(&binary.left, None)?;
        let right = self.expr(&binary.right, None)?;
        match (&left.ty, &right.ty) {
            (Type::Tensor, Type::Tensor | Type::Operand | Type::Scalar | Type::Int | Type::Float) => {
                let name = match binary.op {
                    syn::BinOp::Add(_) => "add",
                    syn::BinOp::Sub(_) => "sub",
                    syn::BinOp::Mul(_) => "mul",
                    syn::BinOp::Div(_) => "div",
                    syn::BinOp::Rem(_) => "remainder",
                    _ => return self.unsupported(binary, "this operator on tensors"),
                };
                Ok(method(name, left, vec![right]))
            }
            (Type::Int | Type::Float, Type::Tensor) => match binary.op {
                syn::BinOp::Add(_) => Ok(method("add", right, vec![left])),
                syn::BinOp::Mul(_) => Ok(method("mul", right, vec![left])),
                syn::BinOp::Sub(_) => Ok(method("rsub", right, vec![left])),
                syn::BinOp::Div(_) => {
                    let reciprocal = method("reciprocal", right, vec![]);
                    let is_one = left.kind == Kind::Number("1".into());
                    Ok(if is_one { reciprocal } else { method("mul", reciprocal, vec![left]) })
                }
                _ => self.unsupported(binary, "this operator on tensors"),
            },
            _ => self.host_binary(binary, left, right),
        }
    }

    /// An operator on numbers, strings or truth values.
    fn host_binary(&self, binary: &syn::ExprBinary, left: Expr, right: Expr) -> Result<Expr> {
        let is_float = left.ty == Type::Float || right.ty == Type::Float;
        let numbers = left.ty.is_number() && right.ty.is_number();
        let number = if is_float { Type::Float } else { Type::Int };
        let is_same = left.ty == right.ty || numbers;
        let comparable =
            matches!(left.ty, Type::Str | Type::Bool | Type::DType | Type::Json | Type::Choice(_) | Type::Texts(_))
                || numbers;
        let (operator, ty) = match binary.op {
            syn::BinOp::Div(_) if numbers && !is_float => {
                return Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name("int.divide"), vec![left, right]), Type::Int));
            }
            syn::BinOp::Add(_) if numbers => ("+", number),
            syn::BinOp::Add(_) if left.ty == Type::Str && right.ty == Type::Str => ("+", Type::Str),
            syn::BinOp::Sub(_) if numbers => ("-", number),
            syn::BinOp::Mul(_) if numbers => ("*", number),
            syn::BinOp::Div(_) if numbers => ("/", number),
            syn::BinOp::Rem(_) if numbers => ("%", number),
            syn::BinOp::And(_) if left.ty == Type::Bool && right.ty == Type::Bool => ("&&", Type::Bool),
            syn::BinOp::Or(_) if left.ty == Type::Bool && right.ty == Type::Bool => ("||", Type::Bool),
            syn::BinOp::Eq(_) if is_same && comparable => ("===", Type::Bool),
            syn::BinOp::Ne(_) if is_same && comparable => ("!==", Type::Bool),
            syn::BinOp::Lt(_) if numbers => ("<", Type::Bool),
            syn::BinOp::Le(_) if numbers => ("<=", Type::Bool),
            syn::BinOp::Gt(_) if numbers => (">", Type::Bool),
            syn::BinOp::Ge(_) if numbers => (">=", Type::Bool),
            _ => {
                return self
                    .error(binary, format!("this operator on {} and {} is not in the subset", left.ty, right.ty));
            }
        };
        Ok(Expr::new(Kind::Binary(operator, Box::new(left), Box::new(right)), ty))
    }

    fn field(&mut self, field: &syn::ExprField) -> Result<Expr> {
        let base = self.expr(&field.base, None)?;
        match (&field.member, &base.ty) {
            (syn::Member::Named(name), Type::Object(class)) => {
                let name = name.to_string();
                let fields = self.library.classes.get(class).map(|class| &class.fields[..]).unwrap_or_default();
                let Some((_, ty)) = fields.iter().find(|(known, _)| *known == name) else {
                    return self.error(field, format!("{class} has no field {name}"));
                };
                let ty = ty.clone();
                Ok(Expr::new(Kind::Field(Box::new(base), name), ty))
            }
            (syn::Member::Unnamed(index), Type::Tuple(types)) => {
                let Some(ty) = types.get(index.index as usize) else { return self.unsupported(field, "this part") };
                let (ty, index) = (ty.clone(), Expr::new(Kind::Number(index.index.to_string()), Type::Int));
                Ok(Expr::new(Kind::Index(Box::new(base), Box::new(index)), ty))
            }
            _ => self.error(field, format!("a field of {} is not in the subset", base.ty)),
        }
    }

    /// `0..count` as a list.
    fn range(&mut self, range: &syn::ExprRange) -> Result<Expr> {
        let start = range.start.as_ref().map(|start| self.expr(start, None)).transpose()?;
        match (start, &range.end, range.limits) {
            (Some(Expr { kind: Kind::Number(start), .. }), Some(end), syn::RangeLimits::HalfOpen(_))
                if start == "0" =>
            {
                let end = self.expr(end, None)?;
                Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name("int.range"), vec![end]), Type::list(Type::Int)))
            }
            _ => self.unsupported(range, "a range that is no loop's and does not begin at 0"),
        }
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Result<Expr> {
        let list = self.expr(&index.expr, None)?;
        let Some(item) = list.ty.item() else {
            return self.error(index, format!("an index of {} is not in the subset", list.ty));
        };
        let syn::Expr::Range(range) = strip(&index.index) else {
            let at = self.expr(&index.index, None)?;
            return Ok(Expr::new(Kind::Index(Box::new(list), Box::new(at)), item));
        };
        if matches!(range.limits, syn::RangeLimits::Closed(_)) {
            return self.unsupported(range, "a range with its end");
        }
        let start = range.start.as_ref().map(|start| self.expr(start, None)).transpose()?;
        let end = range.end.as_ref().map(|end| self.expr(end, None)).transpose()?;
        let (row, args) = match (start, end) {
            (None, None) => return Ok(list),
            (Some(start), None) => ("list.from", vec![list, start]),
            (None, Some(end)) => ("list.slice", vec![list, Expr::new(Kind::Number("0".into()), Type::Int), end]),
            (Some(start), Some(end)) => ("list.slice", vec![list, start, end]),
        };
        Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name(row), args), Type::list(item)))
    }

    /// The elements of `[..]` or `vec![..]`. An array has a fixed number of them.
    pub(super) fn list<'e>(
        &mut self,
        items: impl Iterator<Item = &'e syn::Expr>,
        expected: Option<&Type>,
        is_array: bool,
    ) -> Result<Expr> {
        let expected_item = expected.and_then(|ty| ty.value().item());
        let items: Vec<Expr> = items.map(|item| self.expr(item, expected_item.as_ref())).collect::<Result<_>>()?;
        let known = items.iter().map(|item| &item.ty).find(|ty| !ty.is_open());
        let item = expected_item.filter(|ty| !ty.is_open()).or(known.cloned()).unwrap_or(Type::Open);
        let wants_list = matches!(expected.map(Type::value), Some(Type::List(_)));
        let ty = match is_array && !wants_list && !items.is_empty() {
            true => Type::Tuple(vec![item; items.len()]),
            false => Type::list(item),
        };
        Ok(Expr::new(Kind::List(items), ty))
    }

    fn tuple(&mut self, tuple: &syn::ExprTuple, expected: Option<&Type>) -> Result<Expr> {
        let types = if let Some(Type::Tuple(types)) = expected { types.clone() } else { vec![] };
        let items = tuple.elems.iter().enumerate().map(|(index, item)| self.expr(item, types.get(index)));
        let items: Vec<Expr> = items.collect::<Result<_>>()?;
        let types = items.iter().map(|item| item.ty.clone()).collect();
        Ok(Expr::new(Kind::List(items), Type::Tuple(types)))
    }

    fn repeat(&mut self, item: &syn::Expr, length: &syn::Expr, expected: Option<&Type>) -> Result<Expr> {
        let expected = expected.and_then(Type::item);
        let item = self.expr(item, expected.as_ref())?;
        let length = self.expr(length, None)?;
        let ty = Type::list(item.ty.clone());
        Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name("list.repeat"), vec![item, length]), ty))
    }

    fn macro_call(&mut self, call: &syn::Macro, expected: Option<&Type>) -> Result<Expr> {
        let parse_list = |call: &syn::Macro| {
            call.parse_body_with(syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated)
        };
        if call.path.is_ident("vec") {
            if let Ok(repeat) = syn::parse2::<syn::ExprRepeat>(brackets(&call.tokens)) {
                return self.repeat(&repeat.expr, &repeat.len, expected);
            }
            let Ok(items) = parse_list(call) else { return self.unsupported(call, "this list") };
            return self.list(items.iter(), expected, false);
        }
        if call.path.is_ident("format") {
            let Ok(args) = parse_list(call) else { return self.unsupported(call, "this text") };
            return self.format(call, &args.into_iter().collect::<Vec<_>>());
        }
        self.unsupported(call, "this macro")
    }

    /// `format!("{name} {}", value)`.
    fn format(&mut self, call: &syn::Macro, args: &[syn::Expr]) -> Result<Expr> {
        let Some((syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }), args)) = args.split_first() else {
            return self.unsupported(call, "a text that is no literal");
        };
        let mut args = args.iter();
        let mut parts: Vec<Part> = Vec::new();
        let mut characters = String::new();
        let text = text.value();
        let mut rest = text.as_str();
        while let Some(character) = rest.chars().next() {
            if rest.starts_with("{{") || rest.starts_with("}}") {
                characters.push(character);
                rest = &rest[2..];
                continue;
            }
            if character != '{' {
                characters.push(character);
                rest = &rest[character.len_utf8()..];
                continue;
            }
            let Some((hole, after)) = rest[1..].split_once('}') else { return self.unsupported(call, "this text") };
            rest = after;
            let (name, style) = hole.split_once(':').unwrap_or((hole, ""));
            let value = match name {
                "" => match args.next() {
                    Some(value) => self.expr(value, None)?,
                    None => return self.unsupported(call, "this text"),
                },
                name => {
                    let path = syn::parse_str::<syn::Expr>(name).or_else(|_| self.unsupported(call, "this text"))?;
                    self.expr(&path, None)?
                }
            };
            parts.push(Part::Text(std::mem::take(&mut characters)));
            parts.push(match style {
                "" => Part::Display(value),
                "?" => Part::Debug(value),
                _ => return self.unsupported(call, "this style of a number"),
            });
        }
        parts.push(Part::Text(characters));
        Ok(Expr::new(Kind::Format(parts), Type::Str))
    }

    /// A function value. Its parameters have the types that are given, or their annotations.
    pub(super) fn closure(
        &mut self,
        closure: &syn::ExprClosure,
        given: &[Type],
        expected: Option<&Type>,
    ) -> Result<Expr> {
        let declared = if let Some(Type::Function(params, _)) = expected { params.clone() } else { vec![] };
        self.begin();
        let (mut bindings, mut params) = (vec![], vec![]);
        for (index, pattern) in closure.inputs.iter().enumerate() {
            let ty = given.get(index).or(declared.get(index)).cloned().unwrap_or(Type::Open);
            let ty = if let syn::Pat::Type(typed) = pattern { self.read(&typed.ty)? } else { ty };
            if ty.is_open() {
                return self.error(pattern, "the type of this parameter is not known: annotate it");
            }
            bindings.push(self.binding(pattern, &ty)?.0);
            params.push(ty);
        }
        let outer = self.result.clone();
        let (body, result) = match &*closure.body {
            syn::Expr::Block(block) => {
                self.result = match &closure.output {
                    syn::ReturnType::Type(_, ty) => self.read(ty)?,
                    syn::ReturnType::Default => self.type_of_block(&block.block)?,
                };
                (self.block(&block.block, &super::Target::Return)?, self.result.clone())
            }
            expr => {
                let value = self.expr(expr, None)?;
                let ty = value.ty.clone();
                (vec![Stmt::Return(Some(value))], ty)
            }
        };
        self.result = outer;
        self.end();
        Ok(Expr::new(Kind::Closure(bindings, body), Type::Function(params, Box::new(result))))
    }

    /// The type of a block's last value.
    fn type_of_block(&mut self, block: &syn::Block) -> Result<Type> {
        let (types, scopes, names) = (self.types.clone(), self.scopes.clone(), self.names.clone());
        self.result = Type::Open;
        let stmts = self.block(block, &super::Target::Return)?;
        (self.types, self.scopes, self.names) = (types, scopes, names);
        match stmts.last() {
            Some(Stmt::Return(Some(value))) => Ok(value.ty.clone()),
            _ => self.error(block, "the type of this closure is not known: annotate it"),
        }
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Result<Expr> {
        let value = self.expr(&cast.expr, None)?;
        let to = self.read(&cast.ty)?;
        match (&value.ty, &to) {
            (Type::Int | Type::Float, Type::Float) | (Type::Int, Type::Int) => Ok(Expr { ty: to, ..value }),
            (Type::Float, Type::Int) => {
                Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name("float.to_int"), vec![value]), Type::Int))
            }
            (Type::Bool, Type::Int) => {
                Ok(Expr::new(Kind::Intrinsic(intrinsics::by_name("bool.to_int"), vec![value]), Type::Int))
            }
            _ => self.error(cast, format!("a conversion of {} to {to} is not in the subset", value.ty)),
        }
    }

    /// A struct's literal.
    fn construct(&mut self, literal: &syn::ExprStruct) -> Result<Expr> {
        let name = literal.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let class = if name == "Self" { self.own_name() } else { name };
        let Some(declared) = self.library.classes.get(&class) else {
            return self.unsupported(&literal.path, "this struct");
        };
        let declared = declared.fields.clone();
        let mut fields = Vec::new();
        for field in &literal.fields {
            let syn::Member::Named(name) = &field.member else { return self.unsupported(field, "this field") };
            let name = name.to_string();
            if name == "training" && self.library.is_module(&class) {
                continue;
            }
            let Some((_, ty)) = declared.iter().find(|(known, _)| *known == name) else {
                return self.unsupported(field, "this field");
            };
            fields.push((name, self.expr(&field.expr, Some(ty))?));
        }
        let rest = literal.rest.as_ref().map(|rest| self.expr(rest, None)).transpose()?.map(Box::new);
        Ok(Expr::new(Kind::Construct { class: class.clone(), fields, rest }, Type::Object(class)))
    }

    /// `if` whose branches are values.
    fn conditional(&mut self, branch: &syn::ExprIf, expected: Option<&Type>) -> Result<Expr> {
        let condition = self.expr(&branch.cond, Some(&Type::Bool))?;
        let one = |block: &syn::Block| match &block.stmts[..] {
            [syn::Stmt::Expr(expr, None)] => Some(expr.clone()),
            _ => None,
        };
        let otherwise = branch.else_branch.as_ref().and_then(|(_, other)| match &**other {
            syn::Expr::Block(block) => one(&block.block),
            other => Some(other.clone()),
        });
        let (Some(then), Some(otherwise)) = (one(&branch.then_branch), otherwise) else {
            return self
                .error(branch, "a condition with statements inside of an expression: bind it to a variable first");
        };
        let then = self.expr(&then, expected)?;
        let ty = then.ty.clone();
        let otherwise = self.expr(&otherwise, Some(&ty))?;
        let ty = ty.fill(&otherwise.ty);
        Ok(Expr::new(Kind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)), ty))
    }
}

/// An operation that is a method of a tensor, with a tensor as result.
pub(super) fn method(name: &str, receiver: Expr, positional: Vec<Expr>) -> Expr {
    let call = Operation { name: name.to_string(), receiver: Some(receiver), positional, named: vec![] };
    Expr::new(Kind::Operation(Box::new(call)), Type::Tensor)
}

/// `GreaterThan` becomes `greater_than`.
pub(crate) fn snake(name: &str) -> String {
    let mut text = String::new();
    for (index, character) in name.char_indices() {
        if character.is_uppercase() && index > 0 {
            text.push('_');
        }
        text.extend(character.to_lowercase());
    }
    text
}

fn strip_one(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => &inner.expr,
        syn::Expr::Group(inner) => &inner.expr,
        syn::Expr::Try(inner) => &inner.expr,
        other => other,
    }
}

fn brackets(tokens: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    quote::quote!([#tokens])
}
