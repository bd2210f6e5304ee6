// A scatter with one thread a value. Of those that name the same place one leads and does the work of all, in order. For many places.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let others = {{others}};
    let length = {{length}};
    let o = thread % others;
    let j = thread / others;
    if (j >= length) {
        return;
    }
{{coordinates}}
    let index_base = {{index_offset}};
    let source_base = {{source_offset}};
    let place = bitcast<u32>({{index}}[index_base + j * {{index_stride}}]);
    if (place >= {{extent}}) {
        atomicStore(&{{status}}, {{extent}} + 1u);
        return;
    }
    // The first leads an addition, the last an assignment.
    for (var q = {{rival_start}}; q < {{rival_end}}; q++) {
        if (bitcast<u32>({{index}}[index_base + q * {{index_stride}}]) == place) {
            return;
        }
    }
    let target_place = {{output_offset}} + place * {{output_stride}};
{{combine}}
}
