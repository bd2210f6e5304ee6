// Threefry-2x32 with 20 rounds, and the normal deviate made of two words, in integers: the same
// bits as lanthorn_ir::random.

fn threefry_rounds(state: vec2<u32>, r: vec4<u32>) -> vec2<u32> {
    var x = state.x;
    var y = state.y;
    x = x + y;
    y = ((y << r.x) | (y >> (32u - r.x))) ^ x;
    x = x + y;
    y = ((y << r.y) | (y >> (32u - r.y))) ^ x;
    x = x + y;
    y = ((y << r.z) | (y >> (32u - r.z))) ^ x;
    x = x + y;
    y = ((y << r.w) | (y >> (32u - r.w))) ^ x;
    return vec2<u32>(x, y);
}

fn threefry(k0: u32, k1: u32, c0: u32, c1: u32) -> u32 {
    let k2 = 0x1bd11bdau ^ k0 ^ k1;
    let even = vec4<u32>(13u, 15u, 26u, 6u);
    let odd = vec4<u32>(17u, 29u, 16u, 24u);
    var s = vec2<u32>(c0 + k0, c1 + k1);
    s = threefry_rounds(s, even) + vec2<u32>(k1, k2 + 1u);
    s = threefry_rounds(s, odd) + vec2<u32>(k2, k0 + 2u);
    s = threefry_rounds(s, even) + vec2<u32>(k0, k1 + 3u);
    s = threefry_rounds(s, odd) + vec2<u32>(k1, k2 + 4u);
    s = threefry_rounds(s, even) + vec2<u32>(k2, k0 + 5u);
    return s.x;
}

fn normal(word_a: u32, word_b: u32) -> f32 {
    let a = word_a + select(1u, 0u, word_a == 0xffffffffu);
    let zeros = countLeadingZeros(a);
    var mantissa = a << (zeros & 31u);
    var logarithm = 31u - zeros;
    for (var i = 0u; i < 26u; i++) {
        let square = multiply_high(mantissa, mantissa);
        logarithm = (logarithm << 1u) | (square >> 31u);
        mantissa = select(square << 1u, square, (square >> 31u) == 1u);
    }
    let radicand = multiply_high(0x80000000u - logarithm, 2977044472u);
    var rest = 0u;
    var value = radicand << 1u;
    var root = 0u;
    for (var i = 0u; i < 28u; i++) {
        rest = (rest << 2u) | (value >> 30u);
        value = value << 2u;
        let trial = (root << 2u) | 1u;
        root = root << 1u;
        if (rest >= trial) {
            rest = rest - trial;
            root = root | 1u;
        }
    }
    let phase = word_b << 2u;
    let x = select(phase, ~phase, (word_b & 0x40000000u) != 0u);
    let x2 = multiply_high(x, x);
    var sine = 7728u;
    sine = 344545u - multiply_high(sine, x2);
    sine = 10053990u - multiply_high(sine, x2);
    sine = 171138612u - multiply_high(sine, x2);
    sine = 1387197337u - multiply_high(sine, x2);
    sine = 3373259426u - multiply_high(sine, x2);
    sine = multiply_high(sine, x);
    let magnitude = multiply_high(root << 4u, sine) >> 7u;
    let deviate = f32(magnitude) * 4.76837158203125e-7f;
    return select(deviate, -deviate, (word_b >> 31u) == 1u);
}
