// A pointwise kernel. A thread takes several elements, a workgroup apart, so that neighbours read neighbours.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (group.y * {{grid}} + group.x) * (256u * {{per_thread}}) + lane;
    for (var step = 0u; step < {{per_thread}}; step++) {
        let i = first + step * 256u;
        if (i >= {{elements}}) {
            return;
        }
{{coordinates}}
{{body}}
    }
}
