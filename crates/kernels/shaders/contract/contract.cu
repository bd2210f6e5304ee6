// A sum of products: TILE x TILE outputs a block of 256 threads, SIDE x SIDE a thread in registers,
// both operands' tiles in shared memory. While one tile of DEPTH steps of k is multiplied, the next
// is loaded to registers and from there to the other half of shared memory, with one barrier a
// tile.

typedef {{type}} Real;
const u32 TILE = {{tile}};
const u32 DEPTH = {{depth}};
const u32 SIDE = TILE / 16;

// Four neighbours in shared memory, read at once.
__device__ inline void take(Real* to, const Real* from) {
    const vec4<Real> four = *reinterpret_cast<const vec4<Real>*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

{{kernel}} {
{{words}}
    // Padded, so that the rows of a warp's stores are in different banks.
    alignas(16) __shared__ Real tile_a[2][DEPTH][TILE + 4];
    alignas(16) __shared__ Real tile_b[2][DEPTH][TILE + 4];
    const u32 m = {{m}};
    const u32 n = {{n}};
    u32 tile_index = block;
    if (tile_index >= {{tiles}}) return;
    const u32 column = tile_index % {{tiles_n}} * TILE;
    tile_index /= {{tiles_n}};
    const u32 row = tile_index % {{tiles_m}} * TILE;
    tile_index /= {{tiles_m}};
    const u32 batch = tile_index % {{batches}};
    const u32 chunk = tile_index / {{batches}};
    const u32 start = chunk * {{chunk_length}};
    const u32 end = min(start + {{chunk_length}}, {{k}});
{{before}}
    Real a_value[4], b_value[4];
    // A thread's elements of the tile that begins at a step. Elements past the end are 0 in both
    // tiles.
    const auto fetch = [&](u32 step) {
{{fetch}}
    };
    const auto keep = [&](u32 half) {
{{keep}}
    };
    fetch(start);
    keep(0);
    __syncthreads();
    // A thread has four adjacent rows; if it has eight, the other four are 64 rows after them. So
    // with columns.
    const u32 x = lane % 16 * 4;
    const u32 y = lane / 16 * 4;
    Real sum[SIDE][SIDE] = {};
    u32 half = 0;
    for (u32 step = start; step < end; step += DEPTH) {
        const bool more = step + DEPTH < end;
        if (more) fetch(step + DEPTH);
#pragma unroll
        for (u32 d = 0; d < DEPTH; ++d) {
            Real left[SIDE], right[SIDE];
#pragma unroll
            for (u32 side = 0; side < SIDE; side += 4) {
                take(left + side, &tile_a[half][d][side * 16 + y]);
                take(right + side, &tile_b[half][d][side * 16 + x]);
            }
#pragma unroll
            for (u32 r = 0; r < SIDE; ++r) {
#pragma unroll
                for (u32 c = 0; c < SIDE; ++c) sum[r][c] += left[r] * right[c];
            }
        }
        half ^= 1;
        if (more) keep(half);
        __syncthreads();
    }
    // Each of a thread's rows goes through shared memory, so that neighbouring threads store
    // neighbours.
    const u32 plane = (chunk * {{batches}} + batch) * m;
    Real* const staged = &tile_a[0][0][0];
#pragma unroll
    for (u32 r = 0; r < SIDE; ++r) {
#pragma unroll
        for (u32 c = 0; c < SIDE; ++c) staged[lane / 16 * TILE + c / 4 * 64 + x + c % 4] = sum[r][c];
        __syncthreads();
#pragma unroll 1
        for (u32 at = lane; at < 16 * TILE; at += {{threads}}) {
            const u32 output_row = row + r / 4 * 64 + at / TILE * 4 + r % 4;
            const u32 output_column = column + at % TILE;
            if (output_row < m && output_column < n) {
                const u32 o = (plane + output_row) * n + output_column;
                const Real total = staged[at];
{{store}}
            }
        }
        __syncthreads();
    }
}
