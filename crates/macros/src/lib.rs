//! `#[op]`: an operation is declared once, as a function with a schema; its row and its Rust method are written from that.
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
mod expand;

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
