// Sorts runs of up to 2048 (key, index) pairs in workgroup memory, by a bitonic network. Short runs
// share a workgroup.

var<workgroup> keys: array<u32, 2048>;
var<workgroup> indices: array<u32, 2048>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let tile = group.y * {{grid}} + group.x;
    let rows = {{rows}};
    let length = {{length}};
    let span = {{span}};
    let runs = {{runs}};
    let first = tile * (2048u / span);
    if (first >= rows * runs) {
        return;
    }
    for (var slot = lane; slot < 2048u; slot += 256u) {
        let run = first + slot / span;
        let o = run / runs;
        let j = run % runs * span + slot % span;
        // The padding of a run sorts after its elements.
        keys[slot] = 0xffffffffu;
        indices[slot] = 0xffffffffu;
        if ((o < rows) & (j < length)) {
{{load}}
            keys[slot] = key;
            indices[slot] = j;
        }
    }
    workgroupBarrier();
    for (var size = 2u; size <= span; size = size << 1u) {
        for (var step = size >> 1u; step > 0u; step = step >> 1u) {
            for (var pair = lane; pair < 1024u; pair += 256u) {
                let a = pair * 2u - (pair & (step - 1u));
                let b = a + step;
                let ascending = (a & (span - 1u) & size) == 0u;
                let key_a = keys[a];
                let key_b = keys[b];
                let index_a = indices[a];
                let index_b = indices[b];
                let greater = (key_a > key_b) | ((key_a == key_b) & (index_a > index_b));
                if (greater == ascending) {
                    keys[a] = key_b;
                    keys[b] = key_a;
                    indices[a] = index_b;
                    indices[b] = index_a;
                }
            }
            workgroupBarrier();
        }
    }
    for (var slot = lane; slot < 2048u; slot += 256u) {
        let run = first + slot / span;
        let o = run / runs;
        let j = run % runs * span + slot % span;
        if ((o < rows) & (j < length)) {
            let key = keys[slot];
            let index = indices[slot];
{{store}}
        }
    }
}
