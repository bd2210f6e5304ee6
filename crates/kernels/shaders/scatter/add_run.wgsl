    if (at > first) {
        if ({{sorted}}[row + at - 1u] == place) {
            return;
        }
    }
    // Summed by blocks of 64, so that many values on one place are not one chain of additions.
    var total = {{nothing}};
    var part = {{nothing}};
    var count = 0u;
    for (var next = at; next < end; next++) {
        if ({{sorted}}[row + next] != place) {
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
