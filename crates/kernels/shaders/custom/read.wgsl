fn {{name}}(i: u32) -> {{ty}} {
    if (i >= {{numel}}) {
        return {{ty}}();
    }
    return {{value}};
}
