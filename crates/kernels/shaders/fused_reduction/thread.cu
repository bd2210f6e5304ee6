// Reductions and results over rows, with one thread a row.

{{kernel}} {
{{words}}
    const u32 o = block * {{threads}} + lane;
    if (o >= {{rows}}) return;
{{at_row}}
{{reductions}}
{{row_results}}
    for (u32 j = 0; j < {{steps}}; ++j) {
{{element_results}}
    }
}
