// Pointwise kernels, each over a range of the blocks.

{{kernel}} {
{{words}}
{{sections}}
}
