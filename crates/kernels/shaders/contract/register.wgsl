// A sum of products without workgroup memory: {{tile}} x 4 outputs a thread, held in registers. For outputs too few to fill a tile, and for
// software adapters, where a barrier costs more than it saves.

@compute @workgroup_size({{threads}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let m = {{m}};
    let n = {{n}};
    var place = (group.y * {{grid}} + group.x) * {{threads}}u + lane;
    if (place >= {{tiles}}) {
        return;
    }
    let column = (place % {{tiles_n}}) * 4u;
    place = place / {{tiles_n}};
    let row = (place % {{tiles_m}}) * {{tile}}u;
    place = place / {{tiles_m}};
    let batch = place % {{batches}};
    let chunk = place / {{batches}};
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{k}});
    // A row or column past the end reads the last one again, and is not stored.
{{rows}}
    let column0 = column;
    let column1 = min(column + 1u, n - 1u);
    let column2 = min(column + 2u, n - 1u);
    let column3 = min(column + 3u, n - 1u);
{{before}}
{{sums}}
    for (var d = start; d < end; d += {{steps}}) {
{{body}}
    }
    var sum = {{every_sum}};
    let plane = (chunk * {{batches}} + batch) * m;
    let first_column = column;
    let columns = n;
    for (var r = 0u; r < {{tile}}u; r++) {
        let output_row = row + r;
{{store}}
    }
}
