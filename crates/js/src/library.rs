//! Operations that a page registers, and the list of all operations.
//!
//! An op is found by its number; the numbers of registered ops follow the numbers of the table. The
//! package's `library.ts` passes functions of encoded arguments, which call the user's functions. A
//! context of autograd holds its object of JavaScript.

use crate::{
    arguments::encode_args,
    callback::Callback,
    error::{Result, from_callback},
    function::{gradients, lend, needs, optional_tensors, read_report, tensors},
    library_kernel::register_kernels,
};
use js_sys::{Array, Function, Reflect};
use lanthorn::{
    Error, Policy, Tensor,
    autograd::{Context, Gradients},
    custom::{Arguments, CustomOp, custom_op, pointwise_with},
    ops::{self, Output},
};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

const POLICIES: [(&str, Policy); 3] = [("keep", Policy::Keep), ("lower", Policy::Lower), ("widen", Policy::Widen)];

fn policy(op: &str, name: &str) -> Result<Policy> {
    let found = POLICIES.iter().find(|(known, _)| *known == name).map(|&(_, policy)| policy);
    let unknown = || Error::argument(op, format!("there is no autocast policy {name:?}; choose keep, lower or widen"));
    Ok(found.ok_or_else(unknown)?)
}

/// The package's information about a new op: its number, and its printed schema.
fn register(op: CustomOp) -> Array {
    // Registered last, so it is the last of all.
    let number = ops::all().count() - 1;
    [JsValue::from(number as u32), op.op().text.into()].iter().collect()
}

/// Registers a pointwise op from an expression.
#[wasm_bindgen(js_name = libraryPointwise)]
pub fn pointwise(name: &str, text: &str, autocast: &str) -> Result<Array> {
    Ok(register(pointwise_with(name, text, policy(name, autocast)?)?))
}

/// A member of a declaration: a function.
pub(crate) fn function(parts: &JsValue, name: &str) -> Option<Callback> {
    let part = Reflect::get(parts, &name.into()).ok()?;
    part.dyn_into::<Function>().ok().map(Callback::new)
}

/// Calls a function of the package with the arguments of an op, and further values.
pub(crate) fn call(callback: Callback, args: &Arguments<'_>, more: &[JsValue]) -> lanthorn::Result<JsValue> {
    let [encoded, strings] = encode_args(args.values());
    callback.call(&[&[encoded, strings], more].concat()).map_err(from_callback)
}

/// Registers an op from its schema and an object of functions, each of which may be missing:
/// `composite`, `setupContext`, `backward`, and the functions of [`register_kernels`].
#[wasm_bindgen(js_name = libraryDefine)]
pub fn define(schema: &str, autocast: &str, once_differentiable: bool, parts: &JsValue) -> Result<Array> {
    let name = schema.split('(').next().unwrap_or(schema).trim();
    let mut builder = register_kernels(custom_op(schema).autocast(policy(name, autocast)?), schema, parts);
    if let Some(composite) = function(parts, "composite") {
        builder = builder.composite(move |args| Ok(Output::Tensors(tensors(&call(composite, args, &[])?)?)));
    }
    if let (Some(setup), Some(backward)) = (function(parts, "setupContext"), function(parts, "backward")) {
        let setup = move |ctx: &Context, args: &Arguments<'_>, outputs: &[Tensor]| set_up(setup, ctx, args, outputs);
        builder = builder.register_autograd(setup, move |ctx, grads| differentiate(backward, ctx, grads));
        if once_differentiable {
            builder = builder.once_differentiable();
        }
    }
    Ok(register(builder.register()?))
}

/// Runs the user's `setupContext`, which returns the context's object in JavaScript and its report.
fn set_up(callback: Callback, ctx: &Context, args: &Arguments<'_>, outputs: &[Tensor]) -> lanthorn::Result<()> {
    let wanted = needs(ctx, args.all_tensors().len()).into();
    let given = Array::from(&call(callback, args, &[lend(outputs), wanted])?);
    ctx.set(given.get(0));
    // The outputs are the op's own, whatever the report says of them.
    read_report("setupContext", ctx, &given.get(1)).map(drop)
}

fn differentiate(callback: Callback, ctx: &Context, grads: &Gradients<'_>) -> lanthorn::Result<Vec<Option<Tensor>>> {
    let object = ctx.get::<JsValue>()?;
    let given = callback.call(&[(*object).clone(), gradients(grads), lend(&ctx.saved_tensors())]);
    optional_tensors(&given.map_err(from_callback)?)
}

/// All operations: of each its schema, how it is made, what autocast does to it, whether it has an
/// in-place form, and its other names with spaces between them.
#[wasm_bindgen(js_name = opsList)]
pub fn list() -> Array {
    ops::all().map(|op| describe(op).iter().collect::<Array>()).collect()
}

fn describe(op: &'static ops::Op) -> [JsValue; 5] {
    let kind = match op.kind {
        ops::OpKind::Pointwise => "pointwise",
        ops::OpKind::Leaf => "leaf",
        ops::OpKind::Composite => "composite",
    };
    let policy = POLICIES.iter().find(|(_, policy)| *policy == op.autocast).map_or("", |(name, _)| name);
    [op.text.into(), kind.into(), policy.into(), op.in_place.is_some().into(), op.aliases.join(" ").into()]
}
