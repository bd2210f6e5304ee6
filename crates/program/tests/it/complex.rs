//! Operators on pairs are saved as PyTorch's operators on complex tensors, and loaded as operators
//! on pairs.

use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, ExportedProgram, Input, InputKind, Native, Output, OutputKind, Program, Shapes, Value,
    aten::complex::ON_PAIRS,
    graph::{Graph, ModuleStack, Node, Operand, Results, Size, Target, TensorMeta, Tree},
    pt2,
};
use lanthorn_tensor::{Device, Tensor};
use pollster::block_on;
use std::rc::Rc;

/// A program of one operator on complex numbers `[3]`. The arguments and the result are pairs.
fn program(name: &str, operands: usize, gives_complex: bool) -> ExportedProgram {
    let pairs = || Some(TensorMeta::contiguous(DType::F32, vec![Size::Int(3), Size::Int(2)], false).into());
    let mut graph = Graph::default();
    let node = |name: &str, args: Vec<Operand>, result| {
        let target = Target::find(&format!("torch.ops.aten.{name}.default")).unwrap();
        Node { target, args, named: vec![], results: Results::One(result), modules: ModuleStack::default() }
    };
    let mut given = Vec::new();
    for index in 0..operands {
        let x = graph.add_value(format!("x{index}"), pairs());
        graph.inputs.push(x);
        let z = graph.add_value(format!("z{index}"), pairs());
        graph.nodes.push(node("view_as_complex", vec![Operand::Value(x)], z));
        given.push(Operand::Value(z));
    }
    let plain = Some(TensorMeta::contiguous(DType::F32, vec![Size::Int(3)], false).into());
    let result = graph.add_value("result", if gives_complex { pairs() } else { plain });
    graph.nodes.push(node(name, given, result));
    let output = if gives_complex {
        let y = graph.add_value("y", pairs());
        graph.nodes.push(node("view_as_real", vec![Operand::Value(result)], y));
        y
    } else {
        result
    };
    graph.outputs = vec![Operand::Value(output)];
    ExportedProgram {
        graph,
        inputs: vec![Input { kind: InputKind::User }; operands],
        outputs: vec![Output { kind: OutputKind::User }],
        state: vec![],
        tensors: vec![],
        arguments: Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf; operands]), Tree::dict(vec![])]),
        results: Tree::Leaf,
        argument_names: (0..operands).map(|index| format!("x{index}")).collect(),
        result_names: vec![],
        ranges: Default::default(),
        hints: Default::default(),
        read_inputs: vec![],
        shapes: Shapes::Guarded,
        metadata: vec![],
    }
}

#[test]
fn operators_on_pairs_are_pytorchs_in_a_file() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    let native = Native::new(&device);
    let numbers: [[f32; 6]; 2] = [[0.5, -1.5, -2.0, 0.25, 1.0, 0.0], [2.0, 1.0, 0.5, -0.5, -1.0, 3.0]];
    let read = |value: &Value<Tensor>| {
        let data = block_on(native.read(value.as_tensor().unwrap())).unwrap();
        (data.shape().to_vec(), data.bytes().to_vec())
    };
    let mut checked = 0;
    // Operators with one or two tensor arguments.
    for on in ON_PAIRS.iter().filter(|on| {
        let two =
            ["complex_mul", "complex_div", "complex_eq", "complex_ne", "complex_pow", "complex_dot", "complex_vdot"];
        on.complex == ["self"] && !["full_like", "matrix_H", "prod"].iter().any(|name| on.name.ends_with(name))
            || two.contains(&on.name)
    }) {
        let operands = on.complex.len();
        let program = program(on.name, operands, on.gives_complex);
        let saved = pt2::save(&program).unwrap_or_else(|error| panic!("{}: {error}", on.name));
        let text = String::from_utf8_lossy(&saved).into_owned();
        assert!(text.contains(&format!("torch.ops.aten.{}", on.aten)), "{} is not {} in the file", on.name, on.aten);
        let args = || {
            numbers
                .iter()
                .take(operands)
                .map(|numbers| Value::Tensor(Tensor::from_slice(numbers, [3, 2], &device).unwrap()))
        };
        let before = Program::new(Rc::new(program), &device).unwrap();
        let after = Program::load(&saved, &device).unwrap_or_else(|error| panic!("{}: {error}", on.name));
        let results = [before, after].map(|program| {
            read(
                &block_on(program.call(args().collect(), vec![]))
                    .unwrap_or_else(|error| panic!("{}: {error}", on.name)),
            )
        });
        assert_eq!(results[0], results[1], "{}", on.name);
        checked += 1;
    }
    assert!(checked > 30, "{checked} operators");
}
