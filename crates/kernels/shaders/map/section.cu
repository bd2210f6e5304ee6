if (block - {{before}} < {{groups}}) {
    // All threads of the range step through it together, so that neighbours read neighbours; a step is one element or four.
    for (u32 i = (block - {{before}}) * {{threads}} + lane; i < {{steps}}; i += {{groups}} * {{threads}}) {
{{body}}
    }
}
