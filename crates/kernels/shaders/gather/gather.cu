// Copies elements picked along one dimension, as words, so that they keep every bit.

{{kernel}} {
{{words}}
    const u32 i = block * {{threads}} + lane;
    if (i >= {{elements}}) return;
{{coordinates}}
    const u32 source_index = u32({{index}}[{{index_offset}}]);
    // A negative index is a large one here.
    if (source_index >= {{extent}}) {
        atomicExch(&{{status}}, {{extent}} + 1u);
        {{output}}[i] = 0;
        return;
    }
    {{output}}[i] = {{source}}[{{source_offset}} + source_index * {{stride}}];
}
