//! Ranks as threads.

use lanthorn_distributed::{Backend, InitOptions, ProcessGroup, destroy_process_group, init_process_group};
pub use lanthorn_tensor::Result;
use lanthorn_tensor::{Device, Tensor};
use std::{
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};

/// A port without a listener, below the range of the system's client ports.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = (std::process::id() % 1100) as u16 * 10 + 20000;
    loop {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// The options of a rank on this machine.
pub fn options(rank: usize, world_size: usize, port: u16) -> InitOptions {
    InitOptions {
        rank: Some(rank),
        world_size: Some(world_size),
        local_rank: Some(rank),
        master_addr: Some("127.0.0.1".into()),
        master_port: Some(port),
        timeout: Duration::from_secs(20),
    }
}

pub fn cpu() -> Device {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    device
}

/// Runs `body` in a thread for every rank with its group, and returns the results by rank.
pub fn try_ranks<T: Send + 'static>(
    count: usize,
    adjust: impl Fn(InitOptions) -> InitOptions,
    body: impl Fn(&ProcessGroup) -> Result<T> + Send + Sync + 'static,
) -> Vec<Result<T>> {
    let (port, body) = (free_port(), Arc::new(body));
    let threads: Vec<_> = (0..count)
        .map(|rank| {
            let (options, body) = (adjust(options(rank, count, port)), body.clone());
            std::thread::spawn(move || {
                let _device = cpu();
                let group = init_process_group(Backend::Tcp, options)?;
                let result = body(&group);
                drop(group);
                destroy_process_group()?;
                result
            })
        })
        .collect();
    threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
}

/// [`try_ranks`] for a body that succeeds.
pub fn ranks<T: Send + 'static>(
    count: usize,
    body: impl Fn(&ProcessGroup) -> Result<T> + Send + Sync + 'static,
) -> Vec<T> {
    let results = try_ranks(count, |options| options, body).into_iter().enumerate();
    results.map(|(rank, result)| result.unwrap_or_else(|error| panic!("rank {rank}: {error}"))).collect()
}

pub fn read(tensor: &Tensor) -> Vec<f32> {
    pollster::block_on(tensor.to_vec::<f32>()).expect("the tensor is float32")
}
