    {{state}} own{{j}} = {{nothing}};
    for (u32 first = member; first < {{steps}}; first += {{group}} * 32) {
        const u32 stop = min(first + {{group}} * 32, {{steps}});
        {{state}} part = {{nothing}};
#pragma unroll 4
        for (u32 j = first; j < stop; j += {{group}}) {
{{element}}
            part = combine{{j}}(part, element);
        }
        own{{j}} = combine{{j}}(own{{j}}, part);
    }
    const {{state}} total{{j}} = combine_group<{{group}}>(own{{j}}, {{states}}, []({{state}} a, {{state}} b) { return combine{{j}}(a, b); });
    const auto result{{j}} = {{result}};
