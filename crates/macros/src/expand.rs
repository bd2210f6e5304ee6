//! Writes the row and the methods of an op.

use crate::{
    arguments::{Arguments, Autocast, InPlace, Kind},
    choices,
    sections::sections,
};
use lanthorn_schema::{Default, Param, ParamType, Schema};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Ident, ItemFn, Result, ReturnType};

/// One parameter: its declaration in the method, its type in the op's function, and the expressions
/// that convert the method's argument and the dynamic argument to that type and back.
pub struct Parameter {
    pub declared: TokenStream,
    pub taken: TokenStream,
    pub passed: TokenStream,
    pub bound: TokenStream,
    /// The bound value as a dynamic argument.
    pub dynamic: TokenStream,
    pub default: Option<TokenStream>,
    /// Whether the short form of the method leaves it out, which requires a default.
    pub keyword_only: bool,
}

pub fn expand(arguments: &Arguments, function: &ItemFn) -> Result<TokenStream> {
    let schema = &arguments.schema;
    let name = &function.sig.ident;
    let named = arguments.method.as_ref().map_or_else(|| schema.identifier(), Ident::to_string);
    if name.to_string().trim_start_matches("r#") != named {
        return Err(syn::Error::new(name.span(), format!("the schema names {}", schema.identifier())));
    }
    let row = format_ident!("{}", schema.identifier().to_uppercase());
    let (text, samples) = (&arguments.text, &arguments.samples);
    let in_place = match in_place_form(arguments, function) {
        None => quote!(None),
        Some(InPlace::Write) => quote!(Some(crate::ops::InPlace::Write)),
        Some(InPlace::SameDtype) => quote!(Some(crate::ops::InPlace::SameDtype)),
        Some(InPlace::View) => quote!(Some(crate::ops::InPlace::View)),
    };
    let aliases = arguments.aliases.as_ref().map_or(quote!(&[]), |aliases| quote!(&#aliases));
    let kind = match arguments.kind {
        Kind::Pointwise => quote!(crate::ops::OpKind::Pointwise),
        Kind::Leaf => quote!(crate::ops::OpKind::Leaf),
        Kind::Composite => quote!(crate::ops::OpKind::Composite),
    };
    let documentation: Vec<&Attribute> =
        function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    let lines = documentation.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) => Some(&pair.value),
        _ => None,
    });
    let types = choices::types(arguments, function)?;
    let parameters: Vec<Parameter> = schema
        .params
        .iter()
        .zip(&types)
        .enumerate()
        .map(|(i, (param, ty))| match ty {
            Some(ty) => choices::parameter(i, param, ty),
            None => parameter(i, param),
        })
        .collect();
    let compared = choices::compare(schema, &types);
    let (run, result) = (body(arguments, function)?, result(arguments, function)?);
    let (run, outlined) = outlined(arguments, function, &parameters, &run, &result);
    let sections = sections(&documentation);
    let methods = methods(arguments, function, &parameters, &sections, &run, &result);
    let call = call(arguments, function, &parameters, &run, &result)?;
    let policy = match arguments.autocast {
        Autocast::Keep => quote!(crate::autocast::Policy::Keep),
        Autocast::Lower => quote!(crate::autocast::Policy::Lower),
        Autocast::Widen => quote!(crate::autocast::Policy::Widen),
    };
    let (mut kept, visibility) = (function.clone(), &function.vis);
    kept.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    Ok(quote! {
        #kept

        #visibility static #row: crate::ops::Op = crate::ops::Op {
            text: #text,
            #[cfg(any(test, feature = "reference"))]
            doc: &[#(#lines),*],
            kind: #kind,
            autocast: #policy,
            in_place: #in_place,
            aliases: #aliases,
            call: #call,
            #[cfg(any(test, feature = "reference"))]
            samples: #samples,
        };

        // Type-checked in every build, so that builds without samples notice errors in them too.
        #[cfg(not(any(test, feature = "reference")))]
        const _: fn() -> Vec<crate::samples::Sample> = #samples;

        #compared

        #outlined

        #methods
    })
}

/// Whether the function itself is an expression over `&Expr`, instead of choosing one for its
/// tensors.
fn is_expression(arguments: &Arguments, function: &ItemFn) -> bool {
    let returns_expr = matches!(&function.sig.output, ReturnType::Type(_, ty) if quote!(#ty).to_string() == "Expr");
    arguments.kind == Kind::Pointwise && returns_expr
}

/// The in-place form; every op that is an expression has one.
fn in_place_form(arguments: &Arguments, function: &ItemFn) -> Option<InPlace> {
    arguments.in_place.or_else(|| is_expression(arguments, function).then_some(InPlace::Write))
}

/// How the row runs the op on dynamic arguments. This code exists once for every op, so shared work
/// is done in [`Op::run`].
fn call(
    arguments: &Arguments,
    function: &ItemFn,
    parameters: &[Parameter],
    run: &TokenStream,
    result: &TokenStream,
) -> Result<TokenStream> {
    let (operands, passed) = operands(&arguments.schema);
    if is_expression(arguments, function) && operands.len() == parameters.len() {
        let (rule, name) = (rule(arguments, function)?, &function.sig.ident);
        return Ok(quote!(crate::ops::Call::Pointwise(#rule, |values| self::#name(#(#passed),*))));
    }
    let bound = parameters.iter().map(|parameter| &parameter.bound);
    let names = arguments.schema.params.iter().map(binding);
    let taken = parameters.iter().map(|parameter| &parameter.taken);
    let converted = quote!(#(let #names: #taken = #bound;)*);
    let one_tensor =
        ["crate :: Result < crate :: Tensor >", "Result < Tensor >"].contains(&result.to_string().as_str());
    Ok(if function.sig.asyncness.is_some() {
        quote! {
            crate::ops::Call::Async(|args: crate::ops::Args<'static>| Box::pin(async move {
                #converted
                (#run).map(crate::ops::Output::from)
            }))
        }
    } else if one_tensor {
        quote! {
            crate::ops::Call::Tensor(|args: &crate::ops::Args<'_>| {
                #converted
                #run
            })
        }
    } else {
        quote! {
            crate::ops::Call::Sync(|args: &crate::ops::Args<'_>| {
                #converted
                (#run).map(crate::ops::Output::from)
            })
        }
    })
}

/// Moves a body that is more than a call into a separate function. The methods and the row call it;
/// some of them are compiled for many types.
fn outlined(
    arguments: &Arguments,
    function: &ItemFn,
    parameters: &[Parameter],
    run: &TokenStream,
    result: &TokenStream,
) -> (TokenStream, Option<TokenStream>) {
    if !is_expression(arguments, function) && !arguments.opmath && arguments.autocast == Autocast::Keep {
        return (run.clone(), None);
    }
    let name = format_ident!("{}_of_bound", arguments.schema.identifier());
    let names: Vec<Ident> = arguments.schema.params.iter().map(binding).collect();
    let taken = parameters.iter().map(|parameter| &parameter.taken);
    let (asyncness, waited) = (&function.sig.asyncness, function.sig.asyncness.map(|_| quote!(.await)));
    let outlined = quote! {
        #[allow(clippy::too_many_arguments)]
        #asyncness fn #name(#(#names: #taken),*) -> #result {
            #run
        }
    };
    (quote!(self::#name(#(#names),*) #waited), Some(outlined))
}

/// `self` cannot be the name of a variable.
pub fn binding(param: &Param) -> Ident {
    match param.name.as_str() {
        "self" => format_ident!("input"),
        name => format_ident!("{name}"),
    }
}

/// The result of the op's methods: the result of its function, or a tensor if the function is an
/// expression.
fn result(arguments: &Arguments, function: &ItemFn) -> Result<TokenStream> {
    match &function.sig.output {
        _ if is_expression(arguments, function) => Ok(quote!(crate::Result<crate::Tensor>)),
        ReturnType::Type(_, ty) => Ok(quote!(#ty)),
        ReturnType::Default => Err(syn::Error::new(function.sig.ident.span(), "an op returns a Result")),
    }
}

/// The call of the op's function, with variables named as the schema's parameters.
fn body(arguments: &Arguments, function: &ItemFn) -> Result<TokenStream> {
    let (schema, name) = (&arguments.schema, &function.sig.ident);
    let waited = function.sig.asyncness.map(|_| quote!(.await));
    let row = format_ident!("{}", schema.identifier().to_uppercase());
    if !is_expression(arguments, function) {
        let names = schema.params.iter().map(binding);
        // By its path: a parameter may have the function's name.
        let call = quote!(self::#name(#(#names),*) #waited);
        let as_given = !arguments.opmath && arguments.autocast == Autocast::Keep;
        return Ok(if as_given { call } else { in_its_precision(schema, &row, arguments.opmath, &call) });
    }
    let rule = rule(arguments, function)?;
    let (operands, passed) = operands(schema);
    Ok(quote!(crate::ops::pointwise::apply(&#row, #rule, &[#(#operands),*], |values| self::#name(#(#passed),*))))
}

/// The rule for the dtype of an expression's result.
fn rule(arguments: &Arguments, function: &ItemFn) -> Result<TokenStream> {
    let Some(result) = &arguments.result else {
        return Err(syn::Error::new(function.sig.ident.span(), "a pointwise op says its result: same, float or bool"));
    };
    match result.to_string().as_str() {
        "same" => Ok(quote!(crate::ops::pointwise::Rule::Same)),
        "float" => Ok(quote!(crate::ops::pointwise::Rule::Float)),
        "bool" => Ok(quote!(crate::ops::pointwise::Rule::Bool)),
        _ => Err(syn::Error::new(result.span(), "expected same, float or bool")),
    }
}

/// The operands of an expression, and the arguments of its function: the operands' values, and the
/// arguments that are not operands.
fn operands(schema: &Schema) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let (mut operands, mut passed) = (Vec::new(), Vec::new());
    for param in &schema.params {
        let variable = binding(param);
        let operand = match param.ty {
            ParamType::Tensor => quote!(crate::ops::pointwise::Argument::tensor(#variable)),
            ParamType::TensorOrScalar => quote!(crate::ops::pointwise::Argument::operand(#variable)),
            ParamType::Scalar => quote!(crate::ops::pointwise::Argument::parameter(#variable)),
            _ => {
                passed.push(quote!(#variable));
                continue;
            }
        };
        let index = operands.len();
        passed.push(quote!(&values[#index]));
        operands.push(operand);
    }
    (operands, passed)
}

/// The call with its tensors converted to their compute types: autocast's, and with `opmath`
/// float32 instead of half types.
fn in_its_precision(schema: &Schema, row: &Ident, opmath: bool, call: &TokenStream) -> TokenStream {
    let of =
        |kind: ParamType| schema.params.iter().filter(move |param| param.ty == kind).map(binding).collect::<Vec<_>>();
    let (tensors, optional, lists) = (of(ParamType::Tensor), of(ParamType::OptionalTensor), of(ParamType::Tensors));
    let count = tensors.len();
    let result = if opmath { quote!(precision.narrow(#call?)) } else { quote!(#call) };
    let precision = if opmath { format_ident!("precision") } else { format_ident!("_precision") };
    quote!({
        let mut own: [crate::Tensor; #count] = [#(#tensors.clone()),*];
        #(let mut #optional = #optional.cloned();)*
        #(let mut #lists = #lists.to_vec();)*
        let #precision = crate::ops::Precision::of(
            &#row,
            #opmath,
            &mut [&mut own, #(#optional.as_mut_slice(),)* #(&mut #lists,)*],
        )?;
        let [#(#tensors),*] = &own;
        #(let #optional = #optional.as_ref();)*
        #(let #lists = &#lists[..];)*
        #result
    })
}

fn methods(
    arguments: &Arguments,
    function: &ItemFn,
    parameters: &[Parameter],
    docs: &[Attribute],
    run: &TokenStream,
    result: &TokenStream,
) -> TokenStream {
    let (schema, name, asyncness) = (&arguments.schema, &function.sig.ident, &function.sig.asyncness);
    let is_method = schema.is_method();
    let own = usize::from(is_method);
    let receiver = is_method.then(|| quote!(&self,));
    let me = is_method.then(|| quote!(let input = self;));
    let conversions: Vec<&TokenStream> = parameters[own..].iter().map(|parameter| &parameter.passed).collect();
    let taken: Vec<&TokenStream> = parameters[own..].iter().map(|parameter| &parameter.taken).collect();
    let names: Vec<Ident> = schema.params[own..].iter().map(binding).collect();
    let short: Vec<&TokenStream> = parameters[own..]
        .iter()
        .filter(|parameter| !parameter.keyword_only)
        .map(|parameter| &parameter.declared)
        .collect();
    let defaults = schema.params.iter().zip(parameters).filter(|(_, parameter)| parameter.keyword_only).map(
        |(param, parameter)| {
            let (variable, default) = (binding(param), &parameter.default);
            quote!(let #variable = #default;)
        },
    );
    let defaults: Vec<TokenStream> = defaults.collect();
    let row = format_ident!("{}", schema.identifier().to_uppercase());
    let converted = quote!(#(let #names: #taken = #conversions;)*);
    let dynamic = parameters.iter().map(|parameter| &parameter.dynamic);
    let args = quote!(&[#(#dynamic),*]);
    let traced = match asyncness {
        Some(_) => quote!(crate::trace::refuse(#row.name(), crate::ops::READS)?;),
        None => quote! {
            if crate::ops::dispatch::is_intercepted() {
                return crate::ops::dispatch::method(&#row, #args);
            }
        },
    };
    let mut written = quote! {
        #(#docs)*
        #[allow(clippy::too_many_arguments)]
        pub #asyncness fn #name(#receiver #(#short),*) -> #result {
            #me
            #(#defaults)*
            #converted
            #traced
            #run
        }
    };
    if let Some(form) = in_place_form(arguments, function).filter(|_| is_method) {
        let in_place = format_ident!("{}_", schema.identifier());
        let (receiver, taking, line) = match form {
            InPlace::Write | InPlace::SameDtype => (
                quote!(&self),
                quote! {
                    if crate::ops::dispatch::is_intercepted() {
                        let input = self;
                        return #row.run_in_place(#args).map(drop);
                    }
                    crate::ops::in_place::compute(&#row, self, |input| #run)
                },
                "`self` takes the result.",
            ),
            InPlace::View => (
                quote!(&mut self),
                quote! {
                    if crate::ops::dispatch::is_intercepted() {
                        let input = &*self;
                        *self = #row.run_in_place(#args)?;
                        return Ok(());
                    }
                    *self = crate::ops::in_place::view(&#row, self, |input| #run)?;
                    Ok(())
                },
                "`self` becomes that view; other handles of the tensor stay as they are.",
            ),
        };
        let line = format!("The in-place form of [`{0}`](Tensor::{0}): {line}", schema.identifier());
        written.extend(quote! {
            #[doc = #line]
            pub fn #in_place(#receiver, #(#short),*) -> crate::Result<()> {
                #(#defaults)*
                #converted
                #taking
            }
        });
    }
    if !defaults.is_empty() {
        let with = format_ident!("{}_with", schema.identifier());
        let line = format!("[`{0}`](Tensor::{0}) with its keyword arguments.", schema.identifier());
        let all = parameters[own..].iter().map(|parameter| &parameter.declared);
        written.extend(quote! {
            #[doc = #line]
            #[allow(clippy::too_many_arguments)]
            pub #asyncness fn #with(#receiver #(#all),*) -> #result {
                #me
                #converted
                #traced
                #run
            }
        });
    }
    written.extend(method_on(arguments, function, parameters, &converted, &traced, run, result));
    quote!(impl crate::Tensor { #written })
}

/// The form of a creation function with an explicit device, `zeros_on`: its other keyword arguments
/// have their defaults.
fn method_on(
    arguments: &Arguments,
    function: &ItemFn,
    parameters: &[Parameter],
    converted: &TokenStream,
    traced: &TokenStream,
    run: &TokenStream,
    result: &TokenStream,
) -> Option<TokenStream> {
    let (schema, asyncness) = (&arguments.schema, &function.sig.asyncness);
    let makes_on_device = |param: &Param| param.ty == ParamType::OptionalDevice && param.keyword_only;
    if schema.is_method() || !schema.params.iter().any(makes_on_device) {
        return None;
    }
    let on = format_ident!("{}_on", schema.identifier());
    let line = format!("[`{0}`](Tensor::{0}) on a device.", schema.identifier());
    let short = parameters.iter().filter(|parameter| !parameter.keyword_only).map(|parameter| &parameter.declared);
    let keywords = schema.params.iter().zip(parameters).filter(|(_, parameter)| parameter.keyword_only);
    let values = keywords.map(|(param, parameter)| match (binding(param), &parameter.default) {
        (variable, _) if makes_on_device(param) => quote!(let #variable = Some(device);),
        (variable, default) => quote!(let #variable = #default;),
    });
    Some(quote! {
        #[doc = #line]
        #[allow(clippy::too_many_arguments)]
        pub #asyncness fn #on(#(#short,)* device: &crate::Device) -> #result {
            #(#values)*
            #converted
            #traced
            #run
        }
    })
}

/// The expression that passes bound argument `index` to a function whose parameter is of type `ty`.
pub(crate) fn bound(args: &TokenStream, index: usize, ty: ParamType) -> TokenStream {
    let accessor = format_ident!("{}", ty.accessor());
    // These accessors return a value, which the function borrows.
    let borrowed = match ty {
        ParamType::TensorOrScalar | ParamType::TensorOrInts => quote!(&),
        ParamType::Ints | ParamType::OptionalInts | ParamType::PartialInts | ParamType::IntsOrStr => quote!(&),
        _ => quote!(),
    };
    quote!(#borrowed #args.#accessor(#index))
}

fn parameter(index: usize, param: &Param) -> Parameter {
    let name = binding(param);
    let plain = |ty: TokenStream| (ty.clone(), ty, quote!(#name));
    let (declared, taken, passed) = match param.ty {
        ParamType::Tensor => plain(quote!(&crate::Tensor)),
        ParamType::OptionalTensor => plain(quote!(Option<&crate::Tensor>)),
        ParamType::Tensors => plain(quote!(&[crate::Tensor])),
        ParamType::Int => plain(quote!(i64)),
        ParamType::Float => plain(quote!(f64)),
        ParamType::OptionalFloat => {
            let taken = quote!(Option<f64>);
            (quote!(impl Into<Option<f64>>), taken, quote!(#name.into()))
        }
        ParamType::Floats | ParamType::PartialFloats => plain(quote!(&[f64])),
        ParamType::OptionalFloats => plain(quote!(Option<&[f64]>)),
        ParamType::OptionalTensors => plain(quote!(&[Option<crate::Tensor>])),
        ParamType::TensorOrInts => {
            (quote!(impl Into<crate::TensorOrInts>), quote!(&crate::TensorOrInts), quote!(&#name.into()))
        }
        ParamType::OptionalBool => {
            let taken = quote!(Option<bool>);
            (quote!(impl Into<Option<bool>>), taken, quote!(#name.into()))
        }
        ParamType::OptionalStr => plain(quote!(Option<&str>)),
        ParamType::Bool => plain(quote!(bool)),
        ParamType::Str => plain(quote!(&str)),
        ParamType::DType => plain(quote!(crate::DType)),
        ParamType::OptionalDevice => plain(quote!(Option<&crate::Device>)),
        ParamType::OptionalTensorList => plain(quote!(Option<&[crate::Tensor]>)),
        ParamType::Module | ParamType::OptionalModule | ParamType::ModuleOrStr => {
            plain(quote!(compile_error!("an op takes no modules")))
        }
        ParamType::OptionalScalar => plain(quote!(Option<crate::Scalar>)),
        ParamType::Scalar => (quote!(impl Into<crate::Scalar>), quote!(crate::Scalar), quote!(#name.into())),
        ParamType::TensorOrScalar => {
            (quote!(impl Into<crate::Operand>), quote!(&crate::Operand), quote!(&#name.into()))
        }
        ParamType::OptionalInt => {
            let taken = quote!(Option<i64>);
            (quote!(impl Into<Option<i64>>), taken, quote!(#name.into()))
        }
        ParamType::Ints => (quote!(impl Into<crate::Ints>), quote!(&crate::Ints), quote!(&#name.into())),
        ParamType::OptionalInts => {
            let taken = quote!(&crate::OptionalInts);
            (quote!(impl Into<crate::OptionalInts>), taken, quote!(&#name.into()))
        }
        ParamType::PartialInts => {
            let taken = quote!(&crate::PartialInts);
            (quote!(impl Into<crate::PartialInts>), taken, quote!(&#name.into()))
        }
        ParamType::IntsOrStr => (quote!(impl Into<crate::Padding>), quote!(&crate::Padding), quote!(&#name.into())),
        ParamType::OptionalDType => {
            let taken = quote!(Option<crate::DType>);
            (quote!(impl Into<Option<crate::DType>>), taken, quote!(#name.into()))
        }
    };
    let default = param.default.as_ref().map(|default| match default {
        Default::None if param.ty == ParamType::OptionalDType => quote!(None::<crate::DType>),
        Default::None if param.ty == ParamType::OptionalInt => quote!(None::<i64>),
        Default::None if param.ty == ParamType::OptionalFloat => quote!(None::<f64>),
        Default::None if param.ty == ParamType::OptionalBool => quote!(None::<bool>),
        Default::None => quote!(None),
        Default::Bool(value) => quote!(#value),
        Default::Int(value) if matches!(param.ty, ParamType::Float | ParamType::OptionalFloat) => {
            let value = *value as f64;
            quote!(#value)
        }
        Default::Int(value) => quote!(#value),
        Default::Float(value) => quote!(#value),
        Default::Ints(_) if matches!(param.ty, ParamType::Tensors | ParamType::OptionalTensors) => quote!(&[]),
        Default::Ints(values) if param.ty == ParamType::Floats => {
            let values = values.iter().map(|&value| value as f64);
            quote!(&[#(#values),*])
        }
        Default::Ints(values) => quote!([#(#values),*]),
        Default::Floats(values) => quote!(&[#(#values),*]),
        Default::Str(value) => quote!(#value),
    });
    Parameter {
        declared: quote!(#name: #declared),
        taken,
        passed,
        bound: bound(&quote!(args), index, param.ty),
        dynamic: match param.ty {
            ParamType::OptionalDevice => quote! {
                #name.map_or(crate::ops::Arg::Null, |device| crate::ops::Arg::Device(device.clone()))
            },
            _ => quote!(crate::ops::Arg::from(#name)),
        },
        default,
        keyword_only: param.keyword_only && param.default.is_some(),
    }
}
