// A matrix product without workgroup memory: 4 x 4 outputs a thread, held in registers. For outputs too few to fill a tile, and for
// software adapters, where a barrier costs more than it saves.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let m = {{m}};
    let n = {{n}};
    var place = (group.y * {{grid}} + group.x) * 64u + lane;
    if (place >= {{threads}}) {
        return;
    }
    let column = (place % {{tiles_n}}) * 4u;
    place = place / {{tiles_n}};
    let row = (place % {{tiles_m}}) * 4u;
    place = place / {{tiles_m}};
    let batch = place % {{batches}};
    let chunk = place / {{batches}};
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{k}});
{{batch_coordinates}}
    // A row or column past the end reads the last one again, and is not stored.
    let a_base = {{a_base}} + vec4<u32>(row, min(row + 1u, m - 1u), min(row + 2u, m - 1u), min(row + 3u, m - 1u)) * {{a_m}};
    let b_base = {{b_base}} + vec4<u32>(column, min(column + 1u, n - 1u), min(column + 2u, n - 1u), min(column + 3u, n - 1u)) * {{b_n}};
    var sum0 = vec4<f32>();
    var sum1 = vec4<f32>();
    var sum2 = vec4<f32>();
    var sum3 = vec4<f32>();
    let a_k = vec4<u32>({{a_k}});
    let b_k = vec4<u32>({{b_k}});
    var at_a = a_base + start * a_k;
    var at_b = b_base + start * b_k;
    for (var d = start; d < end; d++) {
        let b4 = vec4<f32>({{b}}[at_b.x], {{b}}[at_b.y], {{b}}[at_b.z], {{b}}[at_b.w]);
        sum0 += {{a}}[at_a.x] * b4;
        sum1 += {{a}}[at_a.y] * b4;
        sum2 += {{a}}[at_a.z] * b4;
        sum3 += {{a}}[at_a.w] * b4;
        at_a += a_k;
        at_b += b_k;
    }
    var sum = array<vec4<f32>, 4>(sum0, sum1, sum2, sum3);
    let plane = (chunk * {{batches}} + batch) * m;
    for (var r = 0u; r < 4u; r++) {
        for (var c = 0u; c < 4u; c++) {
            if ((row + r < m) & (column + c < n)) {
                let o = (plane + row + r) * n + column + c;
                let total = sum[r][c];
{{store}}
            }
        }
    }
}
