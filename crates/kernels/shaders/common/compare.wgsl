// Comparisons, order and conversions that keep NaN. WGSL lets a compiler assume that there is none,
// so NaN is found by its bits.

fn is_nan(a: f32) -> bool {
    return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u;
}

// `result`, or `a` itself where that is NaN. Chosen as integers: a select of floats may be
// optimized under that assumption.
fn keep_nan(a: f32, result: f32) -> f32 {
    return bitcast<f32>(select(bitcast<u32>(result), bitcast<u32>(a), is_nan(a)));
}

fn select_bits(otherwise: f32, bits: u32, condition: bool) -> f32 {
    return bitcast<f32>(select(bitcast<u32>(otherwise), bits, condition));
}

fn eq_f32(a: f32, b: f32) -> bool {
    return (a == b) & !is_nan(a) & !is_nan(b);
}

fn ne_f32(a: f32, b: f32) -> bool {
    return (a != b) | is_nan(a) | is_nan(b);
}

fn lt_f32(a: f32, b: f32) -> bool {
    return (a < b) & !is_nan(a) & !is_nan(b);
}

fn le_f32(a: f32, b: f32) -> bool {
    return (a <= b) & !is_nan(a) & !is_nan(b);
}

fn gt_f32(a: f32, b: f32) -> bool {
    return (a > b) & !is_nan(a) & !is_nan(b);
}

fn ge_f32(a: f32, b: f32) -> bool {
    return (a >= b) & !is_nan(a) & !is_nan(b);
}

fn max_f32(a: f32, b: f32) -> f32 {
    let larger = select(bitcast<u32>(b), bitcast<u32>(a), a > b);
    return bitcast<f32>(select(select(larger, bitcast<u32>(b), is_nan(b)), bitcast<u32>(a), is_nan(a)));
}

fn min_f32(a: f32, b: f32) -> f32 {
    let smaller = select(bitcast<u32>(b), bitcast<u32>(a), a < b);
    return bitcast<f32>(select(select(smaller, bitcast<u32>(b), is_nan(b)), bitcast<u32>(a), is_nan(a)));
}

fn sign_f32(a: f32) -> f32 {
    return select_bits(sign(a), 0u, is_nan(a));
}

fn sqrt_f32(a: f32) -> f32 {
    let bits = bitcast<u32>(a);
    let root = select_bits(sqrt(a), bits, ((bits << 1u) == 0u) | (bits == 0x7f800000u));
    return keep_nan(a, select_bits(root, 0x7fc00000u, bits > 0x80000000u));
}

// A number of at least 2^23 is a whole number already, infinity and NaN included.
fn is_whole(a: f32) -> bool {
    return (bitcast<u32>(a) & 0x7fffffffu) >= 0x4b000000u;
}

fn floor_f32(a: f32) -> f32 {
    return select_bits(floor(a), bitcast<u32>(a), is_whole(a));
}

fn ceil_f32(a: f32) -> f32 {
    return select_bits(ceil(a), bitcast<u32>(a), is_whole(a));
}

fn round_f32(a: f32) -> f32 {
    return select_bits(round(a), bitcast<u32>(a), is_whole(a));
}

fn trunc_f32(a: f32) -> f32 {
    return select_bits(trunc(a), bitcast<u32>(a), is_whole(a));
}

fn bool_of_f32(a: f32) -> bool {
    return (bitcast<u32>(a) << 1u) != 0u;
}

// Saturates; NaN becomes 0.
fn i32_of_f32(a: f32) -> i32 {
    let bits = bitcast<u32>(a);
    let magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x4f000000u) {
        if (magnitude > 0x7f800000u) {
            return 0i;
        }
        return select(2147483647i, i32(-2147483648), bits >= 0x80000000u);
    }
    return i32(a);
}

// The value modulo 2^32, as by a conversion to 64 bits; from 2^63 on all bits are set, and NaN
// becomes 0.
fn u32_of_f32(a: f32) -> u32 {
    let bits = bitcast<u32>(a);
    let magnitude = bits & 0x7fffffffu;
    if (magnitude < 0x4f000000u) {
        return bitcast<u32>(i32(a));
    }
    if (magnitude >= 0x5f000000u) {
        return select(0u, 0xffffffffu, (bits >= 0x5f000000u) & (bits <= 0x7f800000u));
    }
    let shift = (magnitude >> 23u) - 150u;
    let size = select(0u, ((bits & 0x007fffffu) | 0x00800000u) << (shift & 31u), shift < 32u);
    return select(size, 0u - size, bits >= 0x80000000u);
}

// Modulo 256, as PyTorch on the CPU.
fn u8_of_f32(a: f32) -> u32 {
    return u32_of_f32(a) & 255u;
}

// The bits of a float as a number in the order of the floats: NaN is the largest, and -0 is 0.
fn order_f32(bits: u32) -> u32 {
    let magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return 0xffffffffu;
    }
    return select(0x80000000u + magnitude, 0x80000000u - magnitude, bits > 0x80000000u);
}
