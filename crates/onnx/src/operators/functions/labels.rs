//! Labels of classifiers of `ai.onnx.ml`: tensors of integers, or lists of texts.

use super::{
    Given, arg, binary, convert, integers, optional_ints, reshape_to, sizes, tensor, texts,
    traditional::{linear, numbers, post_transform},
    unary, word,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Outcome, Result, Value,
    value::{as_ints, elements, is_floating_point},
};

/// A result that may depend on elements that have to be read.
type Answer<'d, D> = Result<Outcome<'d, <D as Dispatch>::Tensor>>;

/// Nests texts in lists by the shape of a tensor.
fn nest<T>(texts: &mut impl Iterator<Item = String>, shape: &[usize]) -> Value<T> {
    match shape {
        [] => texts.next().map_or(Value::None, Value::Str),
        [size, rest @ ..] => Value::List((0..*size).map(|_| nest(texts, rest)).collect()),
    }
}

/// Returns the texts at indices; index -1 returns `otherwise`.
fn texts_at<'d, D: Dispatch>(
    d: &'d D,
    table: Vec<String>,
    positions: D::Tensor,
    otherwise: String,
) -> Outcome<'d, D::Tensor> {
    Outcome::pending(async move {
        let positions = d.read(&positions).await?;
        let indices = as_ints(&Value::<()>::List(elements(&positions)?)).unwrap_or_default();
        let text = |index: i64| usize::try_from(index).ok().and_then(|index| table.get(index)).unwrap_or(&otherwise);
        Ok(nest(&mut indices.into_iter().map(|index| text(index).clone()), positions.shape()))
    })
}

/// Maps numbers or texts by a table of keys and values, with a default for other keys.
pub fn label_encoder<D: Dispatch>(d: &D, args: Given<D>) -> Answer<'_, D> {
    if args.is_given("keys_strings") {
        return Err(Error::unsupported(format!("{} with keys_strings", args.op())));
    }
    let of = |side: &str| -> Result<(D::Tensor, bool)> {
        if let Some(list) = optional_ints(&args, &format!("{side}_int64s")) {
            return Ok((integers(d, vec![list.len()], &list)?, false));
        }
        if let Some(list) = numbers(d, &args, &format!("{side}_floats"))? {
            return Ok((list, true));
        }
        let tensor = args.get(&format!("{side}_tensor")).as_tensor();
        let tensor = tensor.ok_or_else(|| Error::argument(args.op(), format!("has no {side}")))?;
        Ok((reshape_to(d, tensor, [-1])?, is_floating_point(d.dtype(tensor))))
    };
    let (keys, _) = of("keys")?;
    let count = sizes(d, &keys)[0];
    let refuse = |others: i64| Err(Error::argument(args.op(), format!("{count} keys and {others} values")));
    let x = tensor(d, "unsqueeze", [arg(args.tensor("X")?), Value::Int(-1)])?;
    // Here NaN equals NaN as a key.
    let both = binary(d, "logical_and", &unary(d, "isnan", &x)?, &unary(d, "isnan", &keys)?)?;
    let hits = binary(d, "logical_or", &binary(d, "eq", &x, &keys)?, &both)?;
    let any = |hits: &D::Tensor| tensor(d, "any", [arg(hits), Value::Int(-1)]);
    let first_hit = |hits: &D::Tensor| tensor(d, "argmax", [arg(&convert(d, hits, DType::I32)?), Value::Int(-1)]);
    if let Some(values) = texts(&args, "values_strings") {
        if values.len() as i64 != count || count == 0 {
            return refuse(values.len() as i64);
        }
        let positions = tensor(d, "where", [arg(&any(&hits)?), arg(&first_hit(&hits)?), Value::Int(-1)])?;
        let values = values.into_iter().map(str::to_string).collect();
        return Ok(texts_at(d, values, positions, word(&args, "default_string").to_string()));
    }
    let (values, is_float) = of("values")?;
    let others = sizes(d, &values)[0];
    if count != others || count == 0 {
        return refuse(others);
    }
    let index = first_hit(&hits)?;
    let flat = tensor(d, "index_select", [arg(&values), Value::Int(0), arg(&reshape_to(d, &index, [-1])?)])?;
    let found = reshape_to(d, &flat, sizes(d, &index))?;
    let otherwise = match args.get("default_tensor").as_tensor() {
        Some(value) => Value::Tensor(reshape_to(d, value, [])?),
        None if is_float => Value::Float(args.float("default_float")?),
        None => Value::Int(args.int("default_int64")?),
    };
    tensor(d, "where", [arg(&any(&hits)?), arg(&found), otherwise]).map(|found| Outcome::Ready(Value::Tensor(found)))
}

/// Returns the label of the highest score of a linear model, and the scores. A binary model with a
/// single row of coefficients computes the score of the second label, and the first score is 1
/// minus it.
pub fn linear_classifier<D: Dispatch>(d: &D, args: Given<D>) -> Answer<'_, D> {
    let (ints, texts) = (optional_ints(&args, "classlabels_ints"), texts(&args, "classlabels_strings"));
    let count = ints.as_ref().map(Vec::len).or(texts.as_ref().map(Vec::len)).unwrap_or(0);
    let coefficients = args.get("coefficients").as_list().map_or(0, <[_]>::len);
    let features = sizes(d, args.tensor("X")?).last().copied().unwrap_or(1).max(1) as usize;
    let rows = coefficients / features;
    if count == 0 || (rows != count && !(rows == 1 && count == 2)) {
        let message = format!("{coefficients} coefficients of {features} features for {count} labels");
        return Err(Error::argument(args.op(), message));
    }
    let scores = linear(d, &args, rows as i64)?;
    let (best, scores) = if rows == count {
        let best = tensor(d, "argmax", [arg(&scores), Value::Int(-1)])?;
        (best, post_transform(d, &args, &scores)?)
    } else {
        let above = convert(d, &tensor(d, "gt", [arg(&scores), Value::Int(0)])?, DType::I64)?;
        let second = if word(&args, "post_transform") == "LOGISTIC" { unary(d, "sigmoid", &scores)? } else { scores };
        let first = tensor(d, "rsub", [arg(&second), Value::Float(1.0)])?;
        let both = Value::List(vec![Value::Tensor(first), Value::Tensor(second)]);
        (above, tensor(d, "cat", [both, Value::Int(-1)])?)
    };
    let best = reshape_to(d, &best, [-1])?;
    let chosen = match (ints, texts) {
        (Some(labels), _) => {
            let labels = integers(d, vec![labels.len()], &labels)?;
            let chosen = tensor(d, "index_select", [arg(&labels), Value::Int(0), arg(&best)])?;
            Outcome::Ready(Value::Tensor(chosen))
        }
        (None, texts) => {
            let labels = texts.unwrap_or_default().into_iter().map(str::to_string).collect();
            texts_at(d, labels, best, String::new())
        }
    };
    chosen.then(move |chosen| Ok(Value::Tuple(vec![chosen, Value::Tensor(scores)])))
}

/// Returns a dictionary from labels to scores for each row.
pub fn zip_map<D: Dispatch>(d: &D, args: Given<D>) -> Answer<'_, D> {
    let labels: Vec<Value<D::Tensor>> =
        match (optional_ints(&args, "classlabels_int64s"), texts(&args, "classlabels_strings")) {
            (Some(labels), _) => labels.into_iter().map(Value::Int).collect(),
            (None, Some(labels)) => labels.into_iter().map(|label| Value::Str(label.to_string())).collect(),
            (None, None) => return Err(Error::argument(args.op(), "has no labels")),
        };
    let x = args.tensor("X")?.clone();
    let shape = d.shape(&x);
    if shape.last() != Some(&labels.len()) || shape.len() > 2 {
        return Err(Error::argument(args.op(), format!("scores of shape {shape:?} for {} labels", labels.len())));
    }
    Ok(Outcome::pending(async move {
        let scores: Vec<Value<D::Tensor>> = elements(&d.read(&x).await?)?;
        let row =
            |scores: &[Value<D::Tensor>]| Value::Dict(labels.iter().cloned().zip(scores.iter().cloned()).collect());
        Ok(Value::List(scores.chunks(labels.len().max(1)).map(row).collect()))
    }))
}
