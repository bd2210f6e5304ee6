// A scatter with one thread an output element, which looks through all indices for what names it. For many values on few places.

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    const u32 others = {{others}};
    const u32 length = {{length}};
    const u32 extent = {{extent}};
    const u32 o = thread % others;
    const u32 place = thread / others;
{{coordinates}}
    const u32 index_base = {{index_offset}};
    const u32 source_base = {{source_offset}};
    // The same threads check the indices, one each.
    if (place < length && u32({{index}}[index_base + place * {{index_stride}}]) >= extent) atomicExch(&{{status}}, extent + 1u);
    if (place >= extent) return;
    const u32 target_place = {{output_offset}} + place * {{output_stride}};
{{combine}}
}
