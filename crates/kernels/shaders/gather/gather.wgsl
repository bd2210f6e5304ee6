// Copies elements picked along one dimension, as words, so that they keep every bit.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let i = (group.y * {{grid}} + group.x) * 256u + lane;
    if (i >= {{elements}}) {
        return;
    }
{{coordinates}}
    let source_index = bitcast<u32>({{index}}[{{index_offset}}]);
    // A negative index is a large one here.
    if (source_index >= {{extent}}) {
        atomicStore(&{{status}}, {{extent}} + 1u);
        {{output}}[i] = {{element}}();
        return;
    }
    {{output}}[i] = {{source}}[{{source_offset}} + source_index * {{stride}}];
}
