    if (at > first) {
        if ({{sorted}}[row + at - 1u] == target_index) {
            return;
        }
    }
    // Summed by blocks of 64, so that many values of one element are not one chain of additions.
    var total = {{nothing}};
    var part = {{nothing}};
    var count = 0u;
    for (var next = at; next < end; next++) {
        if ({{sorted}}[row + next] != target_index) {
            break;
        }
        let q = {{sorted}}[{{pairs}} + row + next];
        part = combine(part, {{load}});
        count++;
        if ((count & 63u) == 0u) {
            total = combine(total, part);
            part = {{nothing}};
        }
    }
    let result = combine({{load_output}}, combine(total, part));
    {{store}}
