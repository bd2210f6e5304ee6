//! `#[functional]`: declares a module that calls an op.

use crate::choices;
use lanthorn_schema::{Param, ParamType, Schema};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Ident, ItemStruct, LitStr, Result, Token,
    parse::{Parse, ParseStream},
};

/// The arguments of `#[functional(…)]`: the constructor, the schema of `forward` if it is not
/// tensor to tensor, and the op.
pub struct Arguments {
    text: LitStr,
    schema: Schema,
    forward: Option<(LitStr, Schema)>,
    op: LitStr,
}

fn schema(text: &LitStr) -> Result<Schema> {
    Schema::parse(&text.value()).map_err(|error| syn::Error::new(text.span(), error))
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Arguments> {
        let text: LitStr = input.parse()?;
        input.parse::<Token![,]>()?;
        let mut forward = None;
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            forward = Some((text.clone(), schema(&text)?));
            input.parse::<Token![,]>()?;
        }
        let key: Ident = input.parse()?;
        if key != "op" {
            return Err(syn::Error::new(key.span(), "expected op = \"…\""));
        }
        input.parse::<Token![=]>()?;
        let op = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Arguments { schema: schema(&text)?, text, forward, op })
    }
}

/// The type of a parameter in Rust, and the expression that converts it for [`derive::ToArg`].
fn declared(param: &Param) -> Option<(TokenStream, TokenStream)> {
    let name = format_ident!("{}", param.name);
    let plain = |ty: TokenStream| Some((ty, quote!(#name)));
    let into = |ty: TokenStream| Some((quote!(impl Into<#ty>), quote!(Into::<#ty>::into(#name))));
    match param.ty {
        ParamType::Tensor => plain(quote!(&::lanthorn_tensor::Tensor)),
        ParamType::OptionalTensor => plain(quote!(Option<&::lanthorn_tensor::Tensor>)),
        ParamType::Int => plain(quote!(i64)),
        ParamType::Float => plain(quote!(f64)),
        ParamType::Bool => plain(quote!(bool)),
        ParamType::Str => {
            let ty = choices::enum_of(&param.choices)?;
            Some((ty, quote!(::lanthorn_tensor::Choice::name(#name))))
        }
        ParamType::OptionalInt => into(quote!(Option<i64>)),
        ParamType::OptionalFloat => into(quote!(Option<f64>)),
        ParamType::Scalar => into(quote!(::lanthorn_tensor::Scalar)),
        ParamType::Ints => into(quote!(::lanthorn_tensor::Ints)),
        ParamType::OptionalInts => into(quote!(::lanthorn_tensor::OptionalInts)),
        ParamType::PartialInts => into(quote!(::lanthorn_tensor::PartialInts)),
        ParamType::OptionalFloats => plain(quote!(Option<&[f64]>)),
        ParamType::OptionalBool => into(quote!(Option<bool>)),
        ParamType::TensorOrInts => into(quote!(::lanthorn_tensor::TensorOrInts)),
        _ => None,
    }
}

/// A parameter as a Rust function declares it.
fn declare(param: &Param) -> Result<TokenStream> {
    let refused =
        || syn::Error::new(proc_macro2::Span::call_site(), format!("no module that is an op takes {}", param.ty));
    let (ty, name) = (declared(param).ok_or_else(refused)?.0, format_ident!("{}", param.name));
    Ok(quote!(#name: #ty))
}

/// The setter of an option: of a tensor and a list without an `Option`.
fn setter(index: usize, param: &Param) -> Result<TokenStream> {
    let name = format_ident!("{}", param.name);
    let (declared, value) = match param.ty {
        ParamType::OptionalTensor => (quote!(#name: &::lanthorn_tensor::Tensor), quote!(#name)),
        ParamType::OptionalFloats => (quote!(#name: &[f64]), quote!(#name)),
        _ => (declare(param)?, declared(param).unwrap_or_default().1),
    };
    let doc = param.default.as_ref().map(|default| format!("Sets `{}`. The default is `{default}`.", param.name));
    Ok(quote! {
        #[doc = #doc]
        #[must_use]
        pub fn #name(mut self, #declared) -> Self {
            self.0[#index] = crate::derive::ToArg::to_arg(&#value);
            self
        }
    })
}

/// The argument for a declared parameter.
fn value(param: &Param) -> TokenStream {
    let (_, value) = declared(param).unwrap_or_default();
    quote!(crate::derive::ToArg::to_arg(&#value))
}

/// `new` of the required arguments, and a builder if there are others.
fn constructors(name: &Ident, params: &[Param]) -> Result<TokenStream> {
    let required: Vec<&Param> = params.iter().filter(|param| param.is_required()).collect();
    let list = required.iter().map(|param| declare(param)).collect::<Result<Vec<_>>>()?;
    let values = params.iter().map(|param| match param.is_required() {
        true => value(param),
        false => quote!(::lanthorn_tensor::ops::Arg::Missing),
    });
    let values = quote!([#(#values),*]);
    let new = (!required.is_empty() || params.is_empty()).then(|| {
        quote! {
            /// A module with PyTorch's defaults.
            ///
            /// # Errors
            ///
            /// `argument` for arguments that the op does not take.
            pub fn new(#(#list),*) -> ::lanthorn_tensor::Result<#name> {
                crate::Functional::new(stringify!(#name), &#values).map(#name)
            }
        }
    });
    if required.len() == params.len() {
        return Ok(quote!(impl #name { #new }));
    }
    let builder = format_ident!("{name}Builder");
    let (title, start) = (
        format!("The options of a new [`{name}`], with PyTorch's defaults."),
        format!("A [`{name}`] with options, as [`{builder}`] lists them."),
    );
    let options = params.iter().enumerate().filter(|(_, param)| !param.is_required());
    let setters = options.map(|(index, param)| setter(index, param)).collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        #[doc = #title]
        #[derive(Clone)]
        pub struct #builder(Vec<::lanthorn_tensor::ops::Arg>);

        impl #builder {
            #(#setters)*

            /// The module.
            ///
            /// # Errors
            ///
            /// `argument` for options that the op does not take.
            pub fn build(self) -> ::lanthorn_tensor::Result<#name> {
                crate::Functional::new(stringify!(#name), &self.0).map(#name)
            }
        }

        impl #name {
            #[doc = #start]
            pub fn builder(#(#list),*) -> #builder {
                #builder(#values.into())
            }

            #new
        }
    })
}

pub fn expand(given: &Arguments, item: &ItemStruct) -> Result<TokenStream> {
    let (text, op, name) = (&given.text, &given.op, &item.ident);
    if *name != given.schema.name {
        return Err(syn::Error::new(name.span(), format!("the schema names {}", given.schema.name)));
    }
    let docs: Vec<&Attribute> = item.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    let doc = docs.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) => Some(&pair.value),
        _ => None,
    });
    let doc = quote!(concat!(#(#doc, "\n"),*));
    let forward = given.forward.as_ref().map_or_else(|| quote!(crate::UNARY), |(text, _)| quote!(#text));
    let row = quote! {
        impl #name {
            pub(crate) const SPEC: crate::table::ModuleSpec = crate::table::ModuleSpec {
                text: #text,
                forward: #forward,
                tensors: &[],
                doc: crate::table::documentation(#doc),
                make: crate::table::Constructor::Op(#op),
            };
        }
    };
    let params = &given.schema.params;
    let unit = params.is_empty() && given.forward.is_none() && !op.value().contains('(');
    if unit {
        return Ok(quote! {
            #(#docs)*
            #[derive(Clone, Copy, Debug, Default)]
            pub struct #name;

            #row

            impl ::std::fmt::Display for #name {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    crate::derive::write(self, f)
                }
            }

            impl crate::Module for #name {
                fn call(&self, inputs: &::lanthorn_tensor::ops::Args<'_>) -> ::lanthorn_tensor::Result<::lanthorn_tensor::ops::Output> {
                    crate::Layer::forward(self, inputs.tensor(0)).map(Into::into)
                }
            }

            impl crate::Layer for #name {
                fn forward(&self, input: &::lanthorn_tensor::Tensor) -> ::lanthorn_tensor::Result<::lanthorn_tensor::Tensor> {
                    crate::functional::run(#op, input)
                }
            }
        });
    }
    let constructors = constructors(name, params)?;
    let compared = params.iter().filter_map(|param| choices::compare_with(param, &choices::enum_of(&param.choices)?));
    let default = params.iter().all(|param| !param.is_required()).then(|| {
        quote! {
            impl Default for #name {
                /// The module with PyTorch's defaults.
                fn default() -> #name {
                    // A test constructs one of each.
                    crate::Functional::new(stringify!(#name), &[]).map(#name).expect("PyTorch's defaults are valid")
                }
            }
        }
    });
    let apply = match &given.forward {
        None => quote! {
            impl crate::Layer for #name {
                fn forward(&self, input: &::lanthorn_tensor::Tensor) -> ::lanthorn_tensor::Result<::lanthorn_tensor::Tensor> {
                    crate::Layer::forward(&self.0, input)
                }
            }
        },
        Some((_, schema)) => {
            let (list, values) =
                (schema.params.iter().map(declare).collect::<Result<Vec<_>>>()?, schema.params.iter().map(value));
            quote! {
                impl #name {
                    /// The module's result.
                    #[allow(clippy::too_many_arguments)]
                    pub fn forward(&self, #(#list),*) -> ::lanthorn_tensor::Result<::lanthorn_tensor::Tensor> {
                        self.0.run_on(&[#(#values),*])
                    }
                }
            }
        }
    };
    Ok(quote! {
        #(#docs)*
        pub struct #name(crate::Functional);

        #row

        #(#compared)*

        #constructors

        #default

        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                crate::derive::write(self, f)
            }
        }

        impl crate::Module for #name {
            fn own_buffers(&self) -> Vec<(String, crate::Buffer)> {
                crate::Module::own_buffers(&self.0)
            }

            fn train(&self, mode: bool) {
                crate::Module::train(&self.0, mode);
            }

            fn extra_repr(&self) -> String {
                crate::Module::extra_repr(&self.0)
            }

            fn signature(&self) -> &'static str {
                #forward
            }

            fn call(&self, inputs: &::lanthorn_tensor::ops::Args<'_>) -> ::lanthorn_tensor::Result<::lanthorn_tensor::ops::Output> {
                crate::Module::call(&self.0, inputs)
            }
        }

        #apply
    })
}
