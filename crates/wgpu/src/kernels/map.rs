//! Pointwise kernels.

use super::{Builder, Plan, Slot, Target, element_type, indent, load, stored};
use lanthorn_ir::{Layout, Result, kernel::Map};
use std::fmt::Write;

const TEMPLATE: &str = include_str!("../../../../shaders/map/map.wgsl");

pub(super) fn plan(map: &Map, target: &Target) -> Result<Plan> {
    let elements = map.shape.elements();
    let mut builder = Builder::new(&map.params)?;
    let whole = Layout::contiguous(map.shape.clone());
    let mut layouts = vec![&whole];
    layouts.extend(map.inputs.iter().map(|input| &input.layout));
    let merged = Layout::coalesce(&layouts);

    let mut strided = false;
    let mut loads = Vec::new();
    for (slot, (input, layout)) in map.inputs.iter().zip(&merged[1..]).enumerate() {
        let buffer = builder.input(element_type(input.dtype)?, Slot::Input(slot));
        let (place, needs) = builder.walk(layout, "i", "c");
        strided |= needs;
        loads.push(load(input.dtype, &buffer, &place));
    }
    let (mut body, outputs) = builder.print(&map.program, &|slot| loads[slot].clone(), "i", "v")?;
    for (slot, (&dtype, (value, ty))) in map.dtypes.iter().zip(&outputs).enumerate() {
        let buffer = builder.output(element_type(dtype)?, Slot::Output(slot));
        let value = stored(dtype, value, *ty, &mut builder.functions)?;
        // Writing to a String does not fail.
        let _ = writeln!(body, "{buffer}[i] = {value};");
    }
    if elements == 0 {
        return Ok(Plan::default());
    }
    let coordinates = if strided { builder.coordinates(merged[0].shape(), "i", "c") } else { String::new() };
    // Few elements are spread over many threads; many are taken several a thread, which saves index arithmetic and scheduling.
    let per_thread = if target.software { (elements / (256 * 16)).clamp(1, 64) } else { (elements / (256 * 4096)).clamp(1, 8) };
    let (count, per) = (builder.count(elements), builder.count(per_thread));
    let values = [("coordinates", indent(&coordinates, 2)), ("body", indent(&body, 2)), ("elements", count), ("per_thread", per)];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let groups = elements.div_ceil(256 * per_thread);
    Ok(Plan { passes: vec![builder.finish("", TEMPLATE, &values, groups, target)?], scratch_bytes: 0 })
}
