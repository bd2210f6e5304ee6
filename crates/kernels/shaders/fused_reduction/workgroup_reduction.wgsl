    var own{{j}} = {{nothing}};
    for (var block = lane; block < {{steps}}; block += 256u * 32u) {
        let stop = min(block + 256u * 32u, {{steps}});
        var part = {{nothing}};
        for (var j = block; j < stop; j += 256u) {
{{element}}
            part = combine{{j}}(part, element);
        }
        own{{j}} = combine{{j}}(own{{j}}, part);
    }
    {{states}}[lane] = own{{j}};
    workgroupBarrier();
    for (var step = 128u; step > 0u; step = step >> 1u) {
        if (lane < step) {
            {{states}}[lane] = combine{{j}}({{states}}[lane], {{states}}[lane + step]);
        }
        workgroupBarrier();
    }
    let total{{j}} = {{states}}[0];
    // The next reduction may use the same memory.
    workgroupBarrier();
    let result{{j}} = {{result}};
