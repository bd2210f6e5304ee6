// A scatter after a stable sort of its indices, with their positions before the sort. One thread a
// sorted index. Of equal indices, the first thread adds all of their values in the original order;
// of an assignment, the last thread stores its value. For many values and many target elements.

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
    const u32 target_index = {{sorted}}[row + at];
    if (target_index >= {{extent}}) {
        atomicExch(&{{status}}, {{extent}} + 1u);
        return;
    }
    const u32 target_offset = {{output_offset}} + target_index * {{output_stride}};
{{combine}}
}
