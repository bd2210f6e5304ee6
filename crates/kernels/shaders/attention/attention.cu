// Attention, forward or backward. A group of lanes owns OWN rows of one side (queries or keys), and
// each lane has a part of every row in registers. The rows of the other side are loaded to shared
// memory tile by tile. A product of two rows is a sum over the group, by shuffles. A block's rows
// are from one matrix, so that all of its threads need the same tiles.

typedef {{type}} Real;
typedef vec4<Real> Four;
const u32 GROUP = {{group}};
const u32 OWN = {{own}};
const u32 TILE = {{tile}};
const u32 GROUPS = {{threads}} / GROUP;
const u32 ROWS = OWN * GROUPS;
// The vectors of a lane: of the rows that the scores are products of, and of the other rows.
const u32 PARTS_0 = {{parts_0}};
const u32 PARTS_1 = {{parts_1}};
const bool BACKWARD = {{backward}};
const bool KEYS_OWN = {{keys_own}};

__device__ inline Real dot(Four a, Four b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ inline void add(Four& sum, Real weight, Four a) {
    sum.x += weight * a.x;
    sum.y += weight * a.y;
    sum.z += weight * a.z;
    sum.w += weight * a.w;
}

__device__ inline Real over_team(Real value) {
#pragma unroll
    for (u32 mask = GROUP / 2; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
    return value;
}

// Stores a lane's part of a row, times a factor; as vectors if the row is aligned.
template <u32 WIDTH, u32 PARTS, bool BY_VECTORS>
__device__ inline void store_row(Real* to, const Four* sum, u32 member, Real factor) {
#pragma unroll
    for (u32 c = 0; c < PARTS; ++c) {
        const u32 at = (c * GROUP + member) * 4;
        const Four four(sum[c].x * factor, sum[c].y * factor, sum[c].z * factor, sum[c].w * factor);
        if (BY_VECTORS) {
            if (at < WIDTH) *reinterpret_cast<Four*>(to + at) = four;
        } else {
            if (at < WIDTH) to[at] = four.x;
            if (at + 1 < WIDTH) to[at + 1] = four.y;
            if (at + 2 < WIDTH) to[at + 2] = four.z;
            if (at + 3 < WIDTH) to[at + 3] = four.w;
        }
    }
}

{{kernel}} {
{{words}}
    alignas(16) __shared__ Four tile_0[TILE * PARTS_0 * GROUP];
    alignas(16) __shared__ Four tile_1[TILE * PARTS_1 * GROUP];
    if (block >= {{groups}}) return;
    const u32 batch = block / {{blocks}};
    const u32 first = block % {{blocks}} * ROWS;
    const u32 owned = {{owned}};
    const u32 met = {{met}};
    const u32 member = lane % GROUP;
    const Real scale = p0;
    const Real lowest = sizeof(Real) == 4 ? Real(-3.4028234663852886e38) : Real(-1.7976931348623157e308);
{{before}}
    u32 own[OWN], own_start[OWN], own_end[OWN];
    Four own_0[OWN][PARTS_0], own_1[OWN][PARTS_1], sum_0[OWN][PARTS_0], sum_1[OWN][PARTS_1];
    Real largest[OWN], total[OWN], logarithm[OWN], product[OWN];
#pragma unroll
    for (u32 r = 0; r < OWN; ++r) {
        // A row past the end computes the last one again, and is not stored.
        own[r] = min(first + r * GROUPS + lane / GROUP, owned - 1);
        own_start[r] = {{own_start}};
        own_end[r] = {{own_end}};
#pragma unroll
        for (u32 c = 0; c < PARTS_0; ++c) {
            own_0[r][c] = {{load_own_0}};
            sum_0[r][c] = Four(0);
        }
#pragma unroll
        for (u32 c = 0; c < PARTS_1; ++c) {
            own_1[r][c] = {{load_own_1}};
            sum_1[r][c] = Four(0);
        }
        largest[r] = lowest;
        total[r] = 0;
{{own_statistics}}
    }
    const u32 end = {{end}};
    for (u32 tile = {{start}}; tile < end; tile += TILE) {
        const u32 last = min(tile + TILE, end) - 1;
        // The tile before has been read.
        __syncthreads();
        for (u32 at = lane; at < TILE * PARTS_0 * GROUP; at += {{threads}}) {
            const u32 row = min(tile + at / (PARTS_0 * GROUP), last);
            tile_0[at] = {{load_met_0}};
        }
        for (u32 at = lane; at < TILE * PARTS_1 * GROUP; at += {{threads}}) {
            const u32 row = min(tile + at / (PARTS_1 * GROUP), last);
            tile_1[at] = {{load_met_1}};
        }
        __syncthreads();
#pragma unroll 1
        for (u32 other = tile; other <= last; other += 4) {
            Real weight[OWN][4], difference[OWN][4];
            bool keep[OWN][4];
#pragma unroll
            for (u32 t = 0; t < 4; ++t) {
                const u32 at = min(other + t, last);
                Real score[OWN], slope[OWN];
#pragma unroll
                for (u32 r = 0; r < OWN; ++r) score[r] = slope[r] = 0;
#pragma unroll
                for (u32 c = 0; c < PARTS_0; ++c) {
                    const Four four = tile_0[((at - tile) * PARTS_0 + c) * GROUP + member];
#pragma unroll
                    for (u32 r = 0; r < OWN; ++r) score[r] += dot(own_0[r][c], four);
                }
                if (BACKWARD) {
#pragma unroll
                    for (u32 c = 0; c < PARTS_1; ++c) {
                        const Four four = tile_1[((at - tile) * PARTS_1 + c) * GROUP + member];
#pragma unroll
                        for (u32 r = 0; r < OWN; ++r) slope[r] += dot(own_1[r][c], four);
                    }
                }
{{met_statistics}}
#pragma unroll
                for (u32 r = 0; r < OWN; ++r) {
                    const u32 mine = own[r];
                    Real derivative = scale;
                    score[r] = over_team(score[r]) * scale;
{{soft_cap}}
                    keep[r][t] = other + t >= own_start[r] && other + t < own_end[r];
{{mask}}
                    if (BACKWARD) {
                        slope[r] = over_team(slope[r]);
                        weight[r][t] = keep[r][t] ? {{exp}}(score[r] - logarithm[r]) : Real(0);
                        difference[r][t] = keep[r][t] ? weight[r][t] * (slope[r] - product[r]) * derivative : Real(0);
                    } else {
                        weight[r][t] = keep[r][t] ? score[r] : lowest;
                    }
                }
            }
            if (!BACKWARD) {
                // The online softmax: weights and sums are relative to the largest score so far.
#pragma unroll
                for (u32 r = 0; r < OWN; ++r) {
                    const Real next = {{max}}(largest[r], {{max}}({{max}}(weight[r][0], weight[r][1]), {{max}}(weight[r][2], weight[r][3])));
                    if (next != largest[r]) {
                        const Real shrink = {{exp}}(largest[r] - next);
                        total[r] *= shrink;
#pragma unroll
                        for (u32 c = 0; c < PARTS_1; ++c) {
                            sum_1[r][c].x *= shrink;
                            sum_1[r][c].y *= shrink;
                            sum_1[r][c].z *= shrink;
                            sum_1[r][c].w *= shrink;
                        }
                        largest[r] = next;
                    }
#pragma unroll
                    for (u32 t = 0; t < 4; ++t) weight[r][t] = keep[r][t] ? {{exp}}(weight[r][t] - next) : Real(0);
                    total[r] += (weight[r][0] + weight[r][1]) + (weight[r][2] + weight[r][3]);
                }
            }
#pragma unroll
            for (u32 t = 0; t < 4; ++t) {
                const u32 at = min(other + t, last) - tile;
                if (BACKWARD) {
#pragma unroll
                    for (u32 c = 0; c < PARTS_0; ++c) {
                        const Four four = tile_0[(at * PARTS_0 + c) * GROUP + member];
#pragma unroll
                        for (u32 r = 0; r < OWN; ++r) add(sum_0[r][c], difference[r][t], four);
                    }
                }
                if (!BACKWARD || KEYS_OWN) {
#pragma unroll
                    for (u32 c = 0; c < PARTS_1; ++c) {
                        const Four four = tile_1[(at * PARTS_1 + c) * GROUP + member];
#pragma unroll
                        for (u32 r = 0; r < OWN; ++r) add(sum_1[r][c], weight[r][t], four);
                    }
                }
            }
        }
    }
#pragma unroll
    for (u32 r = 0; r < OWN; ++r) {
        if (first + r * GROUPS + lane / GROUP >= owned) continue;
        const u32 row = batch * owned + own[r];
{{store}}
    }
}
