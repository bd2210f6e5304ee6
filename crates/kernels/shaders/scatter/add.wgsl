    // Summed by blocks of 64, so that many values of one element are not one chain of additions.
    var total = {{nothing}};
    var part = {{nothing}};
    var count = 0u;
    for (var q = {{first}}; q < length; q++) {
        if (bitcast<u32>({{index}}[index_base + q * {{index_stride}}]) == target_index) {
            part = combine(part, {{load}});
            count++;
            if ((count & 63u) == 0u) {
                total = combine(total, part);
                part = {{nothing}};
            }
        }
    }
    if (count > 0u) {
        let result = combine({{load_output}}, combine(total, part));
        {{store}}
    }
