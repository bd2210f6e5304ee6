// The exponential family. The polynomials are from the Cephes library (S. L. Moshier), in float32;
// the polynomial of exp minimizes the largest relative error.

// exp(r) = 1 + r + r^2 exp_tail(r) for |r| <= ln(2) / 2. By pairs: a shorter chain than Horner's.
fn exp_tail(r: f32) -> f32 {
    let r2 = r * r;
    let low = 1.666652e-1f * r + 4.9999994e-1f;
    let middle = 8.368797e-3f * r + 4.1668396e-2f;
    return (1.3814433e-3f * r2 + middle) * r2 + low;
}

// x * 2^n for n in -252..=254, in two steps so that both factors are normal numbers. `biased` has n
// + 254 in its low bits, the biases of two exponents; shifts drop the higher bits.
fn scale_by_power(x: f32, biased: u32) -> f32 {
    let half = (biased >> 1u) << 23u;
    return x * bitcast<f32>(half) * bitcast<f32>((biased << 23u) - half);
}

// The low bits of the result are the whole number nearest to x, for |x| < 2^22, plus one or two
// biases. `round` and a conversion cost many instructions on some devices, and no compiler can see
// through the bits to take the addition back.
fn nearest_with_bias(x: f32) -> u32 {
    return bitcast<u32>(x + 12583039.0f);
}

fn nearest_with_biases(x: f32) -> u32 {
    return bitcast<u32>(x + 12583166.0f);
}

// x - n ln(2).
fn without_power(x: f32, n: i32) -> f32 {
    return (x - f32(n) * 0.693359375f) + f32(n) * 2.12194440e-4f;
}

// exp(x) for |x| <= 80, where all intermediate numbers are normal.
fn exp_moderate(x: f32) -> f32 {
    let biased = nearest_with_bias(x * 1.44269504f);
    let r = without_power(x, bitcast<i32>(biased - 0x4b40007fu));
    return (1.0f + (r + r * r * exp_tail(r))) * bitcast<f32>(biased << 23u);
}

fn exp_f32(x: f32) -> f32 {
    // At the lower bound the result underflows to 0.
    let c = min(max(x, -104.0f), 89.0f);
    let biased = nearest_with_biases(c * 1.44269504f);
    let r = without_power(c, bitcast<i32>(biased - 0x4b4000feu));
    let result = scale_by_power(1.0f + (r + r * r * exp_tail(r)), biased);
    return keep_nan(x, select_bits(result, 0x7f800000u, x > 88.8f));
}

fn expm1_f32(x: f32) -> f32 {
    if (abs(x) < 0.35f) {
        return x + x * x * exp_tail(x);
    }
    return exp_f32(x) - 1.0f;
}

// log(1 + f) = f + log_tail(f) for 1 + f in sqrt(1/2)..sqrt(2).
fn log_tail(f: f32) -> f32 {
    let p = (((((((7.0376836292e-2f * f - 1.1514610310e-1f) * f + 1.1676998740e-1f) * f - 1.2420140846e-1f) * f + 1.4249322787e-1f) * f - 1.6668057665e-1f) * f + 2.0000714765e-1f) * f - 2.4999993993e-1f) * f + 3.3333331174e-1f;
    return f * f * (f * p - 0.5f);
}

fn log_f32(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (bits >= 0x7f800000u) {
        // Zero, infinity and NaN stay apart from the arithmetic; any other negative number has no
        // logarithm.
        let negative = select(0x7fc00000u, 0xff800000u, bits == 0x80000000u);
        return keep_nan(x, bitcast<f32>(select(negative, bits, bits == 0x7f800000u)));
    }
    if (bits == 0u) {
        return select_bits(x, 0xff800000u, bits == 0u);
    }
    var scaled = bits;
    var e = -127i;
    if (bits < 0x00800000u) {
        // A subnormal is its mantissa as an integer times 2^-149; arithmetic on it as a float may
        // flush it to zero.
        scaled = bitcast<u32>(f32(bits));
        e = -127i - 149i;
    }
    e = e + bitcast<i32>(scaled >> 23u);
    var m = bitcast<f32>((scaled & 0x007fffffu) | 0x3f800000u);
    if (m > 1.41421356f) {
        m = m * 0.5f;
        e = e + 1i;
    }
    let f = m - 1.0f;
    let n = f32(e);
    return n * 0.693359375f + (f + (log_tail(f) - n * 2.12194440e-4f));
}

fn log1p_f32(x: f32) -> f32 {
    if ((x > -0.29f) & (x < 0.41f)) {
        return keep_nan(x, x + log_tail(x));
    }
    return log_f32(1.0f + x);
}

// Computes both formulas and selects one: a branch would cost as much where threads differ, and
// prevents vectorization.
fn tanh_f32(x: f32) -> f32 {
    let a = abs(x);
    let z = x * x;
    let p = (((-5.70498872745e-3f * z + 2.06390887954e-2f) * z - 5.37397155531e-2f) * z + 1.33314422036e-1f) * z - 3.33332819422e-1f;
    let t = 1.0f - 2.0f / (exp_moderate(2.0f * min(a, 10.0f)) + 1.0f);
    let large = bitcast<u32>(t) | (bitcast<u32>(x) & 0x80000000u);
    return keep_nan(x, select_bits(x + x * z * p, large, a >= 0.625f));
}

// After N. Juffa: a polynomial for small arguments, and 1 - exp(polynomial) for large ones.
fn erf_f32(x: f32) -> f32 {
    let a = abs(x);
    let s = x * x;
    let small = ((((-5.96761703e-4f * s + 4.99119423e-3f) * s - 2.67681349e-2f) * s + 1.12819925e-1f) * s - 3.76125336e-1f) * s + 1.28379166e-1f;
    let t = min(a, 4.0f);
    let u = -3.88396438e-3f * t + 2.42546219e-2f;
    var r = (-1.72853470e-5f * t + 3.83197126e-4f) * (t * t) + u;
    r = ((r * t - 1.06777877e-1f) * t - 6.34846687e-1f) * t - 1.28717512e-1f;
    r = 1.0f - exp_moderate(r * t - t);
    let large = bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u);
    return keep_nan(x, select_bits(small * x + x, large, a > 0.927734375f));
}
