    if (at + 1u < end) {
        if ({{sorted}}[row + at + 1u] == target_index) {
            return;
        }
    }
    let q = {{sorted}}[{{pairs}} + row + at];
    {{store}}
