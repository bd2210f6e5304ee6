// Merges adjacent runs of (key, index) pairs. Each thread finds by bisection where its share of the
// result begins in both runs, and merges from there (Odeh, Green, Mwassi, Shmueli, Birk: Merge
// Path, 2012).

typedef {{key}} Key;

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    const u32 length = {{length}};
    const u32 o = thread / {{shares}};
    if (o >= {{rows}}) return;
    const u32 row = o * length;
    const Key* const keys = reinterpret_cast<const Key*>({{keys}}{{start}}) + row;
    const u32* const indices = {{positions}}{{start}} + {{positions_start}} + row;
    const u32 start = thread % {{shares}} * 16;
    const u32 run = {{run}};
    const u32 base = start / (run * 2) * (run * 2);
    const u32 middle = min(base + run, length);
    const u32 end = min(base + run * 2, length);
    // How many of the elements before the share come from the first run.
    const u32 before = start - base;
    const u32 second = end - middle;
    u32 low = before > second ? before - second : 0;
    u32 high = min(before, middle - base);
    while (low < high) {
        const u32 half = (low + high) / 2;
        if (keys[base + half] <= keys[middle + before - 1 - half]) {
            low = half + 1;
        } else {
            high = half;
        }
    }
    u32 left = base + low;
    u32 right = middle + before - low;
    for (u32 j = start; j < min(start + 16, end); ++j) {
        // Of equal elements the first run's come first.
        const bool from_left = right >= end || (left < middle && keys[left] <= keys[right]);
        const u32 chosen = from_left ? left++ : right++;
        const Key key = keys[chosen];
        const u32 index = indices[chosen];
{{store}}
    }
}
