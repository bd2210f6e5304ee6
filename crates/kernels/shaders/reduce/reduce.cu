// Reductions, each over a range of the blocks.

{{kernel}} {
{{words}}
{{sections}}
}
