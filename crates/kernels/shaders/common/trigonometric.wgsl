// Sine and cosine of any argument. The range is reduced in integers, after Payne and Hanek: 2/pi to
// 192 bits times the mantissa. It is exact for every float32, and no compiler's reassociation can
// undo it as it can undo the subtraction of a split pi.

struct Reduced {
    // In -pi/4..pi/4.
    rest: f32,
    quadrant: u32,
}

fn two_over_pi(i: u32) -> u32 {
    switch i {
        case 0u: { return 0x28be60dbu; }
        case 1u: { return 0x9391054au; }
        case 2u: { return 0x7f09d5f4u; }
        case 3u: { return 0x7d4d3770u; }
        case 4u: { return 0x36d8a566u; }
        case 5u: { return 0x4f10e410u; }
        default: { return 0u; }
    }
}

fn reduce_angle(x: f32) -> Reduced {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) < 0x3f490fdbu) {
        return Reduced(x, 0u);
    }
    let mantissa = (bits << 8u) | 0x80000000u;
    let e = ((bits >> 23u) & 255u) - 126u;
    let i = e >> 5u;
    let shift = e & 31u;
    var high = 0u;
    if (i > 0u) {
        high = two_over_pi(i - 1u);
    }
    var middle = two_over_pi(i);
    var low = two_over_pi(i + 1u);
    if (shift > 0u) {
        let back = 32u - shift;
        high = (high << shift) | (middle >> back);
        middle = (middle << shift) | (low >> back);
        low = (low << shift) | (two_over_pi(i + 2u) >> back);
    }
    // The product in two words: two bits of quadrant, then the fraction of a quarter turn.
    let product = mantissa * middle;
    var rest_low = product + multiply_high(mantissa, low);
    let carry = select(0u, 1u, rest_low < product);
    var rest_high = mantissa * high + multiply_high(mantissa, middle) + carry;
    var quadrant = rest_high >> 30u;
    rest_high = rest_high & 0x3fffffffu;
    var negative = bits >= 0x80000000u;
    if ((rest_high & 0x20000000u) != 0u) {
        // More than half a quarter: count down from the next one.
        quadrant = quadrant + 1u;
        rest_high = (0x3fffffffu - rest_high) + select(0u, 1u, rest_low == 0u);
        rest_low = 0u - rest_low;
        negative = !negative;
    }
    if (bits >= 0x80000000u) {
        quadrant = 0u - quadrant;
    }
    let magnitude = (f32(rest_high) * 4294967296.0f + f32(rest_low)) * 3.4061215800e-19f;
    return Reduced(select(magnitude, -magnitude, negative), quadrant & 3u);
}

fn sine_or_cosine(angle: Reduced) -> f32 {
    let r = angle.rest;
    let z = r * r;
    let sine = r + r * z * ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f);
    let cosine = (1.0f - 0.5f * z) + z * z * ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f);
    let value = select(sine, cosine, (angle.quadrant & 1u) == 1u);
    return select(value, -value, angle.quadrant >= 2u);
}

fn sin_f32(x: f32) -> f32 {
    let value = sine_or_cosine(reduce_angle(x));
    return select_bits(value, 0x7fc00000u, (bitcast<u32>(x) & 0x7fffffffu) >= 0x7f800000u);
}

fn cos_f32(x: f32) -> f32 {
    let angle = reduce_angle(x);
    let value = sine_or_cosine(Reduced(angle.rest, (angle.quadrant + 1u) & 3u));
    return select_bits(value, 0x7fc00000u, (bitcast<u32>(x) & 0x7fffffffu) >= 0x7f800000u);
}
