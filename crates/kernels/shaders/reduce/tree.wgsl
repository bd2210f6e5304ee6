// A reduction with a group of threads an output and chunk: a part of the workgroup, or all of it. Each thread reduces steps as far apart as the group is wide, in blocks, and the
// threads meet in a tree.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    // A power of two, so that ranges of every length have one pipeline.
    let width = {{group}};
    let first = (group.y * {{grid}} + group.x) * (256u / width);
    let chunks = {{chunks}};
    let results = {{outer}} * chunks;
    if (first >= results) {
        return;
    }
    // A group past the end computes the last result again, and does not store it: all threads meet at the barriers.
    let mine = first + lane / width;
    let place = min(mine, results - 1u);
    let member = lane & (width - 1u);
    let o = place / chunks;
    let chunk = place % chunks;
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{steps}});
{{at_output}}
    let nothing = {{nothing}};
    var sum = nothing;
    for (var block = start + member; block < end; block += width * 32u) {
        let stop = min(block + width * 32u, end);
        var part = nothing;
        for (var j = block; j < stop; j += width) {
{{element}}
            part = combine(part, element);
        }
        sum = combine(sum, part);
    }
    states[lane] = sum;
    workgroupBarrier();
    for (var step = width / 2u; step > 0u; step = step >> 1u) {
        if (member < step) {
            states[lane] = combine(states[lane], states[lane + step]);
        }
        workgroupBarrier();
    }
    if ((member == 0u) & (mine < results)) {
        let total = states[lane];
{{store}}
    }
}
