// Reductions and results over rows, with a team of threads a row: a warp, or the block. Each thread takes every 32nd (256th, 1024th) step, and the threads meet by shuffles.

{{kernel}} {
{{words}}
{{states}}
    const u32 o = block * ({{threads}} / {{team}}) + lane / {{team}};
    const u32 member = lane % {{team}};
    // All of a team are in the same row.
    if (o >= {{rows}}) return;
{{at_row}}
{{reductions}}
    if (member == 0) {
{{row_results}}
    }
    for (u32 j = member; j < {{steps}}; j += {{team}}) {
{{element_results}}
    }
}
