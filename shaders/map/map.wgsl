// A pointwise kernel. A thread takes several steps, a workgroup apart, so that neighbours read neighbours; a step is one element or four.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let first = (group.y * {{grid}} + group.x) * (64u * {{per_thread}}) + lane;
    let last = min(first + 64u * {{per_thread}}, {{steps}});
    for (var i = first; i < last; i += 64u) {
{{body}}
    }
}
