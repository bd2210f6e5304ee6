//! No shape, offset or size is a constant of a program or of a shader.

use lanthorn::{
    Device,
    ops::{self, Op},
};
use lanthorn_conformance::{selection, shapes};
use pollster::block_on;

/// Requires that the wanted ops compile nothing at a third shape. `exceptions` are the ops that do,
/// and each of them must still do so.
fn check(device: &Device, wanted: impl Fn(&str) -> bool, by: [i64; 3], at_least: usize, exceptions: &[&str]) {
    let outcome = block_on(shapes::check(device, wanted, by));
    println!("{} ops at three shapes", outcome.checked.len());
    if selection::is_active() {
        return;
    }
    assert!(outcome.checked.len() >= at_least, "only {} ops ran at three shapes", outcome.checked.len());
    let mut compiled: Vec<&str> = outcome.compiled.iter().map(|compiled| compiled.op).collect();
    compiled.sort_unstable();
    let mut expected = exceptions.to_vec();
    expected.sort_unstable();
    assert_eq!(compiled, expected, "{:#?}", outcome.compiled);
}

#[test]
fn an_op_compiles_no_program_at_a_third_shape() {
    // The number of results, or of products, of these ops grows with a size.
    let exceptions = ["linalg_vander", "split", "tensor_split.tensor", "unbind", "vander"];
    check(&lanthorn::cpu(), |_| true, shapes::GROWN, 540, &exceptions);
}

/// One op in this many runs on a GPU, because a software adapter takes long to compile a pipeline.
const EVERY: usize = 16;

#[test]
fn a_sample_of_ops_compiles_no_pipeline_at_a_third_shape() {
    let device = block_on(lanthorn::wgpu()).expect("this test needs a WebGPU adapter; lavapipe will do");
    let sample: Vec<&str> = ops::all().map(Op::name).skip(3).step_by(EVERY).collect();
    // The sizes of results depend on the elements: the first two are divisible by four, the third
    // is not. In `linalg_lstsq` the scaled vectors are computed in a product at the first two
    // sizes, and stored before it if the product has more tiles.
    let exceptions: Vec<&str> = ["linalg_lstsq", "nonzero_numpy", "unique_consecutive", "where.condition"]
        .into_iter()
        .filter(|op| sample.contains(op))
        .collect();
    check(&device, |op| sample.contains(&op), shapes::FILLED, 30, &exceptions);
}
