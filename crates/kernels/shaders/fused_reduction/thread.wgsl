// Reductions and results over rows, with one thread a row.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let o = (group.y * {{grid}} + group.x) * 64u + lane;
    if (o >= {{rows}}) {
        return;
    }
{{at_row}}
{{reductions}}
{{row_results}}
    for (var j = 0u; j < {{steps}}; j++) {
{{element_results}}
    }
}
