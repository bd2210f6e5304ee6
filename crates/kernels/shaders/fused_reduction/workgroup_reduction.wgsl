    var own{{j}} = {{nothing}};
    for (var block = member; block < {{steps}}; block += width * 32u) {
        let stop = min(block + width * 32u, {{steps}});
        var part = {{nothing}};
        for (var j = block; j < stop; j += width) {
{{element}}
            part = combine{{j}}(part, element);
        }
        own{{j}} = combine{{j}}(own{{j}}, part);
    }
    {{states}}[lane] = own{{j}};
    workgroupBarrier();
    for (var step = width / 2u; step > 0u; step = step >> 1u) {
        if (member < step) {
            {{states}}[lane] = combine{{j}}({{states}}[lane], {{states}}[lane + step]);
        }
        workgroupBarrier();
    }
    let total{{j}} = {{states}}[lane - member];
    // The next reduction may use the same memory.
    workgroupBarrier();
    let result{{j}} = {{result}};
