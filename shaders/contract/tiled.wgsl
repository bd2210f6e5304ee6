// A matrix product with both tiles in workgroup memory: 64 x 64 outputs a workgroup, 16 steps of k a tile, 4 x 4 outputs a thread.

var<workgroup> tile_a: array<f32, 1024>;
var<workgroup> tile_b: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let m = {{m}};
    let n = {{n}};
    var place = group.y * {{grid}} + group.x;
    if (place >= {{groups}}) {
        return;
    }
    let column = (place % {{tiles_n}}) * 64u;
    place = place / {{tiles_n}};
    let row = (place % {{tiles_m}}) * 64u;
    place = place / {{tiles_m}};
    let batch = place % {{batches}};
    let chunk = place / {{batches}};
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{k}});
{{batch_coordinates}}
    let a_base = {{a_base}};
    let b_base = {{b_base}};
    let x = (lane & 15u) * 4u;
    let y = (lane >> 4u) * 4u;
    // Neighbouring threads read along the dimension that is contiguous.
    let a_along_k = {{a_k}} == 1u;
    let b_along_k = {{b_k}} == 1u;
    var sum: array<vec4<f32>, 4>;
    for (var step = start; step < end; step += 16u) {
        for (var piece = 0u; piece < 4u; piece++) {
            let at = piece * 256u + lane;
            let a_place = select(vec2<u32>(at & 63u, at >> 6u), vec2<u32>(at >> 4u, at & 15u), a_along_k);
            let a_row = row + a_place.x;
            let a_step = step + a_place.y;
            var a_value = 0.0f;
            if ((a_row < m) & (a_step < end)) {
                a_value = {{a}}[a_base + a_row * {{a_m}} + a_step * {{a_k}}];
            }
            tile_a[a_place.y * 64u + a_place.x] = a_value;
            let b_place = select(vec2<u32>(at & 63u, at >> 6u), vec2<u32>(at >> 4u, at & 15u), b_along_k);
            let b_column = column + b_place.x;
            let b_step = step + b_place.y;
            var b_value = 0.0f;
            if ((b_column < n) & (b_step < end)) {
                b_value = {{b}}[b_base + b_step * {{b_k}} + b_column * {{b_n}}];
            }
            tile_b[b_place.y * 64u + b_place.x] = b_value;
        }
        workgroupBarrier();
        // What lies past the end is not multiplied: 0 times an infinity would be NaN.
        let depth = min(16u, end - step);
        for (var d = 0u; d < depth; d++) {
            let from_a = d * 64u + y;
            let from_b = d * 64u + x;
            let b4 = vec4<f32>(tile_b[from_b], tile_b[from_b + 1u], tile_b[from_b + 2u], tile_b[from_b + 3u]);
            sum[0] += tile_a[from_a] * b4;
            sum[1] += tile_a[from_a + 1u] * b4;
            sum[2] += tile_a[from_a + 2u] * b4;
            sum[3] += tile_a[from_a + 3u] * b4;
        }
        workgroupBarrier();
    }
    let plane = (chunk * {{batches}} + batch) * m;
    for (var r = 0u; r < 4u; r++) {
        for (var c = 0u; c < 4u; c++) {
            if ((row + y + r < m) & (column + x + c < n)) {
                let o = (plane + row + y + r) * n + column + x + c;
                let total = sum[r][c];
{{store}}
            }
        }
    }
}
