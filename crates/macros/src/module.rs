//! `#[derive(Module)]`: collects a struct's parameters, buffers and child modules by the names of
//! its fields.

use crate::expand::bound;
use lanthorn_schema::Schema;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Fields, GenericArgument, LitStr, PathArguments, Result, Type};

/// The default schema of a layer.
const UNARY: &str = "forward(Tensor input) -> Tensor";

/// The options of a field.
#[derive(Default)]
struct Said {
    /// The field holds no state of the module.
    skip: bool,
    /// The members of the field belong to the struct, without the field's name as prefix.
    flatten: bool,
    /// The name that replaces the field's.
    name: Option<String>,
}

fn said(field: &Field) -> Result<Said> {
    let mut said = Said::default();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("module")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("skip") {
                said.skip = true;
            } else if meta.path.is_ident("flatten") {
                said.flatten = true;
            } else if meta.path.is_ident("name") {
                said.name = Some(meta.value()?.parse::<LitStr>()?.value());
            } else {
                return Err(meta.error("expected skip, flatten or name = \"…\""));
            }
            Ok(())
        })?;
    }
    Ok(said)
}

/// Whether a type names this type: `Option<Parameter>`.
fn mentions(ty: &Type, name: &str) -> bool {
    let is_named = |token: proc_macro2::TokenTree| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == name,
        proc_macro2::TokenTree::Group(group) => group.stream().to_string().split_whitespace().any(|word| word == name),
        _ => false,
    };
    quote!(#ty).into_iter().any(is_named)
}

/// The type argument of `NAME<…>`.
pub(crate) fn type_within<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| if let GenericArgument::Type(ty) = argument { Some(ty) } else { None })
}

/// Statements that push the modules in `value`, a reference, onto `list` under `name`, an
/// expression of type string.
fn children(ty: &Type, value: &TokenStream, name: &TokenStream) -> TokenStream {
    let of_item = |inner: &Type, name: TokenStream| children(inner, &quote!(item), &name);
    if let Some(inner) = type_within(ty, "Option") {
        let each = of_item(inner, name.clone());
        quote!(if let Some(item) = #value { #each })
    } else if let Some(inner) =
        type_within(ty, "Vec").or(if let Type::Array(array) = ty { Some(&array.elem) } else { None })
    {
        let each = of_item(inner, quote!(derive::index_name(&name, index)));
        quote!({ let name = #name; for (index, item) in (#value).iter().enumerate() { #each } })
    } else {
        quote!((&derive::Probe(#value)).children(#name, &mut list);)
    }
}

/// The text of the schema in `#[module("forward(…) -> …")]`.
fn forward(input: &DeriveInput) -> Result<LitStr> {
    let given = input.attrs.iter().find(|attribute| attribute.path().is_ident("module"));
    given.map_or_else(|| Ok(LitStr::new(UNARY, input.ident.span())), |attribute| attribute.parse_args())
}

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new(input.ident.span(), "a module is a struct"));
    };
    let text = forward(input)?;
    let schema = Schema::parse(&text.value()).map_err(|error| syn::Error::new(text.span(), error))?;
    let fields: Vec<&Field> = match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => vec![],
        Fields::Unnamed(_) => return Err(syn::Error::new(input.ident.span(), "the fields of a module have names")),
    };
    let (mut parameters, mut buffers, mut modules, mut training) = (quote!(), quote!(), quote!(), quote!());
    let (mut set, mut tensors) = (quote!(), quote!());
    for field in fields {
        let (said, ident, ty) = (said(field)?, field.ident.as_ref(), &field.ty);
        let Some(ident) = ident.filter(|_| !said.skip) else { continue };
        let own = ident.to_string();
        let name = if said.flatten {
            String::new()
        } else {
            said.name.unwrap_or_else(|| own.trim_start_matches("r#").to_string())
        };
        let is_parameter = mentions(ty, "Parameter");
        if is_parameter || mentions(ty, "Buffer") {
            // The names of several tensors in one field depend on the module's sizes.
            if type_within(ty, "Vec").is_none() && !matches!(ty, Type::Array(_)) {
                let is_optional = type_within(ty, "Option").is_some();
                tensors.extend(quote!(derive::Declared::Tensor { name: #name, is_optional: #is_optional },));
            }
            let list = if is_parameter { &mut parameters } else { &mut buffers };
            list.extend(quote!(derive::Tensors::append(&self.#ident, #name, &mut list);));
            set.extend(quote! {
                if let Some(own) = derive::Tensors::find(&mut self.#ident, #name, name) {
                    *own = value;
                    return true;
                }
            });
        } else if said.flatten && type_within(ty, "Vec").is_none() {
            let member = quote!(::lanthorn::nn::Module);
            parameters.extend(quote!(list.extend(#member::own_parameters(&self.#ident));));
            buffers.extend(quote!(list.extend(#member::own_buffers(&self.#ident));));
            modules.extend(quote!(list.extend(#member::children(&self.#ident));));
            training.extend(quote!(#member::train(&self.#ident, mode);));
            tensors.extend(quote!(derive::Declared::All(<#ty>::TENSORS),));
            set.extend(quote! {
                if #member::set_tensor(&mut self.#ident, name, value.clone()) {
                    return true;
                }
            });
        } else if ident == "training" {
            training.extend(quote!(self.#ident.set(mode);));
        } else {
            modules.extend(children(ty, &quote!(&self.#ident), &quote!(String::from(#name))));
        }
    }
    let inputs = quote!(inputs);
    let taken = schema.params.iter().enumerate().map(|(index, param)| bound(&inputs, index, param.ty));
    let called = if text.value() == UNARY {
        quote!(::lanthorn::nn::Layer::forward(self, inputs.tensor(0)))
    } else {
        let method = format_ident!("{}", schema.name);
        quote!(self.#method(#(#taken),*))
    };
    let ident = &input.ident;
    let (generics, types, wheres) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #ident #types #wheres {
            /// The schema of `forward`.
            pub const FORWARD: &'static str = #text;
            /// The parameters and buffers that are fields of the module itself.
            pub const TENSORS: &'static [::lanthorn::nn::derive::Declared] = {
                use ::lanthorn::nn::derive;
                &[#tensors]
            };
        }

        #[allow(unused_imports, unused_mut, unused_variables, clippy::needless_borrow)]
        const _: () = {
            use ::lanthorn::nn::derive::{self, ProbeModule as _, ProbeOther as _};

            impl #generics ::lanthorn::nn::Module for #ident #types #wheres {
                fn own_parameters(&self) -> Vec<(String, ::lanthorn::nn::Parameter)> {
                    let mut list = Vec::new();
                    #parameters
                    list
                }

                fn own_buffers(&self) -> Vec<(String, ::lanthorn::nn::Buffer)> {
                    let mut list = Vec::new();
                    #buffers
                    list
                }

                fn children(&self) -> Vec<(String, &dyn ::lanthorn::nn::Module)> {
                    let mut list = Vec::new();
                    #modules
                    list
                }

                fn set_tensor(&mut self, name: &str, value: ::lanthorn::nn::Parameter) -> bool {
                    #set
                    false
                }

                fn train(&self, mode: bool) {
                    #training
                    ::lanthorn::nn::Module::children(self).iter().for_each(|(_, child)| child.train(mode));
                }

                fn signature(&self) -> &'static str {
                    Self::FORWARD
                }

                fn call(&self, inputs: &derive::Args<'_>) -> derive::Result<derive::Output> {
                    #called.map(derive::Output::from)
                }
            }

            impl #generics ::std::fmt::Display for #ident #types #wheres {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    derive::write(self, f)
                }
            }
        };
    })
}
