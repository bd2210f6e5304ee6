//! `#[op]`: an operation is declared once, as a function with a schema; its row and its Rust method are written from that.
//! `#[derive(Module)]`: a struct is a module, whose parameters are found by the names of its fields.
//!
//! ```text
//! /// Rectified linear unit, `max(x, 0)`. …
//! #[op(pointwise, "relu(Tensor self) -> Tensor", result = same, samples = || samples::unary(-2.0, 2.0))]
//! fn relu(x: &Expr) -> Expr {
//!     x.gt(0.0).select(x, 0.0)
//! }
//! ```
//!
//! gives `static RELU: Op` (the row that the family's table lists), `Tensor::relu`, and `Tensor::relu_`. An attribute on an
//! ordinary function, and not a macro around it, so that rustfmt, rust-analyzer and compiler errors see plain code.

mod arguments;
mod autocast;
mod expand;
mod functional;
mod module;

use proc_macro::TokenStream;

/// Declares an operation. `#[op(KIND, "SCHEMA", KEY = VALUE, …)]` on a private function.
///
/// KIND is `pointwise` (the function is a formula over `&Expr`; or, where arguments are checked or choose the formula, it takes what the schema says and applies one),
/// `leaf` or `composite` (it takes what the schema says and returns a
/// `Result` of a tensor, or of what else the schema says; an `async fn` if it reads its input). An overload, `max.dim` in the schema, is a
/// function `max_dim`. Keys: `result` (of a formula: `same`, `float`, `bool`), `samples` (required), `in_place` (ops that are no formula, whose result has the shape of `self`), `in_place = view` (the tensor becomes the view that the op gives), `opmath` (run in float32 throughout for half types), `aliases`, `method` (the
/// Rust method's name, where PyTorch's means something else in Rust).
#[proc_macro_attribute]
pub fn op(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = syn::parse(attribute)
        .and_then(|arguments| syn::parse(item).map(|function| (arguments, function)))
        .and_then(|(arguments, function)| expand::expand(&arguments, &function));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a struct a module: its parameters, buffers and modules are found by the names of its fields.
///
/// A field whose type is written with `Parameter` or `Buffer`, also in an `Option`, `Vec` or array, is one; a field whose type is a module
/// is a child, also in an `Option`, `Vec` or array; a `Cell<bool>` named `training` keeps the mode; the others are the struct's own business.
/// `#[module(skip)]` leaves a field out, `#[module(name = "…")]` gives it another name, `#[module(flatten)]` takes the members of a
/// module, or the modules of a `Vec`, for the struct's own, without the field's name.
///
/// The struct implements `Layer`; one that takes more than a tensor, or gives more, has a method `forward` of its own and says its schema:
/// `#[module("forward(Tensor input1, Tensor input2) -> Tensor")]`. A layer that can take more has another method for that, whose name the schema has.
#[proc_macro_derive(Module, attributes(module))]
pub fn module(item: TokenStream) -> TokenStream {
    let expanded = syn::parse(item).and_then(|input| module::derive(&input));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Declares a module of this workspace that is an op: `#[functional("ELU(Scalar alpha=1.0) -> Module", op = "elu")]` on a struct without fields.
///
/// The struct gets its row, `SPEC`, a constructor `new` of what is required, `with` of everything where something is not, `Default` where
/// nothing is required, and `forward`; after the constructor's schema may stand that of `forward`. How the arguments reach the op, `Functional` says.
#[proc_macro_attribute]
pub fn functional(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = syn::parse(attribute)
        .and_then(|arguments| syn::parse(item).map(|item| (arguments, item)))
        .and_then(|(arguments, item)| functional::expand(&arguments, &item));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
