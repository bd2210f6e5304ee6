// A scatter with one thread a line of indices along the dimension. The thread combines the values
// of the line in order. For many lines that share no index.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let o = (group.y * {{grid}} + group.x) * 64u + lane;
    let length = {{length}};
    if (o >= {{others}}) {
        return;
    }
{{coordinates}}
    let index_base = {{index_offset}};
    let source_base = {{source_offset}};
    let output_base = {{output_offset}};
    for (var j = 0u; j < length; j++) {
        let target_index = bitcast<u32>({{index}}[index_base + j * {{index_stride}}]);
        if (target_index >= {{extent}}) {
            atomicStore(&{{status}}, {{extent}} + 1u);
            continue;
        }
        let target_offset = output_base + target_index * {{output_stride}};
{{combine}}
    }
}
