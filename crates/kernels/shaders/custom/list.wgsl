fn {{name}}_len() -> u32 {
    return {{length}};
}

fn {{name}}(i: u32) -> i32 {
    return select(0i, bitcast<i32>(lanthorn_word({{start}} + i)), i < {{length}});
}
