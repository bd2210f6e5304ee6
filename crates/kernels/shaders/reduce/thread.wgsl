// A reduction with one thread an output and chunk. Blocks of 64 steps keep a long sum from being one chain of additions.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let outer = {{outer}};
    let chunks = {{chunks}};
    if (thread >= outer * chunks) {
        return;
    }
    // Neighbours take neighbouring outputs.
    let o = thread % outer;
    let chunk = thread / outer;
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{steps}});
{{at_output}}
    let nothing = {{nothing}};
    var total = nothing;
    for (var block = start; block < end; block += 64u) {
        let stop = min(block + 64u, end);
        var part = nothing;
        for (var j = block; j < stop; j++) {
{{element}}
            part = combine(part, element);
        }
        total = combine(total, part);
    }
{{store}}
}
