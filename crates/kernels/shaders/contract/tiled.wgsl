// A sum of products with both tiles in workgroup memory: TILE x TILE outputs a workgroup of 256
// threads, DEPTH steps of k a tile, 4 x 4 or 8 x 8 outputs a thread. While one tile is multiplied,
// the next is loaded to registers and from there to the other half of workgroup memory, with one
// barrier a tile.

const TILE = {{tile}}u;
const DEPTH = {{depth}}u;
// The vectors of four columns that a thread has in a row.
const PARTS = TILE / 64u;
const HALF = TILE * DEPTH / 4u;

// Four neighbouring rows or columns at one step of k are a vector.
var<workgroup> tile_a: array<vec4<f32>, 2u * HALF>;
var<workgroup> tile_b: array<vec4<f32>, 2u * HALF>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let m = {{m}};
    let n = {{n}};
    var tile_index = group.y * {{grid}} + group.x;
    if (tile_index >= {{tiles}}) {
        return;
    }
    let column = (tile_index % {{tiles_n}}) * TILE;
    tile_index = tile_index / {{tiles_n}};
    let row = (tile_index % {{tiles_m}}) * TILE;
    tile_index = tile_index / {{tiles_m}};
    let batch = tile_index % {{batches}};
    let chunk = tile_index / {{batches}};
    let start = chunk * {{chunk_length}};
    let end = min(start + {{chunk_length}}, {{k}});
{{before}}
    // A thread has four adjacent rows; if it has eight, the other four are 64 rows after them. So
    // with columns.
    let x = lane & 15u;
    let y = lane >> 4u;
{{sums}}    var current = 0u;
    for (var step = start; step < end + DEPTH; step += DEPTH) {
        let more = step < end;
        var a_value: vec4<f32>;
        var b_value: vec4<f32>;
        // Elements past the end are 0 in both tiles.
        if (more) {
{{fetch}}
        }
        if (step > start) {
            for (var d = 0u; d < DEPTH; d++) {
                let begin = current + d * (TILE / 4u);
{{multiply}}
            }
        }
        current = HALF - current;
        if (more) {
{{keep}}
        }
        workgroupBarrier();
    }
    // Becomes an array only here, because an array with a dynamic index may not be kept in
    // registers.
    var sum = {{every_sum}};
    let plane = (chunk * {{batches}} + batch) * m;
    let columns = n;
    for (var r = 0u; r < 4u * PARTS * PARTS; r++) {
        let at = r / PARTS;
        let output_row = row + (at >> 2u) * 64u + y * 4u + (at & 3u);
        let first_column = column + (r % PARTS) * 64u + x * 4u;
{{store}}
    }
}
