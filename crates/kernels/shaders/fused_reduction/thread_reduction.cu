    // Blocks of 64 steps keep a long sum from being one chain of additions.
    {{state}} total{{j}} = {{nothing}};
    for (u32 first = 0; first < {{steps}}; first += 64) {
        const u32 stop = min(first + 64, {{steps}});
        {{state}} part = {{nothing}};
        for (u32 j = first; j < stop; ++j) {
{{element}}
            part = combine{{j}}(part, element);
        }
        total{{j}} = combine{{j}}(total{{j}}, part);
    }
    const auto result{{j}} = {{result}};
