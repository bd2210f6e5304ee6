    if (at + 1u < end) {
        if ({{sorted}}[row + at + 1u] == place) {
            return;
        }
    }
    let q = {{sorted}}[{{pairs}} + row + at];
    {{output}}[target_place] = {{source}}[source_base + q * {{source_stride}}];
