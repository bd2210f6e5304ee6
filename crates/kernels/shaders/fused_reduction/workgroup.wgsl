// Reductions and results over rows, with a group of threads a row: a part of the workgroup, or all
// of it. A thread's steps are as far apart as the group is wide, and a tree combines the threads'
// results.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    // A power of two, so that rows of every length have one pipeline.
    let width = {{group}};
    let first = (group.y * {{grid}} + group.x) * (256u / width);
    if (first >= {{rows}}) {
        return;
    }
    // A group past the end computes the last row again, and stores nothing: all threads meet at the
    // barriers.
    let mine = first + lane / width;
    let o = min(mine, {{rows}} - 1u);
    let member = lane & (width - 1u);
{{at_row}}
{{reductions}}
    if (mine < {{rows}}) {
        if (member == 0u) {
{{row_results}}
        }
        for (var j = member; j < {{steps}}; j += width) {
{{element_results}}
        }
    }
}
