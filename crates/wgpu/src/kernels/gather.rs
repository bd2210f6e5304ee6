//! Elements picked by an index tensor.

use super::{Builder, Plan, Slot, Target, element_type, indent};
use lanthorn_ir::{Layout, Result, kernel::Gather};

const TEMPLATE: &str = include_str!("../../../../shaders/gather/gather.wgsl");

pub(super) fn plan(gather: &Gather, target: &Target) -> Result<Plan> {
    element_type(gather.dtype)?;
    let elements = gather.shape.elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let whole = Layout::contiguous(gather.shape.clone());
    let merged = Layout::coalesce(&[&whole, &gather.source, &gather.index]);
    let mut builder = Builder::new(&[], &[])?;
    let source = builder.input("u32", Slot::Input(0));
    let index = builder.input("i32", Slot::Input(1));
    let output = builder.output("u32", Slot::Output(0));
    let status = builder.status();
    let (source_offset, source_strided) = builder.walk(&merged[1], "i", "c");
    let (index_offset, index_strided) = builder.walk(&merged[2], "i", "c");
    let strided = source_strided || index_strided;
    let coordinates = if strided { builder.coordinates(merged[0].shape(), "i", "c") } else { String::new() };
    let (count, extent, stride) = (builder.count(elements), builder.count(gather.extent), builder.stride(gather.stride));
    let coordinates = indent(&coordinates, 1);
    let values = [
        ("coordinates", coordinates.as_str()),
        ("elements", &count),
        ("extent", &extent),
        ("stride", &stride),
        ("status", &status),
        ("source", &source),
        ("index", &index),
        ("output", &output),
        ("source_offset", &source_offset),
        ("index_offset", &index_offset),
    ];
    let pass = builder.finish("", TEMPLATE, &values, elements.div_ceil(256), target)?;
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}
