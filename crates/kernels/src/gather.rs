//! Elements picked by an index tensor.

use crate::{
    BLOCK, Builder, Plan, Slot, Target,
    buffer::{Access, Element, packed_loop, turns},
    copy, indent,
    indexing::{ANY, Lanes, Space},
    prelude,
};
use lanthorn_ir::{
    DType, Result,
    kernel::{Gather, Operand},
};

const WGSL: &str = include_str!("../shaders/gather/gather.wgsl");
const CUDA: &str = include_str!("../shaders/gather/gather.cu");
/// The part of a packed loop that gathers one element.
const PACKED_LOOP: &str = include_str!("../shaders/gather/packed_loop.wgsl");

pub(super) fn plan(gather: &Gather, target: &Target) -> Result<Plan> {
    let language = target.language;
    let element = Element::to_move(language, gather.dtype);
    let ty = element.ty()?;
    let elements = gather.shape.elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let operands = [(ANY, &gather.source), (DType::I32, &gather.index)];
    let operands = operands.map(|(dtype, layout)| Operand::new(dtype, layout.clone())).to_vec();
    let mut builder = Builder::new(language, &[], &[])?;
    builder.access = Access::Plain;
    let indexer = Space::new(&[&gather.shape], operands).bind(&mut builder);
    let source = builder.reads(element, Lanes::One, Slot::Input(0))?;
    let index = builder.input("i32", Slot::Input(1));
    let output = builder.writes(element, Lanes::One, Slot::Output(0))?;
    let status = builder.status();
    let [source_offset, index_offset] =
        [0, 1].map(|operand| indexer.advance(&indexer.start(operand), operand, 0, "i", "c").offset());
    let (count, extent, stride) =
        (builder.count(elements), builder.count(gather.extent), builder.stride(gather.stride));
    let coordinates = indexer.coordinates(0, "i", "c");
    let turns = turns(language, &[gather.dtype]);
    if turns > 1 {
        let values = [
            ("coordinates", coordinates.as_str()),
            ("source_index", &format!("bitcast<u32>({index}[{index_offset}])")),
            ("extent", &extent),
            ("status", &status),
            ("picked", &source.at(&format!("{source_offset} + source_index * {stride}"))),
        ];
        let picked = prelude::fill(PACKED_LOOP, &values) + "\n";
        let body = indent(&packed_loop(turns, &[(output, "element".to_string())], &count, &picked), 1);
        let steps = elements.div_ceil(turns);
        let values = [("body", body.as_str()), ("steps", &builder.count(steps))];
        let pass = builder.finish("", copy::WGSL, &values, [steps.div_ceil(256), BLOCK], target)?;
        return Ok(Plan { passes: vec![pass], scratch_bytes: 0 });
    }
    let (source, output, coordinates) = (source.to_string(), output.to_string(), indent(&coordinates, 1));
    let values = [
        ("coordinates", coordinates.as_str()),
        ("element", ty),
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
