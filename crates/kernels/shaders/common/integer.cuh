// Integer arithmetic as PyTorch defines it, and 0 where PyTorch leaves the result to the processor.
// Signed arithmetic wraps by unsigned arithmetic, because signed overflow is undefined in C++.

template <typename T>
__device__ inline T min(T a, T b) {
    return b < a ? b : a;
}

template <typename T>
__device__ inline T max(T a, T b) {
    return a < b ? b : a;
}

template <typename T>
__device__ inline T sign(T a) {
    return T(a > 0) - T(a < 0);
}

// By squaring; wraps.
template <typename T>
__device__ inline T power_of(T a, T b) {
    T result = 1;
    for (; b != 0; b >>= 1) {
        if (b & 1) result *= a;
        a *= a;
    }
    return result;
}

template <typename T>
__device__ inline T divisor_of(T a, T b) {
    while (b != 0) {
        const T rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#define UNSIGNED_FUNCTIONS(T)                                                         \
    __device__ inline T div_##T(T a, T b) { return b == 0 ? 0 : a / b; }              \
    __device__ inline T rem_##T(T a, T b) { return b == 0 ? 0 : a % b; }              \
    __device__ inline T pow_##T(T a, T b) { return power_of(a, b); }                  \
    __device__ inline T gcd_##T(T a, T b) { return divisor_of(a, b); }                \
    /* Shifts by the width or more push every bit out. */                             \
    __device__ inline T shift_left_##T(T a, T b) { return b < 8 * sizeof(T) ? a << b : 0; } \
    __device__ inline T shift_right_##T(T a, T b) { return b < 8 * sizeof(T) ? a >> b : 0; }

#define SIGNED_FUNCTIONS(T, U)                                                        \
    __device__ inline T add_##T(T a, T b) { return T(U(a) + U(b)); }                  \
    __device__ inline T sub_##T(T a, T b) { return T(U(a) - U(b)); }                  \
    __device__ inline T mul_##T(T a, T b) { return T(U(a) * U(b)); }                  \
    __device__ inline T neg_##T(T a) { return T(U(0) - U(a)); }                       \
    __device__ inline T abs_##T(T a) { return a < 0 ? neg_##T(a) : a; }               \
    __device__ inline T div_##T(T a, T b) { return b == 0 ? 0 : b == -1 ? neg_##T(a) : a / b; } \
    /* The remainder with the divisor's sign. */                                      \
    __device__ inline T rem_##T(T a, T b) {                                           \
        const T rest = (b == 0) | (b == -1) ? 0 : a % b;                              \
        return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;               \
    }                                                                                 \
    __device__ inline T pow_##T(T a, T b) {                                           \
        if (b >= 0) return T(power_of(U(a), U(b)));                                   \
        return a == 1 ? 1 : a == -1 ? ((b & 1) != 0 ? -1 : 1) : 0;                    \
    }                                                                                 \
    __device__ inline T gcd_##T(T a, T b) { return T(divisor_of(U(abs_##T(a)), U(abs_##T(b)))); } \
    /* A negative number of bits is one beyond all. */                                \
    __device__ inline T shift_left_##T(T a, T b) { return T(shift_left_##U(U(a), U(b))); } \
    __device__ inline T shift_right_##T(T a, T b) { return a >> min(U(b), U(8 * sizeof(T) - 1)); }

UNSIGNED_FUNCTIONS(u32)
UNSIGNED_FUNCTIONS(u64)
SIGNED_FUNCTIONS(i32, u32)
SIGNED_FUNCTIONS(i64, u64)
#undef UNSIGNED_FUNCTIONS
#undef SIGNED_FUNCTIONS
