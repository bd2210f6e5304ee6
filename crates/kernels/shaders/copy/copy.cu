// A strided window written to another, one element or four a step. The elements move as words of their size: a copy keeps every bit, those of a subnormal or a NaN too.

{{kernel}} {
{{words}}
    for (u32 i = block * {{threads}} + lane; i < {{steps}}; i += gridDim.x * gridDim.y * {{threads}}) {
{{body}}
    }
}
