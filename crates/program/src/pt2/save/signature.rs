//! Converts the kinds of a program's inputs and results.

use super::{arguments, cannot_save, invalid, name_object, string, union};
use crate::{
    ExportedProgram, InputKind, OutputKind, Result, StateKind, Value,
    graph::{Operand, Tree},
    json::Json,
};

/// Returns the `signature` of a graph module.
pub(super) fn specs(program: &ExportedProgram) -> Result<Json> {
    let inputs = (0..program.inputs.len()).map(|index| input_spec(program, index)).collect::<Result<_>>()?;
    let outputs = (0..program.outputs.len()).map(|index| output_spec(program, index)).collect::<Result<_>>()?;
    Ok(Json::object([("input_specs", Json::Array(inputs)), ("output_specs", Json::Array(outputs))]))
}

fn input_spec(program: &ExportedProgram, index: usize) -> Result<Json> {
    let name = program.input_name(index);
    Ok(match &program.inputs[index].kind {
        InputKind::User => {
            let argument = arguments::value(&program.graph, program.graph.inputs[index])?;
            union("user_input", Json::object([("arg", argument)]))
        }
        InputKind::Constant(value) => {
            if matches!(value, Value::List(_) | Value::Tuple(_) | Value::Dict(_) | Value::Bytes(_) | Value::Tensor(()))
            {
                return Err(cannot_save(format!("the constant input {name}, which is no number or text")));
            }
            let value = arguments::operand(&program.graph, &Operand::Constant(value.clone()), None)?;
            union("constant_input", Json::object([("name", string(name)), ("value", value)]))
        }
        InputKind::State(index) => {
            let state = program.state.get(*index);
            let state = state.ok_or_else(|| invalid(format!("the input {name} is no entry of the state")))?;
            let (kind, key) = match state.kind {
                StateKind::Parameter => ("parameter", "parameter_name"),
                StateKind::Buffer { .. } => ("buffer", "buffer_name"),
                StateKind::Constant => ("tensor_constant", "tensor_constant_name"),
            };
            let mut spec = vec![("arg".to_string(), name_object(name)), (key.to_string(), string(&state.name))];
            if let StateKind::Buffer { persistent } = state.kind {
                spec.push(("persistent".to_string(), Json::Bool(persistent)));
            }
            union(kind, Json::Object(spec))
        }
    })
}

fn output_spec(program: &ExportedProgram, index: usize) -> Result<Json> {
    let output = &program.graph.outputs[index];
    let argument = arguments::operand(&program.graph, output, None)?;
    let mutation = |kind: &str, key: &str, target: &str| {
        let tensor = argument.get("as_tensor").cloned();
        let tensor = tensor.ok_or_else(|| invalid(format!("the new value of {target} is no tensor")))?;
        Ok(union(kind, Json::object([("arg", tensor), (key, string(target))])))
    };
    match program.outputs[index].kind {
        OutputKind::User => Ok(union("user_output", Json::object([("arg", argument)]))),
        OutputKind::StateMutation(state) => {
            let state = program.state.get(state);
            let state = state.ok_or_else(|| invalid("a new value for something that is no entry of the state"))?;
            match state.kind {
                StateKind::Parameter => mutation("parameter_mutation", "parameter_name", &state.name),
                StateKind::Buffer { .. } => mutation("buffer_mutation", "buffer_name", &state.name),
                StateKind::Constant => Err(cannot_save(format!("a new value of the constant {}", state.name))),
            }
        }
        OutputKind::InputMutation(input) => {
            if input >= program.inputs.len() {
                return Err(invalid("a new value for something that is no input"));
            }
            mutation("user_input_mutation", "user_input_name", program.input_name(input))
        }
        OutputKind::Ignored => Err(cannot_save("a result that a call does not give")),
    }
}

/// Returns the `module_call_graph`: the structure of the program's arguments and results.
pub(super) fn module_calls(program: &ExportedProgram) -> Result<Json> {
    let graph = &program.graph;
    let mut inputs = Vec::new();
    for (input, &id) in program.inputs.iter().zip(&graph.inputs) {
        match &input.kind {
            InputKind::User => inputs.push(arguments::value(graph, id)?),
            InputKind::Constant(value) => {
                inputs.push(arguments::operand(graph, &Operand::Constant(value.clone()), None)?);
            }
            InputKind::State(_) => {}
        }
    }
    let leaves = program.arguments.leaves();
    let is_call = |groups: &[Tree]| matches!(groups, [Tree::Tuple(_), Tree::Named { ty, .. }] if ty == "builtins.dict");
    if !matches!(&program.arguments, Tree::Tuple(groups) if is_call(groups)) {
        let found = &program.arguments;
        return Err(invalid(format!("the arguments are {found}, not a tuple and a dictionary")));
    }
    if inputs.len() != leaves {
        return Err(invalid(format!("{} arguments for a structure of {leaves}", inputs.len())));
    }
    let users = program.outputs.iter().zip(&graph.outputs).filter(|(output, _)| output.kind == OutputKind::User);
    let outputs = users.map(|(_, operand)| arguments::operand(graph, operand, None)).collect::<Result<_>>()?;
    let names = program.argument_names.iter().map(string).collect();
    let signature = Json::object([
        ("inputs", Json::Array(inputs)),
        ("outputs", Json::Array(outputs)),
        ("in_spec", string(program.arguments.to_json()?)),
        ("out_spec", string(program.results.to_json()?)),
        ("forward_arg_names", if program.argument_names.is_empty() { Json::Null } else { Json::Array(names) }),
    ]);
    Ok(Json::Array(vec![Json::object([("fqn", string("")), ("signature", signature)])]))
}

/// Returns the fields of named tuples by their types.
pub(super) fn named_tuples(program: &ExportedProgram) -> Json {
    let mut fields: Vec<(String, Json)> = Vec::new();
    let mut collect = |ty: &str, names: Vec<String>| {
        if !fields.iter().any(|(known, _)| known == ty) {
            let names = Json::Array(names.into_iter().map(Json::Str).collect());
            fields.push((ty.to_string(), Json::object([("field_names", names)])));
        }
    };
    named_tuples_of(&program.arguments, &mut collect);
    named_tuples_of(&program.results, &mut collect);
    Json::Object(fields)
}

fn named_tuples_of(tree: &Tree, collect: &mut dyn FnMut(&str, Vec<String>)) {
    match tree {
        Tree::Leaf | Tree::None => {}
        Tree::Tuple(items) | Tree::List(items) => items.iter().for_each(|item| named_tuples_of(item, collect)),
        Tree::Named { entries, .. } => {
            if let Some(ty) = tree.named_tuple() {
                collect(&ty, entries.iter().map(|(name, _)| name.clone()).collect());
            }
            entries.iter().for_each(|(_, item)| named_tuples_of(item, collect));
        }
    }
}
