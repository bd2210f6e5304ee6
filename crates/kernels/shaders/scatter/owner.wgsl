// A scatter with one thread an output element, which looks through all indices for what names it. For many values on few places.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let others = {{others}};
    let length = {{length}};
    let extent = {{extent}};
    let o = thread % others;
    let place = thread / others;
{{coordinates}}
    let index_base = {{index_offset}};
    let source_base = {{source_offset}};
    // The same threads check the indices, one each.
    if (place < length) {
        if (bitcast<u32>({{index}}[index_base + place * {{index_stride}}]) >= extent) {
            atomicStore(&{{status}}, {{extent}} + 1u);
        }
    }
    if (place >= extent) {
        return;
    }
    let target_place = {{output_offset}} + place * {{output_stride}};
{{combine}}
}
