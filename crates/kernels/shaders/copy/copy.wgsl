// A strided window written to another, one element or four a step. The elements move as words: a copy keeps every bit, those of a subnormal or a NaN too.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let i = (group.y * {{grid}} + group.x) * 256u + lane;
    if (i >= {{steps}}) {
        return;
    }
{{body}}
}
