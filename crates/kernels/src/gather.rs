//! Elements picked by an index tensor.

use crate::{
    BLOCK, Builder, Dialect, Plan, Slot, Target, indent,
    walk::{ANY, Space},
};
use lanthorn_ir::{
    DType, Result,
    kernel::{Gather, Operand},
};

const WGSL: &str = include_str!("../../../shaders/gather/gather.wgsl");
const CUDA: &str = include_str!("../../../shaders/gather/gather.cu");

pub(super) fn plan(gather: &Gather, target: &Target) -> Result<Plan> {
    let language = target.language;
    let element = language.moved(gather.dtype)?;
    let elements = gather.shape.elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let operands = [(ANY, &gather.source), (DType::I32, &gather.index)];
    let operands = operands.map(|(dtype, layout)| Operand::new(dtype, layout.clone())).to_vec();
    let mut builder = Builder::new(language, &[], &[])?;
    let walk = Space::new(&[&gather.shape], operands).bind(&mut builder);
    let source = builder.input(element, Slot::Input(0));
    let index = builder.input("i32", Slot::Input(1));
    let output = builder.output(element, Slot::Output(0));
    let status = builder.status();
    let [source_offset, index_offset] = [0, 1].map(|operand| walk.advance(&walk.start(operand), operand, 0, "i", "c").place());
    let (count, extent, stride) = (builder.count(elements), builder.count(gather.extent), builder.stride(gather.stride));
    let coordinates = indent(&walk.coordinates(0, "i", "c"), 1);
    let values = [
        ("coordinates", coordinates.as_str()),
        ("element", element),
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
    let pass = builder.finish("", language.pick(WGSL, CUDA), &values, [elements.div_ceil(256), BLOCK], target)?;
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}
