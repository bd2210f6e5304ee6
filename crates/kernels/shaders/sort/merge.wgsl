// Merges adjacent runs of (key, index) pairs. Each thread finds by bisection where its share of the
// result begins in both runs, and merges from there (Odeh, Green, Mwassi, Shmueli, Birk: Merge
// Path, 2012).

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let length = {{length}};
    let o = thread / {{shares}};
    if (o >= {{rows}}) {
        return;
    }
    let row = o * length;
    let begin = row{{start}};
    let start = thread % {{shares}} * 16u;
    let run = {{run}};
    let base = start / (run * 2u) * (run * 2u);
    let middle = min(base + run, length);
    let end = min(base + run * 2u, length);
    // How many of the elements before the share come from the first run.
    let before = start - base;
    let second = end - middle;
    var low = select(0u, before - second, before > second);
    var high = min(before, middle - base);
    while (low < high) {
        let half = (low + high) / 2u;
        if ({{keys}}[begin + base + half] <= {{keys}}[begin + middle + before - 1u - half]) {
            low = half + 1u;
        } else {
            high = half;
        }
    }
    var left = base + low;
    var right = middle + before - low;
    for (var j = start; j < min(start + 16u, end); j++) {
        // Of equal elements the first run's come first.
        var chosen = right;
        if (right >= end) {
            chosen = left;
        } else if (left < middle) {
            chosen = select(right, left, {{keys}}[begin + left] <= {{keys}}[begin + right]);
        }
        if (chosen == left) {
            left++;
        } else {
            right++;
        }
        let key = {{keys}}[begin + chosen];
        let index = {{positions}}[{{positions_start}} + begin + chosen];
{{store}}
    }
}
