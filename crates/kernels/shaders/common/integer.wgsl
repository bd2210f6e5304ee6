// Integer arithmetic as PyTorch defines it, and 0 where PyTorch leaves the result to the processor:
// WGSL has x / 0 = x.

fn div_i32(a: i32, b: i32) -> i32 {
    if (b == 0i) {
        return 0i;
    }
    if (b == -1i) {
        return -a;
    }
    return a / b;
}

// The remainder with the divisor's sign.
fn rem_i32(a: i32, b: i32) -> i32 {
    if ((b == 0i) | (b == -1i)) {
        return 0i;
    }
    let r = a % b;
    return select(r, r + b, (r != 0i) & ((r < 0i) != (b < 0i)));
}

fn div_u32(a: u32, b: u32) -> u32 {
    if (b == 0u) {
        return 0u;
    }
    return a / b;
}

fn rem_u32(a: u32, b: u32) -> u32 {
    if (b == 0u) {
        return 0u;
    }
    return a % b;
}

fn pow_u32(a: u32, b: u32) -> u32 {
    var result = 1u;
    var base = a;
    var rest = b;
    while (rest != 0u) {
        if ((rest & 1u) != 0u) {
            result = result * base;
        }
        base = base * base;
        rest = rest >> 1u;
    }
    return result;
}

fn pow_i32(a: i32, b: i32) -> i32 {
    if (b < 0i) {
        let odd = select(1i, -1i, (b & 1i) != 0i);
        return select(select(0i, odd, a == -1i), 1i, a == 1i);
    }
    return bitcast<i32>(pow_u32(bitcast<u32>(a), bitcast<u32>(b)));
}

// The upper word of a product, by halves: WGSL has no wide multiplication.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let middle = a1 * b0 + ((a0 * b0) >> 16u);
    let carry = a0 * b1 + (middle & 0xffffu);
    return a1 * b1 + (middle >> 16u) + (carry >> 16u);
}

fn multiply_high_signed(a: i32, b: i32) -> i32 {
    let product = multiply_high(bitcast<u32>(a), bitcast<u32>(b));
    return bitcast<i32>(product) - select(0i, b, a < 0i) - select(0i, a, b < 0i);
}

// Shifts by the width or more, and by negative numbers, push every bit out.
fn shift_left_u32(a: u32, b: u32) -> u32 {
    return select(0u, a << (b & 31u), b < 32u);
}

fn shift_right_u32(a: u32, b: u32) -> u32 {
    return select(0u, a >> (b & 31u), b < 32u);
}

fn shift_left_i32(a: i32, b: i32) -> i32 {
    return bitcast<i32>(shift_left_u32(bitcast<u32>(a), bitcast<u32>(b)));
}

fn shift_right_i32(a: i32, b: i32) -> i32 {
    return a >> min(bitcast<u32>(b), 31u);
}

fn gcd_u32(a: u32, b: u32) -> u32 {
    var large = a;
    var small = b;
    while (small != 0u) {
        let rest = large % small;
        large = small;
        small = rest;
    }
    return large;
}

fn gcd_i32(a: i32, b: i32) -> i32 {
    return bitcast<i32>(gcd_u32(bitcast<u32>(abs(a)), bitcast<u32>(abs(b))));
}
