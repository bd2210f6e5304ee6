// A group of threads an output and chunk: a part of the workgroup, or all of it. A thread reduces
// steps as far apart as the group is wide, in blocks, and a tree combines the threads' results.
if (group_index - {{before}} < {{groups}}) {
    // A power of two, so that ranges of every length have one pipeline.
    let width = {{group}};
    let first = (group_index - {{before}}) * ({{threads}} / width);
    let chunks = {{chunks}};
    let results = {{outer}} * chunks;
    // A group past the end computes the last result again, and does not store it: all threads meet
    // at the barriers.
    let mine = first + lane / width;
    let at = min(mine, results - 1u);
    let member = lane & (width - 1u);
    let o = at / chunks;
    let chunk = at % chunks;
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
