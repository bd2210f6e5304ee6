//! Parses calls, builds programs of one call, and compares results.

use lanthorn_cpu::CpuBackend;
use lanthorn_io::{DType, TensorData};
use lanthorn_onnx::{load, proto::TensorProto, save};
use lanthorn_program::{
    Dispatch, ExportedProgram, Input, InputKind, Native, Output, OutputKind, Value, aten,
    graph::{Graph, Meta, ModuleStack, Node, Operand, Results, Size, Symbols, Target, TensorMeta, Tree, ValueId},
    value::elements,
};
use lanthorn_tensor::{Device, Tensor, no_grad};
use prost::Message;
use std::{fs, path::Path};

/// The CPU with its operations.
pub fn cpu() -> (Device, Native) {
    let device = Device::new(CpuBackend::new());
    device.set_default();
    let native = Native::new(&device);
    (device, native)
}

/// Returns the calls of `calls.txt`, each with a flag whether all sizes must be constant.
pub fn rows() -> impl Iterator<Item = (bool, &'static str)> {
    let lines = include_str!("calls.txt").lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.strip_prefix("static ").map_or((false, line), |line| (true, line)))
}

/// Parses a tensor of a row: `f32[2, 3]`, `i64[4]<5` with numbers below 5, `bool[2]`, `edge[14]`
/// with infinities and NaN.
pub fn tensor(text: &str, seed: u64) -> Option<TensorData<'static>> {
    let (dtype, rest) = text.split_once('[')?;
    let (sizes, limit) = rest.split_once(']')?;
    let shape: Vec<usize> = sizes.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let limit: u64 = limit.trim_start_matches('<').parse().unwrap_or(1000);
    let mut state = seed * 7919 + 17;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    let count = shape.iter().product();
    let (dtype, bytes): (DType, Vec<u8>) = match dtype {
        // Between 0.1 and 1, where all functions are defined.
        "pos" => (DType::F32, (0..count).flat_map(|_| (0.1 + (next() % 900) as f32 / 1000.0).to_le_bytes()).collect()),
        // Numbers on which definitions differ. Another tensor of a call has other pairs.
        "edge" => {
            const EDGES: [f32; 14] = [
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                -0.0,
                0.0,
                0.5,
                -0.5,
                1.0,
                -1.0,
                1.5,
                2.5,
                -2.5,
                3e-8,
                30.0,
            ];
            let at = |index: usize| EDGES[(index + 5 * seed as usize) % EDGES.len()];
            (DType::F32, (0..count).flat_map(|index: usize| at(index).to_le_bytes()).collect())
        }
        "sorted" => (DType::F32, (0..count).flat_map(|index: usize| (index as f32 / 8.0).to_le_bytes()).collect()),
        "f32" => (DType::F32, (0..count).flat_map(|_| ((next() % 4000) as f32 / 1000.0 - 2.0).to_le_bytes()).collect()),
        "i64" => (DType::I64, (0..count).flat_map(|_| ((next() % limit) as i64).to_le_bytes()).collect()),
        "i32" => (DType::I32, (0..count).flat_map(|_| ((next() % limit) as i32).to_le_bytes()).collect()),
        _ => (DType::Bool, (0..count).map(|_| (next() % 2) as u8).collect()),
    };
    TensorData::new(dtype, shape, bytes)
}

/// Parses the arguments of a row: tensors, numbers, lists, text, `None`.
fn arguments(text: &str, tensors: &mut Vec<TensorData<'static>>) -> Vec<Operand> {
    let (mut depth, mut start, mut parts, mut is_text) = (0, 0, Vec::new(), false);
    for (index, c) in text.char_indices() {
        match c {
            '"' => is_text = !is_text,
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 && !is_text => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).map(|part| argument(part, tensors)).collect()
}

fn argument(text: &str, tensors: &mut Vec<TensorData<'static>>) -> Operand {
    let data = if text.starts_with('[') { None } else { tensor(text, tensors.len() as u64) };
    if let Some(data) = data {
        tensors.push(data);
        return Operand::Value(tensors.len() - 1);
    }
    let constant = Operand::Constant;
    match text {
        "None" => constant(Value::None),
        "True" | "False" => constant(Value::Bool(text == "True")),
        _ if text.starts_with('[') => {
            let items = arguments(&text[1..text.len() - 1], tensors);
            let plain = items.iter().map(|item| match item {
                Operand::Constant(value) => Some(value.clone()),
                _ => None,
            });
            plain.collect::<Option<Vec<_>>>().map_or(Operand::List(items), |values| constant(Value::List(values)))
        }
        _ if text.starts_with('"') => constant(Value::Str(text.trim_matches('"').to_string())),
        _ => match text.parse::<i64>() {
            Ok(value) => constant(Value::Int(value)),
            Err(_) => constant(Value::Float(text.parse().unwrap_or_else(|_| panic!("{text} is no argument")))),
        },
    }
}

/// A program of one call.
pub struct Case {
    pub program: ExportedProgram,
    pub inputs: Vec<TensorData<'static>>,
    pub results: Vec<TensorData<'static>>,
}

pub fn meta(data: &TensorData<'_>, dynamic: Option<usize>) -> Meta {
    let size = |&size: &usize| match dynamic {
        Some(wanted) if size == wanted => Size::Symbol("s0".to_string()),
        _ => Size::Int(size as i64),
    };
    TensorMeta::contiguous(data.dtype(), data.shape().iter().map(size).collect(), false).into()
}

fn value(operand: &Operand, tensors: &[Tensor]) -> Value<Tensor> {
    match operand {
        Operand::Value(id) => Value::Tensor(tensors[*id].clone()),
        Operand::List(items) => Value::List(items.iter().map(|item| value(item, tensors)).collect()),
        Operand::Constant(constant) => constant.clone().try_map(&mut |_, ()| Err::<Tensor, ()>(())).unwrap(),
        Operand::Block(_) => unreachable!("no row has blocks"),
    }
}

pub fn read(native: &Native, value: &Value<Tensor>) -> Vec<TensorData<'static>> {
    match value {
        Value::Tensor(tensor) => vec![pollster::block_on(native.read(tensor)).unwrap()],
        Value::List(items) | Value::Tuple(items) => items.iter().flat_map(|item| read(native, item)).collect(),
        other => panic!("the result {}", other.short()),
    }
}

/// Builds the program of a row, with the size `dynamic` as a symbol.
pub fn case(line: &str, native: &Native, dynamic: Option<usize>) -> Result<Case, String> {
    let (name, text) = line.split_once('(').unwrap();
    let mut inputs = Vec::new();
    let mut args = arguments(text.strip_suffix(')').unwrap(), &mut inputs);
    let target = aten::find(name).ok_or("no such operator")?;
    let params = target.operators().first().map_or(&[][..], |operator| &operator.schema.params);
    let positional = params.iter().filter(|param| !param.keyword_only).count().min(args.len());
    let by_name = args.split_off(positional).into_iter().zip(&params[positional..]);
    let named: Vec<(String, Operand)> = by_name.map(|(arg, param)| (param.name.clone(), arg)).collect();
    let tensors: Vec<Tensor> = inputs.iter().map(|data| native.tensor(data.clone()).unwrap()).collect();
    let given = args.iter().map(|arg| value(arg, &tensors)).collect();
    let given_by_name = named.iter().map(|(name, arg)| (name.clone(), value(arg, &tensors))).collect();
    let called = target.call(native, given, given_by_name).and_then(|outcome| pollster::block_on(outcome.value()));
    let called = called.map_err(|error| format!("as it is: {error}"))?;
    let results = read(native, &called);
    let mut graph = Graph::default();
    for (index, data) in inputs.iter().enumerate() {
        let id = graph.add_value(format!("x{index}"), Some(meta(data, dynamic)));
        graph.inputs.push(id);
    }
    let ids: Vec<ValueId> = (results.iter().enumerate())
        .map(|(index, data)| graph.add_value(format!("y{index}"), Some(meta(data, dynamic))))
        .collect();
    let defined = match called {
        Value::Tensor(_) => Results::One(ids[0]),
        _ => Results::Several(ids.iter().copied().map(Some).collect()),
    };
    let target = Target::Aten(name.to_string(), target);
    graph.nodes.push(Node { target, args, named, results: defined, modules: ModuleStack::default() });
    graph.outputs = ids.iter().copied().map(Operand::Value).collect();
    let program = program(graph);
    Ok(Case { program, inputs, results })
}

/// Builds the program of a graph whose inputs are tensors.
pub fn program(graph: Graph) -> ExportedProgram {
    let names: Vec<String> = (0..graph.inputs.len()).map(|index| format!("x{index}")).collect();
    let result_names: Vec<String> = (0..graph.outputs.len()).map(|index| format!("y{index}")).collect();
    let leaves = result_names.iter().map(|name| (name.clone(), Tree::Leaf)).collect();
    ExportedProgram {
        outputs: graph.outputs.iter().map(|_| Output { kind: OutputKind::User }).collect(),
        graph,
        inputs: names.iter().map(|_| Input { kind: InputKind::User }).collect(),
        state: vec![],
        tensors: vec![],
        arguments: Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf; names.len()]), Tree::dict(vec![])]),
        results: Tree::dict(leaves),
        argument_names: names,
        result_names,
        ranges: Default::default(),
        hints: Symbols::default(),
        read_inputs: vec![],
        shapes: Default::default(),
        metadata: vec![],
    }
}

/// Returns a node that calls ATen on values.
pub fn node(name: &str, args: Vec<Operand>, result: ValueId) -> Node {
    let target = Target::Aten(name.to_string(), aten::find(name).unwrap());
    Node { target, args, named: vec![], results: Results::One(result), modules: ModuleStack::default() }
}

/// Describes a float32 tensor.
pub fn f32_meta(shape: &[i64]) -> Option<Meta> {
    Some(TensorMeta::contiguous(DType::F32, shape.iter().copied().map(Size::Int).collect(), false).into())
}

/// Describes the first difference of two tensors.
pub fn difference(found: &TensorData<'_>, wanted: &TensorData<'_>) -> Option<String> {
    if found.shape() != wanted.shape() || found.dtype() != wanted.dtype() {
        let (a, b) = ((found.dtype(), found.shape()), (wanted.dtype(), wanted.shape()));
        return Some(format!("{a:?}, not {b:?}"));
    }
    let number = |value: &Value<()>| value.as_bool().map_or(value.as_float(), |value| Some(f64::from(value)));
    let (found, wanted) = (elements::<()>(found).unwrap(), elements::<()>(wanted).unwrap());
    let mut pairs = found.iter().zip(&wanted).filter_map(|(a, b)| number(a).zip(number(b)));
    let odd = pairs.find(|(a, b)| !(a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 2e-5 * (1.0 + b.abs())));
    odd.map(|(a, b)| format!("{a}, not {b}"))
}

pub fn check(case: &Case, device: &Device, written: Option<&Path>) -> Result<(), String> {
    let bytes = save(&case.program).map_err(|error| error.to_string())?;
    if let Some(folder) = written {
        leave(folder, case, &bytes);
    }
    let model = load(bytes, device).map_err(|error| format!("read back: {error}"))?;
    let native = Native::new(device);
    let inputs = case.inputs.iter().map(|data| Value::Tensor(native.tensor(data.clone()).unwrap())).collect();
    let results = no_grad(|| pollster::block_on(model.call_flat(inputs))).map_err(|error| format!("run: {error}"))?;
    for (result, wanted) in results.iter().zip(&case.results) {
        let found = read(&native, result).remove(0);
        if let Some(difference) = difference(&found, wanted) {
            return Err(difference);
        }
    }
    Ok(())
}

/// Saves a model with its data in the layout of ONNX's own tests.
fn leave(folder: &Path, case: &Case, bytes: &[u8]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("model.onnx"), bytes).unwrap();
    for (side, tensors) in [("input", &case.inputs), ("output", &case.results)] {
        for (index, data) in tensors.iter().enumerate() {
            let proto = TensorProto::from_data("", data.clone(), None).unwrap();
            fs::write(folder.join(format!("{side}_{index}.pb")), proto.encode_to_vec()).unwrap();
        }
    }
}
