//! The host's time for a training step on the GPU, called and compiled: `cargo bench -p lanthorn`. The device is
//! idle when a step begins, and is not waited for.

use divan::Bencher;
use lanthorn::{
    Device, Result, Tensor, compile,
    nn::{Layer, Linear, Module, ReLU, Sequential},
    optim::{Optimizer, ParameterGroup, table},
};
use pollster::block_on;

fn main() {
    divan::main();
}

/// A perceptron of three layers with AdamW, and a batch.
struct Training {
    device: Device,
    net: Sequential,
    optimizer: Optimizer,
    batch: [Tensor; 2],
}

impl Training {
    fn new() -> Result<Training> {
        let device = block_on(lanthorn::wgpu())?;
        device.set_default();
        let net = Sequential::new(vec![
            Box::new(Linear::new(64, 128)?),
            Box::new(ReLU),
            Box::new(Linear::new(128, 128)?),
            Box::new(ReLU),
            Box::new(Linear::new(128, 10)?),
        ]);
        let group = ParameterGroup { parameters: net.parameters(), options: vec![] };
        let optimizer = table::build("AdamW", &[], vec![group])?;
        let batch = [Tensor::randn([32, 64])?, Tensor::randn([32, 10])?];
        Ok(Training { device, net, optimizer, batch })
    }

    fn step(&self, batch: &[Tensor]) -> Result<Tensor> {
        self.optimizer.zero_grad()?;
        let loss = self.net.forward(&batch[0])?.sub(&batch[1])?.square()?.mean((), false)?;
        loss.backward()?;
        self.optimizer.step()?;
        Ok(loss)
    }

    /// Waits until the device is idle.
    fn rest(&self) {
        block_on(self.device.synchronize()).expect("the device is there");
    }
}

#[divan::bench]
fn called(bencher: Bencher) {
    let training = Training::new().expect("there is an adapter");
    bencher.with_inputs(|| training.rest()).bench_local_values(|()| training.step(&training.batch));
}

#[divan::bench]
fn compiled(bencher: Bencher) {
    let training = Training::new().expect("there is an adapter");
    let step = compile(|batch: &[Tensor]| Ok(vec![training.step(batch)?]));
    bencher.with_inputs(|| training.rest()).bench_local_values(|()| step.call(&training.batch));
}
