//! Branches and loops, computed sizes, and functions that lanthorn exports itself.

use super::support::{cpu, difference, f32_meta, node, program, read, tensor};
use lanthorn_io::{DType, TensorData};
use lanthorn_onnx::{load, save};
use lanthorn_program::{
    Dispatch, ExportedProgram, Native, Value, export,
    graph::{
        Graph, HigherOrder, Meta, ModuleStack, Node, Operand, Results, ScalarOp, Size, Target, TensorMeta, ValueId,
    },
};
use lanthorn_tensor::{Device, Tensor};
use std::rc::Rc;

fn bool_meta() -> Option<Meta> {
    Some(TensorMeta::contiguous(DType::Bool, vec![], false).into())
}

/// Runs a program, before and after a round trip.
fn compare(program: &ExportedProgram, inputs: &[TensorData<'static>], device: &Device, native: &Native) {
    let given = |data: &TensorData<'static>| Value::Tensor(native.tensor(data.clone()).unwrap());
    let given = || inputs.iter().map(given).collect::<Vec<_>>();
    let state = program.upload(native, &[]).unwrap();
    let wanted = pollster::block_on(program.call_flat(native, &state, given(), Default::default(), None)).unwrap();
    let model = load(save(program).unwrap(), device).unwrap();
    let found = pollster::block_on(model.call_flat(given())).unwrap();
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(difference(&read(native, found)[0], &read(native, wanted)[0]), None);
    }
}

/// A block `op(x, y)`.
fn block(op: &str, meta: Option<Meta>) -> Operand {
    let mut graph = Graph::default();
    let (x, y) = (graph.add_value("x", f32_meta(&[3])), graph.add_value("y", f32_meta(&[3])));
    graph.inputs = vec![x, y];
    let result = graph.add_value("result", meta);
    graph.nodes.push(node(op, vec![Operand::Value(x), Operand::Value(y)], result));
    graph.outputs = vec![Operand::Value(result)];
    Operand::Block(Rc::new(graph))
}

#[test]
fn a_branch_is_an_if() {
    let (device, native) = cpu();
    let mut graph = Graph::default();
    let condition = graph.add_value("condition", bool_meta());
    let (x, y) = (graph.add_value("x", f32_meta(&[3])), graph.add_value("y", f32_meta(&[3])));
    graph.inputs = vec![condition, x, y];
    let result = graph.add_value("result", f32_meta(&[3]));
    let blocks = ["add.Tensor", "mul.Tensor"].map(|op| block(op, f32_meta(&[3])));
    let captured = Operand::List(vec![Operand::Value(x), Operand::Value(y)]);
    let args = std::iter::once(Operand::Value(condition)).chain(blocks).chain([captured]).collect();
    let (target, results) = (Target::HigherOrder(HigherOrder::Cond), Results::Several(vec![Some(result)]));
    graph.nodes.push(Node { target, args, named: vec![], results, modules: ModuleStack::default() });
    graph.outputs = vec![Operand::Value(result)];
    let program = program(graph);
    for truth in [0, 1] {
        let condition = TensorData::new(DType::Bool, vec![], vec![truth]).unwrap();
        let inputs = [condition, tensor("f32[3]", 1).unwrap(), tensor("f32[3]", 2).unwrap()];
        compare(&program, &inputs, &device, &native);
    }
}

/// `while x.sum() < 50: x = x + y`.
#[test]
fn a_while_loop_is_a_loop() {
    let (device, native) = cpu();
    let mut condition = Graph::default();
    let (x, y) = (condition.add_value("x", f32_meta(&[3])), condition.add_value("y", f32_meta(&[3])));
    condition.inputs = vec![x, y];
    let (sum, truth) = (condition.add_value("sum", f32_meta(&[])), condition.add_value("truth", bool_meta()));
    let limit = Operand::Constant(Value::Int(50));
    condition.nodes = vec![
        node("sum.default", vec![Operand::Value(x)], sum),
        node("lt.Scalar", vec![Operand::Value(sum), limit], truth),
    ];
    condition.outputs = vec![Operand::Value(truth)];
    let mut graph = Graph::default();
    let (x, y) = (graph.add_value("x", f32_meta(&[3])), graph.add_value("y", f32_meta(&[3])));
    graph.inputs = vec![x, y];
    let result = graph.add_value("result", f32_meta(&[3]));
    let (carried, captured) = (Operand::List(vec![Operand::Value(x)]), Operand::List(vec![Operand::Value(y)]));
    let blocks = [Operand::Block(Rc::new(condition)), block("add.Tensor", f32_meta(&[3]))];
    let args = blocks.into_iter().chain([carried, captured]).collect();
    let (target, results) = (Target::HigherOrder(HigherOrder::WhileLoop), Results::Several(vec![Some(result)]));
    graph.nodes.push(Node { target, args, named: vec![], results, modules: ModuleStack::default() });
    graph.outputs = vec![Operand::Value(result)];
    let inputs = [tensor("f32[3]", 1).unwrap(), tensor("pos[3]", 2).unwrap()];
    compare(&program(graph), &inputs, &device, &native);
}

/// Sizes of two dynamic dimensions, and Python arithmetic on them.
#[test]
fn arithmetic_of_sizes_is_nodes() {
    let (device, native) = cpu();
    let symbols = |names: &[&str]| {
        let sizes = names.iter().map(|name| name.parse().map_or_else(|_| Size::Symbol(name.to_string()), Size::Int));
        Some(TensorMeta::contiguous(DType::F32, sizes.collect(), false).into())
    };
    let mut graph = Graph::default();
    let x = graph.add_value("x", symbols(&["a", "b", "6"]));
    graph.inputs = vec![x];
    let number = |name: &str| Some(Meta::Int(Size::Symbol(name.to_string())));
    let int = |value: i64| Operand::Constant(Value::Int(value));
    let names = ["a", "b", "double", "third"];
    let ids: Vec<ValueId> = names.iter().map(|name| graph.add_value(*name, number(name))).collect();
    let of = |index: usize| Operand::Value(ids[index]);
    let scalar = |op, args, result| Node {
        target: Target::Scalar(op),
        args,
        named: vec![],
        results: Results::One(result),
        modules: ModuleStack::default(),
    };
    let result = graph.add_value("result", symbols(&["b", "2*a", "third"]));
    let sizes = ["a", "b"].map(|name| Size::Symbol(name.to_string())).to_vec();
    let wide = graph.add_value("wide", Some(TensorMeta::contiguous(DType::F32, sizes, false).into()));
    let full = Operand::List(vec![of(0), of(1)]);
    graph.nodes = vec![
        node("sym_size.int", vec![Operand::Value(x), int(0)], ids[0]),
        node("sym_size.int", vec![Operand::Value(x), int(1)], ids[1]),
        scalar(ScalarOp::Mul, vec![of(0), int(2)], ids[2]),
        scalar(ScalarOp::FloorDiv, vec![int(7), int(2)], ids[3]),
        node("view.default", vec![Operand::Value(x), Operand::List(vec![of(1), of(2), of(3)])], result),
        node("full.default", vec![full, Operand::Constant(Value::Float(2.5))], wide),
    ];
    graph.outputs = vec![Operand::Value(result), Operand::Value(wide)];
    let program = program(graph);
    for shape in ["f32[2, 4, 6]", "f32[3, 2, 6]"] {
        compare(&program, &[tensor(shape, 1).unwrap()], &device, &native);
    }
}

/// A function with a dynamic size. Its formulas become nodes, and the model accepts other sizes.
#[test]
fn an_exported_function_with_a_dynamic_size_is_written() {
    let (device, native) = cpu();
    let x = tensor("f32[4, 6]", 1).unwrap();
    let given = Value::Tensor(native.tensor(x).unwrap());
    let call = |args: &export::Arguments| {
        let x: &Tensor = args.0[0].as_tensor().unwrap();
        let rows = x.shape()[0] as i64;
        let y = x.reshape([rows * 2, 3])?;
        Ok(Value::Tensor(Tensor::ones([rows * 2, 1])?.add(&y)?))
    };
    let dim = export::Dim::new("rows");
    let options = export::Options { argument_names: vec!["x".to_string()], dynamic_shapes: vec![(0, 0, dim)] };
    let arguments = (vec![given], vec![]);
    let exported = pollster::block_on(export::export(&native, None, &arguments, &options, call)).unwrap();
    for shape in ["f32[4, 6]", "f32[9, 6]"] {
        compare(&exported, &[tensor(shape, 1).unwrap()], &device, &native);
    }
}

#[test]
fn an_exported_function_is_written() {
    let (device, native) = cpu();
    let (x, w) = (tensor("f32[4, 3]", 1).unwrap(), tensor("f32[2, 3]", 2).unwrap());
    let w = native.tensor(w).unwrap();
    let given = Value::Tensor(native.tensor(x.clone()).unwrap());
    let call = |args: &export::Arguments| {
        let x: &Tensor = args.0[0].as_tensor().unwrap();
        let y = x.linear(&w, None::<&Tensor>)?.relu()?;
        Ok(Value::Tensor(y.softmax(-1)?.add(&y.mean((), false)?)?))
    };
    let options = export::Options { argument_names: vec!["x".to_string()], ..Default::default() };
    let arguments = (vec![given], vec![]);
    let exported = pollster::block_on(export::export(&native, None, &arguments, &options, call)).unwrap();
    compare(&exported, &[x], &device, &native);
}
