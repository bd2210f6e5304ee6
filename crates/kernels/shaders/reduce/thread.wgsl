// A thread an output and chunk. Blocks of 64 steps keep a long sum from being one chain of
// additions.
if (group_index - {{before}} < {{groups}}) {
    let thread = (group_index - {{before}}) * {{threads}} + lane;
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
