//! `lanthorn train digits`: the first chapter of the demo site, run natively, with the same
//! network, data, split and numbers.

use clap::{Args, ValueEnum};
use lanthorn::{
    Device, Error, Result, Tensor,
    data::{
        BatchOrder, BatchSampler, DistributedSampler, RandomSampler, Sampler,
        digits::{Digits, load},
        progress,
    },
    nn::{CrossEntropyLoss, Layer, Linear, Module, ReLU, Sequential},
    no_grad,
    optim::{Adam, AdamOptions},
};
use lanthorn_distributed::{
    Backend, DdpOptions, DistributedDataParallel, InitOptions, ProcessGroup, ReduceOp, destroy_process_group,
    init_process_group,
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
    /// Images per step, on each process.
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// The learning rate.
    #[arg(long, default_value_t = 0.005)]
    lr: f64,
    /// The seed of weights and batches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the loss of every step.
    #[arg(long)]
    losses: bool,
    /// Train on several processes, which torchrun or mpirun starts: tcp, shm, and mpi or nccl (in
    /// builds with those features). Every process has its part of the images. The losses equal the
    /// losses of a single process with the batches of all.
    #[arg(long, value_name = "BACKEND")]
    distributed: Option<Backend>,
}

/// Steps between reads of the loss, so that reads do not stall the device.
const READ_EVERY: usize = 20;

/// Trains, and prints the device and the accuracy.
pub async fn run(arguments: &Arguments) -> Result<()> {
    let Some(backend) = arguments.distributed else { return train(arguments, None).await };
    let group = init_process_group(backend, InitOptions::default())?;
    train(arguments, Some(&group)).await?;
    destroy_process_group()
}

/// Returns the device of this process. Each process has its own GPU of the machine.
async fn device(arguments: &Arguments, group: Option<&ProcessGroup>) -> Result<Device> {
    match group {
        Some(group) if arguments.device == "cuda" => lanthorn::device(&format!("cuda:{}", group.local_rank())).await,
        _ => lanthorn::device(&arguments.device).await,
    }
}

async fn train(arguments: &Arguments, group: Option<&ProcessGroup>) -> Result<()> {
    let DataSet::Digits = arguments.data;
    // Only one process prints.
    let is_first = group.is_none_or(|group| group.rank() == 0);
    let device = device(arguments, group).await?;
    device.set_default();
    device.manual_seed(arguments.seed);
    if is_first {
        println!("device: {} ({})", device.name(), device.capabilities().description);
    }
    let (train, test) = load();
    let (images, labels) = tensors(&train, &device)?;
    let model = model(group)?;
    let optimizer = Adam::new(model.parameters(), AdamOptions { lr: arguments.lr, ..Default::default() })?;
    let criterion = CrossEntropyLoss::default();
    // All digits are on the device, so a step uploads only its indices.
    let sampler = BatchSampler::new(sampler(train.len(), group)?, arguments.batch.min(train.len()), true)?;
    if sampler.is_empty() {
        let message = format!("a process has fewer images than a batch of {}; take a smaller one", arguments.batch);
        return Err(Error::argument("train", message));
    }
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
        if arguments.losses || step % READ_EVERY == 0 {
            let loss = mean(&loss, group).await?;
            bar.set_message(format!("loss {loss:.4}"));
            if arguments.losses && is_first {
                println!("step {step}: loss {loss:.9}");
            }
        }
    }
    device.synchronize().await?;
    let seconds = begin.elapsed().as_secs_f64();
    if is_first {
        println!("{:.0} steps a second", arguments.steps as f64 / seconds);
        println!("accuracy: {:.3}", accuracy(&*model, &test, &device).await?);
    }
    Ok(())
}

fn model(group: Option<&ProcessGroup>) -> Result<Box<dyn Layer>> {
    let model = Sequential::new(vec![
        Box::new(Linear::new(64, 128)?),
        Box::new(ReLU),
        Box::new(Linear::new(128, 64)?),
        Box::new(ReLU),
        Box::new(Linear::new(64, 10)?),
    ]);
    Ok(match group {
        Some(group) => Box::new(DistributedDataParallel::new(model, group, DdpOptions::default())?),
        None => Box::new(model),
    })
}

/// Returns the order of the images, or this process's part of the order.
fn sampler(images: usize, group: Option<&ProcessGroup>) -> Result<Box<dyn Sampler>> {
    Ok(match group {
        Some(group) => Box::new(DistributedSampler::new(images, group.world_size(), group.rank())?.drop_last(true)),
        None => Box::new(RandomSampler::new(images)?),
    })
}

/// Returns the mean of a loss over all processes.
async fn mean(loss: &Tensor, group: Option<&ProcessGroup>) -> Result<f64> {
    let loss = loss.detach();
    if let Some(group) = group {
        let own = loss.clone_tensor()?;
        group.all_reduce(&own, ReduceOp::Avg)?;
        return own.item().await;
    }
    loss.item().await
}

fn tensors(digits: &Digits, device: &Device) -> Result<(Tensor, Tensor)> {
    let count = digits.len() as i64;
    let images = Tensor::from_slice(&digits.inputs(), [count, 64], device)?;
    Ok((images, Tensor::from_slice(&digits.targets(), [count], device)?))
}

/// Returns the fraction of correctly classified images.
async fn accuracy(model: &dyn Layer, test: &Digits, device: &Device) -> Result<f64> {
    let (images, labels) = tensors(test, device)?;
    let hits =
        no_grad(|| model.forward(&images)?.argmax(1, false)?.eq(&labels)?.to(lanthorn::DType::F32)?.mean((), false))?;
    hits.item().await
}
