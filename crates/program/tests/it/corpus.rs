//! Small exported programs of PyTorch reproduce its results, and damaged files are errors.

use lanthorn_io::{TensorData, safetensors};
use lanthorn_nn::Module;
use lanthorn_program::{
    Dispatch, Error, InputKind, Native, Program, Value,
    graph::{Meta, Node, Operand, Size, Symbols},
    pt2,
};
use lanthorn_tensor::{Device, Tensor, ops::Arg};
use std::{fs, path::PathBuf};

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models")
}

pub fn device() -> Device {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    device
}

fn floats(data: &TensorData) -> Vec<f32> {
    let wide = data.clone().convert_for_device(&|dtype| dtype == lanthorn_io::DType::F32);
    match wide {
        Ok(wide) => wide.bytes().as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
        // Compares integers and booleans by their bytes.
        Err(_) => data.bytes().iter().map(|&byte| f32::from(byte)).collect(),
    }
}

/// Runs a program on a recorded file. Returns the largest error of a result, a gradient or a
/// buffer, relative to its largest element.
fn check(model: &str, file: &str, io: &str) {
    check_within(model, file, io, 1e-5);
}

/// [`check`] with another error limit.
fn check_within(model: &str, file: &str, io: &str, limit: f32) {
    let device = device();
    let program = Program::load(&fs::read(folder().join(model).join(file)).unwrap(), &device).unwrap();
    let recorded = fs::read(folder().join(model).join(io)).unwrap();
    let recorded = safetensors::load(&recorded).unwrap();
    let find = |name: String| recorded.iter().find(|(known, _)| *known == name).map(|(_, data)| data.clone());
    let native = Native::new(&device);
    let names = program.exported().input_names();
    let input = |name: &String| {
        let data = find(format!("inputs.{name}")).or_else(|| find(format!("inputs.{}", name.replace('_', "."))));
        Value::Tensor(native.tensor(data.unwrap()).unwrap())
    };
    let outputs = pollster::block_on(program.call_flat(names.iter().map(input).collect())).unwrap();
    let close = |name: &str, found: &Tensor, expected: &TensorData| {
        let found = floats(&pollster::block_on(native.read(found)).unwrap());
        let expected = floats(expected);
        let largest = expected.iter().fold(1e-3f32, |largest, value| largest.max(value.abs()));
        let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(found.len() == expected.len() && error <= limit * largest, "{model}/{file} {name}: {error}");
    };
    let mut loss: Option<Tensor> = None;
    let mut compared = 0;
    for (name, output) in program.exported().output_names().iter().zip(&outputs) {
        let output = output.as_tensor().unwrap();
        if let Some(expected) = find(format!("outputs.{name}")).filter(|_| output.dtype().is_floating_point()) {
            close(name, output, &expected);
            compared += 1;
            let mean = output.square().unwrap().mean((), false).unwrap();
            loss = Some(loss.map_or(mean.clone(), |loss| loss.add(&mean).unwrap()));
        }
    }
    assert!(compared > 0);
    if recorded.iter().any(|(name, _)| name.starts_with("grads.")) {
        loss.unwrap().backward().unwrap();
        for (name, expected) in &recorded {
            if let Some(parameter) = name.strip_prefix("grads.") {
                close(name, &program.state(parameter).unwrap().grad().unwrap(), expected);
            }
            if let Some(buffer) = name.strip_prefix("buffers.") {
                close(name, &program.state(buffer).unwrap(), expected);
            }
        }
    }
}

#[test]
fn a_condition_chooses_a_branch_and_both_have_gradients() {
    check("torch_cond", "static.pt2", "io.safetensors");
    check("torch_cond", "dynamic.pt2", "io-dynamic.safetensors");
}

#[test]
fn a_loop_runs_while_its_condition_holds() {
    check("torch_while", "static.pt2", "io.safetensors");
    check("torch_while", "core.pt2", "io.safetensors");
}

#[test]
fn buffers_are_written_in_place_and_by_results() {
    check("buffer_mutation", "static.pt2", "io.safetensors");
    check("buffer_mutation", "core.pt2", "io.safetensors");
}

#[test]
fn a_program_in_training_mode_has_gradients_and_moves_its_running_statistics() {
    // The gradients of biases before a batch norm are rounding errors, up to 9.5e-7 in PyTorch too.
    check_within("pointnet", "train.pt2", "io-train.safetensors", 2e-3);
}

#[test]
fn sizes_may_be_symbols() {
    check("espcn", "dynamic.pt2", "io-dynamic.safetensors");
}

#[test]
fn values_have_the_sizes_and_strides_of_the_file() {
    let program = pt2::load(&fs::read(folder().join("espcn/dynamic.pt2")).unwrap()).unwrap();
    let id = program.graph.names.iter().position(|name| name == "conv2d").unwrap();
    let Some(Meta::Tensor(meta)) = program.graph.meta(id) else { panic!("{:?}", program.graph.meta(id)) };
    let list = |sizes: &[Size]| sizes.iter().map(Size::to_string).collect::<Vec<_>>().join(", ");
    assert_eq!(list(&meta.sizes), "1, 16, s53, s0");
    assert_eq!(list(&meta.strides), "16*s0*s53, s0*s53, s0, 1");
    assert_eq!((program.hints["s53"], program.hints["s0"]), (10, 12));
    let inside = |node: &Node| {
        node.operands().any(|operand| matches!(operand, Operand::Block(block) if block.meta(0).is_some()))
    };
    let program = pt2::load(&fs::read(folder().join("torch_cond/static.pt2")).unwrap()).unwrap();
    assert!(program.graph.nodes.iter().any(inside));
}

#[test]
fn a_program_is_a_module_and_checks_its_inputs() {
    let device = device();
    let program = Program::load(&fs::read(folder().join("espcn/dynamic.pt2")).unwrap(), &device).unwrap();
    assert!(program.named_parameters().iter().all(|(name, tensor)| name.contains('.') && tensor.requires_grad()));
    let call = |shape: &[i64]| {
        let x = Value::Tensor(Tensor::zeros(shape).unwrap());
        pollster::block_on(program.call(vec![x], vec![])).unwrap_err().to_string()
    };
    assert!(call(&[1, 2]).starts_with("input: x: takes 4 dimensions"), "{}", call(&[1, 2]));
    assert!(call(&[0, 1, 0, 0]).contains("dimension 0 is 0, the program takes"), "{}", call(&[0, 1, 0, 0]));
    let nothing = pollster::block_on(program.call(vec![], vec![])).unwrap_err();
    assert!(matches!(&nothing, Error::Input(message) if message.contains("((*), {})")), "{nothing}");
}

#[test]
fn a_module_of_many_operations_is_called_without_an_executor() {
    let device = device();
    let program = Program::load(&fs::read(folder().join("pointnet/train.pt2")).unwrap(), &device).unwrap();
    assert!(program.exported().graph.node_count() > 16);
    let exported = program.exported();
    let input = exported.inputs.iter().position(|input| input.kind == InputKind::User).unwrap();
    let sizes = &exported.input_meta(input).unwrap().sizes;
    let sizes: Vec<i64> = sizes.iter().filter_map(|size| size.evaluate(&Symbols::default())).collect();
    let points = Arg::Tensors(vec![Tensor::zeros(&sizes[..]).unwrap()]);
    assert!(lanthorn_nn::call(&program, &[points]).is_ok());
}

#[test]
fn a_damaged_program_is_an_error_or_another_program() {
    let file = fs::read(folder().join("torch_while/static.pt2")).unwrap();
    for end in (0..file.len()).step_by(97) {
        assert!(pt2::load(&file[..end]).is_err(), "{end}");
    }
    // A checksum protects the content, so this damages the directory and the headers one byte at a
    // time.
    for index in (0..file.len()).step_by(31) {
        let mut damaged = file.clone();
        damaged[index] ^= 0x55;
        let _ = pt2::load(&damaged);
    }
}
