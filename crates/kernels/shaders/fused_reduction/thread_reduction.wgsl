    // Blocks of 64 steps keep a long sum from being one chain of additions.
    var total{{j}} = {{nothing}};
    for (var block = 0u; block < {{steps}}; block += 64u) {
        let stop = min(block + 64u, {{steps}});
        var part = {{nothing}};
        for (var j = block; j < stop; j++) {
{{element}}
            part = combine{{j}}(part, element);
        }
        total{{j}} = combine{{j}}(total{{j}}, part);
    }
    let result{{j}} = {{result}};
