// Elements of one and two bytes, several in a word. A thread has the bits of one element in a
// separate word.

fn byte_at(word: u32, index: u32) -> u32 {
    return (word >> ((index & 3u) * 8u)) & 0xffu;
}

fn half_at(word: u32, index: u32) -> u32 {
    return (word >> ((index & 1u) * 16u)) & 0xffffu;
}

fn bytes_of(word: u32) -> vec4<u32> {
    return (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}

fn halves_of(words: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);
}

fn word_of_bytes(bytes: vec4<u32>) -> u32 {
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

fn words_of_halves(halves: vec4<u32>) -> vec2<u32> {
    return vec2<u32>(halves.x | (halves.y << 16u), halves.z | (halves.w << 16u));
}

// The bits of a word to flip, so that it has this element; the other elements keep their bits.
fn byte_change(word: u32, index: u32, byte: u32) -> u32 {
    let shift = (index & 3u) * 8u;
    return (word ^ (byte << shift)) & (0xffu << shift);
}

fn half_change(word: u32, index: u32, half: u32) -> u32 {
    let shift = (index & 1u) * 16u;
    return (word ^ (half << shift)) & (0xffffu << shift);
}

// A float16 as float32. With integers: unpack2x16float may take subnormals for zero.
fn f16_value(bits: u32) -> f32 {
    let magnitude = bits & 0x7fffu;
    let normal = (magnitude << 13u) + select(0x38000000u, 0x70000000u, magnitude >= 0x7c00u);
    let subnormal = bitcast<u32>(f32(magnitude) * 0x1p-24f);
    return bitcast<f32>(((bits & 0x8000u) << 16u) | select(subnormal, normal, magnitude >= 0x0400u));
}

// The bits of a float32 that a float16 holds exactly.
fn f16_bits(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    let magnitude = bits & 0x7fffffffu;
    let normal = (magnitude - 0x38000000u) >> 13u;
    // Below 2^-14 the fraction counts steps of 2^-24. The select drops it for other numbers.
    let subnormal = u32(bitcast<f32>(min(magnitude, 0x38800000u)) * 0x1p24f);
    let finite = select(subnormal, normal, magnitude >= 0x38800000u);
    let special = select(0x7c00u, 0x7e00u, magnitude > 0x7f800000u);
    return ((bits >> 16u) & 0x8000u) | select(finite, special, magnitude >= 0x7f800000u);
}
