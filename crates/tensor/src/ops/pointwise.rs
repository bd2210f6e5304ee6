//! Applies a scalar expression to tensors: promotion, broadcasting, the kernel, and the derivative
//! that follows from the expression.

use super::Op;
use crate::{
    DType, Device, Error, Operand, Result, Scalar, Tensor,
    autocast::Casting,
    autograd::{Derivative, attach},
    batch::{self, Data},
    default_dtype,
    promote::result_type,
    scalar::ScalarParam,
};
use lanthorn_ir::{
    Kernel, Shape,
    cache::Cache,
    expr::{BinaryOp, Expr, InputGradient, Node, Program, Type, UnaryOp},
    kernel::{self, AffineIndex},
};
use lanthorn_runtime::{KernelKey, Param};
use std::{
    cell::{Cell, RefCell},
    panic::Location,
    rc::Rc,
};

/// The rule for the element type of an expression's result, given the type of its promoted
/// arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The same.
    Same,
    /// The same, but int32 instead of bool.
    Number,
    /// The same if it is floating point, else float32.
    Float,
    /// Bool.
    Bool,
}

/// An argument of an expression.
pub(crate) struct Argument {
    operand: Operand,
    /// Whether it takes part in promotion.
    promotes: bool,
}

impl Argument {
    pub fn tensor(tensor: &Tensor) -> Argument {
        Argument { operand: Operand::Tensor(tensor.clone()), promotes: true }
    }

    pub fn operand(operand: &Operand) -> Argument {
        Argument { operand: operand.clone(), promotes: true }
    }

    pub fn parameter(scalar: Scalar) -> Argument {
        Argument { operand: Operand::Scalar(scalar), promotes: false }
    }
}

/// Refuses arguments whose promoted type the expression does not accept; `wanted` names the types
/// that it does.
pub(crate) fn require(op: &'static Op, arguments: &[Argument], accepts: fn(DType) -> bool, wanted: &str) -> Result<()> {
    let dtype = result_type(arguments.iter().filter(|argument| argument.promotes).map(|argument| &argument.operand));
    if accepts(dtype) { Ok(()) } else { Err(Error::dtype(op.name(), format!("takes {wanted}, not {dtype}"))) }
}

/// Applies an expression to `arguments`, broadcast together.
#[track_caller]
pub(crate) fn apply<F: Fn(&[Expr]) -> Expr>(
    op: &'static Op,
    rule: Rule,
    arguments: &[Argument],
    expression: F,
) -> Result<Tensor> {
    // A function without data builds the same expression of the same values, so it is built once
    // for each call site of this function.
    let caller = std::ptr::from_ref(Location::caller()) as u64;
    let site = (size_of::<F>() == 0).then_some(caller);
    // Compiled once, instead of once for each of hundreds of expressions: that would be a twentieth
    // of the bytes that a page loads.
    apply_expression(op, rule, rule == Rule::Bool, arguments, site, &expression)
}

/// [`apply`] of the expression that an op is declared by.
pub(crate) fn apply_declared(
    op: &'static Op,
    rule: Rule,
    arguments: &[Argument],
    expression: fn(&[Expr]) -> Expr,
) -> Result<Tensor> {
    apply_expression(op, rule, rule == Rule::Bool, arguments, Some(0), &expression)
}

/// The maximum number of cached expressions by call site, and of cached expressions by kernel.
const MAX_EXPRESSIONS: usize = 4096;

/// The kind of an argument in the key of an expression.
enum Slot {
    Input(usize, Type),
    Param(usize),
}

impl Slot {
    fn word(&self) -> u64 {
        match *self {
            Slot::Input(slot, ty) => (slot as u64) << 8 | (ty as u64) << 1,
            Slot::Param(slot) => (slot as u64) << 8 | 1,
        }
    }

    fn value(&self, ty: Type) -> Expr {
        match *self {
            Slot::Input(slot, from) => Expr::input(slot, from).cast(ty),
            Slot::Param(slot) => Expr::param(slot, ty),
        }
    }
}

/// [`apply`] of an expression that computes in the type of `rule`, and has that type or bool.
/// `site` stands for the function, if it has no data.
pub(crate) fn apply_expression(
    op: &'static Op,
    rule: Rule,
    is_bool: bool,
    arguments: &[Argument],
    site: Option<u64>,
    expression: &dyn Fn(&[Expr]) -> Expr,
) -> Result<Tensor> {
    thread_local! {
        static EXPRESSIONS: RefCell<Cache<Box<[u64]>, Expr>> = RefCell::new(Cache::new(MAX_EXPRESSIONS));
    }
    let name = op.name();
    let casting = Casting::of(op.autocast);
    let cast = |argument: &Argument| {
        Ok(Argument { operand: casting.operand(&argument.operand)?, promotes: argument.promotes })
    };
    let arguments = &arguments.iter().map(cast).collect::<Result<Vec<_>>>()?;
    let promoted = result_type(arguments.iter().filter(|argument| argument.promotes).map(|argument| &argument.operand));
    let dtype = match rule {
        Rule::Float if !promoted.is_floating_point() => default_dtype(),
        Rule::Number if promoted == DType::Bool => DType::I32,
        _ => promoted,
    };
    let ty = Type::from(dtype);
    let (mut inputs, mut params): (Vec<Tensor>, Vec<Param>) = Default::default();
    let mut slots = Vec::with_capacity(arguments.len());
    let mut misfit = None;
    for argument in arguments {
        slots.push(match &argument.operand {
            Operand::Tensor(tensor) => {
                // x * x reads its input once.
                let known = inputs.iter().position(|input| input.is(tensor));
                if known.is_none() {
                    inputs.push(tensor.clone());
                }
                Slot::Input(known.unwrap_or(inputs.len() - 1), tensor.dtype().into())
            }
            Operand::Scalar(scalar) => {
                if !argument.promotes && scalar.is_float() && !dtype.is_floating_point() {
                    let message = format!("the number {} is floating point, the tensors are {dtype}", scalar.to_f64());
                    return Err(Error::dtype(name, message));
                }
                if !scalar.fits(dtype) {
                    misfit = Some(*scalar);
                }
                params.push(scalar.param(ty));
                Slot::Param(params.len() - 1)
            }
        });
    }
    let make = || {
        let values: Vec<Expr> = slots.iter().map(|slot| slot.value(ty)).collect();
        expression(&values).simplify()
    };
    let expr = match site {
        Some(site) => {
            let key: Vec<u64> =
                [op.text.as_ptr() as u64, site, ty as u64].into_iter().chain(slots.iter().map(Slot::word)).collect();
            let known = EXPRESSIONS.with_borrow_mut(|expressions| expressions.get(&key[..]).cloned());
            known.unwrap_or_else(|| {
                let expr = make();
                EXPRESSIONS.with_borrow_mut(|expressions| expressions.insert(key.into(), expr.clone()));
                expr
            })
        }
        None => make(),
    };
    let negates = |step: &Expr| matches!(step.node(), Node::Unary(UnaryOp::Neg, _) | Node::Binary(BinaryOp::Sub, ..));
    if ty == Type::Bool && Expr::topological(std::slice::from_ref(&expr)).iter().any(negates) {
        return Err(Error::dtype(name, "bool has no negative; use logical_not, ne or an integer type"));
    }
    // Sums and products of integers wrap, also with a number that does not fit.
    if let Some(scalar) = misfit.filter(|_| !expr.is_modular()) {
        return Err(scalar.misfit(name, dtype));
    }
    let result = if is_bool { DType::Bool } else { dtype };
    record(name, expr, &inputs, &params, result)
}

/// Records the expression `expr` of `inputs` (its input slots) and `params` (its parameter slots),
/// with its derivative.
pub(crate) fn record(
    op: &'static str,
    expr: Expr,
    inputs: &[Tensor],
    params: &[Param],
    dtype: DType,
) -> Result<Tensor> {
    let device = common_device(op, inputs)?;
    let mut shape = inputs.first().map_or_else(Shape::default, |first| first.shape().clone());
    for input in inputs.iter().skip(1) {
        if *input.shape() != shape {
            shape = shape.broadcast(op, input.shape())?;
        }
    }
    let output = launch(op, &expr, inputs, params, dtype, &shape, &device)?;
    if inputs.iter().any(Tensor::requires_grad) {
        differentiate(op, &output, expr, inputs, params);
    }
    Ok(output)
}

/// The device that all tensors are on.
pub(crate) fn common_device(op: &str, tensors: &[Tensor]) -> Result<Device> {
    let Some(first) = tensors.first() else { return Device::default_device() };
    match tensors.iter().find(|tensor| tensor.device() != first.device()) {
        None => Ok(first.device().clone()),
        Some(other) => {
            let message = format!("tensors on two devices: {} and {}", first.device().name(), other.device().name());
            Err(Error::device(op, message))
        }
    }
}

/// Records the kernel alone.
pub(crate) fn launch(
    op: &'static str,
    expr: &Expr,
    inputs: &[Tensor],
    params: &[Param],
    dtype: DType,
    shape: &Shape,
    device: &Device,
) -> Result<Tensor> {
    launch_at(op, expr, inputs, vec![], params, dtype, shape, device)
}

/// [`launch`] of an expression with affine indices over `shape`: coordinates and sizes, which are
/// no part of its program.
pub(crate) fn launch_at(
    op: &'static str,
    expr: &Expr,
    inputs: &[Tensor],
    indices: Vec<AffineIndex>,
    params: &[Param],
    dtype: DType,
    shape: &Shape,
    device: &Device,
) -> Result<Tensor> {
    device.require_dtype(op, dtype)?;
    let make = || {
        if indices.is_empty() {
            keep(expr);
        }
        let as_it_was = matches!(expr.node(), Node::Input(slot) if inputs[*slot].dtype() == dtype);
        let stored = if as_it_was { expr.clone() } else { expr.stored(dtype) };
        let operands =
            inputs.iter().map(|input| Ok(kernel::Operand::new(input.dtype(), input.layout().expand(op, shape)?)));
        Ok(Kernel::Map(kernel::Map {
            shape: shape.clone(),
            inputs: operands.collect::<Result<_>>()?,
            indices: indices.clone(),
            params: params.iter().map(|param| param.ty()).collect(),
            program: Program::new(std::slice::from_ref(&stored)),
            dtypes: vec![dtype],
        }))
    };
    let is_known = indices.is_empty() && !batch::is_active() && inputs.iter().all(|input| input.batch().is_empty());
    let mut outputs: Vec<Data> = match is_known {
        true => with_key(op, expr, inputs, params, dtype, shape, |key| {
            let values = inputs.iter().map(|input| input.value().value).collect();
            device.record_known(op, key, make, values, params.to_vec())
        })?
        .into_iter()
        .map(Data::from)
        .collect(),
        false => batch::record(device, op, make()?, None, inputs.iter().map(Tensor::value).collect(), params.to_vec()),
    };
    let value = outputs.pop().expect("a map with one expression has one output");
    Ok(Tensor::from_value(device, value, shape.clone()))
}

/// Keeps an expression that a kernel is known by, so that it is the same one, of the same number,
/// when it is built again.
fn keep(expr: &Expr) {
    thread_local! {
        static KEPT: RefCell<Cache<Expr, ()>> = RefCell::new(Cache::new(MAX_EXPRESSIONS));
    }
    KEPT.with_borrow_mut(|kept| kept.insert(expr.clone(), ()));
}

/// Calls a function with the data that determines the kernel of a launch.
fn with_key<T>(
    op: &'static str,
    expr: &Expr,
    inputs: &[Tensor],
    params: &[Param],
    dtype: DType,
    shape: &Shape,
    call: impl FnOnce(&KernelKey) -> T,
) -> T {
    thread_local! {
        static KEY: Cell<Vec<u64>> = const { Cell::new(vec![]) };
    }
    let mut key = KEY.take();
    key.clear();
    // Expressions are numbered, and a name is as good as its address.
    key.extend([op.as_ptr() as u64, op.len() as u64, expr.id(), u64::from(dtype.number()), shape.rank() as u64]);
    key.extend(shape.iter().map(|&size| size as u64));
    key.extend(params.iter().map(|param| param.ty() as u64));
    for input in inputs {
        let layout = input.layout();
        key.extend([u64::from(input.dtype().number()), layout.offset() as u64, layout.shape().rank() as u64]);
        key.extend(layout.shape().iter().map(|&size| size as u64));
        key.extend(layout.strides().iter().map(|&stride| stride as u64));
    }
    let result = call(&key);
    KEY.set(key);
    result
}

fn differentiate(op: &'static str, output: &Tensor, expr: Expr, inputs: &[Tensor], params: &[Param]) {
    let wanted = inputs
        .iter()
        .enumerate()
        .map(|(i, input)| (input.requires_grad().then(|| expr.input_gradient(i, inputs.len()))).flatten());
    let gradients: Vec<Option<Rc<InputGradient>>> = wanted.collect();
    let mut saves: Vec<usize> =
        gradients.iter().flatten().flat_map(|gradient| gradient.reads.iter().copied()).collect();
    saves.sort_unstable();
    saves.dedup();
    let saved: Vec<&Tensor> = saves.iter().map(|&input| &inputs[input]).collect();
    let targets: Vec<(Shape, DType)> = inputs.iter().map(|input| (input.shape().clone(), input.dtype())).collect();
    let params = params.to_vec();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let gradients = gradients.iter().zip(&targets).map(|(gradient, (shape, dtype))| {
            let Some(gradient) = gradient else { return Ok(None) };
            let InputGradient { expr, reads, params: used } = &**gradient;
            if matches!(expr.node(), Node::Input(_)) && reads.is_empty() && grad.dtype() == *dtype {
                // The gradient as it came, as of a sum.
                return grad.sum_to_size(shape).map(Some);
            }
            let index = |read: &usize| saves.binary_search(read).expect("what a gradient reads was saved");
            let mut inputs: Vec<Tensor> = reads.iter().map(|read| saved[index(read)].clone()).collect();
            inputs.push(grad.clone());
            let params: Vec<Param> = used.iter().map(|&slot| params[slot]).collect();
            record(op, expr.clone(), &inputs, &params, *dtype)?.sum_to_size(shape).map(Some)
        });
        gradients.collect()
    });
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    attach(op, output, &inputs, &saved, derivative);
}
