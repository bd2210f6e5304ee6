// Running results along rows, with one block a row and chunk. Each thread computes four adjacent
// elements of a tile. Shuffles scan the threads' totals within a warp, and the warps' totals are
// scanned in shared memory.

{{kernel}} {
{{words}}
    __shared__ State shared[8];
    const u32 rows = {{rows}};
    const u32 chunks = {{chunks}};
    if (block >= rows * chunks) return;
    const u32 o = block / chunks;
    const u32 chunk = block % chunks;
    const u32 start = chunk * {{chunk_length}};
    const u32 end = min(start + {{chunk_length}}, {{length}});
{{at_row}}
    const State nothing = {{nothing}};
    State carry = nothing;
{{carry}}
    for (u32 tile = start; tile < end; tile += 1024) {
        const u32 first = tile + lane * 4;
        State own[4] = {nothing, nothing, nothing, nothing};
        State total = nothing;
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            const u32 j = first + k;
            if (j < end) {
{{element}}
                total = combine(total, element);
                own[k] = total;
            }
        }
#pragma unroll
        for (u32 distance = 1; distance < 32; distance <<= 1) {
            const State earlier = shuffle_up(total, distance);
            if (lane % 32 >= distance) total = combine(earlier, total);
        }
        State before = shuffle_up(total, 1);
        if (lane % 32 == 0) before = nothing;
        if (lane % 32 == 31) shared[lane / 32] = total;
        __syncthreads();
        State all = nothing, warps = nothing;
#pragma unroll
        for (u32 warp = 0; warp < 8; ++warp) {
            if (warp == lane / 32) warps = all;
            all = combine(all, shared[warp]);
        }
        before = combine(warps, before);
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            const u32 j = first + k;
            if (j < end) {
                const State part = combine(before, own[k]);
{{store}}
            }
        }
        carry = combine(carry, all);
        // The next tile uses the same memory.
        __syncthreads();
    }
    if (lane == 0) {
{{finish}}
    }
}
