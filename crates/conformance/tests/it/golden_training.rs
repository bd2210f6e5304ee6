//! Optimizers, schedules and whole trainings compared with PyTorch's: the CPU strictly, WebGPU and
//! CUDA's kernels in the emulator with a device's tolerance.

use lanthorn::{CudaHostOptions, Device, Result, WgpuOptions};
use lanthorn_conformance::golden::{KNOWN_MISSES, MakeDevice, Strictness, e2e, known, optim, report::GoldenReport};
use lanthorn_kernel_tests::rotation;
use std::path::{Path, PathBuf};

type RunFile = fn(
    &Path,
    &str,
    &MakeDevice<'_>,
    Strictness,
) -> std::result::Result<Vec<lanthorn_conformance::golden::run::Check>, String>;

/// Runs the files of a folder, one in `every` in rotation, and requires `least` checks of the whole
/// folder.
fn check(
    folder: &str,
    run: RunFile,
    device: &str,
    make: &MakeDevice<'_>,
    strictness: Strictness,
    [least, every]: [usize; 2],
) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(folder);
    let known = known::parse(KNOWN_MISSES, device).unwrap();
    let mut report = GoldenReport::default();
    let files = lanthorn_conformance::golden::files(&path).unwrap();
    for (_, name) in files.iter().enumerate().filter(|(index, _)| rotation::takes(*index, every)) {
        report.add(name, run(&path, name, make, strictness).unwrap(), &known);
    }
    report.assert_all();
    let least = if rotation::rotation().is_some() { least / every / 2 } else { least };
    assert!(report.passed_count() >= least, "{} checks, expected {least}", report.passed_count());
}

/// Allocated buffers are filled with garbage, so that a read before a write is noticed.
fn cpu() -> Result<Device> {
    Ok(Device::new(lanthorn_cpu::CpuBackend::poisoned()))
}

fn wgpu() -> Result<Device> {
    pollster::block_on(lanthorn::wgpu_with(WgpuOptions { poison: true, ..Default::default() }))
}

#[test]
fn optimizers_on_the_cpu() {
    check("optim", optim::run, "cpu", &cpu, Strictness::Strict, [263, 1]);
}

#[test]
fn optimizers_on_webgpu() {
    check("optim", optim::run, "wgpu", &wgpu, Strictness::Device, [263, 3]);
}

#[test]
fn trainings_on_the_cpu() {
    check("e2e", e2e::run, "cpu", &cpu, Strictness::Strict, [21, 1]);
}

#[test]
fn trainings_on_webgpu() {
    check("e2e", e2e::run, "wgpu", &wgpu, Strictness::Device, [21, 3]);
}

#[test]
fn trainings_by_cudas_kernels() {
    let emulator = || lanthorn::cuda_host(CudaHostOptions::default());
    check("e2e", e2e::run, "cuda-host", &emulator, Strictness::Device, [21, 3]);
}
