//! Tensors without elements are part of the autograd graph.

use lanthorn_conformance::{empties, selection};
use pollster::block_on;

#[test]
fn tensors_without_elements_are_part_of_the_graph() {
    let (report, checked) = block_on(empties::check(&lanthorn::cpu(), |_| true));
    println!("{} ops without elements\n{report}", checked.len());
    assert!(checked.len() >= 400 || selection::is_active(), "only {} ops ran without elements", checked.len());
    selection::assert_all(&report);
}
