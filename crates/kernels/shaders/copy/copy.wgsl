// Copies one strided view to another, one element or four a step. Elements are copied as words, so
// that subnormal numbers and NaN keep every bit.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let i = (group.y * {{grid}} + group.x) * 256u + lane;
    if (i >= {{steps}}) {
        return;
    }
{{body}}
}
