// Attention of a few queries, such as a decoder's next token. A block computes one query over all
// keys or over a share of them. Each thread scores a key of a tile, then sums a vector of the
// values over a part of the tile's keys.

typedef {{type}} Real;
typedef vec4<Real> Four;
const u32 THREADS = {{threads}};
const u32 KEY_VECTORS = {{key_vectors}};
const u32 VALUE_VECTORS = {{value_vectors}};
const u32 PARTS = {{parts}};

{{kernel}} {
{{words}}
    alignas(16) __shared__ Four own_query[KEY_VECTORS];
    alignas(16) __shared__ Four sums[THREADS];
    __shared__ Real numbers[THREADS];
    __shared__ Real weights[THREADS];
    if (block >= {{groups}}) return;
    const u32 owned = {{owned}};
    const u32 met = {{met}};
    const u32 shares = {{shares}};
    const u32 share = block % shares;
    const u32 row = block / shares;
    const u32 batch = row / owned;
    const u32 own = row % owned;
    const Real scale = p0;
    const Real lowest = sizeof(Real) == 4 ? Real(-3.4028234663852886e38) : Real(-1.7976931348623157e308);
{{before}}
    if (lane < KEY_VECTORS) own_query[lane] = load_query(query_base + own * {{query_row}}, lane);
    const u32 vector = lane % VALUE_VECTORS;
    const u32 part = lane / VALUE_VECTORS;
    Real largest = lowest;
    Real total = 0;
    Four sum(0);
    // Only the filled slots are shared out, in equal shares.
    const u32 met_start = {{start}};
    const u32 met_end = max(u32({{end}}), met_start);
    const u32 length = (met_end - met_start + shares - 1) / shares;
    const u32 start = min(met_start + share * length, met_end);
    const u32 end = min(start + length, met_end);
    __syncthreads();
    for (u32 tile = start; tile < end; tile += THREADS) {
        const u32 count = min(end - tile, THREADS);
        const u32 other = tile + lane;
        bool keep = lane < count;
        Real score = lowest;
        if (keep) {
            const u32 key_at = key_base + other * {{key_row}};
            score = 0;
#pragma unroll 4
            for (u32 c = 0; c < KEY_VECTORS; ++c) {
                const Four a = own_query[c], b = load_key(key_at, c);
                score += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
            }
            score *= scale;
{{score}}
        }
        // The online softmax: weights and sums are relative to the largest score so far.
        numbers[lane] = keep ? score : lowest;
        __syncthreads();
        for (u32 step = THREADS / 2; step > 0; step >>= 1) {
            if (lane < step) numbers[lane] = {{max}}(numbers[lane], numbers[lane + step]);
            __syncthreads();
        }
        const Real next = {{max}}(largest, numbers[0]);
        const Real shrink = {{exp}}(largest - next);
        const Real weight = keep ? {{exp}}(score - next) : Real(0);
        largest = next;
        total = total * shrink + weight;
        weights[lane] = weight;
        __syncthreads();
        sum = Four(sum.x * shrink, sum.y * shrink, sum.z * shrink, sum.w * shrink);
        if (part < PARTS) {
#pragma unroll 4
            for (u32 k = part; k < count; k += PARTS) {
                const Real w = weights[k];
                const Four a = load_value(value_base + (tile + k) * {{value_row}}, vector);
                sum = Four(sum.x + w * a.x, sum.y + w * a.y, sum.z + w * a.z, sum.w + w * a.w);
            }
        }
    }
    numbers[lane] = total;
    sums[lane] = sum;
    __syncthreads();
    for (u32 step = THREADS / 2; step > 0; step >>= 1) {
        if (lane < step) numbers[lane] += numbers[lane + step];
        __syncthreads();
    }
    if (lane < VALUE_VECTORS) {
        const Real all = numbers[0];
        for (u32 p = 1; p < PARTS; ++p) {
            const Four a = sums[p * VALUE_VECTORS + lane];
            sum = Four(sum.x + a.x, sum.y + a.y, sum.z + a.z, sum.w + a.w);
        }
{{finish}}
    }
}
