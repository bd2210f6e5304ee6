//! The cost of a step at a new size, compared with a known one.
//!
//! `cargo run --release --example new_sizes -- cpu` (or `wgpu`) runs a decoder that generates 200
//! tokens and training steps at 50 batch sizes twice: in the first round every size is new, in the
//! second all are known. For each workload it prints the plans and pipelines created in the first
//! round, those created after the third size, and the median host time of a step in both rounds.
//! The host time is the time to record and submit a step, without the time in which the device
//! computes; on the CPU that is the time without `Backend::submit`.

#[path = "../tests/it/new_sizes/timed.rs"]
mod timed;
#[path = "../tests/it/new_sizes/workloads.rs"]
mod workloads;

use lanthorn::{Device, Result};
use std::{cell::Cell, rc::Rc, time::Instant};
use timed::{Clock, Timed};
use workloads::{WORKLOADS, Workload};

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Milliseconds of host time per step, and the part of it in the compilation of kernels.
#[derive(Default)]
struct Round {
    host: Vec<f64>,
    compile: Vec<f64>,
}

fn round(
    workload: &Workload,
    step: &mut workloads::Step,
    device: &Device,
    clock: &Clock,
    mut each: impl FnMut(usize),
) -> Result<Round> {
    let mut round = Round::default();
    for size in 0..workload.sizes {
        pollster::block_on(device.synchronize())?;
        clock.reset();
        let begin = Instant::now();
        let result = step(size)?;
        device.flush();
        let all = begin.elapsed().as_secs_f64() * 1e3;
        round.host.push(all - clock.running.get());
        round.compile.push(clock.compiling.get());
        drop(result);
        each(size);
    }
    Ok(round)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "cpu".to_string());
    let filter = arguments.next().unwrap_or_default();
    println!(
        "workload | plans | after third | resized | again | pipelines | after third | ms new | compile | ms known | ratio"
    );
    for workload in WORKLOADS.iter().filter(|workload| workload.name.contains(&filter)) {
        let clock = Rc::new(Clock::default());
        let device = match name.as_str() {
            "cpu" => {
                Device::new(Timed { backend: lanthorn_cpu::CpuBackend::new(), clock: clock.clone(), computes: true })
            }
            _ => {
                let backend = pollster::block_on(lanthorn_wgpu::WgpuBackend::new(Default::default()))?;
                Device::new(Timed { backend, clock: clock.clone(), computes: false })
            }
        };
        device.set_default();
        device.manual_seed(1);
        let mut step = (workload.make)(&device)?;
        let (start, third) = (device.inspect().stats(), Cell::new(device.inspect().stats()));
        let new = round(workload, &mut step, &device, &clock, |size| {
            if size == 2 {
                third.set(device.inspect().stats());
            }
        })?;
        let (end, third) = (device.inspect().stats(), third.get());
        let known = round(workload, &mut step, &device, &clock, |_| ())?;
        let (new, compile, known) = (median(new.host), median(new.compile), median(known.host));
        println!(
            "{} | {} | {} | {} | {} | {} | {} | {new:.3} | {compile:.3} | {known:.3} | {:.2}",
            workload.name,
            end.plan_misses - start.plan_misses,
            end.plan_misses - third.plan_misses,
            end.plan_resizes - start.plan_resizes,
            device.inspect().stats().plan_misses - end.plan_misses,
            end.api.pipelines - start.api.pipelines,
            end.api.pipelines - third.api.pipelines,
            new / known,
        );
    }
    Ok(())
}
