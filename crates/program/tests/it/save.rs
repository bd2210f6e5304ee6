//! Programs that are saved and loaded are unchanged, and programs that cannot be saved are errors.

use lanthorn_io::{
    DType, Format, TensorData, safetensors,
    zip::{Archive, Writer},
};
use lanthorn_program::{
    Dispatch, Error, ExportedProgram, Input, InputKind, Limits, Native, Output, OutputKind, State, StateKind, Value,
    graph::{Graph, Meta, ModuleStack, Node, Operand, Results, Size, Symbolic, Target, TensorMeta, Tree},
    pt2,
};
use lanthorn_tensor::Device;
use std::{fs, path::PathBuf, process::Command};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models")
}

/// Returns the bytes of the results of a call with the recorded inputs, and of the state after it.
fn call(program: &ExportedProgram, recorded: &[(String, TensorData)]) -> Vec<Vec<u8>> {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let dispatch = Native::new(&device);
    let state = program.upload(&dispatch, &[]).unwrap();
    let input = |name: &String| {
        let wanted = [format!("inputs.{name}"), format!("inputs.{}", name.replace('_', "."))];
        let (_, data) = recorded.iter().find(|(known, _)| wanted.contains(known)).unwrap();
        Value::Tensor(dispatch.tensor(data.clone()).unwrap())
    };
    let leaves = program.input_names().iter().map(input).collect();
    pollster::block_on(async {
        let results = program.call_flat(&dispatch, &state, leaves, Limits::default(), None).await.unwrap();
        let mut bytes = Vec::new();
        for tensor in results.iter().filter_map(Value::as_tensor).chain(&state) {
            bytes.push(dispatch.read(tensor).await.unwrap().into_bytes());
        }
        bytes
    })
}

/// Returns the first batch of the inputs and targets of a training.
fn batches_of(file: &[u8]) -> Vec<TensorData<'_>> {
    let Ok(tensors) = safetensors::load(file) else { return vec![] };
    let first = |name: &&str| {
        let (_, data) = tensors.iter().find(|(known, _)| known == name)?;
        let bytes = &data.bytes()[..data.bytes().len() / data.shape()[0]];
        TensorData::new(data.dtype(), data.shape()[1..].to_vec(), bytes.to_vec())
    };
    ["inputs", "targets"].iter().filter_map(first).collect()
}

/// Describes a program completely.
fn description(program: &ExportedProgram) -> String {
    let ExportedProgram { graph, inputs, outputs, state, arguments, results, argument_names, .. } = program;
    let mut ranges: Vec<_> = program.ranges.iter().collect();
    ranges.sort_by_key(|(name, _)| *name);
    format!(
        "{graph}\n{:?}\n{:?}\n{inputs:?}\n{outputs:?}\n{state:?}\n{arguments:?}\n{results:?}\n{argument_names:?}\n{ranges:?}",
        graph.names, graph.metas
    )
}

#[test]
fn a_saved_program_is_the_same_and_calls_to_the_same_bits() {
    let mut saved = 0;
    for model in fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for form in ["static", "dynamic", "core", "train"] {
            let Ok(file) = fs::read(model.join(format!("{form}.pt2"))) else { continue };
            let program = pt2::load(&file).unwrap();
            let bytes = pt2::save(&program).unwrap();
            let again = pt2::load(&bytes).unwrap();
            assert_eq!(description(&again), description(&program), "{model:?} {form}");
            assert_eq!((&again.tensors, &again.hints), (&program.tensors, &program.hints), "{model:?} {form}");
            assert!(pt2::save(&again).unwrap() == bytes, "{model:?} {form}: other bytes");
            let io = match form {
                "dynamic" => "io-dynamic.safetensors",
                "train" => "io-train.safetensors",
                _ => "io.safetensors",
            };
            let recorded = [io, "io.safetensors"].map(|name| fs::read(model.join(name)).unwrap_or_default());
            let mut recorded: Vec<_> =
                recorded.iter().filter_map(|file| safetensors::load(file).ok()).flatten().collect();
            // Programs for training have batches instead.
            let batches = fs::read(model.join("data.safetensors")).unwrap_or_default();
            for (name, data) in program.input_names().iter().zip(batches_of(&batches)) {
                recorded.push((format!("inputs.{name}"), data));
            }
            assert_eq!(call(&again, &recorded), call(&program, &recorded), "{model:?} {form}");
            saved += 1;
        }
    }
    assert!(saved >= 8, "{saved}");
}

fn tensor(sizes: &[i64]) -> Option<Meta> {
    let sizes = sizes.iter().copied().map(Size::Int).collect();
    Some(Meta::Tensor(TensorMeta::contiguous(DType::F32, sizes, false)))
}

/// `y = relu(x + weight)` with a parameter and an argument.
fn program() -> ExportedProgram {
    let mut graph = Graph::default();
    let weight = graph.add_value("p_weight", tensor(&[2]));
    let x = graph.add_value("x", tensor(&[2]));
    let sum = graph.add_value("add", tensor(&[2]));
    let y = graph.add_value("relu", tensor(&[2]));
    let call = |name: &str, args: Vec<Operand>, result| {
        let target = Target::find(name).unwrap();
        Node { target, args, named: vec![], results: Results::One(result), modules: ModuleStack::default() }
    };
    graph.inputs = vec![weight, x];
    graph.nodes = vec![
        call("torch.ops.aten.add", vec![Operand::Value(x), Operand::Value(weight)], sum),
        call("torch.ops.aten.relu", vec![Operand::Value(sum)], y),
    ];
    graph.outputs = vec![Operand::Value(y)];
    ExportedProgram {
        graph,
        inputs: vec![Input { kind: InputKind::State(0) }, Input { kind: InputKind::User }],
        outputs: vec![Output { kind: OutputKind::User }],
        state: vec![State { name: "weight".into(), kind: StateKind::Parameter, tensor: 0, requires_grad: true }],
        tensors: vec![TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap()],
        arguments: Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf]), Tree::dict(vec![])]),
        results: Tree::Leaf,
        argument_names: vec!["x".into()],
        result_names: vec![],
        ranges: Default::default(),
        hints: Default::default(),
        read_inputs: vec![],
        shapes: Default::default(),
        metadata: vec![],
    }
}

fn python() -> Option<PathBuf> {
    let python = std::env::var_os("LANTHORN_PYTHON").map_or("python3".into(), PathBuf::from);
    let runs = Command::new(&python).args(["-P", "-c", "import torch"]).output();
    runs.is_ok_and(|run| run.status.success()).then_some(python)
}

/// Programs that the installed PyTorch exports are saved, loaded by PyTorch, and called with
/// bitwise equal results. Without PyTorch, the test above saves its recorded files.
#[test]
fn pytorch_loads_and_runs_what_is_saved() {
    let Some(python) = python() else { return };
    let made = std::env::temp_dir().join(format!("lanthorn-programs-{}", std::process::id()));
    fs::create_dir_all(made.join("back")).unwrap();
    let run = |command: &str| {
        let script = folder().join("../pytorch/programs.py");
        let run = Command::new(&python).arg("-P").arg(script).arg(command).arg(&made).output().unwrap();
        let output = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(run.status.success(), "{command}: {}{}", output[0], output[1]);
    };
    run("make");
    for file in fs::read_dir(&made).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let program = pt2::load(&fs::read(&file).unwrap()).unwrap();
        let saved = pt2::save(&program).unwrap();
        let again = pt2::load(&saved).unwrap();
        assert!(pt2::save(&again).unwrap() == saved, "{file:?}: other bytes");
        fs::write(made.join("back").join(file.file_name().unwrap()), saved).unwrap();
    }
    fs::write(made.join("back/Built.pt2"), pt2::save(&program()).unwrap()).unwrap();
    run("check");
    fs::remove_dir_all(&made).unwrap();
}

#[test]
fn overloads_are_chosen_by_the_arguments() {
    let again = pt2::load(&pt2::save(&program()).unwrap()).unwrap();
    let names: Vec<String> = again.graph.nodes.iter().map(|node| node.target.to_string()).collect();
    assert_eq!(names, ["aten.add.Tensor", "aten.relu.default"]);
}

#[test]
fn what_cannot_be_saved_is_an_error() {
    type Change = fn(&mut ExportedProgram);
    let changes: [(Change, &str); 19] = [
        (|program| program.graph.metas[2] = None, "nothing is known of the value add"),
        (|program| program.graph.metas.truncate(1), "nothing is known of the value x"),
        (|program| program.graph.names[1] = "x.y".into(), "is no identifier"),
        (|program| program.graph.names[1] = "lambda".into(), "is no identifier"),
        (|program| program.graph.names[1] = "add".into(), "two values have the name add"),
        (|program| program.graph.outputs.clear(), "another number of inputs or results"),
        (|program| program.graph.nodes[0].args[1] = Operand::Value(3), "the value relu is not defined"),
        (
            |program| {
                program.graph.nodes[0].target = Target::find("torch.ops.aten.add.Tensor").unwrap();
                program.graph.nodes[0].args[1] = Operand::Constant(Value::Tensor(()));
            },
            "as a constant argument",
        ),
        (|program| program.graph.nodes[0].args[1] = Operand::Constant(Value::Str("a".into())), "no overload of add"),
        (|program| program.graph.nodes[1].results = Results::None, "the value relu is not defined"),
        (|program| program.inputs[0].kind = InputKind::State(7), "is no entry of the state"),
        (|program| program.state[0].tensor = 9, "weight has no tensor"),
        (|program| program.state[0].name.clear(), "the state has no name"),
        (|program| program.outputs[0].kind = OutputKind::Ignored, "0 results for a structure of 1"),
        (|program| program.graph.outputs[0] = Operand::Constant(Value::Str("a".into())), "a result that is no tensor"),
        (|program| program.arguments = Tree::Leaf, "the arguments are *, not a tuple"),
        (|program| program.ranges.extend([("s 0".into(), Default::default())]), "the symbol \"s 0\""),
        (
            |program| {
                let strides = vec![];
                let sizes = vec![Size::Int(2)];
                program.graph.metas[2] =
                    Some(Meta::Tensor(TensorMeta { dtype: DType::F32, sizes, strides, requires_grad: false }));
            },
            "add has 1 sizes and 0 strides",
        ),
        (
            |program| {
                program.graph.metas[2] = Some(Meta::Int(Size::Symbol("s') + f('".into())));
            },
            "",
        ),
    ];
    for (change, expected) in changes {
        let mut program = program();
        change(&mut program);
        let error = pt2::save(&program).map(|_| ()).unwrap_err();
        let typed = matches!(error, Error::Malformed(_) | Error::Unsupported(_) | Error::Limit(_));
        assert!(typed && error.to_string().contains(expected), "{error}, not {expected}");
    }
}

#[test]
fn altered_programs_are_saved_and_read_or_refused() {
    let (mut saved, mut refused) = (0, 0);
    let mut random = 1u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    for path in ["torch_while/core.pt2", "torch_cond/dynamic.pt2", "buffer_mutation/static.pt2"] {
        let program = pt2::load(&fs::read(folder().join(path)).unwrap()).unwrap();
        // A file without stack traces, which no reader uses.
        let file = pt2::save(&program).unwrap();
        let archive = Archive::open(&file, Format::Program).unwrap();
        for _ in 0..150 {
            let mut altered = Writer::new(Format::Program);
            for entry in archive.entries() {
                let mut bytes = archive.read(entry).unwrap().into_owned();
                if entry.name.ends_with("model.json") {
                    for _ in 0..=below(2) {
                        let letters = b"0123456789_abcdxyz\"-.{}";
                        let (at, letter) = (below(bytes.len()), letters[below(letters.len())]);
                        bytes[at] = letter;
                    }
                }
                altered.add(&entry.name, &bytes).unwrap();
            }
            let Ok(program) = pt2::load(&altered.finish().unwrap()) else { continue };
            match pt2::save(&program) {
                Ok(bytes) => {
                    assert_eq!(pt2::load(&bytes).unwrap().graph.to_string(), program.graph.to_string());
                    saved += 1;
                }
                Err(error) => {
                    assert!(matches!(error, Error::Malformed(_) | Error::Unsupported(_) | Error::Limit(_)), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(saved > 30 && refused > 3, "{saved} saved, {refused} refused");
}

#[test]
fn structures_without_end_are_errors() {
    let mut deep = program();
    for _ in 0..1000 {
        deep.arguments = Tree::Tuple(vec![deep.arguments]);
        let mut size = Size::Symbol("s0".into());
        for _ in 0..100 {
            size = Size::Call(lanthorn_program::graph::Function::Add, vec![size, Size::Int(1)]);
        }
        deep.graph.metas[2] = Some(Meta::Int(size));
    }
    assert!(matches!(pt2::save(&deep), Err(Error::Limit(_))));
    deep.graph.metas[2] = Some(Meta::Bool(Symbolic::Value(true)));
    assert!(pt2::save(&deep).is_err());
    let mut list = Value::Int(1);
    for _ in 0..1000 {
        list = Value::List(vec![list]);
    }
    let mut deep = program();
    deep.graph.nodes[0].args[1] = Operand::Constant(list);
    assert!(pt2::save(&deep).is_err());
}
