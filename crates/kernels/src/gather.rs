//! Elements picked by an index tensor.

use crate::{
    Builder, Plan, Slot, Target, element_type, indent,
    walk::{Space, WORD},
};
use lanthorn_ir::{
    DType, Result,
    kernel::{Gather, Operand},
};

const TEMPLATE: &str = include_str!("../../../shaders/gather/gather.wgsl");

pub(super) fn plan(gather: &Gather, target: &Target) -> Result<Plan> {
    element_type(gather.dtype)?;
    let elements = gather.shape.elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let operands = [(WORD, &gather.source), (DType::I32, &gather.index)];
    let operands = operands.map(|(dtype, layout)| Operand::new(dtype, layout.clone())).to_vec();
    let mut builder = Builder::new(&[], &[])?;
    let walk = Space::new(&[&gather.shape], operands).bind(&mut builder);
    let source = builder.input("u32", Slot::Input(0));
    let index = builder.input("i32", Slot::Input(1));
    let output = builder.output("u32", Slot::Output(0));
    let status = builder.status();
    let [source_offset, index_offset] = [0, 1].map(|operand| walk.advance(&walk.start(operand), operand, 0, "i", "c").place());
    let (count, extent, stride) = (builder.count(elements), builder.count(gather.extent), builder.stride(gather.stride));
    let coordinates = indent(&walk.coordinates(0, "i", "c"), 1);
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
