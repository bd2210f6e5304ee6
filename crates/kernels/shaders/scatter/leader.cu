// A scatter with one thread a value. Of the threads with the same index, one applies all of their
// values, in order. For many target elements.

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
    const u32 target_index = u32({{index}}[index_base + j * {{index_stride}}]);
    if (target_index >= {{extent}}) {
        atomicExch(&{{status}}, {{extent}} + 1u);
        return;
    }
    // An addition is applied by the first of them, an assignment by the last.
    for (u32 q = {{rival_start}}; q < {{rival_end}}; ++q) {
        if (u32({{index}}[index_base + q * {{index_stride}}]) == target_index) return;
    }
    const u32 target_offset = {{output_offset}} + target_index * {{output_stride}};
{{combine}}
}
