//! Writes calls of ATen as ONNX, reads them back, and compares the results, with constant sizes and
//! with a dynamic one.
//!
//! If the variable `LANTHORN_ONNX_WRITTEN` names a folder, each model is saved there with its
//! arguments and results, for `tests/onnx/round_trip.py`.

use super::support::{self, case, check, cpu, difference, f32_meta, node, read, rows, tensor};
use lanthorn_io::TensorData;
use lanthorn_onnx::{load, save};
use lanthorn_program::{
    Dispatch, Error, Input, InputKind, State, StateKind, Value,
    graph::{Graph, Node, Operand, Tree, ValueId},
};
use std::{collections::BTreeSet, env, path::Path};

#[test]
fn calls_of_aten_give_the_same_numbers_after_a_round_trip() {
    let (device, native) = cpu();
    let folder = env::var("LANTHORN_ONNX_WRITTEN").ok();
    let mut failed = Vec::new();
    let mut names = BTreeSet::new();
    for (number, (is_static, line)) in rows().enumerate() {
        names.insert(line.split(['(', '.']).next().unwrap_or(line));
        // In every row, the number 7 is a size.
        let dynamic = (!is_static && line.contains("[7")).then_some(7);
        for dynamic in [None, dynamic].into_iter().take(if dynamic.is_some() { 2 } else { 1 }) {
            let kind = if dynamic.is_some() { "dynamic" } else { "static" };
            let folder = folder.as_ref().map(|folder| Path::new(folder).join(format!("{number}-{kind}")));
            let checked = case(line, &native, dynamic).and_then(|case| check(&case, &device, folder.as_deref()));
            if let Err(error) = checked {
                failed.push(format!("{line} ({kind}): {error}"));
            }
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(names.len() > 200, "{} operators", names.len());
}

#[test]
fn a_state_keeps_its_names_and_tied_entries_are_one() {
    let (device, native) = cpu();
    let mut case = case("linear(f32[2, 3], f32[4, 3], f32[4])", &native, None).unwrap();
    let program = &mut case.program;
    for (index, name) in ["layer.weight", "layer.bias"].into_iter().enumerate() {
        program.inputs[index + 1].kind = InputKind::State(index);
        let kind = StateKind::Parameter;
        program.state.push(State { name: name.to_string(), kind, tensor: index, requires_grad: true });
        program.tensors.push(case.inputs[index + 1].clone());
    }
    program.arguments = Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf]), Tree::dict(vec![])]);
    program.argument_names.truncate(1);
    let bytes = save(program).unwrap();
    let model = load(bytes, &device).unwrap();
    let found = model.exported();
    let names: BTreeSet<&str> = found.state.iter().map(|state| state.name.as_str()).collect();
    assert!(names.contains("layer.weight") && names.contains("layer.bias"), "{names:?}");
    assert_eq!((found.input_names(), found.output_names()), (vec!["x0".to_string()], vec!["y0".to_string()]));
    // Writes other weights too.
    let zeros = case.inputs[1..3]
        .iter()
        .map(|data| TensorData::new(data.dtype(), data.shape().to_vec(), vec![0; data.bytes().len()]).unwrap());
    let changed = case.program.with_state(zeros.collect()).unwrap();
    let model = load(save(&changed).unwrap(), &device).unwrap();
    let x = Value::Tensor(native.tensor(case.inputs[0].clone()).unwrap());
    let result = pollster::block_on(model.call_flat(vec![x])).unwrap().remove(0);
    assert!(read(&native, &result).remove(0).bytes().iter().all(|&byte| byte == 0));
}

#[test]
fn what_onnx_has_no_operator_for_is_refused_with_all_names() {
    let (_, native) = cpu();
    let mut case = case("linalg_inv(f32[3, 3])", &native, None).unwrap();
    let graph = &mut case.program.graph;
    let id = graph.add_value("z", graph.meta(1).cloned());
    graph.nodes.push(node("logdet.default", vec![Operand::Value(1)], id));
    graph.outputs = vec![Operand::Value(id)];
    match save(&case.program) {
        Err(Error::Unsupported(message)) => assert_eq!(message, "as ONNX: aten.linalg_inv, aten.logdet.default"),
        other => panic!("{:?}", other.map(|bytes| bytes.len())),
    }
}

/// A write to a part is visible in the whole and in its other parts.
#[test]
fn writes_to_views_are_seen_by_what_they_are_views_of() {
    let (device, native) = cpu();
    let x = tensor("f32[4, 3]", 1).unwrap();
    let mut graph = Graph::default();
    let shapes: [&[i64]; 7] = [&[4, 3], &[4, 3], &[2, 3], &[3], &[12], &[3], &[2, 3]];
    let value = |(index, shape): (usize, &&[i64])| graph.add_value(format!("v{index}"), f32_meta(shape));
    let ids: Vec<ValueId> = shapes.iter().enumerate().map(value).collect();
    graph.inputs.push(ids[0]);
    let int = |value: i64| Operand::Constant(Value::Int(value));
    let of = |index: usize| Operand::Value(ids[index]);
    let flat = Operand::Constant(Value::List(vec![Value::Int(12)]));
    graph.nodes = vec![
        node("clone.default", vec![of(0)], 1),
        node("slice.Tensor", vec![of(1), int(0), int(1), int(3)], 2),
        node("select.int", vec![of(2), int(0), int(1)], 3),
        node("view.default", vec![of(1), flat], 4),
        node("mul_.Tensor", vec![of(3), int(10)], 5),
        node("relu_.default", vec![of(2)], 6),
    ];
    graph.outputs = vec![of(1), of(4), of(3)];
    let program = support::program(graph);
    let input = Value::Tensor(native.tensor(x.clone()).unwrap());
    let wanted =
        pollster::block_on(program.call_flat(&native, &[], vec![input.clone()], Default::default(), None)).unwrap();
    let model = load(save(&program).unwrap(), &device).unwrap();
    let found = pollster::block_on(model.call_flat(vec![input])).unwrap();
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(difference(&read(&native, found)[0], &read(&native, wanted)[0]), None);
    }
}

/// For any argument, the writer succeeds or returns an error.
#[test]
fn odd_arguments_are_errors() {
    let (_, native) = cpu();
    let odd = [i64::MIN, -9, 0, 1 << 40, i64::MAX];
    let mut refused = 0;
    for (_, line) in rows() {
        let Ok(case) = case(line, &native, None) else { continue };
        for meta in [&[][..], &[1; 6]].map(f32_meta) {
            let mut program = case.program.clone();
            for output in program.graph.outputs.clone() {
                output.for_each_value(&mut |id| program.graph.metas[id].clone_from(&meta));
            }
            refused += usize::from(save(&program).is_err());
            for input in 0..program.graph.inputs.len() {
                program.graph.metas[input].clone_from(&meta);
                refused += usize::from(save(&program).is_err());
            }
        }
        let count = case.program.graph.nodes[0].operands().count();
        for index in 0..count {
            for number in odd {
                let mut program = case.program.clone();
                let id = program.graph.add_value("odd", f32_meta(&[]));
                let Node { args, named, .. } = &mut program.graph.nodes[0];
                let operand = args.iter_mut().chain(named.iter_mut().map(|(_, operand)| operand)).nth(index).unwrap();
                *operand = match operand {
                    Operand::Constant(Value::Int(_)) => Operand::Constant(Value::Int(number)),
                    Operand::Constant(Value::List(items)) if items.iter().all(|item| item.as_int().is_some()) => {
                        let mut items = items.clone();
                        items.iter_mut().for_each(|item| *item = Value::Int(number));
                        items.truncate(if number == 0 { 1 } else { items.len() });
                        Operand::Constant(Value::List(items))
                    }
                    // A tensor without dimensions.
                    Operand::Value(_) if number == 0 => Operand::Value(id),
                    _ => continue,
                };
                program.graph.inputs.push(id);
                program.inputs.push(Input { kind: InputKind::User });
                let leaves = Tree::Tuple(vec![Tree::Leaf; program.inputs.len()]);
                program.arguments = Tree::Tuple(vec![leaves, Tree::dict(vec![])]);
                refused += usize::from(save(&program).is_err());
            }
        }
    }
    assert!(refused > 500, "{refused}");
}
