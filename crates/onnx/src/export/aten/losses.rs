//! Losses.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item},
    },
    Call, Functions,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value, value::is_floating_point};

pub const FUNCTIONS: Functions = &[
    ("cosine_similarity", cosine_similarity),
    ("binary_cross_entropy_with_logits", bce_with_logits),
    ("cross_entropy_loss", cross_entropy),
    ("huber_loss", smooth_l1),
    ("kl_div", kl_div),
    ("l1_loss", l1),
    ("mse_loss", mse),
    ("nll_loss", cross_entropy),
    ("nll_loss_nd", cross_entropy),
    ("smooth_l1_loss", smooth_l1),
];

fn reduce(exporter: &mut Exporter<'_>, call: &Call, item: &Item) -> Result<Arg> {
    let kept = [("keepdims", Attr::Int(0))];
    Ok(Value::Tensor(match call.int("reduction")? {
        0 => item.clone(),
        1 => exporter.op("ReduceMean", &[item], &kept),
        _ => exporter.op("ReduceSum", &[item], &kept),
    }))
}

fn apart(exporter: &mut Exporter<'_>, call: &Call) -> Result<Item> {
    let dtype = call.dtype()?;
    let (a, b) = (exporter.operand(call.args.get("self"), dtype)?, exporter.operand(call.args.get("target"), dtype)?);
    Ok(exporter.op("Sub", &[&a, &b], &[]))
}

fn mse(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let apart = apart(exporter, call)?;
    let square = exporter.op("Mul", &[&apart, &apart], &[]);
    reduce(exporter, call, &square)
}

fn l1(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let apart = apart(exporter, call)?;
    let size = exporter.op("Abs", &[&apart], &[]);
    reduce(exporter, call, &size)
}

/// `t · (log t - x)`, which is 0 where `t` is 0.
fn kl_div(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (input, target) = (call.tensor("self")?, call.tensor("target")?);
    let dtype = call.dtype()?;
    let (log, target) = match call.args.bool("log_target") {
        true => (target.clone(), exporter.op("Exp", &[&target], &[])),
        false => (exporter.op("Log", &[&target], &[]), target),
    };
    let apart = exporter.op("Sub", &[&log, &input], &[]);
    let product = exporter.op("Mul", &[&target, &apart], &[]);
    let zero = exporter.number(0.0, dtype)?;
    let is_zero = exporter.op_of("Equal", &[&target, &zero], &[], Some(DType::Bool));
    let loss = exporter.choose(&is_zero, &Value::Int(0), &Value::Tensor(product), dtype)?;
    reduce(exporter, call, &loss)
}

/// Writes the square of a small difference and the absolute value of a larger one.
fn smooth_l1(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let is_huber = call.base == "huber_loss";
    let limit = call.float_or(if is_huber { "delta" } else { "beta" }, 1.0)?;
    let apart = apart(exporter, call)?;
    let size = exporter.op("Abs", &[&apart], &[]);
    let square = exporter.op("Mul", &[&apart, &apart], &[]);
    let factor = if is_huber { 0.5 } else { 0.5 / limit };
    let (factor, edge) = (exporter.number(factor, dtype)?, exporter.number(limit, dtype)?);
    let near = exporter.op("Mul", &[&square, &factor], &[]);
    let half = exporter.number(limit / 2.0, dtype)?;
    let mut far = exporter.op("Sub", &[&size, &half], &[]);
    if is_huber {
        far = exporter.op("Mul", &[&far, &edge], &[]);
    }
    let is_near = exporter.op_of("Less", &[&size, &edge], &[], Some(DType::Bool));
    let loss = exporter.op_of("Where", &[&is_near, &near, &far], &[], Some(dtype));
    reduce(exporter, call, &loss)
}

fn bce_with_logits(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.is_given("weight") || call.args.is_given("pos_weight") {
        return Err(Error::unsupported("with weights"));
    }
    let (logits, target) = (call.tensor("self")?, call.tensor("target")?);
    // softplus(x) - x · y.
    let soft = exporter.op("Softplus", &[&logits], &[]);
    let product = exporter.op("Mul", &[&logits, &target], &[]);
    let loss = exporter.op("Sub", &[&soft, &product], &[]);
    reduce(exporter, call, &loss)
}

/// Writes the cross entropy of class indices.
fn cross_entropy(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (scores, target) = (call.tensor("self")?, call.tensor("target")?);
    if is_floating_point(target.dtype()?) {
        return Err(Error::unsupported("of probabilities"));
    }
    if call.float_or("label_smoothing", 0.0)? != 0.0 {
        return Err(Error::unsupported("with smoothed labels"));
    }
    if scores.rank()? < 2 {
        return Err(Error::unsupported("without a batch"));
    }
    let reduction = ["none", "mean", "sum"].get(call.int("reduction")? as usize).copied().unwrap_or("mean");
    let attributes =
        [("reduction", Attr::Str(reduction.to_string())), ("ignore_index", Attr::Int(call.int("ignore_index")?))];
    let weight = call.optional("weight");
    let inputs: Vec<&Item> = [&scores, &target].into_iter().chain(&weight).collect();
    let is_log = call.base.starts_with("nll");
    let op = if is_log { "NegativeLogLikelihoodLoss" } else { "SoftmaxCrossEntropyLoss" };
    Ok(Value::Tensor(exporter.op(op, &inputs, &attributes)))
}

fn cosine_similarity(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (a, b) = (call.tensor("x1")?, call.tensor("x2")?);
    let dtype = call.dtype()?;
    let (axes, kept) = (exporter.ints(&[call.int("dim")?])?, [("keepdims", Attr::Int(1))]);
    let eps = exporter.number(call.float_or("eps", 1e-8)?, dtype)?;
    let mut unit = |item: &Item| {
        let length = exporter.op("ReduceL2", &[item, &axes], &kept);
        let length = exporter.op("Max", &[&length, &eps], &[]);
        exporter.op("Div", &[item, &length], &[])
    };
    let (a, b) = (unit(&a), unit(&b));
    let product = exporter.op("Mul", &[&a, &b], &[]);
    Ok(Value::Tensor(exporter.op("ReduceSum", &[&product, &axes], &[("keepdims", Attr::Int(0))])))
}
