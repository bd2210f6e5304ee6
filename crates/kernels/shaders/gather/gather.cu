// Elements picked along one dimension. They move as words: a gather changes no bits.

{{kernel}} {
{{words}}
    const u32 i = block * {{threads}} + lane;
    if (i >= {{elements}}) return;
{{coordinates}}
    const u32 place = u32({{index}}[{{index_offset}}]);
    // A negative index is a large one here.
    if (place >= {{extent}}) {
        atomicExch(&{{status}}, {{extent}} + 1u);
        {{output}}[i] = 0;
        return;
    }
    {{output}}[i] = {{source}}[{{source_offset}} + place * {{stride}}];
}
