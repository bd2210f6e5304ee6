//! Complex tensors in a graph. The table has them as pairs along a last dimension, so calls that take
//! them are changed: only the file knows which values are complex.

use super::{convert::input_name, metas, numbers, schema};
use crate::{
    Value,
    aten::complex::{MOVES, RENAMED},
    graph::{Graph, Meta, Node, Operand, Results, Target, TensorMeta},
};
use lanthorn_io::DType;

/// Transforms, whose input may be real.
const TRANSFORMS: [&str; 7] = ["fft_fft", "fft_fft2", "fft_fftn", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_hfft"];

/// Operators that take pairs as they are.
const PAIRS: [&str; 20] = [
    "real",
    "imag",
    "_fft_c2c",
    "_fft_c2r",
    "view_as_real",
    "view_as_complex",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
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
    if TRANSFORMS.contains(&base.as_str()) {
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
    let mut add = |op: &str, named: Vec<(String, Operand)>, meta: Option<TensorMeta>| {
        let mut name = format!("{op}_{}", graph.names.len());
        while source.tensor_values.get(&name).is_some() {
            name.push('_');
        }
        let id = graph.add_value(name, meta.map(Meta::Tensor));
        if let Some(target) = Target::find(&format!("torch.ops.aten.{op}.default")) {
            graph.nodes.push(Node { target, args: vec![], named, results: Results::One(id) });
        }
        Operand::Value(id)
    };
    if matches!(operand, Operand::Constant(_)) {
        *operand = add("scalar_tensor", vec![("s".to_string(), operand.clone())], real.clone());
    }
    let zeros = add("zeros_like", vec![("self".to_string(), operand.clone())], real.clone());
    let parts = vec![("real".to_string(), operand.clone()), ("imag".to_string(), zeros)];
    *operand = add("complex", parts, real.map(metas::pairs));
}
