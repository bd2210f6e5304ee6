// Attention, forward or backward: a thread owns a row of one side (queries or keys) and meets the rows of the other side, a tile of them in workgroup memory, four at a
// time. The rows that a workgroup owns are those of one matrix, so that all of its threads meet the same ones.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let place = group.y * {{grid}} + group.x;
    if (place >= {{groups}}) {
        return;
    }
    let batch = place / {{blocks}};
    let first = (place % {{blocks}}) * 64u;
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
