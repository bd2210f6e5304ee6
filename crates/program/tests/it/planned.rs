//! Programs that replay recordings compute the same bits as programs that are interpreted.

use crate::corpus::{device, folder};
use lanthorn_io::{TensorData, safetensors};
use lanthorn_nn::{Module, load_state_dict, state_dict};
use lanthorn_program::{Dispatch, State, StateKind};
use lanthorn_program::{
    ExportedProgram, Input, InputKind, Native, Output, OutputKind, Program, Value,
    graph::{Graph, ModuleStack, Node, Operand, Results, Target, Tree},
};
use lanthorn_tensor::{DType, Device, GradOptions, Tensor, autocast, grad, no_grad};
use pollster::block_on;
use std::{fs, rc::Rc};

/// The calls after which a program replays: the first one is interpreted, the second one recorded.
const CALLS: usize = 4;

fn bytes(tensor: &Tensor) -> Vec<u8> {
    block_on(tensor.to_bytes()).unwrap()
}

/// Calls a program, and returns the bytes of its results, of the gradients of parameters and
/// inputs, and of the buffers.
fn call(program: &Program, inputs: &[Tensor], device: &Device) -> Vec<Vec<u8>> {
    device.manual_seed(7);
    // A buffer that takes part of an input would keep the graph of every call.
    let is_open = program.named_buffers().is_empty();
    let given = inputs.iter().map(|input| match is_open && input.dtype().is_floating_point() {
        true => input.detach().requires_grad_(true).unwrap(),
        false => input.clone(),
    });
    let given: Vec<Tensor> = given.collect();
    // The result of another operation, through which gradients go.
    let leaves = given
        .iter()
        .map(|input| Value::Tensor(if input.requires_grad() { input.neg().unwrap() } else { input.clone() }));
    let results = block_on(program.call_flat(leaves.collect())).unwrap();
    let tensors: Vec<&Tensor> = results.iter().filter_map(Value::as_tensor).collect();
    let mut all: Vec<Vec<u8>> = tensors.iter().map(|tensor| bytes(tensor)).collect();
    let open = tensors.iter().filter(|tensor| tensor.requires_grad());
    let losses = open.map(|tensor| tensor.square().unwrap().mean((), false).unwrap());
    if let Some(loss) = losses.reduce(|a, b| a.add(&b).unwrap()) {
        program.parameters().iter().for_each(|parameter| parameter.set_grad(None).unwrap());
        loss.backward().unwrap();
        let parameters = program.parameters();
        let gradients = parameters.iter().chain(&given).filter_map(|tensor| tensor.grad());
        all.extend(gradients.map(|gradient| bytes(&gradient)));
    }
    all.extend(program.named_buffers().iter().map(|(_, buffer)| bytes(buffer)));
    all
}

/// Calls a program with one of the inputs after another, planned and interpreted, and compares all
/// bits. Returns the planned program.
fn compare(file: &[u8], inputs: &[Vec<Tensor>], device: &Device) -> Program {
    let planned = Program::load(file, device).unwrap();
    let mut interpreted = Program::load(file, device).unwrap();
    interpreted.set_planned(false);
    for call_number in 0..CALLS * inputs.len() {
        let inputs = &inputs[call_number % inputs.len()];
        let (found, wanted) = (call(&planned, inputs, device), call(&interpreted, inputs, device));
        assert_eq!(found, wanted, "call {call_number}\n{}", planned.explain());
    }
    assert_eq!(interpreted.explain().parts, []);
    planned
}

/// The inputs of a file of the corpus.
fn inputs(program: &ExportedProgram, io: &[u8], device: &Device) -> Vec<Tensor> {
    let recorded = safetensors::load(io).unwrap();
    let native = Native::new(device);
    let find = |name: String| recorded.iter().find(|(known, _)| *known == name).map(|(_, data)| data.clone());
    let input = |name: &String| {
        let data = find(format!("inputs.{name}")).or_else(|| find(format!("inputs.{}", name.replace('_', "."))));
        native.tensor(data.unwrap()).unwrap()
    };
    program.input_names().iter().map(input).collect()
}

#[test]
fn programs_of_the_corpus_have_the_same_bits_planned_and_interpreted() {
    let device = device();
    for (model, name, io, reasons) in [
        ("espcn", "dynamic.pt2", "io-dynamic.safetensors", 0),
        ("torch_cond", "static.pt2", "io.safetensors", 1),
        ("torch_cond", "dynamic.pt2", "io-dynamic.safetensors", 1),
        ("torch_while", "static.pt2", "io.safetensors", 1),
        ("buffer_mutation", "static.pt2", "io.safetensors", 0),
        ("buffer_mutation", "core.pt2", "io.safetensors", 0),
        ("pointnet", "train.pt2", "io-train.safetensors", 0),
    ] {
        let read = |name: &str| fs::read(folder().join(model).join(name));
        let (Ok(file), Ok(io)) = (read(name), read(io)) else { panic!("{model}/{name}") };
        let loaded = Program::load(&file, &device).unwrap();
        println!("{model}/{name}");
        let planned = compare(&file, &[inputs(loaded.exported(), &io, &device)], &device);
        let report = planned.explain();
        assert!(report.replays() >= CALLS as u64 - 2, "{model}: {report}");
        let interpreted = report.parts.iter().filter(|part| part.reason.is_some()).count();
        assert_eq!(interpreted, reasons, "{model}: {report}");
    }
}

#[test]
fn each_size_has_a_recording() {
    let device = device();
    let file = fs::read(folder().join("espcn/dynamic.pt2")).unwrap();
    let image = |height: i64, width: i64| {
        let pixels: Vec<f32> = (0..height * width).map(|index| (index as f32 * 0.37).sin()).collect();
        vec![Tensor::from_slice(&pixels, [1, 1, height, width], &device).unwrap()]
    };
    let planned = compare(&file, &[image(5, 7), image(8, 6)], &device);
    let report = planned.explain();
    assert_eq!((report.recordings(), report.replays()), (2, 4), "{report}");
}

/// A program with a weight, a counter that each call increments, dropout, and a state that each
/// call takes and returns.
fn recurrent(device: &Device) -> Program {
    let names = ["w", "count", "x", "h", "product", "sum", "y", "dropped", "next"].map(String::from).to_vec();
    let [w, count, x, h, product, sum, y, dropped, next] = std::array::from_fn(|id| id);
    let value = Operand::Value;
    let constant = Operand::Constant;
    let node = |name: &str, args: Vec<Operand>, result: usize| Node {
        target: Target::find(&format!("torch.ops.aten.{name}")).unwrap(),
        args,
        named: vec![],
        results: Results::One(result),
        modules: ModuleStack::default(),
    };
    let nodes = vec![
        node("mul.Tensor", vec![value(x), value(w)], product),
        node("add.Tensor", vec![value(product), value(h)], sum),
        node("tanh.default", vec![value(sum)], y),
        node("dropout.default", vec![value(y), constant(Value::Float(0.5)), constant(Value::Bool(true))], dropped),
        node("add.Scalar", vec![value(count), constant(Value::Int(1))], next),
    ];
    let outputs = vec![value(next), value(dropped), value(y)];
    let kinds = [InputKind::State(0), InputKind::State(1), InputKind::User, InputKind::User];
    let floats = |values: &[f32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        TensorData::new(lanthorn_io::DType::F32, vec![values.len()], bytes).unwrap()
    };
    let state = |name: &str, kind, tensor| State { name: name.into(), kind, tensor, requires_grad: tensor == 0 };
    let exported = ExportedProgram {
        graph: Graph { names, metas: vec![], inputs: vec![w, count, x, h], nodes, outputs },
        inputs: kinds.map(|kind| Input { kind }).to_vec(),
        outputs: [OutputKind::StateMutation(1), OutputKind::User, OutputKind::User]
            .map(|kind| Output { kind })
            .to_vec(),
        state: vec![state("w", StateKind::Parameter, 0), state("count", StateKind::Buffer { persistent: true }, 1)],
        tensors: vec![floats(&[0.5, -1.0, 2.0]), floats(&[0.0])],
        arguments: Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf; 2]), Tree::Tuple(vec![])]),
        results: Tree::Tuple(vec![Tree::Leaf; 2]),
        argument_names: vec![],
        result_names: vec![],
        ranges: Default::default(),
        hints: Default::default(),
        read_inputs: vec![],
        shapes: Default::default(),
        metadata: vec![],
    };
    exported.check_graph().unwrap();
    Program::new(Rc::new(exported), device).unwrap()
}

/// Calls the recurrent program once, and returns the results.
fn advance(program: &Program, x: &Tensor, h: &Tensor) -> [Tensor; 2] {
    let leaves = [x, h].map(|tensor| Value::Tensor(tensor.clone())).to_vec();
    let results = block_on(program.call_flat(leaves)).unwrap();
    [0, 1].map(|index| results[index].as_tensor().unwrap().clone())
}

#[test]
fn a_stream_is_recorded_once_and_takes_no_more_memory() {
    let device = device();
    let planned = recurrent(&device);
    let mut interpreted = recurrent(&device);
    interpreted.set_planned(false);
    let run = |program: &Program| {
        device.manual_seed(3);
        let mut h = Tensor::zeros([3]).unwrap();
        let mut dropped = vec![];
        let mut memory = vec![];
        for chunk in 0..1000 {
            let x = Tensor::from_slice(&[chunk as f32 * 0.01, 1.0, -0.5], [3], &device).unwrap();
            let [result, state] = no_grad(|| advance(program, &x, &h));
            dropped.push(bytes(&result));
            h = state;
            memory.push(device.inspect().stats().memory.live_bytes);
        }
        (dropped, memory, bytes(&h), bytes(&program.state("count").unwrap()))
    };
    let (wanted, _, state, count) = run(&interpreted);
    let (found, memory, ..) = {
        let found = run(&planned);
        assert_eq!((&found.0, &found.2, &found.3), (&wanted, &state, &count));
        found
    };
    assert_eq!(count, 1000f32.to_le_bytes());
    // Each call draws new numbers.
    assert!(found[500..600].windows(2).any(|pair| pair[0].iter().zip(&pair[1]).any(|(a, b)| (*a == 0) != (*b == 0))));
    assert_eq!(memory[10], memory[999]);
    let report = planned.explain();
    assert_eq!((report.recordings(), report.replays()), (1, 998), "{report}");
}

#[test]
fn replaced_weights_are_bound_anew() {
    let device = device();
    let mut programs = [recurrent(&device), recurrent(&device)];
    programs[1].set_planned(false);
    let weights = |values: [f32; 3]| Tensor::from_slice(&values, [3], &device).unwrap();
    let x = weights([1.0, 2.0, 3.0]);
    let [planned, interpreted] = programs.each_mut().map(|program| {
        let mut results = vec![];
        let mut call = |program: &Program| {
            device.manual_seed(1);
            let [dropped, y] = advance(program, &x, &x);
            y.sum((), false).unwrap().backward().unwrap();
            let gradient = program.state("w").unwrap().grad().unwrap();
            results.extend([dropped, y, gradient].map(|tensor| bytes(&tensor)));
        };
        (0..3).for_each(|_| call(program));
        let mut dict = state_dict(program);
        dict.insert("w".into(), weights([0.1, 0.2, 0.3]));
        load_state_dict(program, &dict).unwrap();
        call(program);
        assert!(program.set_tensor("w", weights([-1.0, 0.25, 0.75]).requires_grad_(true).unwrap()));
        (0..2).for_each(|_| call(program));
        results
    });
    assert_eq!(planned, interpreted);
    let report = programs[0].explain();
    assert_eq!((report.recordings(), report.replays()), (1, 4), "{report}");
}

/// The results of a call, first derivatives with a graph and the next random numbers as bytes, and
/// second derivatives.
fn differentiate(program: &Program, inputs: &[Tensor], device: &Device) -> (Vec<Vec<u8>>, Vec<f32>) {
    device.manual_seed(11);
    let is_open = |input: &Tensor| input.dtype().is_floating_point();
    let given = inputs.iter().map(|input| input.detach().requires_grad_(is_open(input)).unwrap());
    let given: Vec<Tensor> = given.collect();
    let leaves = given.iter().map(|input| Value::Tensor(input.clone())).collect();
    let results = block_on(program.call_flat(leaves)).unwrap();
    let sum = |tensors: &[Tensor]| {
        let squares = tensors.iter().map(|tensor| tensor.square().unwrap().sum((), false).unwrap());
        squares.reduce(|a, b| a.add(&b).unwrap()).unwrap()
    };
    let results: Vec<Tensor> = results.iter().filter_map(Value::as_tensor).cloned().collect();
    let loss = sum(&results.iter().filter(|result| result.requires_grad()).cloned().collect::<Vec<_>>());
    // Random numbers that other operations draw meanwhile.
    let noise = Tensor::rand([3]).unwrap();
    let wanted: Vec<Tensor> = given.iter().cloned().chain(program.parameters()).filter(Tensor::requires_grad).collect();
    let first = grad(&[loss], &wanted, &[], GradOptions { create_graph: true, ..Default::default() }).unwrap();
    let first: Vec<Tensor> = first.into_iter().flatten().collect();
    let second = grad(&[sum(&first)], &wanted, &[], GradOptions::default()).unwrap();
    let second = second.into_iter().flatten().flat_map(|tensor| block_on(tensor.to_vec::<f32>()).unwrap());
    let next = Tensor::rand([3]).unwrap();
    (results.iter().chain(&first).chain(&[noise, next]).map(bytes).collect(), second.collect())
}

#[test]
fn higher_derivatives_repeat_a_planned_call() {
    let device = device();
    let model = |name: &str| fs::read(folder().join(name)).unwrap();
    let load = |file: &[u8]| [0, 1].map(|_| Program::load(file, &device).unwrap());
    let x = |shape: &[i64]| {
        let count: i64 = shape.iter().product();
        let values: Vec<f32> = (0..count).map(|index| (index as f32 * 0.61).cos()).collect();
        Tensor::from_slice(&values, shape, &device).unwrap()
    };
    let file = model("torch_cond/static.pt2");
    let io = model("torch_cond/io.safetensors");
    let of_condition = inputs(Program::load(&file, &device).unwrap().exported(), &io, &device);
    for ([planned, mut interpreted], given) in [
        ([recurrent(&device), recurrent(&device)], vec![x(&[3]), x(&[3])]),
        (load(&model("espcn/dynamic.pt2")), vec![x(&[1, 1, 5, 4])]),
        (load(&file), of_condition),
    ] {
        interpreted.set_planned(false);
        for call_number in 0..CALLS {
            let (found, second) = differentiate(&planned, &given, &device);
            let (wanted, wanted_second) = differentiate(&interpreted, &given, &device);
            assert_eq!(found, wanted, "call {call_number}\n{}", planned.explain());
            // Gradients that reach a result in two ways are added before or after the part.
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
            assert!(second.iter().zip(&wanted_second).all(is_near), "{second:?} {wanted_second:?}");
            assert_eq!(second.len(), wanted_second.len());
            assert!(second.iter().any(|value| *value != 0.0), "there are second derivatives");
        }
        assert!(planned.explain().replays() >= CALLS as u64 - 2, "{}", planned.explain());
    }
}

#[test]
fn modes_types_and_flags_have_recordings_of_their_own() {
    let device = device();
    let file = fs::read(folder().join("espcn/dynamic.pt2")).unwrap();
    let values: Vec<f32> = (0..20).map(|index| (index as f32 * 0.37).sin()).collect();
    let image = Tensor::from_slice(&values, [1, 1, 5, 4], &device).unwrap();
    let vector = |values: [f32; 3]| Tensor::from_slice(&values, [3], &device).unwrap();
    let (x, h) = (vector([0.25, -0.5, 4.0]), vector([1.0, 2.0, 3.0]));
    let mut images = [0, 1].map(|_| Program::load(&file, &device).unwrap());
    let mut vectors = [recurrent(&device), recurrent(&device)];
    images[1].set_planned(false);
    vectors[1].set_planned(false);
    let run = |program: &Program, inputs: &[&Tensor]| {
        device.manual_seed(5);
        let leaves = inputs.iter().map(|&tensor| Value::Tensor(tensor.clone())).collect();
        let results = block_on(program.call_flat(leaves)).unwrap();
        let tensors = results.iter().filter_map(Value::as_tensor);
        tensors.map(|tensor| (tensor.dtype(), tensor.requires_grad(), bytes(tensor))).collect::<Vec<_>>()
    };
    let open = image.detach().requires_grad_(true).unwrap();
    let frozen = |program: &Program, is_frozen: bool| {
        program.parameters().iter().for_each(|parameter| {
            parameter.requires_grad_(!is_frozen).unwrap();
        });
    };
    for _ in 0..CALLS {
        let [found, wanted] = [0, 1].map(|index| {
            let (images, vectors) = (&images[index], &vectors[index]);
            let mut all = vec![run(images, &[&image]), run(images, &[&open]), no_grad(|| run(images, &[&open]))];
            all.push(autocast(DType::BF16, || run(images, &[&image])).unwrap());
            frozen(images, true);
            all.push(run(images, &[&image]));
            frozen(images, false);
            all.push(run(vectors, &[&x, &h]));
            for dtype in [DType::F16, DType::I64, DType::F64] {
                let [x, h] = [&x, &h].map(|tensor| tensor.to(dtype).unwrap());
                all.push(run(vectors, &[&x, &h]));
            }
            // The same tensor twice, and views with other strides.
            let pairs = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2], &device).unwrap();
            all.push(run(vectors, &[&x, &x]));
            all.push(run(vectors, &[&pairs.select(1, 0).unwrap(), &pairs.select(1, 1).unwrap()]));
            all
        });
        assert_eq!(found, wanted);
    }
    assert!(images[0].explain().recordings() >= 5, "{}", images[0].explain());
    let other = Device::new(lanthorn_cpu::CpuBackend::new());
    let elsewhere = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &other).unwrap();
    let errors = vectors.each_ref().map(|program| {
        let leaves = [&elsewhere, &h].map(|tensor| Value::Tensor(tensor.clone())).to_vec();
        block_on(program.call_flat(leaves)).unwrap_err().to_string()
    });
    assert_eq!(errors[0], errors[1]);
}
