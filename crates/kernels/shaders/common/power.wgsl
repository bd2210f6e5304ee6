// Power and remainder of floats, in integers where float32 has too few bits.
//
// The exponent y log2(x) reaches 128, so its logarithm needs 8 more bits than a float32 has.
// Two-float arithmetic would have them, but WGSL lets a compiler reassociate it away; fixed point
// is safe.

// log2(1 + f) / f as a fraction of 2^30, for f in sqrt(1/2)-1..sqrt(2)-1 as a fraction of 2^32. A
// Chebyshev interpolation, good to 2^-30.
fn log2_ratio(f: i32) -> i32 {
    var p = -73083131i;
    p = 140809828i + multiply_high_signed(p, f);
    p = -144729662i + multiply_high_signed(p, f);
    p = 140261404i + multiply_high_signed(p, f);
    p = -153033143i + multiply_high_signed(p, f);
    p = 171994401i + multiply_high_signed(p, f);
    p = -193738137i + multiply_high_signed(p, f);
    p = 221307527i + multiply_high_signed(p, f);
    p = -258177599i + multiply_high_signed(p, f);
    p = 309816137i + multiply_high_signed(p, f);
    p = -387270533i + multiply_high_signed(p, f);
    p = 516360670i + multiply_high_signed(p, f);
    p = -774541002i + multiply_high_signed(p, f);
    return 1549082005i + multiply_high_signed(p, f);
}

// a^b for the bits of a finite a > 0, a != 1, and the bits of a finite b > 0 whose sign is
// `negative`.
fn power_of_bits(a: u32, b: u32, negative: bool) -> f32 {
    var scaled = a;
    var e = -127i;
    if (a < 0x00800000u) {
        scaled = bitcast<u32>(f32(a));
        e = -127i - 149i;
    }
    e = e + bitcast<i32>(scaled >> 23u);
    let mantissa = (scaled & 0x007fffffu) | 0x00800000u;
    // f is mantissa - 1 as a fraction of 2^24, by the nearer power of two.
    var f = bitcast<i32>(mantissa - 0x00800000u) * 2i;
    if (mantissa > 0x00b504f3u) {
        f = bitcast<i32>(mantissa) - 0x01000000i;
        e = e + 1i;
    }
    // log2(a) as a fraction of 2^54, in two words.
    let ratio = bitcast<u32>(log2_ratio(f * 256i));
    let size = bitcast<u32>(abs(f));
    var low = size * ratio;
    var high = multiply_high(size, ratio);
    if (f < 0i) {
        high = ~high + select(0u, 1u, low == 0u);
        low = 0u - low;
    }
    high = high + (bitcast<u32>(e) << 22u);
    var down = negative;
    if (high >= 0x80000000u) {
        high = ~high + select(0u, 1u, low == 0u);
        low = 0u - low;
        down = !down;
    }
    // Its leading 32 bits.
    var zeros = countLeadingZeros(high);
    var leading = high;
    if (zeros == 32u) {
        zeros = 32u + countLeadingZeros(low);
        leading = low << (zeros & 31u);
    } else if (zeros > 0u) {
        leading = (high << zeros) | (low >> (32u - zeros));
    }
    // times |b|: the exponent of two is `product` times 2^k.
    let product = multiply_high(leading, ((b & 0x007fffffu) | 0x00800000u) << 8u);
    let k = bitcast<i32>(b >> 23u) - bitcast<i32>(zeros) - 148i;
    if (k > -23i) {
        return bitcast<f32>(select(0x7f800000u, 0u, down));
    }
    var whole = 0u;
    var fraction = 0u;
    let right = bitcast<u32>(-k);
    if (right < 32u) {
        whole = product >> right;
        fraction = product << (32u - right);
    } else if (right < 64u) {
        fraction = product >> (right - 32u);
    }
    var n = bitcast<i32>(whole);
    var rest = bitcast<i32>(fraction);
    if (rest < 0i) {
        // The fraction is at least a half: as a signed number it is the distance from the next
        // whole one.
        n = n + 1i;
    }
    if (down) {
        n = -n;
    }
    if (n > 128i) {
        return bitcast<f32>(select(0u, 0x7f800000u, n > 128i));
    }
    let t = f32(rest) * 2.3283064365386963e-10f;
    let r = select(t, -t, down) * 0.69314718f;
    return scale_by_power(1.0f + (r + r * r * exp_tail(r)), bitcast<u32>(max(n, -160i) + 254i));
}

fn pow_f32(x: f32, y: f32) -> f32 {
    let a = bitcast<u32>(x) & 0x7fffffffu;
    let b = bitcast<u32>(y) & 0x7fffffffu;
    if ((b == 0u) | (bitcast<u32>(x) == 0x3f800000u)) {
        return 1.0f;
    }
    if (is_nan(x)) {
        return x;
    }
    if (is_nan(y)) {
        return y;
    }
    let down = bitcast<u32>(y) >= 0x80000000u;
    // Whether y is a whole number, and whether an odd one.
    let whole = is_whole(y) | (trunc(y) == y);
    let odd = whole & (b < 0x4b800000u) & ((u32(abs(select(y, 0.0f, b >= 0x4b800000u))) & 1u) == 1u);
    let sign_bit = select(0u, bitcast<u32>(x) & 0x80000000u, odd);
    if (b == 0x7f800000u) {
        if (a == 0x3f800000u) {
            return 1.0f;
        }
        return bitcast<f32>(select(0u, 0x7f800000u, (a > 0x3f800000u) != down));
    }
    if (a == 0u) {
        return bitcast<f32>(select(0u, 0x7f800000u, down) | sign_bit);
    }
    if (a == 0x7f800000u) {
        return bitcast<f32>(select(0x7f800000u, 0u, down) | sign_bit);
    }
    if ((bitcast<u32>(x) >= 0x80000000u) & !whole) {
        return bitcast<f32>(select(a, 0x7fc00000u, !whole));
    }
    if (bitcast<u32>(y) == 0x3f800000u) {
        return x;
    }
    if (bitcast<u32>(y) == 0x40000000u) {
        return x * x;
    }
    if (bitcast<u32>(y) == 0x3f000000u) {
        return sqrt_f32(x);
    }
    if (a == 0x3f800000u) {
        return bitcast<f32>(0x3f800000u | sign_bit);
    }
    if (whole & (b <= 0x41000000u)) {
        // Up to 8: multiplied out, so that powers of small whole numbers are exact.
        var result = 1.0f;
        var base = x;
        var rest = u32(abs(y));
        while (rest != 0u) {
            if ((rest & 1u) != 0u) {
                result = result * base;
            }
            base = base * base;
            rest = rest >> 1u;
        }
        if (!down) {
            return result;
        }
        // The reciprocal of a product that overflowed or underflowed has lost its digits.
        let size = bitcast<u32>(result) & 0x7fffffffu;
        if ((size > 0x01000000u) & (size < 0x7e800000u)) {
            return 1.0f / result;
        }
    }
    return bitcast<f32>(bitcast<u32>(power_of_bits(a, b, down)) | sign_bit);
}

// The remainder with the divisor's sign, exact: long division of the mantissas, 8 bits a step.
fn rem_f32(x: f32, y: f32) -> f32 {
    let a = bitcast<u32>(x) & 0x7fffffffu;
    let b = bitcast<u32>(y) & 0x7fffffffu;
    if (is_nan(x)) {
        return x;
    }
    if (is_nan(y)) {
        return y;
    }
    let undefined = (a == 0x7f800000u) | (b == 0u);
    if (undefined) {
        return select_bits(x, 0x7fc00000u, undefined);
    }
    var r = a;
    if (a >= b) {
        var ea = a >> 23u;
        let eb = max(b >> 23u, 1u);
        var ma = select(a & 0x007fffffu, (a & 0x007fffffu) | 0x00800000u, ea > 0u);
        let mb = select(b & 0x007fffffu, (b & 0x007fffffu) | 0x00800000u, (b >> 23u) > 0u);
        ea = max(ea, 1u);
        ma = ma % mb;
        while ((ea > eb) & (ma != 0u)) {
            let step = min(ea - eb, 8u);
            ma = (ma << step) % mb;
            ea = ea - step;
        }
        // ma * 2^(eb - 150), back to a float.
        let shift = min(countLeadingZeros(ma) - 8u, eb - 1u);
        ma = ma << shift;
        r = select(ma, (ma & 0x007fffffu) | ((eb - shift) << 23u), ma >= 0x00800000u);
    }
    let sign_bit = bitcast<u32>(x) & 0x80000000u;
    let remainder = bitcast<f32>(r | sign_bit);
    if ((r != 0u) & (sign_bit != (bitcast<u32>(y) & 0x80000000u))) {
        return remainder + y;
    }
    return remainder;
}
