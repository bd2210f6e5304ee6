//! Training programs of PyTorch reproduces PyTorch's losses (`tests/models/training.py`).

use lanthorn_io::safetensors;
use lanthorn_nn::Module;
use lanthorn_optim::{Optimizer, ParameterGroup, table};
use lanthorn_program::{Dispatch, Native, Program, Value};
use lanthorn_tensor::{Device, Result, Tensor, compile, ops::Arg};
use pollster::block_on;
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::PathBuf};

/// PyTorch's recorded results.
#[derive(Deserialize)]
struct Recorded {
    optimizer: String,
    options: BTreeMap<String, f64>,
    /// The largest relative error of PyTorch's losses in float32.
    error: f64,
    /// The losses in float64.
    losses: Vec<f64>,
}

struct Training {
    program: Program,
    optimizer: Optimizer,
    /// The batches along dimension 0.
    data: [Tensor; 2],
    recorded: Recorded,
}

impl Training {
    fn load(model: &str, device: &Device) -> Training {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models").join(model);
        let file = |name: &str| fs::read(folder.join(name)).unwrap();
        let recorded: Recorded = serde_json::from_slice(&file("training.json")).unwrap();
        let bytes = file("data.safetensors");
        let tensors = safetensors::load(&bytes).unwrap();
        let data = ["inputs", "targets"].map(|wanted| {
            let (_, data) = tensors.iter().find(|(name, _)| *name == wanted).unwrap();
            Native::new(device).tensor(data.clone()).unwrap()
        });
        let program = Program::load(&file("train.pt2"), device).unwrap();
        let group = ParameterGroup { parameters: program.parameters(), options: vec![] };
        let optimizer = table::build(&recorded.optimizer, &[], vec![group]).unwrap();
        for (name, value) in &recorded.options {
            optimizer.set_option(0, name, Arg::Scalar((*value).into())).unwrap();
        }
        Training { program, optimizer, data, recorded }
    }

    /// Takes one step on a batch. A program with two inputs returns the loss; a program with one
    /// input returns logits.
    fn step(&self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        self.optimizer.zero_grad()?;
        let inputs = &batch[..self.program.exported().input_names().len()];
        let result = block_on(self.program.call_flat(inputs.iter().cloned().map(Value::Tensor).collect())).unwrap();
        let result = result[0].as_tensor().unwrap();
        let loss = match inputs {
            [_] => result.cross_entropy(&batch[1], None)?,
            _ => result.clone(),
        };
        loss.backward()?;
        self.optimizer.step()?;
        Ok(vec![loss])
    }

    fn losses(&self, step: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>) -> Vec<f32> {
        let batches = self.data[0].shape()[0];
        let batch = |number: usize| self.data.each_ref().map(|data| data.select(0, (number % batches) as i64).unwrap());
        let loss = |number| block_on(step(&batch(number)).unwrap()[0].item()).unwrap();
        (0..self.recorded.losses.len()).map(|number| loss(number) as f32).collect()
    }
}

/// The losses in float32 depend on the order of sums. The bound is twice PyTorch's own error.
fn follows(model: &str) {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    let training = Training::load(model, &device);
    let eager = training.losses(|batch| training.step(batch));
    for (step, (found, expected)) in eager.iter().zip(&training.recorded.losses).enumerate() {
        let error = (f64::from(*found) - expected).abs() / expected;
        assert!(
            error <= 2.0 * training.recorded.error,
            "{model}, step {step}: {found}, PyTorch's is {expected}: {error:e}"
        );
    }
    let training = Training::load(model, &device);
    let compiled = compile(|batch: &[Tensor]| training.step(batch));
    assert_eq!(training.losses(|batch| compiled.call(batch)), eager, "{model}");
    assert!(compiled.explain().replays > 10, "{}", compiled.explain());
}

#[test]
fn a_convolutional_net_with_batch_norm_follows_sgd() {
    follows("training_conv");
}

#[test]
fn an_encoder_follows_adamw() {
    follows("training_encoder");
}

#[test]
fn a_decoder_with_tied_embeddings_follows_adamw() {
    follows("training_gpt");
}
