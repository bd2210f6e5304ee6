//! Complex tensors in a graph. The table represents them as pairs along a last dimension, so the
//! reader changes calls with complex tensors by the rules of [`aten::complex`]. Only the file knows
//! which values are complex.
//!
//! [`aten::complex`]: crate::aten::complex

use super::{convert::input_name, metas, numbers, pairs, schema};
use crate::{
    Value,
    aten::complex::{Change, Default, Rule, change, change_value, rule},
    graph::{Graph, Meta, ModuleStack, Node, Operand, Results, Target, TensorMeta, ValueId},
    operators::of_default,
};
use lanthorn_io::DType;
use rustc_hash::FxHashSet;

/// Operators on pairs, and operators that view complex tensors as pairs.
const PAIRS: [&str; 8] = ["real", "imag", "_fft_c2c", "_fft_c2r", "view_as_real", "view_as_complex", "stft", "istft"];

/// Changes a call that takes or returns complex tensors. Returns the operator to call, or the name
/// of a missing one.
pub(super) fn adapt(
    target: Target,
    node: &schema::Node,
    source: &schema::Graph,
    named: &mut Vec<(String, Operand)>,
    graph: &mut Graph,
) -> Result<Target, String> {
    let Target::Aten(name, _) = &target else { return Ok(target) };
    let is_complex = |name: &str| source.tensor_values.get(name).is_some_and(|meta| numbers::is_complex(meta.dtype));
    let given = |argument: &schema::NamedArgument| match &argument.arg {
        schema::Argument::AsTensors(names) => names.iter().any(|name| is_complex(&name.name)),
        argument => input_name(argument).is_some_and(is_complex),
    };
    let base = name.split('.').next().unwrap_or_default();
    let base = base.strip_suffix('_').filter(|base| !base.ends_with('_')).unwrap_or(base).to_string();
    let complex: Vec<bool> = node.inputs.iter().map(given).collect();
    if pairs::is_transform(&base) {
        if !complex.first().is_some_and(|&complex| complex) {
            make_complex(named, 0, source, graph);
        }
        return Ok(target);
    }
    let found = |name: &str| Target::find(&format!("torch.ops.aten.{name}")).ok_or_else(|| name.to_string());
    let becomes_complex = node.inputs.iter().any(
        |argument| matches!(&argument.arg, schema::Argument::AsScalarType(number) if numbers::is_complex(*number)),
    );
    if becomes_complex && matches!(base.as_str(), "to" | "_to_copy" | "zeros" | "ones" | "full" | "empty") {
        return match base.as_str() {
            "to" | "_to_copy" => {
                if !complex.contains(&true) {
                    make_complex(named, 0, source, graph);
                }
                named.truncate(1);
                found("alias.default")
            }
            _ => {
                let real = fill(&target, named, graph, source);
                *named = vec![("self".to_string(), real)];
                make_complex(named, 0, source, graph);
                found("alias.default")
            }
        };
    }
    if matches!(base.as_str(), "real" | "resolve_conj" | "conj" | "_conj" | "conj_physical") && !complex.contains(&true)
    {
        return found("alias.default");
    }
    if !complex.contains(&true) || PAIRS.contains(&base.as_str()) {
        return Ok(target);
    }
    if becomes_complex {
        named.retain(|(name, _)| name != "dtype");
    }
    if matches!(base.as_str(), "to" | "_to_copy") {
        // A conversion to a real type takes the real parts. An operator that only moves the tensor
        // keeps them.
        let real =
            named.iter().any(|(name, value)| name == "dtype" && !matches!(value, Operand::Constant(Value::None)));
        if real && let Some((_, operand)) = named.first_mut() {
            *operand = add(graph, source, "real.default", vec![("self", operand.clone())], None);
        }
        return Ok(target);
    }
    let promote = |params: &[&str], numbers: bool, named: &mut [(String, Operand)], graph: &mut Graph| {
        for (index, complex) in complex.iter().enumerate() {
            let Some((name, operand)) = named.get(index) else { continue };
            let is_number = matches!(operand, Operand::Constant(Value::Bool(_) | Value::Int(_) | Value::Float(_)));
            let is_value = matches!(operand, Operand::Value(_));
            if !complex && params.contains(&name.as_str()) && (is_value || (is_number && numbers)) {
                make_complex(named, index, source, graph);
            }
        }
    };
    match rule(&base) {
        Some(Rule::Same(params)) => {
            promote(params, true, named, graph);
            Ok(target)
        }
        Some(Rule::Moves) => {
            move_pairs(&base, &target, named);
            Ok(target)
        }
        Some(Rule::Other(on)) => {
            promote(on.complex, false, named, graph);
            let target = found(on.name)?;
            // Arguments that select an overload of ATen, which the other operator lacks.
            if let Target::Aten(_, other) = &target {
                let params = || other.operators().iter().flat_map(|operator| &operator.schema.params);
                named.retain(|(name, _)| params().any(|param| param.name == *name));
            }
            Ok(target)
        }
        Some(Rule::Modulus) => {
            for (index, _) in complex.iter().enumerate().filter(|(_, complex)| **complex) {
                if let Some((_, operand)) = named.get_mut(index) {
                    *operand = add(graph, source, "complex_abs.default", vec![("self", operand.clone())], None);
                }
            }
            Ok(target)
        }
        Some(Rule::Parts(params)) => {
            promote(params, false, named, graph);
            let part = |index: usize, graph: &mut Graph| {
                let mut own = named.clone();
                for (position, (name, operand)) in own.iter_mut().enumerate() {
                    let promoted = params.contains(&name.as_str());
                    let is_complex = complex.get(position).is_some_and(|complex| *complex);
                    *operand = match &*operand {
                        Operand::Value(_) | Operand::List(_) if is_complex || promoted => {
                            part_of(operand, index, source, graph)
                        }
                        // A number has no imaginary part.
                        Operand::Constant(Value::Bool(_) | Value::Int(_) | Value::Float(_))
                            if promoted && index == 1 =>
                        {
                            Operand::Constant(Value::Int(0))
                        }
                        operand => operand.clone(),
                    };
                }
                call(graph, source, target.clone(), own, None)
            };
            let parts = ["real", "imag"].into_iter().enumerate();
            *named = parts.map(|(index, name)| (name.to_string(), part(index, graph))).collect();
            found("complex.default")
        }
        None => Err(format!("{} of complex numbers", node.target)),
    }
}

/// Returns the real or imaginary parts of complex tensors.
fn part_of(operand: &Operand, index: usize, source: &schema::Graph, graph: &mut Graph) -> Operand {
    match operand {
        Operand::List(items) => Operand::List(items.iter().map(|item| part_of(item, index, source, graph)).collect()),
        operand => {
            let name = if index == 0 { "real.default" } else { "imag.default" };
            add(graph, source, name, vec![("self", operand.clone())], None)
        }
    }
}

/// Converts a factory of complex numbers to one of real numbers.
fn fill(target: &Target, named: &[(String, Operand)], graph: &mut Graph, source: &schema::Graph) -> Operand {
    let named = named.iter().filter(|(name, _)| name != "dtype").cloned().collect();
    call(graph, source, target.clone(), named, None)
}

/// Changes the dimensions and sizes of a call that moves elements, including defaults.
fn move_pairs(base: &str, target: &Target, named: &mut Vec<(String, Operand)>) {
    let Target::Aten(_, operators) = target else { return };
    for param in operators.operators().first().map(|operator| &operator.schema.params[..]).unwrap_or_default() {
        let Some(kind) = change(base, &param.name) else { continue };
        match named.iter_mut().find(|(name, _)| *name == param.name) {
            Some((_, Operand::Constant(value))) => *value = change_value(kind, value.clone()),
            Some((_, Operand::List(items))) => match kind {
                Change::Sizes => items.push(Operand::Constant(Value::Int(2))),
                Change::Repeats => items.push(Operand::Constant(Value::Int(1))),
                Change::Order => items.push(Operand::Constant(Value::Int(items.len() as i64))),
                Change::Dims => {}
            },
            Some(_) => {}
            None => {
                if let Some(default @ (Default::Int(_) | Default::Ints(_))) = &param.default {
                    named.push((param.name.clone(), Operand::Constant(change_value(kind, of_default(default)))));
                }
            }
        }
    }
}

/// Makes a real argument complex: pairs with zeros as imaginary parts.
fn make_complex(named: &mut [(String, Operand)], index: usize, source: &schema::Graph, graph: &mut Graph) {
    let Some((_, operand)) = named.get_mut(index) else { return };
    let real = match operand {
        Operand::Value(id) => match graph.meta(*id) {
            Some(Meta::Tensor(meta)) => Some(meta.clone()),
            _ => None,
        },
        _ => Some(TensorMeta { dtype: DType::F32, sizes: vec![], strides: vec![], requires_grad: false }),
    };
    if matches!(operand, Operand::Constant(_)) {
        *operand = add(graph, source, "scalar_tensor.default", vec![("s", operand.clone())], real.clone());
    }
    let zeros = add(graph, source, "zeros_like.default", vec![("self", operand.clone())], real.clone());
    let parts = vec![("real", operand.clone()), ("imag", zeros)];
    *operand = add(graph, source, "complex.default", parts, real.map(metas::pairs));
}

/// Adds a call of an operator by name, and returns its result.
fn add(
    graph: &mut Graph,
    source: &schema::Graph,
    op: &str,
    named: Vec<(&str, Operand)>,
    meta: Option<TensorMeta>,
) -> Operand {
    let named = named.into_iter().map(|(name, operand)| (name.to_string(), operand)).collect();
    match Target::find(&format!("torch.ops.aten.{op}")) {
        Some(target) => call(graph, source, target, named, meta),
        None => Operand::Constant(Value::None),
    }
}

/// Adds a call, and returns its result.
fn call(
    graph: &mut Graph,
    source: &schema::Graph,
    target: Target,
    named: Vec<(String, Operand)>,
    meta: Option<TensorMeta>,
) -> Operand {
    let text = target.to_string();
    let base = text.trim_start_matches("aten.").split('.').next().unwrap_or_default();
    let mut name = format!("{base}_{}", graph.names.len());
    while source.tensor_values.get(&name).is_some() {
        name.push('_');
    }
    let id = graph.add_value(name, meta.map(Meta::Tensor));
    let (results, modules) = (Results::One(id), ModuleStack::default());
    graph.nodes.push(Node { target, args: vec![], named, results, modules });
    Operand::Value(id)
}

/// Adds an operator that makes a result complex for each complex result in the file. So the program
/// has the same results after saving.
pub(super) fn keep_results(source: &schema::Graph, graph: &mut Graph) {
    let gives = |node: &&Node| pairs::operator_of(node).is_some_and(|operator| operator.gives_complex);
    let known: FxHashSet<ValueId> = graph.nodes.iter().filter(gives).flat_map(Node::defined).collect();
    for (index, argument) in source.outputs.iter().enumerate() {
        let described = input_name(argument).and_then(|name| source.tensor_values.get(name));
        let Some(Operand::Value(id)) = graph.outputs.get(index).cloned() else { continue };
        if described.is_some_and(|meta| numbers::is_complex(meta.dtype)) && !known.contains(&id) {
            let meta = match graph.meta(id) {
                Some(Meta::Tensor(meta)) => Some(meta.clone()),
                _ => None,
            };
            graph.outputs[index] =
                add(graph, source, "view_as_complex.default", vec![("self", Operand::Value(id))], meta);
        }
    }
}
