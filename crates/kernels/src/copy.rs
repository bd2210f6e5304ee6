//! Strided copies.

use crate::{BLOCK, Builder, Plan, Slot, Target, blocks, buffer::Element, indent, indexing::Space};
use lanthorn_ir::{Result, kernel::Copy};

pub(super) const WGSL: &str = include_str!("../shaders/copy/copy.wgsl");
const CUDA: &str = include_str!("../shaders/copy/copy.cu");

/// The operands of the copy.
const SOURCE: usize = 0;
const TARGET: usize = 1;

pub(super) fn plan(copy: &Copy, target: &Target) -> Result<Plan> {
    let language = target.language;
    let elements = copy.source.shape().elements();
    if elements == 0 {
        return Ok(Plan::default());
    }
    let mut space = Space::moving(copy.dtype, &[&copy.source, &copy.target]);
    let steps = if space.by_vec4(0) { elements / 4 } else { elements };
    let mut builder = Builder::new(language, &[], &[])?;
    let indexer = space.bind(&mut builder);
    let input = indexer.reads(&mut builder, SOURCE, Slot::Input(0))?;
    let output = builder.writes(Element::to_move(language, copy.dtype), indexer.lanes(TARGET), Slot::Output(0))?;
    let mut body = indexer.coordinates(0, "i", "c");
    let [from, to] = [SOURCE, TARGET].map(|operand| indexer.advance(&indexer.start(operand), operand, 0, "i", "c"));
    let values = indexer.load(&mut builder, SOURCE, &input, &from, "x", &mut body);
    body.push_str(&indexer.store(TARGET, &output, &to, &values)?);
    let (body, count) = (indent(&body, language.pick(1, 2)), builder.count(steps));
    let groups = language.pick(steps.div_ceil(256), blocks(steps));
    let pass = builder.finish(
        "",
        language.pick(WGSL, CUDA),
        &[("body", &body), ("steps", &count)],
        [groups, BLOCK],
        target,
    )?;
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}
