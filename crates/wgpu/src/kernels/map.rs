//! Pointwise kernels.

use super::{
    Builder, Plan, Slot, Target, indent, is_short, stored,
    walk::{COMPONENTS, Lanes, Space},
};
use lanthorn_ir::{Result, backend::InPlace, kernel::Map};
use std::fmt::Write;

const TEMPLATE: &str = include_str!("../../../../shaders/map/map.wgsl");

pub(super) fn plan(map: &Map, in_place: &[InPlace], target: &Target) -> Result<Plan> {
    let elements = map.shape.elements();
    let mut builder = Builder::new(&map.params, in_place)?;
    let mut space = Space::new(&[&map.shape], map.inputs.clone());
    let fours = is_short([&map.program]) && space.by_fours(0);
    let walk = space.bind(&mut builder);

    let mut body = walk.coordinates(0, "i", "c");
    let mut loads = Vec::new();
    for operand in 0..map.inputs.len() {
        let buffer = builder.input(&walk.element_type(operand)?, Slot::Input(operand));
        let cursor = walk.advance(&walk.start(operand), operand, 0, "i", "c");
        loads.push(walk.load(&mut builder, operand, &buffer, &cursor, &format!("x{operand}"), &mut body));
    }
    let mut outputs = vec![Vec::new(); map.dtypes.len()];
    for lane in 0..if fours { 4 } else { 1 } {
        let (index, prefix) =
            if fours { (format!("(i * 4u + {lane}u)"), format!("v{}", COMPONENTS[lane])) } else { ("i".into(), "v".into()) };
        let (statements, values) = builder.print(&map.program, &|slot| loads[slot][lane].clone(), &index, &prefix)?;
        body.push_str(&statements);
        for (output, (&dtype, (value, ty))) in outputs.iter_mut().zip(map.dtypes.iter().zip(&values)) {
            output.push(stored(dtype, value, *ty, &mut builder.functions)?);
        }
    }
    let lanes = if fours { Lanes::Vector } else { Lanes::One };
    for (slot, (&dtype, values)) in map.dtypes.iter().zip(&outputs).enumerate() {
        let buffer = builder.output(&lanes.element(dtype)?, Slot::Output(slot));
        // Writing to a String does not fail.
        let _ = writeln!(body, "{buffer}[i] = {};", lanes.gather(dtype, values)?);
    }
    if elements == 0 {
        return Ok(Plan::default());
    }
    let steps = if fours { elements / 4 } else { elements };
    // Few elements are spread over many threads; many are taken several a thread, which saves index arithmetic and scheduling.
    let enough = if target.software { 256 } else { 16_384 };
    let per_thread = (steps / (64 * enough)).clamp(1, if target.software { 64 } else { 8 });
    let (count, per) = (builder.count(steps), builder.count(per_thread));
    let body = indent(&body, 2);
    let values = [("body", body.as_str()), ("steps", &count), ("per_thread", &per)];
    let groups = steps.div_ceil(64 * per_thread);
    Ok(Plan { passes: vec![builder.finish("", TEMPLATE, &values, groups, target)?], scratch_bytes: 0 })
}
