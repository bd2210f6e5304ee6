//! `#[op]`: an operation is declared once, as a function with a schema; the macro writes its row
//! and its Rust method. `#[derive(Module)]`: a struct is a module whose parameters are named by its
//! fields.
//!
//! ```text
//! /// Rectified linear unit, `max(x, 0)`. …
//! #[op(pointwise, "relu(Tensor self) -> Tensor", result = same, samples = || samples::unary(-2.0, 2.0))]
//! fn relu(x: &Expr) -> Expr {
//!     x.gt(0.0).select(x, 0.0)
//! }
//! ```
//!
//! generates `static RELU: Op` (the row that the family's table lists), `Tensor::relu`, and
//! `Tensor::relu_`. This is an attribute on an ordinary function, not a macro around it, so that
//! rustfmt, rust-analyzer and compiler errors see plain code.

#![forbid(unsafe_code)]

mod arguments;
mod builder;
mod choices;
mod expand;
mod functional;
mod module;
mod sections;

use proc_macro::TokenStream;

/// Declares an operation. `#[op(KIND, "SCHEMA", KEY = VALUE, …)]` on a private function.
///
/// KIND is one of:
/// - `pointwise`: the function is an expression over `&Expr`. Where it checks arguments or chooses
///   among expressions, it takes the schema's arguments and applies one.
/// - `leaf` or `composite`: the function takes the schema's arguments and returns a `Result` of the
///   schema's results; an `async fn` if it reads its input.
///
/// An overload, `max.dim` in the schema, is a function `max_dim`. Keys:
/// - `samples` (required).
/// - `result`, the dtype of an expression's result: `same`, `float`, `bool`.
/// - `in_place`, for ops that are not expressions and whose result has the shape of `self`.
/// - `in_place = same_dtype`: the same, and a result of another type than the tensor's is an error.
/// - `in_place = view`: the tensor becomes the view that the op returns.
/// - `autocast`, by PyTorch's lists: `lower` converts float32 tensors to the half type of autocast,
///   `widen` converts half types to float32.
/// - `opmath`: computes half types in float32 throughout.
/// - `aliases`.
/// - `method`, the Rust method's name, where PyTorch's means something else in Rust.
#[proc_macro_attribute]
pub fn op(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = syn::parse(attribute)
        .and_then(|arguments| syn::parse(item).map(|function| (arguments, function)))
        .and_then(|(arguments, function)| expand::expand(&arguments, &function));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a struct a module: the names of its fields are the names of its parameters, buffers and
/// child modules.
///
/// A field whose type names `Parameter` or `Buffer`, also in an `Option`, `Vec` or array, is one. A
/// field whose type is a module is a child, also in an `Option`, `Vec` or array. A `Cell<bool>`
/// named `training` holds the mode. Other fields are ignored. `#[module(skip)]` leaves a field out,
/// `#[module(name = "…")]` renames it, `#[module(flatten)]` adds the members of a module, or the
/// modules of a `Vec`, to the struct without the field's name as prefix. The struct also gets
/// `Display`, which prints the tree of its modules.
///
/// The struct implements `Layer`. A struct that takes more than a tensor, or returns more, has a
/// method `forward` and states its schema: `#[module("forward(Tensor input1, Tensor input2) ->
/// Tensor")]`. A layer with optional further arguments has a second method for them, named in the
/// schema.
#[proc_macro_derive(Module, attributes(module))]
pub fn module(item: TokenStream) -> TokenStream {
    let expanded = syn::parse(item).and_then(|input| module::derive(&input));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Writes the constructors of a module of this workspace from the schema of its row:
/// `#[builder("Linear(int in_features, …) -> Module", bias = "Whether there is a bias.")]`.
///
/// They are `builder`, which takes the required arguments and has a setter for each option, and
/// `new` and `new_on`, with PyTorch's defaults. All of them call the struct's function `make`,
/// which takes the builder and a `VarBuilder`. With `names = ["Conv1d", …]` several rows have the
/// same arguments, and `required = ["p"]` names parameters that Rust requires in spite of a
/// default.
#[proc_macro_derive(Builder, attributes(builder))]
pub fn builder(item: TokenStream) -> TokenStream {
    let expanded = syn::parse(item).and_then(|input| builder::derive(&input));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Declares a module of this workspace that calls an op:
/// `#[functional("ELU(Scalar alpha=1.0) -> Module", op = "elu")]` on a struct without fields.
///
/// The macro writes the struct's row, `SPEC`, a constructor `new` of the required arguments, a
/// `builder` with a setter for each optional one, `Default` if none is required, and `forward`. The
/// schema of `forward` may follow the schema of the constructor. `Functional` documents how the
/// arguments reach the op.
#[proc_macro_attribute]
pub fn functional(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = syn::parse(attribute)
        .and_then(|arguments| syn::parse(item).map(|item| (arguments, item)))
        .and_then(|(arguments, item)| functional::expand(&arguments, &item));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Marks a method without arguments that is read like a field in languages that have that, as in
/// PyTorch: `lanthorn-transpile` prints it as a getter. In Rust it changes nothing.
///
/// ```
/// struct Square(f64);
///
/// impl Square {
///     #[lanthorn_macros::property]
///     fn area(&self) -> f64 {
///         self.0 * self.0
///     }
/// }
///
/// assert_eq!(Square(3.0).area(), 9.0);
/// ```
#[proc_macro_attribute]
pub fn property(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Marks a struct that is plain data in other languages: `lanthorn-transpile` prints it as an
/// interface, whose objects have no class, and none is null. In Rust it changes nothing.
///
/// ```
/// #[lanthorn_macros::record]
/// struct Span {
///     start: usize,
///     end: Option<usize>,
/// }
///
/// assert_eq!(Span { start: 1, end: None }.end.unwrap_or(3), 3);
/// # let _ = Span { start: 1, end: None }.start;
/// ```
#[proc_macro_attribute]
pub fn record(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    item
}
