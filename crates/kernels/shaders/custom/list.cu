const auto {{name}}_len = [&]() -> u32 { return {{length}}; };
const auto {{name}} = [&](u32 i) -> i32 { return i < {{length}} ? i32(words.at[{{start}} + i]) : 0; };
