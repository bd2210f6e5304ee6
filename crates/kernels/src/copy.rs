//! Strided copies.

use crate::{
    Builder, Plan, Slot, Target, element_type, indent,
    walk::{Space, WORD},
};
use lanthorn_ir::{
    Result,
    kernel::{Copy, Operand},
};

const TEMPLATE: &str = include_str!("../../../shaders/copy/copy.wgsl");

/// The operands of the walk.
const SOURCE: usize = 0;
const TARGET: usize = 1;

pub(super) fn plan(copy: &Copy, target: &Target) -> Result<Plan> {
    element_type(copy.dtype)?;
    let elements = copy.source.shape().elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let operands = [&copy.source, &copy.target].map(|layout| Operand::new(WORD, layout.clone()));
    let mut space = Space::new(&[copy.source.shape()], operands.to_vec());
    let steps = if space.by_fours(0) { elements / 4 } else { elements };
    let mut builder = Builder::new(&[], &[])?;
    let walk = space.bind(&mut builder);
    let input = builder.input(&walk.element_type(SOURCE)?, Slot::Input(0));
    let output = builder.output(&walk.element_type(TARGET)?, Slot::Output(0));
    let mut body = walk.coordinates(0, "i", "c");
    let [from, to] = [SOURCE, TARGET].map(|operand| walk.advance(&walk.start(operand), operand, 0, "i", "c"));
    let values = walk.load(&mut builder, SOURCE, &input, &from, "x", &mut body);
    body.push_str(&walk.store(TARGET, &output, &to, WORD, &values)?);
    let (body, count) = (indent(&body, 1), builder.count(steps));
    let pass = builder.finish("", TEMPLATE, &[("body", &body), ("steps", &count)], steps.div_ceil(256), target)?;
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}
