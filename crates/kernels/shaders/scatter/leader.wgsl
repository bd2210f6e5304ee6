// A scatter with one thread a value. Of the threads with the same index, one applies all of their
// values, in order. For many target elements.

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
    let target_index = bitcast<u32>({{index}}[index_base + j * {{index_stride}}]);
    if (target_index >= {{extent}}) {
        atomicStore(&{{status}}, {{extent}} + 1u);
        return;
    }
    // An addition is applied by the first of them, an assignment by the last.
    for (var q = {{rival_start}}; q < {{rival_end}}; q++) {
        if (bitcast<u32>({{index}}[index_base + q * {{index_stride}}]) == target_index) {
            return;
        }
    }
    let target_offset = {{output_offset}} + target_index * {{output_stride}};
{{combine}}
}
