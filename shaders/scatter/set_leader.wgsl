    {{output}}[target_place] = {{source}}[source_base + j * {{source_stride}}];
