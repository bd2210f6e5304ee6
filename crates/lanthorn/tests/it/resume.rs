//! Training that is saved in the middle of an epoch and resumed from the file with new objects has
//! the same bits as uninterrupted training: with every optimizer, on every backend.

use lanthorn::{
    Device, Result, Tensor, Value,
    checkpoint::{self, GeneratorState, State},
    data::{DataLoader, DataLoaderOptions, HostArray, Samples},
    nn::{self, Dropout, Layer, Linear, Module, Sequential},
    optim::{Optimizer, ParameterGroup, Scheduler, schedule::CosineAnnealingLR, table},
};
use lanthorn_kernel_tests::rotation;
use pollster::block_on;
use std::path::{Path, PathBuf};

const STEPS: usize = 14;
/// In the middle of the second epoch of four batches.
const INTERRUPTED: usize = 6;

struct Run {
    net: Sequential,
    optimizer: Optimizer,
    scheduler: Scheduler,
    loader: DataLoader<HostArray>,
    device: Device,
}

impl Run {
    fn new(optimizer: &str, seed: u64, device: &Device) -> Result<Run> {
        device.set_default();
        device.manual_seed(seed);
        // Without biases: Muon accepts matrices only.
        let layers: Vec<Box<dyn Layer>> = vec![
            Box::new(Linear::builder(1, 16).bias(false).build()?),
            Box::new(Dropout::new(0.25)?),
            Box::new(Linear::builder(16, 1).bias(false).build()?),
        ];
        let net = Sequential::new(layers);
        let optimizer =
            table::build(optimizer, &[], vec![ParameterGroup { parameters: net.parameters(), options: vec![] }])?;
        let scheduler = CosineAnnealingLR { T_max: 10, eta_min: 0.0 }.on(&optimizer)?;
        let options = DataLoaderOptions { batch_size: 3, shuffle: true, seed, ..Default::default() };
        let loader = DataLoader::new(Samples((0..10).map(|sample| sample as f32 / 10.0).collect()), options)?;
        Ok(Run { net, optimizer, scheduler, loader, device: device.clone() })
    }

    /// Runs some steps and returns the bits of their losses; saves a checkpoint after one of them.
    fn train(&mut self, steps: usize, save: Option<(usize, &Path)>) -> Result<Vec<u32>> {
        let mut losses = Vec::new();
        loop {
            let mut batches = self.loader.iter();
            while let Some(batch) = batches.next().transpose()? {
                let x = Tensor::from_slice(batch.values::<f32>()?, [batch.shape()[0] as i64, 1], &self.device)?;
                let loss = self.net.forward(&x)?.sub(x.sin()?)?.square()?.mean((), false)?;
                self.optimizer.zero_grad()?;
                loss.backward()?;
                self.optimizer.step()?;
                self.scheduler.step()?;
                losses.push((block_on(loss.item())? as f32).to_bits());
                if let Some((step, path)) = save
                    && losses.len() == step
                {
                    let entries = [
                        ("model", nn::state_dict(&self.net).to_value()),
                        ("optimizer", self.optimizer.state_dict()?.to_value()),
                        ("scheduler", self.scheduler.state_dict().to_value()),
                        ("generator", GeneratorState::of(&self.device).to_value()),
                        ("loader", batches.state_dict().to_value()),
                        ("losses", Value::Int(step as i64)),
                    ];
                    block_on(checkpoint::save(path, entries))?;
                }
                if losses.len() == steps {
                    return Ok(losses);
                }
            }
        }
    }

    fn resume(&mut self, path: &Path) -> Result<()> {
        let saved = checkpoint::load(path, &self.device)?;
        nn::load_state_dict(&self.net, &checkpoint::get(&saved, "model")?)?;
        block_on(self.optimizer.load_state_dict(&checkpoint::get(&saved, "optimizer")?))?;
        self.scheduler.load_state_dict(&checkpoint::get(&saved, "scheduler")?)?;
        self.loader.load_state_dict(checkpoint::get(&saved, "loader")?)?;
        checkpoint::get::<GeneratorState>(&saved, "generator")?.restore(&self.device);
        assert_eq!(saved.get("losses").and_then(Value::as_int), Some(INTERRUPTED as i64));
        Ok(())
    }

    fn weights(&self) -> Vec<u8> {
        self.net.parameters().iter().flat_map(|parameter| block_on(parameter.to_bytes()).unwrap()).collect()
    }
}

/// A file for one test, removed at its end.
struct File(PathBuf);

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn resumed_training_is_equal_to_the_bit(device: &Device) {
    // On WebGPU a rotation runs one optimizer in three.
    let every = if device.name() == "cpu" { 1 } else { 3 };
    let names = table::OPTIMIZERS.iter().filter(|spec| !spec.needs_closure()).map(|spec| spec.name);
    let names = names.enumerate().filter(|(index, _)| rotation::takes(*index, every)).map(|(_, name)| name);
    let mut shown = 0;
    for name in names {
        let file = File(std::env::temp_dir().join(format!(
            "lanthorn-resume-{name}-{}-{}.pt",
            device.name(),
            std::process::id()
        )));
        let mut whole = Run::new(name, 1, device).unwrap();
        let losses = whole.train(STEPS, Some((INTERRUPTED, &file.0))).unwrap();
        let mut resumed = Run::new(name, 2, device).unwrap();
        assert_ne!(resumed.weights(), whole.weights(), "{name} began elsewhere");
        resumed.resume(&file.0).unwrap();
        assert_eq!(
            resumed.train(STEPS - INTERRUPTED, None).unwrap(),
            losses[INTERRUPTED..],
            "{name} on {}",
            device.name()
        );
        assert_eq!(resumed.weights(), whole.weights(), "{name} on {}", device.name());
        shown += 1;
    }
    assert!(shown >= 12 / every, "{shown}");
}

#[test]
fn on_the_cpu() {
    resumed_training_is_equal_to_the_bit(&lanthorn::cpu());
}

#[test]
fn on_webgpu() {
    resumed_training_is_equal_to_the_bit(&block_on(lanthorn::wgpu()).unwrap());
}

#[test]
fn pytorchs_optimizer_goes_on_here() {
    let device = lanthorn::cpu();
    device.set_default();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch/files/training.pt");
    let saved = checkpoint::load(file, &device).unwrap();
    let net = Sequential::new(vec![
        Box::new(Linear::new(4, 8).unwrap()),
        Box::new(nn::ReLU),
        Box::new(Linear::new(8, 2).unwrap()),
    ]);
    let optimizer =
        table::build("AdamW", &[], vec![ParameterGroup { parameters: net.parameters(), options: vec![] }]).unwrap();
    let scheduler = CosineAnnealingLR { T_max: 10, eta_min: 0.0 }.on(&optimizer).unwrap();
    nn::load_state_dict(&net, &checkpoint::get(&saved, "model").unwrap()).unwrap();
    block_on(optimizer.load_state_dict(&checkpoint::get(&saved, "optimizer").unwrap())).unwrap();
    scheduler.load_state_dict(&checkpoint::get(&saved, "scheduler").unwrap()).unwrap();
    assert_eq!(scheduler.last_epoch(), 3);
    // 0.01 (1 + cos(0.3 pi)) / 2, the rate of PyTorch's schedule.
    assert!((optimizer.learning_rate() - 0.007_938_926_261_462_366).abs() < 1e-12, "{}", optimizer.learning_rate());
    optimizer.step().unwrap();
}

#[test]
fn what_a_checkpoint_lacks_is_said() {
    let device = lanthorn::cpu();
    let saved = Value::dict([("generator", GeneratorState::of(&device).to_value()), ("odd", Value::Int(1))]);
    let refused = |error: lanthorn::Error| error.to_string();
    assert!(
        refused(checkpoint::get::<nn::StateDict>(&saved, "model").unwrap_err())
            .contains(r#"no entry "model" among ["generator", "odd"]"#)
    );
    assert!(
        refused(checkpoint::get::<nn::StateDict>(&saved, "odd").unwrap_err())
            .contains("odd: a state dict is a dictionary")
    );
    assert!(refused(checkpoint::get::<GeneratorState>(&saved, "odd").unwrap_err()).contains("the state has no seed"));
    let optimizer = checkpoint::get::<lanthorn::optim::OptimizerState>(&saved, "generator").unwrap_err();
    assert!(refused(optimizer).contains("the state has no state"));
}
