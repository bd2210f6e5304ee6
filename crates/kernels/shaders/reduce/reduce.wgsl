// Reductions, each over a range of the workgroups.

@compute @workgroup_size({{threads}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let group_index = group.y * {{grid}} + group.x;
{{sections}}
}
