//! Measures training samples per second on the CPU, with one process or with the ranks of a
//! launcher:
//!
//! ```text
//! LANTHORN_NUM_THREADS=1 throughput alone
//! LANTHORN_NUM_THREADS=1 mpirun -n 2 throughput mpi
//! ```
//! A second argument sets the width of the network's three layers, and a third the batch of each
//! rank.

use lanthorn_distributed::{
    Backend, DdpOptions, DistributedDataParallel, InitOptions, destroy_process_group, init_process_group,
};
use lanthorn_nn::{Layer, Linear, ReLU, Sequential};
use lanthorn_optim::{Sgd, SgdOptions};
use lanthorn_tensor::{Device, Error, Result, Tensor};
use std::{env, time::Instant};

fn argument(index: usize, default: i64) -> Result<i64> {
    let Some(text) = env::args().nth(index) else { return Ok(default) };
    text.parse().map_err(|_| Error::argument("throughput", format!("{text:?} is no number")))
}

/// Returns the median time of a step in seconds.
fn measure(model: &dyn Layer, width: i64, batch: i64, device: &Device) -> Result<f64> {
    const STEPS: usize = 25;
    let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.01, momentum: 0.9, ..Default::default() })?;
    let (input, target) = (Tensor::randn([batch, width])?, Tensor::randn([batch, 10])?);
    let mut times = Vec::new();
    for _ in 0..STEPS {
        let begin = Instant::now();
        optimizer.zero_grad()?;
        model.forward(&input)?.sub(&target)?.square()?.mean((), false)?.backward()?;
        optimizer.step()?;
        pollster::block_on(device.synchronize())?;
        times.push(begin.elapsed().as_secs_f64());
    }
    // The first steps create plans.
    let mut times = times.split_off(5);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn main() -> Result<()> {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    let (width, batch) = (argument(2, 1024)?, argument(3, 256)?);
    let model = Sequential::new(vec![
        Box::new(Linear::new(width, width)?),
        Box::new(ReLU),
        Box::new(Linear::new(width, width)?),
        Box::new(ReLU),
        Box::new(Linear::new(width, 10)?),
    ]);
    let how = env::args().nth(1).unwrap_or_else(|| "alone".into());
    if how == "alone" {
        let seconds = measure(&model, width, batch, &device)?;
        println!("1 rank: {:.1} ms a step, {:.0} samples a second", seconds * 1e3, batch as f64 / seconds);
        return Ok(());
    }
    let group = init_process_group(how.parse::<Backend>()?, InitOptions::default())?;
    let ranks = group.world_size();
    let model = DistributedDataParallel::new(model, &group, DdpOptions::default())?;
    let seconds = measure(&model, width, batch, &device)?;
    if group.rank() == 0 {
        let samples = batch as f64 * ranks as f64 / seconds;
        println!("{ranks} ranks over {how}: {:.1} ms a step, {samples:.0} samples a second", seconds * 1e3);
    }
    destroy_process_group()
}
