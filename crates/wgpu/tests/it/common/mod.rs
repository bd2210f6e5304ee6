//! Devices of this backend for the tests, and the validation of their shaders.

use lanthorn_ir::{Kernel, expr::Constant};
pub use lanthorn_kernel_tests::*;
use lanthorn_wgpu::{Options, Tuning, WgpuBackend};

/// A missing adapter fails the test instead of skipping it.
pub fn open(options: Options) -> WgpuBackend {
    pollster::block_on(WgpuBackend::new(Options { poison: true, ..options }))
        .expect("a WebGPU adapter; natively e.g. Mesa's lavapipe")
}

pub fn backend() -> WgpuBackend {
    open(Options::default())
}

pub fn open_tuned(tuning: Tuning) -> WgpuBackend {
    open(Options { tuning, ..Options::default() })
}

/// Validates a shader as a browser does: without extensions except for quads and float16, where the
/// shader uses them.
pub fn validate(source: &str) {
    let module = wgpu::naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(source)));
    use wgpu::naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
    let quads = source.contains("quadSwap");
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::SUBGROUP, quads);
    capabilities.set(Capabilities::SHADER_FLOAT16, source.starts_with("enable f16;"));
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::QUAD_FRAGMENT_COMPUTE);
    validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(source)));
}

/// Validates the shaders of a kernel.
pub fn validate_shaders(backend: &WgpuBackend) -> impl Fn(&Kernel) + '_ {
    |kernel| backend.shaders("test", kernel).unwrap().iter().for_each(|source| validate(source))
}

/// Validates the shaders of a kernel, runs it, and compares it with the reference.
pub fn check_kernel(backend: &WgpuBackend, kernel: &Kernel, inputs: &[&[f64]], params: &[Constant]) {
    lanthorn_kernel_tests::check_kernel(backend, &validate_shaders(backend), kernel, inputs, params);
}
