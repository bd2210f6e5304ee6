// Threefry-2x32 with 20 rounds, and the normal deviate made of two words, in integers: the same
// bits as lanthorn_ir::random.

__device__ inline u32 threefry(u32 k0, u32 k1, u32 c0, u32 c1) {
    const u32 keys[3] = {k0, k1, 0x1bd11bdau ^ k0 ^ k1};
    const u32 rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    u32 x = c0 + k0, y = c1 + k1;
#pragma unroll
    for (u32 group = 0; group < 5; ++group) {
#pragma unroll
        for (u32 round = 0; round < 4; ++round) {
            const u32 r = rotations[group % 2 * 4 + round];
            x += y;
            y = ((y << r) | (y >> (32 - r))) ^ x;
        }
        x += keys[(group + 1) % 3];
        y += keys[(group + 2) % 3] + group + 1;
    }
    return x;
}

__device__ inline f32 normal(u32 word_a, u32 word_b) {
    const u32 a = word_a + (word_a == 0xffffffffu ? 0u : 1u);
    const u32 zeros = u32(__clz(i32(a)));
    u32 mantissa = a << zeros;
    u32 logarithm = 31 - zeros;
    for (u32 i = 0; i < 26; ++i) {
        const u32 square = __umulhi(mantissa, mantissa);
        logarithm = (logarithm << 1) | (square >> 31);
        mantissa = square >> 31 ? square : square << 1;
    }
    const u32 radicand = __umulhi(0x80000000u - logarithm, 2977044472u);
    u32 rest = 0, value = radicand << 1, root = 0;
    for (u32 i = 0; i < 28; ++i) {
        rest = (rest << 2) | (value >> 30);
        value <<= 2;
        const u32 trial = (root << 2) | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    const u32 phase = word_b << 2;
    const u32 x = word_b & 0x40000000u ? ~phase : phase;
    const u32 x2 = __umulhi(x, x);
    u32 sine = 7728;
    sine = 344545 - __umulhi(sine, x2);
    sine = 10053990 - __umulhi(sine, x2);
    sine = 171138612 - __umulhi(sine, x2);
    sine = 1387197337 - __umulhi(sine, x2);
    sine = 3373259426u - __umulhi(sine, x2);
    sine = __umulhi(sine, x);
    const u32 magnitude = __umulhi(root << 4, sine) >> 7;
    const f32 deviate = f32(magnitude) * 4.76837158203125e-7f;
    return word_b >> 31 ? -deviate : deviate;
}
