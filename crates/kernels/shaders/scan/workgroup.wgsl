// Running results along rows, with one workgroup a row and chunk. Each thread computes four
// adjacent elements of a tile, and the threads' totals are scanned in workgroup memory.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let group_index = group.y * {{grid}} + group.x;
    let rows = {{rows}};
    let chunks = {{chunks}};
    if (group_index >= rows * chunks) {
        return;
    }
    let o = group_index / chunks;
    let chunk = group_index % chunks;
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{length}});
{{at_row}}
    let nothing = {{nothing}};
    var carry = nothing;
{{carry}}
    for (var tile = start; tile < end; tile += 1024u) {
        let first = tile + lane * 4u;
        var own = array<State, 4>(nothing, nothing, nothing, nothing);
        var total = nothing;
        for (var k = 0u; k < 4u; k++) {
            let j = first + k;
            if (j < end) {
{{element}}
                total = combine(total, element);
                own[k] = total;
            }
        }
        states[lane] = total;
        workgroupBarrier();
        for (var step = 1u; step < 256u; step = step << 1u) {
            var earlier = nothing;
            if (lane >= step) {
                earlier = states[lane - step];
            }
            workgroupBarrier();
            total = combine(earlier, total);
            states[lane] = total;
            workgroupBarrier();
        }
        var before = nothing;
        if (lane > 0u) {
            before = states[lane - 1u];
        }
        for (var k = 0u; k < 4u; k++) {
            let j = first + k;
            if (j < end) {
                let part = combine(before, own[k]);
{{store}}
            }
        }
        carry = combine(carry, states[255]);
        // The next tile uses the same memory.
        workgroupBarrier();
    }
    if (lane == 0u) {
{{finish}}
    }
}
