    if (at + 1u < end) {
        if ({{sorted}}[row + at + 1u] == place) {
            return;
        }
    }
    let q = {{sorted}}[{{pairs}} + row + at];
    {{store}}
