//! Every op against PyTorch's recorded answers: the CPU strictly, WebGPU with a device's tolerance.
//!
//! A part is every eighth file, so that parts take about as long as one another and run side by side.
#![cfg(not(target_arch = "wasm32"))]

use lanthorn::{Device, Result, WgpuOptions};
use lanthorn_conformance::golden::{self, GoldenReport, KNOWN_MISSES, MakeDevice, Strictness, known};
use std::path::Path;

const PARTS: usize = 8;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/ops"))
}

fn check(part: usize, device: &str, make: &MakeDevice<'_>, strictness: Strictness) -> GoldenReport {
    let files = golden::files(folder()).unwrap();
    let known = known::parse(KNOWN_MISSES, device).unwrap();
    let wanted = |name: &str| files.iter().position(|file| file == name).is_some_and(|place| place % PARTS == part);
    golden::check(folder(), make, strictness, &known, wanted).unwrap()
}

/// Buffers handed out are poisoned, so that what is read before it is written shows.
fn cpu() -> Result<Device> {
    Ok(Device::new(lanthorn_cpu::CpuBackend::poisoned()))
}

fn wgpu() -> Result<Device> {
    pollster::block_on(lanthorn::wgpu_with(WgpuOptions { poison: true, ..Default::default() }))
}

macro_rules! parts {
    ($($name:ident: $part:literal,)*) => {
        mod on_the_cpu {
            $(#[test] fn $name() { super::check($part, "cpu", &super::cpu, super::Strictness::Strict).assert_all(); })*
        }

        mod on_webgpu {
            $(#[test] fn $name() { super::check($part, "wgpu", &super::wgpu, super::Strictness::Device).assert_all(); })*
        }

        const ALL_PARTS: &[usize] = &[$($part),*];
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
