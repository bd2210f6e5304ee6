//! Strided copies.

use super::{Builder, Plan, Slot, Target, element_type, indent};
use lanthorn_ir::{Layout, Result, kernel::Copy};

const TEMPLATE: &str = include_str!("../../../../shaders/copy/copy.wgsl");

pub(super) fn plan(copy: &Copy, target: &Target) -> Result<Plan> {
    element_type(copy.dtype)?;
    let elements = copy.source.shape().elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let merged = Layout::coalesce(&[&copy.source, &copy.target]);
    let mut builder = Builder::new(&[], &[])?;
    let source = builder.input("u32", Slot::Input(0));
    let output = builder.output("u32", Slot::Output(0));
    let (source_offset, source_strided) = builder.walk(&merged[0], "i", "c");
    let (target_offset, target_strided) = builder.walk(&merged[1], "i", "c");
    let strided = source_strided || target_strided;
    let coordinates = if strided { builder.coordinates(merged[0].shape(), "i", "c") } else { String::new() };
    let count = builder.count(elements);
    let coordinates = indent(&coordinates, 1);
    let values = [
        ("coordinates", coordinates.as_str()),
        ("elements", &count),
        ("source", &source),
        ("output", &output),
        ("source_offset", &source_offset),
        ("target_offset", &target_offset),
    ];
    let pass = builder.finish("", TEMPLATE, &values, elements.div_ceil(256), target)?;
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}
