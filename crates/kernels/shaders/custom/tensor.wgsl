const {{name}}_given = {{given}};

fn {{name}}_numel() -> u32 {
    return {{numel}};
}

fn {{name}}_rank() -> u32 {
    return {{rank}};
}

fn {{name}}_size(d: u32) -> u32 {
    return select(1u, lanthorn_word({{start}} + d), d < {{rank}});
}

fn {{name}}_stride(d: u32) -> u32 {
    return select(0u, lanthorn_word({{start}} + {{rank}} + d), d < {{rank}});
}
