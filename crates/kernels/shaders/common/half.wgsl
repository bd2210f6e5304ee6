// Rounding to the half types, halves to even, in float32. In integers, because a compiler may
// reassociate floats, and the rounding of pack2x16float depends on the device.

fn to_f16(a: f32) -> f32 {
    let bits = bitcast<u32>(a);
    let magnitude = bits & 0x7fffffffu;
    let normal = (magnitude + 0xfffu + ((magnitude >> 13u) & 1u)) & 0xffffe000u;
    // Below 2^-14 the result counts steps of 2^-24: the smaller the exponent, the more bits are cut
    // off.
    let exponent = magnitude >> 23u;
    let cut = 126u - clamp(exponent, 101u, 112u);
    let fraction = (magnitude & 0x7fffffu) | 0x800000u;
    let steps = (fraction + (1u << (cut - 1u)) - 1u + ((fraction >> cut) & 1u)) >> cut;
    let subnormal = select(0u, bitcast<u32>(f32(steps) * 0x1p-24f), exponent >= 102u);
    let finite = select(subnormal, normal, exponent >= 113u);
    let rounded = select(finite, 0x7f800000u, magnitude >= 0x477ff000u);
    return bitcast<f32>(select((bits & 0x80000000u) | rounded, bits, magnitude > 0x7f800000u));
}

fn to_bf16(a: f32) -> f32 {
    let bits = bitcast<u32>(a);
    let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u;
    return bitcast<f32>(select(rounded, bits | 0x400000u, is_nan(a)));
}
