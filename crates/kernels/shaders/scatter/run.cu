// A scatter after its indices were sorted, with the places that they came from. One thread a sorted index: the first of those that are equal leads an addition and goes
// through all of them, in the order that they came in; the last does an assignment. For many values on many places.

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    const u32 others = {{others}};
    const u32 first = {{first}};
    const u32 end = {{end}};
    const u32 o = thread % others;
    const u32 at = first + thread / others;
    if (at >= end) return;
{{coordinates}}
    const u32 row = {{row}};
    const u32 source_base = {{source_offset}};
    const u32 place = {{sorted}}[row + at];
    if (place >= {{extent}}) {
        atomicExch(&{{status}}, {{extent}} + 1u);
        return;
    }
    const u32 target_place = {{output_offset}} + place * {{output_stride}};
{{combine}}
}
