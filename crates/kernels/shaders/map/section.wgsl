if (group_index - {{before}} < {{groups}}) {
    // A thread computes several steps, a workgroup apart, so that adjacent threads read adjacent
    // elements. A step is one element or four.
    let first = (group_index - {{before}}) * (64u * {{per_thread}}) + lane;
    let last = min(first + 64u * {{per_thread}}, {{steps}});
    for (var i = first; i < last; i += 64u) {
{{body}}
    }
}
