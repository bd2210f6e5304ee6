if (block - {{before}} < {{groups}}) {
    // All threads step through the range together, so that adjacent threads read adjacent elements.
    // A step is one element or four.
    for (u32 i = (block - {{before}}) * {{threads}} + lane; i < {{steps}}; i += {{groups}} * {{threads}}) {
{{body}}
    }
}
