// Elements picked along one dimension. They move as words: a gather changes no bits.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let i = (group.y * {{grid}} + group.x) * 256u + lane;
    if (i >= {{elements}}) {
        return;
    }
{{coordinates}}
    let place = bitcast<u32>({{index}}[{{index_offset}}]);
    // A negative index is a large one here.
    if (place >= {{extent}}) {
        atomicStore(&{{status}}, {{extent}} + 1u);
        {{output}}[i] = {{element}}();
        return;
    }
    {{output}}[i] = {{source}}[{{source_offset}} + place * {{stride}}];
}
