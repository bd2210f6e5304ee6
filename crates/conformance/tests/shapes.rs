//! No shape, offset or size is a constant of a shader or of a program.
#![cfg(not(target_arch = "wasm32"))]

use lanthorn::{DType, Device, Result, Tensor};
use lanthorn_conformance::shapes;
use pollster::block_on;

/// Holds the ops to compiling nothing at a third shape, but for those in `exceptions`, of which each must still be one.
fn hold(device: &Device, wanted: impl Fn(&str) -> bool, at_least: usize, exceptions: &[&str]) {
    let found = block_on(shapes::check(device, wanted));
    println!("{} ops at three shapes", found.checked.len());
    assert!(found.checked.len() >= at_least, "only {} ops ran at three shapes", found.checked.len());
    let mut compiled: Vec<&str> = found.compiled.iter().map(|compiled| compiled.op).collect();
    compiled.sort_unstable();
    let mut expected = exceptions.to_vec();
    expected.sort_unstable();
    assert_eq!(compiled, expected, "{:#?}", found.compiled);
}

#[test]
fn an_op_compiles_no_program_at_a_third_shape() {
    hold(&lanthorn::cpu(), |_| true, 1, &[]);
}
