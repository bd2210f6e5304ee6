//! `lanthorn train digits`: the first chapter of the demo site, run natively, with the same
//! network, data, split and numbers.

use clap::{Args, ValueEnum};
use lanthorn::{
    Device, Result, Tensor,
    data::{
        BatchOrder, BatchSampler, RandomSampler,
        digits::{Digits, load},
        progress,
    },
    nn::{CrossEntropyLoss, Layer, Linear, Module, ReLU, Sequential},
    no_grad,
    optim::{Adam, AdamOptions},
};
use std::time::Instant;

/// The data set.
#[derive(Clone, Copy, ValueEnum)]
pub enum DataSet {
    /// Handwritten digits of 8×8 pixels.
    Digits,
}

/// The arguments of `train`.
#[derive(Args)]
pub struct Arguments {
    /// The data set.
    data: DataSet,
    /// The device: cpu, wgpu, cuda (in a build with that feature; cuda:1 for the second GPU), or
    /// auto for wgpu where there is an adapter.
    #[arg(long, default_value = "auto")]
    device: String,
    /// The number of steps.
    #[arg(long, default_value_t = 600)]
    steps: usize,
    /// Images per step.
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// The learning rate.
    #[arg(long, default_value_t = 0.005)]
    lr: f64,
    /// The seed of weights and batches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Steps between readings of the loss, so that the reads do not stall the device.
const READ_EVERY: usize = 20;

/// Trains, and prints the device and the accuracy.
pub async fn run(arguments: &Arguments) -> Result<()> {
    let DataSet::Digits = arguments.data;
    let device = lanthorn::device(&arguments.device).await?;
    device.set_default();
    device.manual_seed(arguments.seed);
    println!("device: {} ({})", device.name(), device.capabilities().description);
    let (train, test) = load();
    let (images, labels) = tensors(&train, &device)?;
    let model = Sequential::new(vec![
        Box::new(Linear::new(64, 128, true)?),
        Box::new(ReLU),
        Box::new(Linear::new(128, 64, true)?),
        Box::new(ReLU),
        Box::new(Linear::new(64, 10, true)?),
    ]);
    let optimizer = Adam::new(model.parameters(), AdamOptions { lr: arguments.lr, ..Default::default() })?;
    let criterion = CrossEntropyLoss::default();
    // All digits are on the device, so that a step uploads its indices only.
    let sampler = BatchSampler::new(RandomSampler::new(train.len())?, arguments.batch.min(train.len()), true)?;
    let batches = (0..).flat_map(|epoch| sampler.batches(arguments.seed, epoch)).take(arguments.steps);
    let steps = progress(batches.zip(0..arguments.steps));
    let bar = steps.bar();
    let begin = Instant::now();
    for (batch, step) in steps {
        let batch: Vec<i32> = batch.into_iter().map(|index| index as i32).collect();
        let batch = Tensor::from_slice(&batch, [batch.len() as i64], &device)?;
        let loss =
            criterion.forward(&model.forward(&images.index_select(0, &batch)?)?, &labels.index_select(0, &batch)?)?;
        optimizer.zero_grad()?;
        loss.backward()?;
        optimizer.step()?;
        if step % READ_EVERY == 0 {
            bar.set_message(format!("loss {:.4}", loss.item().await?));
        }
    }
    device.synchronize().await?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{:.0} steps a second", arguments.steps as f64 / seconds);
    println!("accuracy: {:.3}", accuracy(&model, &test, &device).await?);
    Ok(())
}

fn tensors(digits: &Digits, device: &Device) -> Result<(Tensor, Tensor)> {
    let count = digits.len() as i64;
    let images = Tensor::from_slice(&digits.inputs(), [count, 64], device)?;
    Ok((images, Tensor::from_slice(&digits.targets(), [count], device)?))
}

/// The fraction of images classified correctly.
async fn accuracy(model: &dyn Layer, test: &Digits, device: &Device) -> Result<f64> {
    let (images, labels) = tensors(test, device)?;
    let hits =
        no_grad(|| model.forward(&images)?.argmax(1, false)?.eq(&labels)?.to(lanthorn::DType::F32)?.mean((), false))?;
    hits.item().await
}
