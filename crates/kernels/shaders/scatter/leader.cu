// A scatter with one thread a value. Of those that name the same place one leads and does the work of all, in order. For many places.

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    const u32 others = {{others}};
    const u32 length = {{length}};
    const u32 o = thread % others;
    const u32 j = thread / others;
    if (j >= length) return;
{{coordinates}}
    const u32 index_base = {{index_offset}};
    const u32 source_base = {{source_offset}};
    const u32 place = u32({{index}}[index_base + j * {{index_stride}}]);
    if (place >= {{extent}}) {
        atomicExch(&{{status}}, {{extent}} + 1u);
        return;
    }
    // The first leads an addition, the last an assignment.
    for (u32 q = {{rival_start}}; q < {{rival_end}}; ++q) {
        if (u32({{index}}[index_base + q * {{index_stride}}]) == place) return;
    }
    const u32 target_place = {{output_offset}} + place * {{output_stride}};
{{combine}}
}
