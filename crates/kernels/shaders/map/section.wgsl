if (place - {{before}} < {{groups}}) {
    // A thread takes several steps, a workgroup apart, so that neighbours read neighbours; a step is one element or four.
    let first = (place - {{before}}) * (64u * {{per_thread}}) + lane;
    let last = min(first + 64u * {{per_thread}}, {{steps}});
    for (var i = first; i < last; i += 64u) {
{{body}}
    }
}
