// A sum of products for software adapters. Four adjacent threads of a workgroup compute up to 16
// rows: each reads a fourth of the rows, and computes four columns.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let m = {{m}};
    let n = {{n}};
    // A quad past the end computes the last tile again and does not store it, because the shuffles
    // need all threads.
    let quad = (group.y * {{grid}} + group.x) * 16u + (lane >> 2u);
    let member = lane & 3u;
    var tile_index = min(quad, {{tiles}} - 1u);
    let first_column = (tile_index % {{tiles_n}}) * 16u + member * 4u;
    tile_index = tile_index / {{tiles_n}};
    let row = (tile_index % {{tiles_m}}) * {{rows}};
    tile_index = tile_index / {{tiles_m}};
    let batch = tile_index % {{batches}};
    let chunk = tile_index / {{batches}};
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{k}});
    // A row or column past the end reads one before it again, and is not stored.
    let column = min(first_column, (n - 1u) & 0xfffffffcu);
    let column0 = column;
    let column1 = min(column + 1u, n - 1u);
    let column2 = min(column + 2u, n - 1u);
    let column3 = min(column + 3u, n - 1u);
{{before}}
    for (var d = start; d < end; d += {{steps}}) {
{{body}}
    }
    var sum = {{sums}};
    let plane = (chunk * {{batches}} + batch) * m;
    let columns = select(0u, n, quad < {{tiles}});
    for (var r = 0u; r < {{rows}}; r++) {
        let output_row = row + (r ^ member);
{{store}}
    }
}
