// Reductions and results over rows, with a group of threads a row: a warp, or the block. Each
// thread computes every 32nd (256th, 1024th) step, and shuffles combine the threads' results.

{{kernel}} {
{{words}}
{{states}}
    const u32 o = block * ({{threads}} / {{group}}) + lane / {{group}};
    const u32 member = lane % {{group}};
    // All of a group are in the same row.
    if (o >= {{rows}}) return;
{{at_row}}
{{reductions}}
    if (member == 0) {
{{row_results}}
    }
    for (u32 j = member; j < {{steps}}; j += {{group}}) {
{{element_results}}
    }
}
