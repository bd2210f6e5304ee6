// A sum of products with both tiles in workgroup memory: 64 x 64 outputs a workgroup, 16 steps of k a tile, 4 x 4 outputs a thread.

var<workgroup> tile_a: array<f32, 1024>;
var<workgroup> tile_b: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let m = {{m}};
    let n = {{n}};
    var place = group.y * {{grid}} + group.x;
    if (place >= {{tiles}}) {
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
{{before}}
    let x = (lane & 15u) * 4u;
    let y = (lane >> 4u) * 4u;
    var sum: array<vec4<f32>, 4>;
    for (var step = start; step < end; step += 16u) {
{{fill}}
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
    let first_column = column + x;
    let columns = n;
    for (var r = 0u; r < 4u; r++) {
        let output_row = row + y + r;
{{store}}
    }
}
