//! Any bytes as a TorchScript archive, and any text as a script, whose functions without parameters
//! are run for a few steps. Use the files of `tests/models` as the initial corpus.
#![no_main]

use lanthorn_program::Native;
use lanthorn_script::{Limits, ScriptModule, script};
use lanthorn_tensor::Device;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let native = Native::new(&device);
    let _ = ScriptModule::load(file, native.clone());
    let Ok(text) = std::str::from_utf8(file) else { return };
    let Ok(mut compiled) = script(text, native) else { return };
    compiled.set_limits(Limits { steps: 10_000, ..Limits::default() });
    for name in compiled.functions() {
        let _ = pollster::block_on(compiled.call(&name, vec![], vec![]));
    }
});
