// A thread an output and chunk. Blocks of 64 steps keep a long sum from being one chain of
// additions.
if (block - {{before}} < {{groups}}) {
    const u32 thread = (block - {{before}}) * {{threads}} + lane;
    const u32 outer = {{outer}};
    const u32 chunks = {{chunks}};
    if (thread >= outer * chunks) return;
    // Neighbours take neighbouring outputs.
    const u32 o = thread % outer;
    const u32 chunk = thread / outer;
    const u32 start = chunk * {{chunk_length}};
    const u32 end = min(start + {{chunk_length}}, {{steps}});
{{at_output}}
    const {{state}} nothing = {{nothing}};
    {{state}} total = nothing;
    for (u32 first = start; first < end; first += 64) {
        const u32 stop = min(first + 64, end);
        {{state}} part = nothing;
#pragma unroll 4
        for (u32 j = first; j < stop; ++j) {
{{element}}
            part = combine(part, element);
        }
        total = combine(total, part);
    }
{{store}}
}
