// Sorts runs of up to 2048 (key, index) pairs in shared memory, by a bitonic network. Short runs
// share a block.

typedef {{key}} Key;

{{kernel}} {
{{words}}
    __shared__ Key keys[2048];
    __shared__ u32 indices[2048];
    const u32 rows = {{rows}};
    const u32 length = {{length}};
    const u32 span = {{span}};
    const u32 runs = {{runs}};
    const u32 first = block * (2048 / span);
    if (first >= rows * runs) return;
    for (u32 slot = lane; slot < 2048; slot += {{threads}}) {
        const u32 run = first + slot / span;
        const u32 o = run / runs;
        const u32 j = run % runs * span + slot % span;
        // The padding of a run sorts after its elements.
        keys[slot] = ~Key(0);
        indices[slot] = 0xffffffffu;
        if (o < rows && j < length) {
{{load}}
            keys[slot] = key;
            indices[slot] = j;
        }
    }
    __syncthreads();
    for (u32 size = 2; size <= span; size <<= 1) {
        for (u32 step = size >> 1; step > 0; step >>= 1) {
#pragma unroll
            for (u32 pair = lane; pair < 1024; pair += {{threads}}) {
                const u32 a = pair * 2 - (pair & (step - 1));
                const u32 b = a + step;
                const bool ascending = (a & (span - 1) & size) == 0;
                const Key key_a = keys[a], key_b = keys[b];
                const u32 index_a = indices[a], index_b = indices[b];
                const bool greater = (key_a > key_b) | ((key_a == key_b) & (index_a > index_b));
                if (greater == ascending) {
                    keys[a] = key_b;
                    keys[b] = key_a;
                    indices[a] = index_b;
                    indices[b] = index_a;
                }
            }
            __syncthreads();
        }
    }
    for (u32 slot = lane; slot < 2048; slot += {{threads}}) {
        const u32 run = first + slot / span;
        const u32 o = run / runs;
        const u32 j = run % runs * span + slot % span;
        if (o < rows && j < length) {
            const Key key = keys[slot];
            const u32 index = indices[slot];
{{store}}
        }
    }
}
