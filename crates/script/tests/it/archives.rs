//! Small archives of PyTorch reproduce its results, and damaged archives are errors.

use lanthorn_io::{DType, TensorData, safetensors};
use lanthorn_nn::Module;
use lanthorn_program::{Dispatch, Native, Value};
use lanthorn_script::{NativeModule, ScriptModule, detect};
use lanthorn_tensor::{Device, Tensor};
use std::{fs, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models")
}

fn native() -> Native {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    Native::new(&device)
}

fn floats(data: &TensorData) -> Vec<f32> {
    let bytes = data.bytes();
    match data.dtype() {
        DType::F32 => bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
        _ => bytes.iter().map(|&byte| f32::from(byte)).collect(),
    }
}

/// Runs a module on the recorded inputs, and compares results and gradients.
fn check(model: &str, file: &str) {
    let dispatch = native();
    let bytes = fs::read(folder().join(model).join(file)).unwrap();
    assert!(detect(&bytes));
    let module = NativeModule::new(ScriptModule::load(&bytes, dispatch.clone()).unwrap());
    let recorded = fs::read(folder().join(model).join("io.safetensors")).unwrap();
    let recorded = safetensors::load(&recorded).unwrap();
    let find = |name: String| recorded.iter().find(|(known, _)| *known == name).map(|(_, data)| data.clone());
    let named = module.script().parameters_of("forward").unwrap().into_iter().filter_map(|name| {
        let data = find(format!("inputs.{name}"))?;
        Some((name, Value::Tensor(dispatch.tensor(data).unwrap())))
    });
    let result = pollster::block_on(module.script().call(vec![], named.collect())).unwrap();
    let close = |name: &str, found: &Tensor, expected: &TensorData| {
        let found = pollster::block_on(dispatch.read(found)).unwrap();
        assert_eq!(found.shape(), expected.shape(), "{model}/{file} {name}");
        let (found, expected) = (floats(&found), floats(expected));
        let largest = expected.iter().fold(1e-3f32, |largest, value| largest.max(value.abs()));
        let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error <= 1e-5 * largest, "{model}/{file} {name}: {error}");
    };
    let mut loss: Option<Tensor> = None;
    let mut compared = 0;
    result.for_each_leaf(&mut |path, leaf| {
        let Value::Tensor(output) = leaf else { return };
        let name = if path.is_empty() { "0" } else { path };
        close(name, output, &find(format!("outputs.{name}")).unwrap());
        compared += 1;
        if output.dtype().is_floating_point() {
            let mean = output.square().unwrap().mean((), false).unwrap();
            loss = Some(loss.take().map_or(mean.clone(), |loss| loss.add(&mean).unwrap()));
        }
    });
    assert!(compared > 0);
    let trained = recorded.iter().any(|(name, _)| name.starts_with("grads."));
    if trained {
        loss.unwrap().backward().unwrap();
    }
    for (name, parameter) in module.named_parameters() {
        if let Some(expected) = find(format!("grads.{name}")) {
            close(&name, &parameter.grad().unwrap(), &expected);
        }
    }
}

#[test]
fn modules_of_pytorch_give_its_results_and_gradients() {
    check("script_types", "scripted.pt");
    check("script_modules", "scripted.pt");
    check("script_beam_search", "scripted.pt");
    check("tree_lstm", "scripted.pt");
    check("gat_scatter", "traced.pt");
}

#[test]
fn parameters_have_pytorchs_names_and_methods_are_called() {
    let bytes = fs::read(folder().join("script_types/scripted.pt")).unwrap();
    let mut module = NativeModule::new(ScriptModule::load(&bytes, native()).unwrap());
    let names: Vec<String> = module.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["layers.a.weight", "layers.a.bias", "layers.b.weight", "layers.b.bias"]);
    assert_eq!(module.script().methods(), ["activate", "forward", "pick"]);
    assert!(module.set_tensor("layers.a.bias", Tensor::zeros([4]).unwrap()));
    assert!(!module.set_tensor("layers.c.bias", Tensor::zeros([4]).unwrap()));
    module.train(true);
    let args = vec![Value::Tensor(Tensor::zeros([2]).unwrap()), Value::from("none")];
    let same = pollster::block_on(module.script().call_method("activate", args, vec![])).unwrap();
    assert!(matches!(same, Value::Tensor(_)));
    assert!(pollster::block_on(module.script().call_method("absent", vec![], vec![])).is_err());
}

#[test]
fn damaged_archives_are_errors() {
    let bytes = fs::read(folder().join("script_types/scripted.pt")).unwrap();
    let dispatch = native();
    for length in (0..bytes.len()).step_by(97) {
        assert!(ScriptModule::load(&bytes[..length], dispatch.clone()).is_err(), "{length} bytes");
    }
    for offset in (0..bytes.len()).step_by(41) {
        let mut damaged = bytes.clone();
        damaged[offset] ^= 0x55;
        // Any result is fine if the call returns.
        let _ = ScriptModule::load(&damaged, dispatch.clone());
    }
}
