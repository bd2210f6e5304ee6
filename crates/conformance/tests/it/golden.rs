//! Every op and every module compared with PyTorch's recorded answers: the CPU strictly, WebGPU and
//! CUDA's kernels in the emulator with a device's tolerance. In rotation, a run tests all samples
//! on the CPU, one in eight of each op on WebGPU, and one of each in the emulator, where a compiler
//! builds each kernel.
//!
//! A part is every eighth file, so that parts take similar times and run in parallel.

use lanthorn::{CudaHostOptions, Device, Result, WgpuOptions};
use lanthorn_conformance::{
    golden::{self, GoldenReport, KNOWN_MISSES, MakeDevice, Share, Strictness, known},
    selection,
};
use lanthorn_kernel_tests::rotation::rotation;
use std::path::Path;

const PARTS: usize = 8;

fn check(kind: &str, part: usize, device: &str, make: &MakeDevice<'_>, strictness: Strictness) -> GoldenReport {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden")).join(kind);
    let files = golden::files(&folder).unwrap();
    let known = known::parse(KNOWN_MISSES, device).unwrap();
    let wanted = |name: &str| {
        files.iter().position(|file| file == name).is_some_and(|index| index % PARTS == part)
            && selection::selects_file(name)
    };
    let share = match rotation() {
        Some(first) if device == "wgpu" => Share { first, every: 8 },
        Some(first) if device == "cuda-host" => Share { first, every: usize::MAX },
        _ => Share::WHOLE,
    };
    golden::check_share(&folder, make, strictness, &known, wanted, share).unwrap()
}

/// Allocated buffers are filled with garbage, so that a read before a write is noticed.
fn cpu() -> Result<Device> {
    Ok(Device::new(lanthorn_cpu::CpuBackend::poisoned()))
}

fn wgpu() -> Result<Device> {
    pollster::block_on(lanthorn::wgpu_with(WgpuOptions { poison: true, ..Default::default() }))
}

/// Every access of a kernel is checked against its buffers.
fn emulator() -> Result<Device> {
    lanthorn::cuda_host(CudaHostOptions { checked: true, deferred: true, ..Default::default() })
}

macro_rules! parts {
    ($($name:ident: $part:literal,)*) => {
        parts! { ops: $($name: $part,)* }
        parts! { modules: $($name: $part,)* }

        const ALL_PARTS: &[usize] = &[$($part),*];
    };
    ($kind:ident: $($name:ident: $part:literal,)*) => {
        mod $kind {
            const KIND: &str = stringify!($kind);

            mod on_the_cpu {
                use super::super::{Strictness, check, cpu};
                $(#[test] fn $name() { check(super::KIND, $part, "cpu", &cpu, Strictness::Strict).assert_all(); })*
            }

            mod on_webgpu {
                use super::super::{Strictness, check, wgpu};
                $(#[test] fn $name() { check(super::KIND, $part, "wgpu", &wgpu, Strictness::Device).assert_all(); })*
            }

            mod in_the_emulator {
                use super::super::{Strictness, check, emulator};
                $(#[test]
                fn $name() {
                    check(super::KIND, $part, "cuda-host", &emulator, Strictness::Device).assert_all();
                })*
            }
        }
    };
}

parts! {
    part_0: 0,
    part_1: 1,
    part_2: 2,
    part_3: 3,
    part_4: 4,
    part_5: 5,
    part_6: 6,
    part_7: 7,
}

#[test]
fn the_parts_are_the_whole() {
    assert_eq!(ALL_PARTS, (0..PARTS).collect::<Vec<_>>());
}
