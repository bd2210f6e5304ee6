//! Tensors without elements are part of the autograd graph.
#![cfg(not(target_arch = "wasm32"))]

use lanthorn_conformance::empties;
use pollster::block_on;

#[test]
fn tensors_without_elements_are_part_of_the_graph() {
    let (report, checked) = block_on(empties::check(&lanthorn::cpu(), |_| true));
    println!("{} ops without elements\n{report}", checked.len());
    assert!(checked.len() >= 400, "only {} ops ran without elements", checked.len());
    report.assert_all();
}
