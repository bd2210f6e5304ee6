// Functions of floats: CUDA's mathematical library under the names that kernels call, and PyTorch's
// rules where C's differ.

__device__ inline bool is_nan(f32 a) { return a != a; }
__device__ inline bool is_nan(f64 a) { return a != a; }

#define UNARY_FUNCTION(name, function)                               \
    __device__ inline f32 name##_f32(f32 a) { return function##f(a); } \
    __device__ inline f64 name##_f64(f64 a) { return function(a); }

UNARY_FUNCTION(exp, exp)
UNARY_FUNCTION(expm1, expm1)
UNARY_FUNCTION(log, log)
UNARY_FUNCTION(log1p, log1p)
UNARY_FUNCTION(sqrt, sqrt)
UNARY_FUNCTION(sin, sin)
UNARY_FUNCTION(cos, cos)
UNARY_FUNCTION(tanh, tanh)
UNARY_FUNCTION(erf, erf)
UNARY_FUNCTION(abs, fabs)
UNARY_FUNCTION(floor, floor)
UNARY_FUNCTION(ceil, ceil)
UNARY_FUNCTION(trunc, trunc)
// To nearest, halves to even.
UNARY_FUNCTION(round, rint)
#undef UNARY_FUNCTION

#define FLOAT_FUNCTIONS(T, suffix)                                                                                   \
    /* A comparison with NaN is false: a NaN in b is taken by it, one in a must be asked for. */                      \
    __device__ inline T max_##T(T a, T b) { return (a > b) | is_nan(a) ? a : b; }                                     \
    __device__ inline T min_##T(T a, T b) { return (a < b) | is_nan(a) ? a : b; }                                     \
    __device__ inline T sign_##T(T a) { return T(a > 0) - T(a < 0); }                                                 \
    /* The remainder with the divisor's sign. */                                                                      \
    __device__ inline T rem_##T(T a, T b) {                                                                           \
        const T rest = fmod##suffix(a, b);                                                                            \
        return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;                                               \
    }                                                                                                                 \
    /* The exponent is a small constant most of the time, and the compiler then keeps one line of this. */            \
    __device__ inline T pow_##T(T a, T b) {                                                                           \
        if (b == T(2)) return a * a;                                                                                  \
        if (b == T(3)) return a * a * a;                                                                              \
        if (b == T(1)) return a;                                                                                      \
        if (b == T(-1)) return T(1) / a;                                                                              \
        if (b == T(-2)) return T(1) / (a * a);                                                                        \
        if (b == T(0.5)) return sqrt##suffix(a);                                                                      \
        if (b == T(-0.5)) return T(1) / sqrt##suffix(a);                                                              \
        return pow##suffix(a, b);                                                                                     \
    }                                                                                                                 \
    __device__ inline T copysign_##T(T a, T b) { return copysign##suffix(a, b); }                                     \
    __device__ inline T nextafter_##T(T a, T b) { return nextafter##suffix(a, b); }                                   \
    __device__ inline bool has_exponent_##T(T a) { return (a != 0) & (a - a == 0); }                                  \
    __device__ inline T mantissa_##T(T a) {                                                                           \
        int exponent;                                                                                                 \
        return has_exponent_##T(a) ? frexp##suffix(a, &exponent) : a;                                                 \
    }                                                                                                                 \
    __device__ inline T exponent_##T(T a) {                                                                           \
        int exponent = 0;                                                                                             \
        if (has_exponent_##T(a)) frexp##suffix(a, &exponent);                                                         \
        return T(exponent);                                                                                           \
    }                                                                                                                 \
    /* To signed integers a conversion saturates, to others it wraps by way of 64 bits; NaN gives 0. */               \
    __device__ inline bool bool_of_##T(T a) { return a != 0; }                                                        \
    __device__ inline i32 i32_of_##T(T a) {                                                                           \
        if (is_nan(a)) return 0;                                                                                      \
        if (a >= T(2147483648.0)) return 2147483647;                                                                  \
        return a < T(-2147483648.0) ? -2147483647 - 1 : i32(a);                                                       \
    }                                                                                                                 \
    __device__ inline i64 i64_of_##T(T a) {                                                                           \
        if (is_nan(a)) return 0;                                                                                      \
        if (a >= T(9223372036854775808.0)) return 9223372036854775807ll;                                              \
        return a < T(-9223372036854775808.0) ? -9223372036854775807ll - 1 : i64(a);                                   \
    }                                                                                                                 \
    __device__ inline u32 u32_of_##T(T a) { return u32(i64_of_##T(a)); }                                              \
    __device__ inline u32 u8_of_##T(T a) { return u32_of_##T(a) & 255u; }

FLOAT_FUNCTIONS(f32, f)
FLOAT_FUNCTIONS(f64, )
#undef FLOAT_FUNCTIONS

// A float32 rounded to a half type.
__device__ inline f32 to_f16(f32 a) { return f32(f16(a)); }
__device__ inline f32 to_bf16(f32 a) { return f32(bf16(a)); }

// The bits of a float as a number in the order of the floats: NaN is the largest, and -0 is 0.
__device__ inline u32 order_f32(u32 bits) {
    const u32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0xffffffffu;
    return bits > 0x80000000u ? 0x80000000u - magnitude : 0x80000000u + magnitude;
}

__device__ inline u64 order_f64(u64 bits) {
    const u64 top = 0x8000000000000000ull;
    const u64 magnitude = bits & ~top;
    if (magnitude > 0x7ff0000000000000ull) return ~u64(0);
    return bits > top ? top - magnitude : top + magnitude;
}

// Checks that an index is in 0..extent. If it is not, writes the extent to the launch's word of the
// status buffer, and returns the index of some element.
__device__ inline i32 checked_index(i32 index, i32 extent, u32* status) {
    if ((index < 0) | (index >= extent)) atomicExch(status, u32(extent) + 1u);
    return min(max(index, 0), max(extent, 1) - 1);
}
