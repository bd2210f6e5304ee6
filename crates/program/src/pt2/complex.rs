//! Complex tensors in a graph. The table has them as pairs along a last dimension, so calls that take
//! them are changed: only the file knows which values are complex.

use super::{convert::input_name, metas, numbers, pairs, schema};
use crate::{
    Value,
    aten::complex::{MOVES, RENAMED},
    graph::{Graph, Meta, ModuleStack, Node, Operand, Results, Target, TensorMeta, ValueId},
};
use lanthorn_io::DType;
use rustc_hash::FxHashSet;

/// Operators that take pairs as they are.
const PAIRS: [&str; 17] = [
    "real",
    "imag",
    "_fft_c2c",
    "_fft_c2r",
    "view_as_real",
    "view_as_complex",
    "alias",
    "clone",
    "detach",
    "contiguous",
    "neg",
    "stft",
    "lift_fresh_copy",
    "resolve_conj",
    "resolve_neg",
    "mul.Scalar",
    "div.Scalar",
];

/// Operators on two complex numbers that are those on pairs.
const LINEAR: [&str; 2] = ["add", "sub"];

/// The parameters that are dimensions.
const DIMS: [&str; 5] = ["dim", "dim0", "dim1", "start_dim", "end_dim"];

/// Changes a call that takes or gives complex tensors. Gives the operator to call, or the name of the
/// one that is missing.
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
    let base = name.split('.').next().unwrap_or_default().to_string();
    let complex: Vec<bool> = node.inputs.iter().map(given).collect();
    if pairs::is_transform(&base) {
        if !complex.first().is_some_and(|&complex| complex) {
            make_complex(named, 0, source, graph);
        }
        return Ok(target);
    }
    let becomes_complex = node.inputs.iter().any(
        |argument| matches!(&argument.arg, schema::Argument::AsScalarType(number) if numbers::is_complex(*number)),
    );
    if becomes_complex && matches!(base.as_str(), "to" | "_to_copy") {
        if !complex.contains(&true) {
            make_complex(named, 0, source, graph);
        }
        named.truncate(1);
        return Target::find("torch.ops.aten.alias.default").ok_or(base);
    }
    if matches!(base.as_str(), "real" | "resolve_conj") && !complex.contains(&true) {
        return Target::find("torch.ops.aten.alias.default").ok_or(base);
    }
    if !complex.contains(&true) || PAIRS.contains(&name.as_str()) || PAIRS.contains(&base.as_str()) {
        return Ok(target);
    }
    if LINEAR.contains(&base.as_str()) || base == "mul" {
        for (index, _) in complex.iter().enumerate().take(2).filter(|(_, complex)| !**complex) {
            make_complex(named, index, source, graph);
        }
    }
    if let Some((_, other)) = RENAMED.iter().find(|(known, _)| *known == base) {
        return Target::find(&format!("torch.ops.aten.{other}")).ok_or_else(|| (*other).to_string());
    }
    if LINEAR.contains(&base.as_str()) {
        return Ok(target);
    }
    if MOVES.contains(&base.as_str()) || base == "permute" {
        for (name, operand) in named.iter_mut() {
            shift(name, operand);
        }
        return Ok(target);
    }
    Err(format!("{} of complex numbers", node.target))
}

/// Shifts dimensions that count from the last one; adds the pair to sizes.
fn shift(name: &str, operand: &mut Operand) {
    if DIMS.contains(&name)
        && let Operand::Constant(Value::Int(dim)) = operand
        && *dim < 0
    {
        *dim -= 1;
    }
    if name == "dims"
        && let Operand::Constant(Value::List(dims)) = operand
    {
        let rank = dims.len() as i64;
        let count = |dim: &mut Value<()>| match dim {
            Value::Int(dim) if *dim < 0 => *dim += rank,
            _ => {}
        };
        dims.iter_mut().for_each(count);
        dims.push(Value::Int(rank));
    }
    if matches!(name, "size" | "shape") {
        match operand {
            Operand::Constant(Value::List(sizes)) => sizes.push(Value::Int(2)),
            Operand::List(sizes) => sizes.push(Operand::Constant(Value::Int(2))),
            _ => {}
        }
    }
}

/// Makes a real argument complex: pairs with an imaginary part of zero.
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
        *operand = add(graph, source, "scalar_tensor", vec![("s", operand.clone())], real.clone());
    }
    let zeros = add(graph, source, "zeros_like", vec![("self", operand.clone())], real.clone());
    let parts = vec![("real", operand.clone()), ("imag", zeros)];
    *operand = add(graph, source, "complex", parts, real.map(metas::pairs));
}

/// Adds a call of an operator, and gives its result.
fn add(
    graph: &mut Graph,
    source: &schema::Graph,
    op: &str,
    named: Vec<(&str, Operand)>,
    meta: Option<TensorMeta>,
) -> Operand {
    let mut name = format!("{op}_{}", graph.names.len());
    while source.tensor_values.get(&name).is_some() {
        name.push('_');
    }
    let id = graph.add_value(name, meta.map(Meta::Tensor));
    let named = named.into_iter().map(|(name, operand)| (name.to_string(), operand)).collect();
    if let Some(target) = Target::find(&format!("torch.ops.aten.{op}.default")) {
        graph.nodes.push(Node {
            target,
            args: vec![],
            named,
            results: Results::One(id),
            modules: ModuleStack::default(),
        });
    }
    Operand::Value(id)
}

/// Lets the results of a program that are complex in the file be so by an operator, so that a program
/// which is saved again has the same results.
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
            graph.outputs[index] = add(graph, source, "view_as_complex", vec![("self", Operand::Value(id))], meta);
        }
    }
}
