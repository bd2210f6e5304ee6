//! `lanthorn train digits`: the demo site's first chapter, natively. The same network, data, split and numbers.

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lanthorn::{
    Device, Result, Tensor,
    data::digits::{Digits, load},
    nn::{CrossEntropyLoss, Layer, Linear, Module, ReLU, Sequential},
    no_grad,
    optim::{Adam, AdamOptions},
};
use std::time::Instant;

/// What to train on.
#[derive(Clone, Copy, ValueEnum)]
pub enum DataSet {
    /// Handwritten digits of 8×8 pixels.
    Digits,
}

/// What `train` takes.
#[derive(Args)]
pub struct Arguments {
    /// What to train on.
    data: DataSet,
    /// Where: cpu, wgpu, or auto for wgpu where there is an adapter.
    #[arg(long, default_value = "auto")]
    device: String,
    /// How many steps.
    #[arg(long, default_value_t = 600)]
    steps: usize,
    /// Images a step.
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// The learning rate.
    #[arg(long, default_value_t = 0.005)]
    lr: f64,
    /// The seed of weights and batches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Steps between readings of the loss, so that reading does not hold the device up.
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
    let mut order = Order::new(train.len(), arguments.seed);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, loss {msg}");
    let progress = ProgressBar::new(arguments.steps as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let begin = Instant::now();
    for step in 0..arguments.steps {
        let batch = Tensor::from_slice(&order.next(arguments.batch), [arguments.batch.min(train.len()) as i64], &device)?;
        let loss = criterion.forward(&model.forward(&images.index_select(0, &batch)?)?, &labels.index_select(0, &batch)?)?;
        optimizer.zero_grad()?;
        loss.backward()?;
        optimizer.step()?;
        if step % READ_EVERY == 0 {
            progress.set_message(format!("{:.4}", loss.item().await?));
        }
        progress.inc(1);
    }
    device.synchronize().await?;
    progress.finish();
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

/// The share of images that the model reads correctly.
async fn accuracy(model: &dyn Layer, test: &Digits, device: &Device) -> Result<f64> {
    let (images, labels) = tensors(test, device)?;
    let hits = no_grad(|| model.forward(&images)?.argmax(1, false)?.eq(&labels)?.to(lanthorn::DType::F32)?.mean((), false))?;
    hits.item().await
}

/// Batches of indices: every image once in a random order, then again in another.
struct Order {
    indices: Vec<i32>,
    at: usize,
    state: u64,
}

impl Order {
    fn new(count: usize, seed: u64) -> Order {
        let mut order = Order { indices: (0..count as i32).collect(), at: 0, state: seed.wrapping_add(0x9E37_79B9_7F4A_7C15) };
        order.shuffle();
        order
    }

    /// Fisher and Yates's shuffle, with the numbers of SplitMix64 (Steele, Lea and Flood, 2014).
    fn shuffle(&mut self) {
        for i in (1..self.indices.len()).rev() {
            self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            self.indices.swap(i, ((mixed ^ (mixed >> 31)) % (i as u64 + 1)) as usize);
        }
        self.at = 0;
    }

    fn next(&mut self, count: usize) -> Vec<i32> {
        let count = count.min(self.indices.len());
        if self.at + count > self.indices.len() {
            self.shuffle();
        }
        self.at += count;
        self.indices[self.at - count..self.at].to_vec()
    }
}
