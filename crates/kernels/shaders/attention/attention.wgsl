// Attention, forward or backward. A thread owns a row of one side (queries or keys), and reads the
// rows of the other side four at a time from a tile in workgroup memory. A workgroup's rows are
// from one matrix, so that all of its threads need the same tiles.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let group_index = group.y * {{grid}} + group.x;
    if (group_index >= {{groups}}) {
        return;
    }
    let batch = group_index / {{blocks}};
    let first = (group_index % {{blocks}}) * 64u;
    let owned = {{owned}};
    let met = {{met}};
    // A row past the end computes the last one again, and is not stored.
    let own = min(first + lane, owned - 1u);
{{before}}
    let end = {{end}};
    for (var tile = {{start}}; tile < end; tile += {{tile}}u) {
        let last = min(tile + {{tile}}u, end) - 1u;
{{fill}}
        workgroupBarrier();
        for (var other = tile; other <= last; other += 4u) {
{{step}}
        }
        workgroupBarrier();
    }
    if (first + lane < owned) {
{{store}}
    }
}
