// Attention of a few queries, such as a decoder's next token. A workgroup computes one query over
// all keys or over a share of them. Each thread scores a key of a tile, then sums a vector of the
// values over a part of the tile's keys.

var<workgroup> own_query: array<vec4<f32>, {{key_vectors}}>;
var<workgroup> numbers: array<f32, {{threads}}>;
var<workgroup> weights: array<f32, {{threads}}>;
var<workgroup> sums: array<vec4<f32>, {{threads}}>;

@compute @workgroup_size({{threads}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let group_index = group.y * {{grid}} + group.x;
    if (group_index >= {{groups}}) {
        return;
    }
    let owned = {{owned}};
    let met = {{met}};
    let shares = {{shares}};
    let share = group_index % shares;
    let row = group_index / shares;
    let batch = row / owned;
    let own = row % owned;
{{before}}
    let scale = p0;
    let lowest = bitcast<f32>(0xff7fffffu);
    if (lane < {{key_vectors}}u) {
        own_query[lane] = load_query(query_base + own * {{query_row}}, lane, {{query_column}});
    }
    let vector = lane % {{value_vectors}}u;
    let part = lane / {{value_vectors}}u;
    var largest = lowest;
    var total = 0.0f;
    var sum = vec4<f32>();
    // Only the filled slots are shared out, in equal shares.
    let met_start = {{start}};
    let met_end = max({{end}}, met_start);
    let length = (met_end - met_start + shares - 1u) / shares;
    let start = min(met_start + share * length, met_end);
    let end = min(start + length, met_end);
    workgroupBarrier();
    for (var tile = start; tile < end; tile += {{threads}}u) {
        let count = min(end - tile, {{threads}}u);
        let other = tile + lane;
        var keep = lane < count;
        var score = lowest;
        if (keep) {
            let key_at = key_base + other * {{key_row}};
            // The order of the backward passes, which recompute the scores: equal roundings cancel.
            score = 0.0f;
            for (var c = 0u; c < {{key_vectors}}u; c++) {
                score += dot(own_query[c], load_key(key_at, c, {{key_column}}));
            }
            score = score * scale;
{{score}}
        }
        // The online softmax: weights and sums are relative to the largest score so far.
        numbers[lane] = select(lowest, score, keep);
        workgroupBarrier();
        for (var step = {{threads}}u / 2u; step > 0u; step = step >> 1u) {
            if (lane < step) {
                numbers[lane] = max(numbers[lane], numbers[lane + step]);
            }
            workgroupBarrier();
        }
        let next = max(largest, numbers[0]);
        let shrink = exp_f32(largest - next);
        let weight = select(0.0f, exp_f32(score - next), keep);
        largest = next;
        total = total * shrink + weight;
        weights[lane] = weight;
        workgroupBarrier();
        sum = sum * shrink;
        if (part < {{parts}}u) {
            for (var k = part; k < count; k += {{parts}}u) {
                sum += weights[k] * load_value(value_base + (tile + k) * {{value_row}}, vector, {{value_column}});
            }
        }
    }
    numbers[lane] = total;
    sums[lane] = sum;
    workgroupBarrier();
    for (var step = {{threads}}u / 2u; step > 0u; step = step >> 1u) {
        if (lane < step) {
            numbers[lane] = numbers[lane] + numbers[lane + step];
        }
        workgroupBarrier();
    }
    if (lane < {{value_vectors}}u) {
        let all = numbers[0];
        for (var p = 1u; p < {{parts}}u; p++) {
            sum += sums[p * {{value_vectors}}u + lane];
        }
{{finish}}
    }
}
