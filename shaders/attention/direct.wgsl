    for (var other = start; other < end; other += 4u) {
        let last = end - 1u;
{{rows}}
{{step}}
    }
