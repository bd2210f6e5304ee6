// Running results along rows, with one thread a row and chunk. Blocks of 64 steps keep a long sum
// from being one chain of additions.

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    const u32 rows = {{rows}};
    const u32 chunks = {{chunks}};
    if (thread >= rows * chunks) return;
    // Neighbours take neighbouring rows.
    const u32 o = thread % rows;
    const u32 chunk = thread / rows;
    const u32 start = chunk * {{chunk_length}};
    const u32 end = min(start + {{chunk_length}}, {{length}});
{{at_row}}
    const State nothing = {{nothing}};
    State carry = nothing;
{{carry}}
    for (u32 first = start; first < end; first += 64) {
        const u32 stop = min(first + 64, end);
        State part = nothing;
        for (u32 j = first; j < stop; ++j) {
{{element}}
            part = combine(part, element);
{{store}}
        }
        carry = combine(carry, part);
    }
{{finish}}
}
