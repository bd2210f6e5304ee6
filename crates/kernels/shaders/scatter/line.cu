// A scatter with one thread a line of indices along the dimension. The thread combines the values
// of the line in order. For many lines that share no index.

{{kernel}} {
{{words}}
    const u32 o = block * {{threads}} + lane;
    const u32 length = {{length}};
    if (o >= {{others}}) return;
{{coordinates}}
    const u32 index_base = {{index_offset}};
    const u32 source_base = {{source_offset}};
    const u32 output_base = {{output_offset}};
    for (u32 j = 0; j < length; ++j) {
        const u32 target_index = u32({{index}}[index_base + j * {{index_stride}}]);
        if (target_index >= {{extent}}) {
            atomicExch(&{{status}}, {{extent}} + 1u);
            continue;
        }
        const u32 target_offset = output_base + target_index * {{output_stride}};
{{combine}}
    }
}
