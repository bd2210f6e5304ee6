//! The arguments of `#[op(…)]`.

use lanthorn_schema::Schema;
use syn::{
    Expr, Ident, LitStr, Token,
    parse::{Parse, ParseStream, Result},
};

/// The kind of the op's function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Pointwise,
    Leaf,
    Composite,
}

/// The behaviour of the in-place form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InPlace {
    /// Writes the result to the tensor's memory.
    Write,
    /// The same, and refuses a result of another type than the tensor's.
    SameDtype,
    /// Makes the tensor another view of its memory.
    View,
}

/// How autocast converts the op's tensors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Autocast {
    /// Not at all.
    Keep,
    /// float32 to the half type.
    Lower,
    /// Half types to float32.
    Widen,
}

/// The parsed attribute.
pub struct Arguments {
    pub kind: Kind,
    pub schema: Schema,
    pub text: LitStr,
    pub result: Option<Ident>,
    pub samples: Expr,
    pub in_place: Option<InPlace>,
    /// The conversion of its tensors under autocast.
    pub autocast: Autocast,
    /// Whether the op computes tensors of half types in float32 throughout.
    pub opmath: bool,
    pub aliases: Option<Expr>,
    /// The Rust method's name, where PyTorch's name does not work in Rust.
    pub method: Option<Ident>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Arguments> {
        let kind: Ident = input.parse()?;
        let kind = match kind.to_string().as_str() {
            "pointwise" => Kind::Pointwise,
            "leaf" => Kind::Leaf,
            "composite" => Kind::Composite,
            _ => return Err(syn::Error::new(kind.span(), "expected pointwise, leaf or composite")),
        };
        input.parse::<Token![,]>()?;
        let text: LitStr = input.parse()?;
        let schema = Schema::parse(&text.value()).map_err(|error| syn::Error::new(text.span(), error))?;
        let (mut result, mut samples, mut in_place) = (None, None, None);
        let (mut aliases, mut method, mut opmath, mut autocast) = (None, None, false, Autocast::Keep);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let key: Ident = input.parse()?;
            match key.to_string().as_str() {
                "in_place" => {
                    in_place = Some(in_place_form(input)?);
                    continue;
                }
                "opmath" => {
                    opmath = true;
                    continue;
                }
                _ => {}
            }
            input.parse::<Token![=]>()?;
            match key.to_string().as_str() {
                "result" => result = Some(input.parse()?),
                "samples" => samples = Some(input.parse()?),
                "autocast" => autocast = autocast_policy(&input.parse()?)?,
                "aliases" => aliases = Some(input.parse()?),
                "method" => method = Some(input.parse()?),
                _ => {
                    return Err(syn::Error::new(
                        key.span(),
                        "expected result, samples, in_place, autocast, opmath, aliases or method",
                    ));
                }
            }
        }
        let samples = samples.ok_or_else(|| syn::Error::new(text.span(), "an op has samples: `samples = || …`"))?;
        Ok(Arguments { kind, schema, text, result, samples, in_place, autocast, opmath, aliases, method })
    }
}

/// The value of `autocast`.
fn autocast_policy(policy: &Ident) -> Result<Autocast> {
    match policy.to_string().as_str() {
        "lower" => Ok(Autocast::Lower),
        "widen" => Ok(Autocast::Widen),
        _ => Err(syn::Error::new(policy.span(), "expected lower or widen")),
    }
}

/// The value of `in_place`: nothing, `= same_dtype` or `= view`.
fn in_place_form(input: ParseStream) -> Result<InPlace> {
    if !input.peek(Token![=]) {
        return Ok(InPlace::Write);
    }
    input.parse::<Token![=]>()?;
    let form: Ident = input.parse()?;
    match form.to_string().as_str() {
        "view" => Ok(InPlace::View),
        "same_dtype" => Ok(InPlace::SameDtype),
        _ => Err(syn::Error::new(form.span(), "expected view or same_dtype")),
    }
}
