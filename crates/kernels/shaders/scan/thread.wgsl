// Running results along rows, with one thread a row and chunk. Blocks of 64 steps keep a long sum
// from being one chain of additions.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let rows = {{rows}};
    let chunks = {{chunks}};
    if (thread >= rows * chunks) {
        return;
    }
    // Neighbours take neighbouring rows.
    let o = thread % rows;
    let chunk = thread / rows;
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{length}});
{{at_row}}
    let nothing = {{nothing}};
    var carry = nothing;
{{carry}}
    for (var block = start; block < end; block += 64u) {
        let stop = min(block + 64u, end);
        var part = nothing;
        for (var j = block; j < stop; j++) {
{{element}}
            part = combine(part, element);
{{store}}
        }
        carry = combine(carry, part);
    }
{{finish}}
}
