// Copies one strided view to another, one element or four a step. Elements are copied as words of
// their size, so that subnormal numbers and NaN keep every bit.

{{kernel}} {
{{words}}
    for (u32 i = block * {{threads}} + lane; i < {{steps}}; i += gridDim.x * gridDim.y * {{threads}}) {
{{body}}
    }
}
