// A sum of products without workgroup memory: 4 x 4 outputs a thread, in registers. For outputs too
// few to fill a tile, and for software adapters, where a barrier costs more than it saves.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let m = {{m}};
    let n = {{n}};
    var tile_index = (group.y * {{grid}} + group.x) * 64u + lane;
    if (tile_index >= {{tiles}}) {
        return;
    }
    let column = (tile_index % {{tiles_n}}) * 4u;
    tile_index = tile_index / {{tiles_n}};
    let row = (tile_index % {{tiles_m}}) * 4u;
    tile_index = tile_index / {{tiles_m}};
    let batch = tile_index % {{batches}};
    let chunk = tile_index / {{batches}};
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{k}});
    // A row or column past the end reads the last one again, and is not stored.
    let row0 = row;
    let row1 = min(row + 1u, m - 1u);
    let row2 = min(row + 2u, m - 1u);
    let row3 = min(row + 3u, m - 1u);
    let column0 = column;
    let column1 = min(column + 1u, n - 1u);
    let column2 = min(column + 2u, n - 1u);
    let column3 = min(column + 3u, n - 1u);
{{before}}
    var sum0 = vec4<f32>();
    var sum1 = vec4<f32>();
    var sum2 = vec4<f32>();
    var sum3 = vec4<f32>();
    for (var d = start; d < end; d += {{steps}}) {
{{body}}
    }
    var sum = array<vec4<f32>, 4>(sum0, sum1, sum2, sum3);
    let plane = (chunk * {{batches}} + batch) * m;
    let first_column = column;
    let columns = n;
    for (var r = 0u; r < 4u; r++) {
        let output_row = row + r;
{{store}}
    }
}
