// A scatter with one thread an output element, which searches all indices for its own. For many
// values and few target elements.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let others = {{others}};
    let length = {{length}};
    let extent = {{extent}};
    let o = thread % others;
    let target_index = thread / others;
{{coordinates}}
    let index_base = {{index_offset}};
    let source_base = {{source_offset}};
    // The same threads check the indices, one each.
    if (target_index < length) {
        if (bitcast<u32>({{index}}[index_base + target_index * {{index_stride}}]) >= extent) {
            atomicStore(&{{status}}, {{extent}} + 1u);
        }
    }
    if (target_index >= extent) {
        return;
    }
    let target_offset = {{output_offset}} + target_index * {{output_stride}};
{{combine}}
}
