// The parts of a float, by its bits.

fn copysign_f32(a: f32, b: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(a) & 0x7fffffffu) | (bitcast<u32>(b) & 0x80000000u));
}

// How far the bits of a subnormal number must be shifted to make it a normal one.
fn normalizing_shift(magnitude: u32) -> u32 {
    return select(0u, countLeadingZeros(magnitude) - 8u, (magnitude < 0x00800000u) & (magnitude != 0u));
}

// Whether a number has no exponent: 0, infinity and NaN.
fn is_without_exponent(magnitude: u32) -> bool {
    return (magnitude == 0u) | (magnitude >= 0x7f800000u);
}

fn mantissa_f32(a: f32) -> f32 {
    let bits = bitcast<u32>(a);
    let magnitude = bits & 0x7fffffffu;
    let fraction = (magnitude << normalizing_shift(magnitude)) & 0x007fffffu;
    return bitcast<f32>(select(fraction | 0x3f000000u | (bits & 0x80000000u), bits, is_without_exponent(magnitude)));
}

fn exponent_f32(a: f32) -> f32 {
    let magnitude = bitcast<u32>(a) & 0x7fffffffu;
    let shift = normalizing_shift(magnitude);
    let exponent = select(bitcast<i32>(magnitude >> 23u), 1i - bitcast<i32>(shift), shift > 0u) - 126i;
    return f32(select(exponent, 0i, is_without_exponent(magnitude)));
}

fn nextafter_f32(a: f32, b: f32) -> f32 {
    if (is_nan(a)) {
        return a;
    }
    if (is_nan(b)) {
        return b;
    }
    let bits = bitcast<u32>(a);
    let goal = bitcast<u32>(b);
    if ((bits == goal) | (((bits | goal) << 1u) == 0u)) {
        return b;
    }
    if ((bits << 1u) == 0u) {
        return bitcast<f32>((goal & 0x80000000u) | 1u);
    }
    // As integers the floats of one sign are in the order of their sizes. A comparison of floats
    // could flush subnormal numbers.
    let sign = bits & 0x80000000u;
    let outward = (sign == (goal & 0x80000000u)) & ((goal & 0x7fffffffu) > (bits & 0x7fffffffu));
    return bitcast<f32>(select(bits - 1u, bits + 1u, outward));
}
