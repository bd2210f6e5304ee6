// A group of threads an output and chunk: a warp, or the block. Each thread reduces every 32nd or
// 256th step, in runs, and shuffles combine the threads' results.
if (block - {{before}} < {{groups}}) {
    __shared__ {{state}} shared[8];
    const u32 sum_index = (block - {{before}}) * ({{threads}} / {{group}}) + lane / {{group}};
    const u32 member = lane % {{group}};
    const u32 chunks = {{chunks}};
    // All threads of a group compute the same sum.
    if (sum_index >= {{outer}} * chunks) return;
    const u32 o = sum_index / chunks;
    const u32 chunk = sum_index % chunks;
    const u32 start = chunk * {{chunk_length}};
    const u32 end = min(start + {{chunk_length}}, {{steps}});
{{at_output}}
    const {{state}} nothing = {{nothing}};
    {{state}} sum = nothing;
    for (u32 first = start + member; first < end; first += {{group}} * 32) {
        const u32 stop = min(first + {{group}} * 32, end);
        {{state}} part = nothing;
#pragma unroll 4
        for (u32 j = first; j < stop; j += {{group}}) {
{{element}}
            part = combine(part, element);
        }
        sum = combine(sum, part);
    }
    const {{state}} total = combine_group<{{group}}>(sum, shared, []({{state}} a, {{state}} b) { return combine(a, b); });
    if (member == 0) {
{{store}}
    }
}
