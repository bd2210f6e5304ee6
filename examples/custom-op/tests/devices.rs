//! The program checks its operations on the CPU, on WebGPU, and in the emulator of CUDA.

use std::process::Command;

#[test]
fn operations_of_another_crate_work_on_every_device() {
    let output = Command::new(env!("CARGO_BIN_EXE_custom-op")).args(["wgpu", "cuda-host"]).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    assert!(shown.contains("example::swiglu") && shown.contains("52 passed, 0 failed"), "{shown}");
}
