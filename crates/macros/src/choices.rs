//! Parameters that are chosen from a closed set: `str{none|mean|sum}` in the schema, and an enum in
//! the op's function and in Rust's methods.

use crate::{
    arguments::Arguments,
    expand::{Parameter, binding},
    module::type_within,
};
use lanthorn_schema::{Default, Param, ParamType, Schema};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, ItemFn, Result, Type};

/// The enums of the parameters that are chosen from a closed set: the function declares them.
pub fn types(arguments: &Arguments, function: &ItemFn) -> Result<Vec<Option<Type>>> {
    let of = |(index, param): (usize, &Param)| {
        let is_choice = !param.choices.is_empty() && matches!(param.ty, ParamType::Str | ParamType::OptionalStr);
        if !is_choice {
            return Ok(None);
        }
        match (function.sig.inputs.get(index), param.ty) {
            (Some(FnArg::Typed(input)), ParamType::Str) => Ok(Some((*input.ty).clone())),
            (Some(FnArg::Typed(input)), _) => type_within(&input.ty, "Option")
                .map(|ty| Some(ty.clone()))
                .ok_or_else(|| syn::Error::new_spanned(&input.ty, "expected an Option of the enum of the strings")),
            _ => Err(syn::Error::new(function.sig.ident.span(), "the function takes the arguments of the schema")),
        }
    };
    arguments.schema.params.iter().enumerate().map(of).collect()
}

/// Compares the strings of a schema with the enums of the function, when they are compiled.
pub fn compare(schema: &Schema, types: &[Option<Type>]) -> TokenStream {
    let compared = schema.params.iter().zip(types).filter_map(|(param, ty)| {
        let ty = ty.as_ref()?;
        compare_with(param, &quote!(#ty))
    });
    quote!(#(#compared)*)
}

/// Compares the strings of a parameter with an enum, when they are compiled.
pub fn compare_with(param: &Param, ty: &TokenStream) -> Option<TokenStream> {
    let choices = &param.choices;
    let message = format!("the schema lists other strings than the enum of {}", param.name);
    let names = quote!(<#ty as ::lanthorn_tensor::Choice>::NAMES);
    Some(quote! {
        const _: () = assert!(::lanthorn_tensor::choices::are_equal(#names, &[#(#choices),*]), #message);
    })
}

/// The value of a string that an enum has, as a constant.
pub fn value(ty: &TokenStream, text: &str) -> TokenStream {
    let choice = quote!(<#ty as ::lanthorn_tensor::Choice>);
    quote!(#choice::ALL[const { ::lanthorn_tensor::choices::position(#choice::NAMES, #text) }])
}

/// The enums of the strings that modules take, for schemas without a function that declares them.
const ENUMS: [(&[&str], &str); 7] = [
    (&["none", "mean", "sum"], "::lanthorn_tensor::Reduction"),
    (&["none", "batchmean", "mean", "sum"], "::lanthorn_tensor::KlReduction"),
    (&["none", "tanh"], "::lanthorn_tensor::Approximate"),
    (&["sum", "mean", "max"], "::lanthorn_tensor::BagMode"),
    (&["zeros", "reflect", "replicate", "circular"], "::lanthorn_tensor::PaddingMode"),
    (
        &["nearest", "linear", "bilinear", "bicubic", "trilinear", "area", "nearest-exact"],
        "::lanthorn_tensor::InterpolateMode",
    ),
    (&["tanh", "relu"], "crate::Nonlinearity"),
];

/// The enum of these strings.
pub fn enum_of(choices: &[String]) -> Option<TokenStream> {
    ENUMS.iter().find(|(strings, _)| choices.iter().eq(*strings)).and_then(|(_, ty)| ty.parse().ok())
}

/// A parameter that is chosen from a closed set.
pub fn parameter(index: usize, param: &Param, ty: &Type) -> Parameter {
    let name = binding(param);
    let text = quote!(crate::ops::Arg::Str(::lanthorn_tensor::Choice::name(value).to_string()));
    let default = param.default.as_ref().map(|default| match default {
        Default::Str(text) => value(&quote!(#ty), text),
        _ => quote!(None::<#ty>),
    });
    let keyword_only = param.keyword_only && default.is_some();
    if param.ty == ParamType::Str {
        return Parameter {
            declared: quote!(#name: #ty),
            taken: quote!(#ty),
            passed: quote!(#name),
            bound: quote!(args.choice(#index)),
            dynamic: quote!({ let value = #name; #text }),
            default,
            keyword_only,
        };
    }
    Parameter {
        declared: quote!(#name: impl Into<Option<#ty>>),
        taken: quote!(Option<#ty>),
        passed: quote!(#name.into()),
        bound: quote!(args.optional_choice(#index)),
        dynamic: quote!(#name.map_or(crate::ops::Arg::Null, |value: #ty| #text)),
        default,
        keyword_only,
    }
}
