    for (var tile = start; tile < end; tile += {{tile}}u) {
        let last = min(tile + {{tile}}u, end) - 1u;
{{fill}}
        workgroupBarrier();
        for (var other = tile; other <= last; other += 4u) {
{{rows}}
{{step}}
        }
        workgroupBarrier();
    }
