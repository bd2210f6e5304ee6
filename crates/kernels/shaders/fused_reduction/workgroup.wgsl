// Reductions and results over rows, with one workgroup a row: each thread takes every 256th step, and the threads meet in a tree.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let o = group.y * {{grid}} + group.x;
    if (o >= {{rows}}) {
        return;
    }
{{at_row}}
{{reductions}}
    if (lane == 0u) {
{{row_results}}
    }
    for (var j = lane; j < {{steps}}; j += 256u) {
{{element_results}}
    }
}
