//! Pointwise ops from a formula.

use super::{
    CustomOp, Definition,
    definition::{Formula, Implementation},
    expression, registry, schema,
};
use crate::{
    Error, Policy, Result,
    ops::{InPlace, OpKind, Rule},
};
use lanthorn_ir::expr::Expr;
use lanthorn_schema::{ParamType, Return, Schema};

/// Registers a pointwise op from a formula in text.
///
/// `name` has a namespace, `text` is `arguments -> formula`. An argument with a default is a
/// number, which is a parameter of the launch and not part of the kernel; the first argument is a
/// tensor, and the others are tensors or numbers. The formula has numbers, `pi`, `inf`, `nan`,
/// `true` and `false`, `+ - * / % **`, comparisons, `&& || !`, `condition ? a : b`, and functions
/// by PyTorch's names: `where`, `min`, `max`, `clamp`, `square`, `round`, `bitwise_and` and the
/// like, every operation of the table that is one formula (`exp`, `log1p`, `erf`, `tanh`,
/// `softplus`), and pointwise ops registered before. `%` has the divisor's sign, as in Python, `/`
/// divides truly, and `**` binds from the right.
///
/// Arguments are promoted and broadcast as in built-in ops: all are promoted together, to floating
/// point if the formula has a number with a point, a `/` or a function with a floating-point
/// result. A comparison as the result is bool.
///
/// # Errors
///
/// `argument` for a text that does not parse, with the line and column, and for a name that lacks a
/// namespace or is taken.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::custom::pointwise;
/// pointwise("mylib::step", "x, at=0 -> x >= at ? 1 : 0")?;
/// let error = pointwise("mylib::typo", "x -> 2 * sqroot(x)").unwrap_err();
/// assert!(error.to_string().contains("line 1, column 10: there is no function `sqroot`"));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pointwise(name: &str, text: &str) -> Result<CustomOp> {
    pointwise_with(name, text, Policy::Keep)
}

/// [`pointwise`] with what autocast does to the op's tensors.
///
/// # Errors
///
/// As [`pointwise`].
pub fn pointwise_with(name: &str, text: &str, autocast: Policy) -> Result<CustomOp> {
    schema::check_name(name)?;
    let (params, formula) = expression::parse(name, text)?;
    let (name, overload) = name.split_once('.').unwrap_or((name, ""));
    let returns = vec![Return { ty: "Tensor".into(), name: String::new() }];
    finish(Schema { name: name.into(), overload: overload.into(), params, returns }, formula, autocast)
}

/// Registers a pointwise op from a schema and a function that builds its formula.
///
/// The schema's parameters are `Tensor`, `Tensor|Scalar` and `Scalar`, its result one tensor. The
/// function gets the arguments in their promoted type, which `rule` says; the type of the formula
/// is the result's, bool if it is that. It runs once a call.
///
/// # Errors
///
/// `argument` for a schema that does not parse or has other parameters or results, and for a name
/// that lacks a namespace or is taken.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, custom::pointwise_fn, ops::Rule};
/// let relu_squared =
///     pointwise_fn("mylib::relu_squared(Tensor x) -> Tensor", Rule::Same, |args| args[0].gt(0.0).select(args[0].square(), 0.0))?;
/// let x = Tensor::from_slice(&[-2.0f32, 3.0], [2], &device)?;
/// assert_eq!(pollster::block_on(relu_squared.tensor(&[x.into()])?.to_vec::<f32>())?, [0.0, 9.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pointwise_fn(
    schema: &str,
    rule: Rule,
    formula: impl Fn(&[Expr]) -> Expr + Send + Sync + 'static,
) -> Result<CustomOp> {
    let schema = schema::parse(schema)?;
    finish(
        schema,
        Formula { computes: rule, is_bool: rule == Rule::Bool, whole: false, of: Box::new(formula) },
        Policy::Keep,
    )
}

fn finish(schema: Schema, formula: Formula, autocast: Policy) -> Result<CustomOp> {
    let takes = |ty: ParamType| matches!(ty, ParamType::Tensor | ParamType::TensorOrScalar | ParamType::Scalar);
    let one_result = matches!(&schema.returns[..], [result] if result.ty == "Tensor");
    if schema.params.is_empty() || !one_result || schema.params.iter().any(|param| !takes(param.ty)) {
        let message = format!("a formula takes Tensor, Tensor|Scalar and Scalar, and gives a Tensor: {schema}");
        return Err(Error::argument(schema.full_name(), message));
    }
    let in_place = (schema.params[0].ty == ParamType::Tensor).then_some(InPlace::Write);
    let definition = Definition { schema, implementation: Implementation::Pointwise(formula), autograd: None };
    registry::register(definition, OpKind::Pointwise, autocast, in_place)
}
