//! The names of operators in files, and the schemas that name their arguments.

use super::{cannot_save, invalid};
use crate::{
    Result, Value, aten,
    graph::{Graph, HigherOrder, Meta, Node, Operand, ScalarOp},
    interpret::constant,
    operators::{Args, Numbers, Operator},
    pt2::pairs,
};
use lanthorn_schema::{Param, ParamType};

/// Selects the overload of a target that a call means.
pub(super) fn overload(name: &str, target: &aten::Target, node: &Node, graph: &Graph) -> Result<&'static Operator> {
    let operators = target.operators();
    let wanted = name.split_once('.').map(|(_, overload)| if overload == "default" { "" } else { overload });
    if let Some(operator) = operators.iter().find(|operator| wanted == Some(&operator.schema.overload)) {
        return Ok(operator);
    }
    let args: Vec<Value<()>> = node.args.iter().map(|operand| kind(operand, graph)).collect();
    let named: Vec<(String, Value<()>)> =
        node.named.iter().map(|(name, operand)| (name.clone(), kind(operand, graph))).collect();
    let takes = |operator: &&'static Operator, numbers| Args::bind(&operator.schema, &args, &named, numbers).is_ok();
    [Numbers::Apart, Numbers::AsTensors]
        .into_iter()
        .find_map(|numbers| operators.iter().find(|operator| takes(operator, numbers)))
        .ok_or_else(|| invalid(format!("no overload of {name} takes its arguments")))
}

/// Returns a value with the kind of an operand.
fn kind(operand: &Operand, graph: &Graph) -> Value<()> {
    match operand {
        Operand::Value(id) => match graph.meta(*id) {
            Some(Meta::Tensor(_)) => Value::Tensor(()),
            Some(Meta::Int(_)) => Value::Int(0),
            Some(Meta::Float(_)) => Value::Float(0.0),
            Some(Meta::Bool(_)) => Value::Bool(false),
            None => Value::None,
        },
        Operand::Constant(value) => constant(value),
        Operand::List(items) => Value::List(items.iter().map(|item| kind(item, graph)).collect()),
        Operand::Block(_) => Value::None,
    }
}

/// Returns the name of an ATen operator in a file.
pub(super) fn aten_name(name: &str, operator: &Operator) -> String {
    let name = pairs::aten_name(name).unwrap_or(name);
    let (base, overload) = match name.split_once('.') {
        Some(parts) => parts,
        None => (name, operator.schema.overload.as_str()),
    };
    let overload = if overload.is_empty() { "default" } else { overload };
    format!("torch.ops.{}.{base}.{overload}", aten::namespace(base))
}

/// Returns the name of a Python operator in a file.
pub(super) fn scalar_name(op: ScalarOp) -> Result<String> {
    use ScalarOp as O;
    Ok(match op {
        O::Not => "torch.sym_not".to_string(),
        O::Min => "torch.sym_min".to_string(),
        O::Max => "torch.sym_max".to_string(),
        O::Ite => "torch.sym_ite".to_string(),
        O::Float => "torch.sym_float".to_string(),
        O::Int => "torch.sym_int".to_string(),
        O::Sqrt => "torch._sym_sqrt".to_string(),
        O::Sum => "torch.sym_sum".to_string(),
        O::Floor | O::Ceil | O::Log | O::Log2 | O::Exp | O::Sin | O::Cos | O::Tanh => format!("math.{}", op.name()),
        O::Round => return Err(cannot_save("rounding of a symbolic number")),
        op => format!("_operator.{}", op.name()),
    })
}

/// Returns the name of an operator with blocks in a file.
pub(super) fn higher_order_name(op: HigherOrder) -> String {
    format!("torch.ops.higher_order.{}", op.name())
}

/// Returns PyTorch's name of an operator's block by its index.
pub(super) fn block_name(op: HigherOrder, index: usize) -> &'static str {
    match (op, index) {
        (HigherOrder::Cond, 0) => "true_graph_0",
        (HigherOrder::Cond, _) => "false_graph_0",
        (HigherOrder::WhileLoop, 0) => "while_loop_cond_graph_0",
        (HigherOrder::WhileLoop, _) => "while_loop_body_graph_0",
        (HigherOrder::Scan, _) => "scan_combine_graph_0",
        (HigherOrder::Map, _) => "map_body_graph_0",
        // Loops of ONNX are rejected before they need names.
        (
            HigherOrder::SetGradEnabled
            | HigherOrder::Autocast
            | HigherOrder::Call
            | HigherOrder::Loop
            | HigherOrder::SequenceMap,
            _,
        ) => "submod_0",
    }
}

/// Returns the parameter of an operator with blocks if the type of a constant differs from its
/// value's.
pub(super) fn block_param(op: HigherOrder, index: usize) -> Option<Param> {
    let (name, ty) = ("dtype".to_string(), ParamType::OptionalDType);
    let dtype = Param { name, ty, choices: vec![], default: None, keyword_only: false };
    (op == HigherOrder::Autocast && index == 1).then_some(dtype)
}

/// Whether a block of an operator returns a single value instead of a tuple.
pub(super) fn gives_one(op: HigherOrder, index: usize) -> bool {
    op == HigherOrder::WhileLoop && index == 0
}
