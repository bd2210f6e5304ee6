//! Complex tensors in a graph. The table represents them as pairs along a last dimension, so the
//! reader changes calls with complex tensors by the rules of [`aten::complex`]. Only the file knows
//! which values are complex.
//!
//! [`aten::complex`]: crate::aten::complex

use super::{convert::input_name, metas, numbers, pairs, schema};
use crate::{
    Value,
    aten::complex::{Applied, Arg, Change, Form, Pairs, Part, apply, change_value, rule},
    graph::{Graph, Meta, ModuleStack, Node, Operand, Results, Target, TensorMeta, ValueId},
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
            make_first_complex(named, source, graph);
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
                    make_first_complex(named, source, graph);
                }
                named.truncate(1);
                found("alias.default")
            }
            _ => {
                let real = fill(&target, named, graph, source);
                *named = vec![("self".to_string(), real)];
                make_first_complex(named, source, graph);
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
    let Some(rule) = rule(&base) else { return Err(format!("{} of complex numbers", node.target)) };
    let Target::Aten(_, operators) = &target else { return Ok(target) };
    let params = operators.operators().first().map(|operator| &operator.schema.params[..]).unwrap_or_default();
    let flags = complex.into_iter().chain(std::iter::repeat(false));
    let args = std::mem::take(named).into_iter().zip(flags);
    let mut args: Vec<_> = args.map(|((name, value), is_complex)| Arg { name, value, is_complex }).collect();
    let applied = apply(rule, &base, params, &mut args, &mut InGraph { source, graph })?;
    let unmarked = |args: Vec<Arg<Operand>>| args.into_iter().map(|arg| (arg.name, arg.value)).collect();
    match applied {
        Applied::One { on, .. } => {
            *named = unmarked(args);
            let Some(on) = on else { return Ok(target) };
            let target = found(on.name)?;
            // Arguments that select an overload of ATen, which the other operator lacks.
            if let Target::Aten(_, other) = &target {
                let params = || other.operators().iter().flat_map(|operator| &operator.schema.params);
                named.retain(|(name, _)| params().any(|param| param.name == *name));
            }
            Ok(target)
        }
        Applied::Parts([real, imag]) => {
            let parts = [("real", real), ("imag", imag)];
            let part =
                |(name, args): (&str, _)| (name.to_string(), call(graph, source, target.clone(), unmarked(args), None));
            *named = parts.map(part).into();
            found("complex.default")
        }
    }
}

/// The operands of a graph, to which computations are added.
struct InGraph<'a> {
    source: &'a schema::Graph,
    graph: &'a mut Graph,
}

impl Pairs for InGraph<'_> {
    type Value = Operand;
    type Error = String;

    fn form(&self, value: &Operand) -> Form {
        match value {
            Operand::Value(_) => Form::Tensor,
            Operand::List(_) => Form::List,
            Operand::Constant(Value::Bool(_) | Value::Int(_) | Value::Float(_)) => Form::Number,
            _ => Form::Other,
        }
    }

    fn constant(&self, value: Value<()>) -> Operand {
        Operand::Constant(value)
    }

    fn promote(&mut self, value: Operand) -> Result<Operand, String> {
        // The file does not say which tensors of a list are real.
        Ok(if let Operand::List(_) = value { value } else { make_complex(value, self.source, self.graph) })
    }

    fn part(&mut self, arg: &Arg<Operand>, part: Part) -> Result<Operand, String> {
        Ok(match (&arg.value, part) {
            (operand, _) if arg.is_complex => part_of(operand, part, self.source, self.graph),
            (Operand::Value(id), Part::Imaginary) => {
                let meta = tensor_meta(self.graph, *id);
                add(self.graph, self.source, "zeros_like.default", vec![("self", arg.value.clone())], meta)
            }
            (Operand::Constant(Value::Bool(_) | Value::Int(_) | Value::Float(_)), Part::Imaginary) => {
                Operand::Constant(Value::Int(0))
            }
            (operand, _) => operand.clone(),
        })
    }

    fn modulus(&mut self, value: Operand) -> Result<Operand, String> {
        Ok(add(self.graph, self.source, "complex_abs.default", vec![("self", value)], None))
    }

    fn change(&self, change: Change, value: Operand) -> Operand {
        match value {
            Operand::Constant(value) => Operand::Constant(change_value(change, value)),
            Operand::List(mut items) => {
                let more = match change {
                    Change::Sizes => Some(2),
                    Change::Repeats => Some(1),
                    Change::Order => Some(items.len() as i64),
                    Change::Dims => None,
                };
                items.extend(more.map(|more| Operand::Constant(Value::Int(more))));
                Operand::List(items)
            }
            value => value,
        }
    }
}

fn tensor_meta(graph: &Graph, id: ValueId) -> Option<TensorMeta> {
    match graph.meta(id) {
        Some(Meta::Tensor(meta)) => Some(meta.clone()),
        _ => None,
    }
}

/// Returns the real or imaginary parts of complex tensors.
fn part_of(operand: &Operand, part: Part, source: &schema::Graph, graph: &mut Graph) -> Operand {
    match operand {
        Operand::List(items) => Operand::List(items.iter().map(|item| part_of(item, part, source, graph)).collect()),
        operand => {
            let name = if part == Part::Real { "real.default" } else { "imag.default" };
            add(graph, source, name, vec![("self", operand.clone())], None)
        }
    }
}

/// Converts a factory of complex numbers to one of real numbers.
fn fill(target: &Target, named: &[(String, Operand)], graph: &mut Graph, source: &schema::Graph) -> Operand {
    let named = named.iter().filter(|(name, _)| name != "dtype").cloned().collect();
    call(graph, source, target.clone(), named, None)
}

/// Makes a real operand complex: pairs with zeros as imaginary parts.
fn make_complex(operand: Operand, source: &schema::Graph, graph: &mut Graph) -> Operand {
    let real = match operand {
        Operand::Value(id) => tensor_meta(graph, id),
        _ => Some(TensorMeta { dtype: DType::F32, sizes: vec![], strides: vec![], requires_grad: false }),
    };
    let operand = match operand {
        Operand::Constant(_) => add(graph, source, "scalar_tensor.default", vec![("s", operand)], real.clone()),
        operand => operand,
    };
    let zeros = add(graph, source, "zeros_like.default", vec![("self", operand.clone())], real.clone());
    add(graph, source, "complex.default", vec![("real", operand), ("imag", zeros)], real.map(metas::pairs))
}

/// Makes the first argument of a call complex.
fn make_first_complex(named: &mut [(String, Operand)], source: &schema::Graph, graph: &mut Graph) {
    if let Some((_, operand)) = named.first_mut() {
        *operand = make_complex(operand.clone(), source, graph);
    }
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
            let meta = tensor_meta(graph, id);
            graph.outputs[index] =
                add(graph, source, "view_as_complex.default", vec![("self", Operand::Value(id))], meta);
        }
    }
}
