// WGSL's types, vectors, `let`, `var`, `select` and `bitcast` in C++, so that one printer serves
// both languages. No header is included: NVRTC has none, and the functions of CUDA that kernels
// call are built in.

// Generated text may define names that it does not use.
#ifdef __CUDACC_RTC__
#pragma nv_diag_suppress 177
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

#define let const auto
#define var auto

template <typename To, typename From>
__device__ inline To bitcast(From value) {
    static_assert(sizeof(To) == sizeof(From), "a bitcast keeps the size");
    union {
        From from;
        To to;
    } both;
    both.from = value;
    return both.to;
}

// `yes` where the condition holds.
template <typename T>
__device__ inline T select(T no, T yes, bool condition) {
    return condition ? yes : no;
}

// A number of 64 bits from its words.
template <typename T>
__device__ inline T wide(u32 low, u32 high) {
    return bitcast<T>(u64(low) | (u64(high) << 32));
}

// The half types: two bytes in memory, converted to float32 for arithmetic, and rounded to nearest
// even when stored. NaN stays NaN.
struct f16 {
    u16 bits;

    f16() = default;

    __device__ explicit f16(f32 value) {
#ifdef __CUDA_ARCH__
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
        const u32 word = bitcast<u32>(value);
        const u32 magnitude = word & 0x7fffffffu;
        // Near 0.5 the units of a float32 are the subnormal steps of float16, so the addition
        // rounds.
        const u32 subnormal = bitcast<u32>(bitcast<f32>(magnitude) + 0.5f) - 0x3f000000u;
        const u32 normal = (magnitude + 0x0fffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
        const u32 finite = magnitude < (113u << 23) ? subnormal : (normal < 0x7c00u ? normal : 0x7c00u);
        bits = u16(((word >> 16) & 0x8000u) | (magnitude > 0x7f800000u ? 0x7e00u : (magnitude >= 0x7f800000u ? 0x7c00u : finite)));
#endif
    }

    __device__ explicit operator f32() const {
#ifdef __CUDA_ARCH__
        f32 value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
#else
        const u32 magnitude = bits & 0x7fffu;
        // The exponent's bias is 112 lower; the multiplication by 2^112 makes a subnormal normal.
        const u32 finite = bitcast<u32>(bitcast<f32>(magnitude << 13) * bitcast<f32>((127u + 112u) << 23));
        return bitcast<f32>(((bits & 0x8000u) << 16) | (magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u : finite));
#endif
    }
};

struct bf16 {
    u16 bits;

    bf16() = default;

    __device__ explicit bf16(f32 value) {
        const u32 word = bitcast<u32>(value);
        const u32 rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
        bits = u16((word & 0x7fffffffu) > 0x7f800000u ? (word >> 16) | 0x40u : rounded);
    }

    __device__ explicit operator f32() const { return bitcast<f32>(u32(bits) << 16); }
};

// Four adjacent elements, read and written at once: an access has up to 16 bytes.
template <typename T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) vec4 {
    T x, y, z, w;

    vec4() = default;
    __device__ explicit vec4(T all) : x(all), y(all), z(all), w(all) {}
    __device__ vec4(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
};

// The 32 numbers of a block.
struct BlockNumbers {
    vec4<f32> vectors[8];

    __device__ const vec4<f32>& operator[](u32 at) const { return vectors[at]; }
};

// Scratch memory as values of a type.
template <typename T>
__device__ inline T load(const u32* scratch, u32 at) {
    return reinterpret_cast<const T*>(scratch)[at];
}

template <typename T>
__device__ inline void store(u32* scratch, u32 at, T value) {
    reinterpret_cast<T*>(scratch)[at] = value;
}
