// A reduction with one workgroup an output and chunk: each thread reduces every 256th step, in blocks, and the threads meet in a tree.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let place = group.y * {{grid}} + group.x;
    let outer = {{outer}};
    let chunks = {{chunks}};
    if (place >= outer * chunks) {
        return;
    }
    let o = place / chunks;
    let chunk = place % chunks;
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{steps}});
{{at_output}}
    let nothing = {{nothing}};
    var sum = nothing;
    for (var block = start + lane; block < end; block += 256u * 32u) {
        let stop = min(block + 256u * 32u, end);
        var part = nothing;
        for (var j = block; j < stop; j += 256u) {
{{element}}
            part = combine(part, element);
        }
        sum = combine(sum, part);
    }
    states[lane] = sum;
    workgroupBarrier();
    for (var step = 128u; step > 0u; step = step >> 1u) {
        if (lane < step) {
            states[lane] = combine(states[lane], states[lane + step]);
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        let total = states[0];
{{store}}
    }
}
