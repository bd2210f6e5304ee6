    for (var q = length; q > 0u; q--) {
        if (bitcast<u32>({{index}}[index_base + (q - 1u) * {{index_stride}}]) == target_index) {
            {{store}}
            return;
        }
    }
