//! `#[derive(Builder)]`: the constructors of a module, from the schema of its row.

use crate::choices;
use lanthorn_schema::{Default, Param, ParamType, Schema};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    DeriveInput, Expr, ExprArray, ExprLit, Ident, Lit, LitStr, Result, Token,
    parse::{Parse, ParseStream},
};

/// The arguments of `#[builder(…)]`: the schema, the names of the rows where there are several, the
/// parameters that Rust requires in spite of a default, and the documentation of options.
struct Arguments {
    text: LitStr,
    schema: Schema,
    names: Vec<LitStr>,
    required: Vec<LitStr>,
    docs: Vec<(Ident, LitStr)>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Arguments> {
        let text: LitStr = input.parse()?;
        let schema = Schema::parse(&text.value()).map_err(|error| syn::Error::new(text.span(), error))?;
        let (mut names, mut required, mut docs) = (vec![], vec![], vec![]);
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            if key == "names" {
                names = strings(&input.parse()?)?;
            } else if key == "required" {
                required = strings(&input.parse()?)?;
            } else {
                docs.push((key, input.parse()?));
            }
        }
        Ok(Arguments { text, schema, names, required, docs })
    }
}

/// A list of strings.
fn strings(list: &ExprArray) -> Result<Vec<LitStr>> {
    let string = |element: &Expr| match element {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(syn::Error::new_spanned(other, "expected a string")),
    };
    list.elems.iter().map(string).collect()
}

/// One parameter as a field of the builder.
struct Field {
    name: Ident,
    /// The type of the field.
    ty: TokenStream,
    /// The type of a Rust function's argument.
    declared: TokenStream,
    /// The argument converted to the field's type.
    converted: TokenStream,
    /// The field's value from the arguments of a dynamic call.
    bound: TokenStream,
    /// The value without an argument; none if the argument is required.
    default: Option<TokenStream>,
    /// Whether the option is for this crate only.
    is_private: bool,
    doc: String,
}

impl Field {
    fn new(arguments: &Arguments, index: usize, param: &Param) -> Result<Field> {
        let name = format_ident!("{}", param.name);
        let accessor = format_ident!("{}", param.ty.accessor());
        let plain = |ty: TokenStream| (ty.clone(), ty, quote!(#name), quote!(args.#accessor(#index)));
        let into = |ty: TokenStream| {
            (ty.clone(), quote!(impl Into<#ty>), quote!(#name.into()), quote!(args.#accessor(#index)))
        };
        let module = &arguments.schema.name;
        let (ty, declared, converted, bound) = match param.ty {
            ParamType::Int => plain(quote!(i64)),
            ParamType::Float => plain(quote!(f64)),
            ParamType::Bool => plain(quote!(bool)),
            ParamType::OptionalInt => into(quote!(Option<i64>)),
            ParamType::OptionalFloat => into(quote!(Option<f64>)),
            ParamType::Ints => into(quote!(::lanthorn_tensor::Ints)),
            ParamType::IntsOrStr => into(quote!(::lanthorn_tensor::Padding)),
            ParamType::OptionalScalar => (
                quote!(Option<::lanthorn_tensor::Scalar>),
                quote!(impl Into<::lanthorn_tensor::Scalar>),
                quote!(Some(#name.into())),
                quote!(args.optional_scalar(#index)),
            ),
            ParamType::OptionalTensor => (
                quote!(Option<::lanthorn_tensor::Tensor>),
                quote!(&::lanthorn_tensor::Tensor),
                quote!(Some(#name.clone())),
                quote!(args.optional_tensor(#index).cloned()),
            ),
            ParamType::OptionalModule => (
                quote!(Option<::std::rc::Rc<dyn crate::Module>>),
                quote!(::std::rc::Rc<dyn crate::Module>),
                quote!(Some(#name)),
                quote!(crate::table::optional_module(#module, args, #index)?),
            ),
            ParamType::ModuleOrStr => (
                quote!(crate::Activation),
                quote!(crate::Activation),
                quote!(#name),
                quote!(crate::Activation::of(#module, args, #index)?),
            ),
            ParamType::Str => {
                let ty = choices::enum_of(&param.choices).ok_or_else(|| refuse_type(&arguments.text, param))?;
                (ty.clone(), ty, quote!(#name), quote!(args.choice(#index)))
            }
            _ => return Err(refuse_type(&arguments.text, param)),
        };
        let is_required = arguments.required.iter().any(|own| own.value() == param.name);
        let default = param.default.as_ref().filter(|_| !is_required);
        let default = default.map(|default| default_of(param, default));
        let said = arguments.docs.iter().find(|(own, _)| *own == param.name).map(|(_, doc)| doc.value());
        let doc = match (said, &param.default) {
            (Some(doc), Some(default)) => format!("{doc} The default is `{default}`."),
            (Some(doc), None) => doc,
            (None, _) => format!("Sets `{}`.", param.name),
        };
        let is_private = param.name.starts_with('_');
        Ok(Field { name, ty, declared, converted, bound, default, is_private, doc })
    }

    /// The setter of an option.
    fn setter(&self) -> Option<TokenStream> {
        let Field { name, declared, converted, doc, .. } = self;
        (self.default.is_some() && !self.is_private).then(|| {
            quote! {
                #[doc = #doc]
                #[must_use]
                pub fn #name(mut self, #name: #declared) -> Self {
                    self.#name = #converted;
                    self
                }
            }
        })
    }
}

fn refuse_type(text: &LitStr, param: &Param) -> syn::Error {
    syn::Error::new(text.span(), format!("no module takes {} {}", param.ty, param.name))
}

/// A default as an expression of the field's type.
fn default_of(param: &Param, default: &Default) -> TokenStream {
    match default {
        Default::None => quote!(None),
        Default::Bool(value) => quote!(#value),
        Default::Int(value) if matches!(param.ty, ParamType::Ints | ParamType::IntsOrStr) => {
            quote!((#value as i64).into())
        }
        Default::Int(value) => quote!(#value),
        Default::Float(value) if param.ty == ParamType::OptionalFloat => quote!(Some(#value)),
        Default::Float(value) => quote!(#value),
        Default::Ints(values) => quote!([#(#values as i64),*].into()),
        Default::Floats(values) => quote!([#(#values),*].into()),
        Default::Str(_) if param.ty == ParamType::ModuleOrStr => quote!(crate::Activation::Relu),
        Default::Str(text) => match choices::enum_of(&param.choices) {
            Some(ty) => choices::value(&ty, text),
            None => quote!(#text),
        },
    }
}

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let attribute = input.attrs.iter().find(|attribute| attribute.path().is_ident("builder"));
    let attribute = attribute.ok_or_else(|| syn::Error::new(input.ident.span(), "expected #[builder(\"…\")]"))?;
    let arguments: Arguments = attribute.parse_args()?;
    let params = &arguments.schema.params;
    if let Some((name, _)) = arguments.docs.iter().find(|(name, _)| !params.iter().any(|param| *name == param.name)) {
        return Err(syn::Error::new(name.span(), "the schema has no such parameter"));
    }
    // A string with one choice leaves nothing to choose.
    let fields = params.iter().enumerate().filter(|(_, param)| param.choices.len() != 1);
    let fields = fields.map(|(index, param)| Field::new(&arguments, index, param)).collect::<Result<Vec<Field>>>()?;
    let (module, builder) = (&input.ident, format_ident!("{}Builder", input.ident));
    let (generics, types, wheres) = input.generics.split_for_impl();
    let declared_generics = &input.generics;
    let kinds = input.generics.type_params().map(|param| &param.ident);
    let (required, options): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|field| field.default.is_none());
    let arguments_of = |fields: &[&Field]| {
        let each = fields.iter().map(|Field { name, declared, .. }| quote!(#name: #declared));
        quote!(#(#each),*)
    };
    let declared = arguments_of(&required);
    let passed: Vec<&Ident> = required.iter().map(|field| &field.name).collect();
    let comma = (!passed.is_empty()).then(|| quote!(,));
    let set = required.iter().map(|Field { name, converted, .. }| quote!(#name: #converted));
    let defaults = options.iter().map(|Field { name, default, .. }| quote!(#name: #default));
    let names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    let tys = fields.iter().map(|field| &field.ty);
    let bound = fields.iter().map(|field| &field.bound);
    let setters = options.iter().map(|field| field.setter());
    let text = &arguments.text;
    let compared = params.iter().filter_map(|param| choices::compare_with(param, &choices::enum_of(&param.choices)?));
    let schemas = arguments.names.iter().map(|name| {
        let text = text.value();
        format!("{}{}", name.value(), &text[arguments.schema.name.len()..])
    });
    let schema = match &arguments.names[..] {
        [] => quote!(pub(crate) const SCHEMA: &'static str = #text;),
        names => {
            let count = names.len();
            quote!(pub(crate) const SCHEMAS: [&'static str; #count] = [#(#schemas),*];)
        }
    };
    let title = format!("The options of a new [`{module}`], with PyTorch's defaults.");
    let start = format!("A [`{module}`] with options, as [`{builder}`] lists them.");
    Ok(quote! {
        #(#compared)*

        #[doc = #title]
        pub struct #builder #declared_generics #wheres {
            #(pub(crate) #names: #tys,)*
            module: ::std::marker::PhantomData<fn() -> (#(#kinds,)*)>,
        }

        impl #generics Clone for #builder #types #wheres {
            fn clone(&self) -> Self {
                #builder { #(#names: self.#names.clone(),)* module: ::std::marker::PhantomData }
            }
        }

        impl #generics #builder #types #wheres {
            #(#setters)*

            /// The module on the default device.
            ///
            /// # Errors
            ///
            /// `argument` for options that do not fit each other.
            pub fn build(self) -> ::lanthorn_tensor::Result<#module #types> {
                #module::make(self, &mut crate::VarBuilder::new())
            }

            /// The module on a device.
            ///
            /// # Errors
            ///
            /// `argument` for options that do not fit each other.
            pub fn build_on(self, device: &::lanthorn_tensor::Device) -> ::lanthorn_tensor::Result<#module #types> {
                device.as_default(|| self.build())
            }

            /// The options in the arguments of a dynamic call.
            #[allow(dead_code)]
            pub(crate) fn bind(args: &::lanthorn_tensor::ops::Args<'_>) -> ::lanthorn_tensor::Result<Self> {
                Ok(#builder { #(#names: #bound,)* module: ::std::marker::PhantomData })
            }
        }

        #[allow(clippy::too_many_arguments)]
        impl #generics #module #types #wheres {
            #[allow(dead_code)]
            #schema

            #[doc = #start]
            pub fn builder(#declared) -> #builder #types {
                #builder { #(#set,)* #(#defaults,)* module: ::std::marker::PhantomData }
            }

            /// A module with PyTorch's defaults on the default device.
            ///
            /// # Errors
            ///
            /// `argument` for arguments that do not fit each other.
            pub fn new(#declared) -> ::lanthorn_tensor::Result<Self> {
                Self::builder(#(#passed),*).build()
            }

            /// A module with PyTorch's defaults on a device.
            ///
            /// # Errors
            ///
            /// `argument` for arguments that do not fit each other.
            pub fn new_on(#declared #comma device: &::lanthorn_tensor::Device) -> ::lanthorn_tensor::Result<Self> {
                Self::builder(#(#passed),*).build_on(device)
            }

            /// The module of a row of the table.
            #[allow(dead_code)]
            pub(crate) fn from_args(
                args: &::lanthorn_tensor::ops::Args<'_>,
                vars: &mut crate::VarBuilder<'_>,
            ) -> ::lanthorn_tensor::Result<Box<dyn crate::Module>> {
                Ok(Box::new(Self::make(#builder::bind(args)?, vars)?))
            }
        }
    })
}
