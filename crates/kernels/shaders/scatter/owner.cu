// A scatter with one thread an output element, which searches all indices for its own. For many
// values and few target elements.

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    const u32 others = {{others}};
    const u32 length = {{length}};
    const u32 extent = {{extent}};
    const u32 o = thread % others;
    const u32 target_index = thread / others;
{{coordinates}}
    const u32 index_base = {{index_offset}};
    const u32 source_base = {{source_offset}};
    // The same threads check the indices, one each.
    if (target_index < length && u32({{index}}[index_base + target_index * {{index_stride}}]) >= extent) atomicExch(&{{status}}, extent + 1u);
    if (target_index >= extent) return;
    const u32 target_offset = {{output_offset}} + target_index * {{output_stride}};
{{combine}}
}
