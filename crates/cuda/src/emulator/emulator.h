// CUDA's extensions of C++, for a processor. This header precedes a kernel's text, and g++ compiles
// both to a shared object with the entry point `lanthorn_run`.
//
// Blocks run in sequence. The threads of a block run one at a time. A thread that waits, at a
// barrier or in an operation of its warp, keeps its stack and switches to the next thread. A run is
// therefore deterministic and has no data races. A barrier that some threads do not reach is
// detected and reported. A kernel without barriers and warp operations runs as a plain loop, on one
// stack. Uninitialized shared memory contains 0xCD.
//
// The emulator is stricter than the hardware: threads that have returned do not count as waiting,
// and all 32 lanes of a warp must take part in its operations. Like NVRTC it includes no standard
// header, which also makes compilation fast.
#pragma once

#if !defined(__x86_64__) && !defined(LANTHORN_UCONTEXT)
#define LANTHORN_UCONTEXT
#endif
#ifdef LANTHORN_UCONTEXT
#include <ucontext.h>
#endif

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __constant__ static
#define __shared__ static __attribute__((section("lanthorn_shared")))
#define __grid_constant__

typedef decltype(sizeof(0)) size_t;
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };

extern "C" int snprintf(char*, size_t, const char*, ...);

// ---- Threads -------------------------------------------------------------------------------------------------------------------------------

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;

namespace lanthorn_emulator {

#define LANTHORN_UNCHECKED __attribute__((no_sanitize("kernel-address")))

enum { MAX_THREADS = 1024 };
enum State : unsigned char { READY, AT_BARRIER, IN_WARP, RETURNED };

struct Range { const char *begin, *end; };

// The driver's arguments: `struct Call` there.
struct Call {
    unsigned grid[3], block[3];
    void** arguments;
    char* stacks;
    size_t stack_bytes;
    const Range* buffers;
    size_t buffer_count;
    char* message;
    size_t message_bytes;
};

struct Thread {
    void* fiber; // the stack pointer at its last switch
    int line;    // the source line at which it waits
    unsigned turns; // the number of its warp's operations that it has entered
    State state;
};

static Call call;
static Thread threads[MAX_THREADS];
static unsigned count, started, current; // threads of a block, started threads, the running thread
static void* scheduler;
static bool failed;
// The values that the lanes of a warp exchange, for two operations alternately, because a lane may
// enter an operation while others have not left the one before.
static unsigned long long shown[2][MAX_THREADS];
static const unsigned long long CANARY = 0x6c616e74686f726eull;

#ifndef LANTHORN_UCONTEXT
asm(".text\n"
    "lanthorn_switch:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n");
extern "C" __attribute__((visibility("hidden"))) void lanthorn_switch(void** from, void* to);
static void* fresh(unsigned, char* stack, size_t bytes, void (*main)()) {
    // As after a call: at the start of a function, the stack pointer is 8 more than a multiple of
    // 16.
    void** top = reinterpret_cast<void**>(stack + bytes) - 1;
    *--top = reinterpret_cast<void*>(main);
    for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
    return top;
}
#else
// The same with the C library, which calls the system at each switch.
static ucontext_t contexts[MAX_THREADS];
static void lanthorn_switch(void** from, void* to) {
    ucontext_t here;
    *from = &here;
    swapcontext(&here, static_cast<ucontext_t*>(to));
}
static void* fresh(unsigned at, char* stack, size_t bytes, void (*main)()) {
    ucontext_t* made = &contexts[at];
    getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = bytes;
    made->uc_link = nullptr;
    makecontext(made, main, 0);
    return made;
}
#endif

template <class... Parts> static void say(const char* format, Parts... parts) {
    if (!failed) snprintf(call.message, call.message_bytes, format, parts...);
    failed = true;
}

// The position of a thread in its block. Warps consist of threads in row-major order.
static uint3 position_of(unsigned thread) {
    return {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
}

static __noinline__ void hand_over() {
    lanthorn_switch(&threads[current].fiber, scheduler);
    asm volatile("" ::: "memory");
}

// Reports an error of the running thread. The grid stops.
static __noinline__ void stop() {
    for (;;) hand_over();
}

#define LANTHORN_FAIL(format, ...)                                                                                                                      \
    (lanthorn_emulator::say("thread (%u, %u, %u) of block (%u, %u, %u) " format, threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, \
                        ##__VA_ARGS__),                                                                                                                 \
     lanthorn_emulator::stop())

static __noinline__ void wait(State state, int line) {
    Thread& self = threads[current];
    self.state = state;
    self.line = line;
    hand_over();
}

static void run_thread();

// The function of a new stack: runs threads until one has to wait. Then another new stack runs the
// threads that have not started.
static void fiber_main() {
    while (started < count) {
        current = started++;
        threadIdx = position_of(current);
        run_thread();
        threads[current].state = RETURNED;
    }
    for (;;) lanthorn_switch(&threads[current].fiber, scheduler);
}

static const char* doing(State state) {
    return state == RETURNED ? "has returned" : state == IN_WARP ? "is in an operation of its warp" : "waits at a barrier";
}

// Reports a thread that waits while others do not arrive.
LANTHORN_UNCHECKED static void diverged(unsigned waiting, unsigned other) {
    uint3 a = position_of(waiting), b = position_of(other);
    const Thread& one = threads[waiting];
    say("thread (%u, %u, %u) of block (%u, %u, %u) %s in line %d, and thread (%u, %u, %u) %s (line %d)", a.x, a.y, a.z, blockIdx.x, blockIdx.y, blockIdx.z,
        doing(one.state), one.line, b.x, b.y, b.z, doing(threads[other].state), threads[other].line);
}

// Whether threads from..to all wait at the same line as the first one; if not, `odd` is one that
// does not.
LANTHORN_UNCHECKED static bool together(unsigned from, unsigned to, unsigned& odd) {
    for (odd = from; odd < to; ++odd)
        if (threads[odd].state != threads[from].state || threads[odd].line != threads[from].line) return false;
    return true;
}

LANTHORN_UNCHECKED static void release(unsigned from, unsigned to) {
    for (unsigned at = from; at < to; ++at) threads[at].state = READY;
}

LANTHORN_UNCHECKED static void resume(unsigned thread) {
    current = thread;
    threadIdx = position_of(thread);
    lanthorn_switch(&scheduler, threads[thread].fiber);
}

extern "C" {
extern __attribute__((weak, visibility("hidden"))) char __start_lanthorn_shared[], __stop_lanthorn_shared[];
extern __attribute__((visibility("hidden"))) char __ehdr_start[], _end[];
}

LANTHORN_UNCHECKED static void run_block() {
    for (char* byte = __start_lanthorn_shared; byte != __stop_lanthorn_shared; ++byte) *byte = char(0xCD);
    for (unsigned at = 0; at < count; ++at) threads[at] = {nullptr, 0, 0, READY};
    started = 0;
    for (unsigned done = 0; done < count && !failed;) {
        while (started < count && !failed) {
            char* stack = call.stacks + started * call.stack_bytes;
            *reinterpret_cast<unsigned long long*>(stack) = CANARY;
            unsigned first = started;
            current = first;
            lanthorn_switch(&scheduler, fresh(first, stack, call.stack_bytes, fiber_main));
            if (*reinterpret_cast<unsigned long long*>(stack) != CANARY) say("a thread's variables take more than the %zu bytes of its stack", call.stack_bytes);
        }
        // All threads wait or have returned: whole warps and whole blocks continue.
        bool moved = false;
        unsigned odd;
        for (unsigned warp = 0; warp < count && !failed; warp += warpSize) {
            unsigned end = warp + warpSize < count ? warp + warpSize : count;
            while (threads[warp].state == IN_WARP && together(warp, end, odd) && !failed) {
                release(warp, end);
                for (unsigned at = warp; at < end && !failed; ++at) resume(at);
                moved = true;
            }
        }
        if (moved || failed) continue;
        done = 0;
        while (done < count && threads[done].state == RETURNED) ++done;
        if (done == count) break;
        // Reports threads that wait in their warp instead of threads at a barrier, because the
        // former cannot be waiting for another warp.
        unsigned stuck = done;
        for (unsigned at = count; at-- > 0;) if (threads[at].state == IN_WARP) stuck = at;
        if (threads[stuck].state == IN_WARP) {
            unsigned warp = stuck / warpSize * warpSize, end = warp + warpSize < count ? warp + warpSize : count;
            together(warp, end, odd);
            diverged(stuck, odd == stuck ? warp : odd);
        } else if (!together(0, count, odd)) {
            diverged(stuck, odd == stuck ? 0 : odd);
        } else {
            release(0, count);
            for (unsigned at = 0; at < count && !failed; ++at) resume(at);
        }
        done = 0;
    }
}

// ---- Operations of a warp -------------------------------------------------------------------------------------------------------------------

template <class T> union Word {
    T value;
    unsigned long long bits;
};

// Waits for the warp, and returns the array in which its lanes exchange values.
static inline const unsigned long long* show(unsigned mask, unsigned long long bits, int line) {
    if (mask != 0xffffffffu) LANTHORN_FAIL("is in an operation of its warp with mask %#x (line %d): all lanes must take part", mask, line);
    unsigned turn = threads[current].turns++ & 1;
    shown[turn][current] = bits;
    wait(IN_WARP, line);
    return shown[turn] + current / warpSize * warpSize;
}

// The value of lane `from` within this lane's part of the warp, or this lane's value if `from` is
// outside.
template <class T> static inline T exchange(unsigned mask, T value, int from, int width, int line) {
    static_assert(sizeof(T) <= 8, "a shuffle moves 4 or 8 bytes");
    Word<T> word = {};
    word.value = value;
    unsigned self = current;
    const unsigned long long* lanes = show(mask, word.bits, line);
    int lane = self % warpSize, begin = lane / width * width;
    if (from < begin || from >= begin + width) return value;
    if (self - lane + from >= count) LANTHORN_FAIL("reads lane %d, which its warp does not have (line %d)", from, line);
    word.bits = lanes[from];
    return word.value;
}

static inline int lane() { return int(current % warpSize); }
static inline int part(int width) { return lane() / width * width; }

static inline unsigned ballot(unsigned mask, bool predicate, int line) {
    unsigned self = current, result = 0;
    const unsigned long long* lanes = show(mask, predicate, line);
    for (unsigned at = 0; at < unsigned(warpSize) && self / warpSize * warpSize + at < count; ++at) result |= unsigned(lanes[at]) << at;
    return result;
}

static inline unsigned all_lanes() {
    unsigned in_warp = count - current / warpSize * warpSize;
    return in_warp >= 32 ? 0xffffffffu : (1u << in_warp) - 1;
}

} // namespace lanthorn_emulator

// Macros, so that reports name the line.
#define __syncthreads() lanthorn_emulator::wait(lanthorn_emulator::AT_BARRIER, __LINE__)
#define __syncwarp(...) ((void)lanthorn_emulator::show(0xffffffffu __VA_OPT__(&(__VA_ARGS__)), 0, __LINE__))
#define LANTHORN_WIDTH(...) lanthorn_emulator::width(__VA_ARGS__)
namespace lanthorn_emulator {
static inline int width(int width = 32) { return width; }
} // namespace lanthorn_emulator
#define __shfl_sync(mask, value, from, ...) \
    lanthorn_emulator::exchange(mask, value, lanthorn_emulator::part(LANTHORN_WIDTH(__VA_ARGS__)) + int(from) % LANTHORN_WIDTH(__VA_ARGS__), LANTHORN_WIDTH(__VA_ARGS__), __LINE__)
#define __shfl_up_sync(mask, value, delta, ...) \
    lanthorn_emulator::exchange(mask, value, lanthorn_emulator::lane() - int(delta), LANTHORN_WIDTH(__VA_ARGS__), __LINE__)
#define __shfl_down_sync(mask, value, delta, ...) \
    lanthorn_emulator::exchange(mask, value, lanthorn_emulator::lane() + int(delta), LANTHORN_WIDTH(__VA_ARGS__), __LINE__)
#define __shfl_xor_sync(mask, value, lanes, ...) \
    lanthorn_emulator::exchange(mask, value, lanthorn_emulator::lane() ^ int(lanes), LANTHORN_WIDTH(__VA_ARGS__), __LINE__)
#define __ballot_sync(mask, predicate) lanthorn_emulator::ballot(mask, predicate, __LINE__)
#define __any_sync(mask, predicate) (lanthorn_emulator::ballot(mask, predicate, __LINE__) != 0)
#define __all_sync(mask, predicate) (lanthorn_emulator::ballot(mask, predicate, __LINE__) == lanthorn_emulator::all_lanes())
#define __trap() LANTHORN_FAIL("traps (line %d)", __LINE__)
static inline void __threadfence() {}
static inline void __threadfence_block() {}

// ---- Atomic operations: there is one thread at a time ---------------------------------------------------------------------------------------

#define LANTHORN_ATOMIC(name, result)                                                             \
    template <class T> static inline T name(T* at, decltype(T() + T()) operand) {                 \
        T before = *at;                                                                           \
        T value = T(operand);                                                                     \
        *at = result;                                                                             \
        return before;                                                                            \
    }
LANTHORN_ATOMIC(atomicAdd, before + value)
LANTHORN_ATOMIC(atomicSub, before - value)
LANTHORN_ATOMIC(atomicExch, value)
LANTHORN_ATOMIC(atomicMin, value < before ? value : before)
LANTHORN_ATOMIC(atomicMax, before < value ? value : before)
LANTHORN_ATOMIC(atomicAnd, before & value)
LANTHORN_ATOMIC(atomicOr, before | value)
LANTHORN_ATOMIC(atomicXor, before ^ value)
template <class T> static inline T atomicCAS(T* at, decltype(T() + T()) expected, decltype(T() + T()) value) {
    T before = *at;
    if (before == T(expected)) *at = T(value);
    return before;
}

// ---- Vectors --------------------------------------------------------------------------------------------------------------------------------

#define LANTHORN_VECTORS(name, type)                                                              \
    struct __align__(2 * sizeof(type)) name##2 { type x, y; };                                    \
    struct __align__(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { type x, y, z, w; }; \
    static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                       \
    static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
LANTHORN_VECTORS(char, signed char)
LANTHORN_VECTORS(uchar, unsigned char)
LANTHORN_VECTORS(short, short)
LANTHORN_VECTORS(ushort, unsigned short)
LANTHORN_VECTORS(int, int)
LANTHORN_VECTORS(uint, unsigned)
LANTHORN_VECTORS(float, float)
LANTHORN_VECTORS(double, double)
LANTHORN_VECTORS(longlong, long long)
LANTHORN_VECTORS(ulonglong, unsigned long long)

// ---- Mathematics ----------------------------------------------------------------------------------------------------------------------------

#define LANTHORN_OF_ONE(name) \
    extern "C" double name(double) noexcept; \
    extern "C" float name##f(float) noexcept;
#define LANTHORN_OF_TWO(name) \
    extern "C" double name(double, double) noexcept; \
    extern "C" float name##f(float, float) noexcept;
LANTHORN_OF_ONE(sin) LANTHORN_OF_ONE(cos) LANTHORN_OF_ONE(tan) LANTHORN_OF_ONE(asin) LANTHORN_OF_ONE(acos) LANTHORN_OF_ONE(atan)
LANTHORN_OF_ONE(sinh) LANTHORN_OF_ONE(cosh) LANTHORN_OF_ONE(tanh) LANTHORN_OF_ONE(asinh) LANTHORN_OF_ONE(acosh) LANTHORN_OF_ONE(atanh)
LANTHORN_OF_ONE(exp) LANTHORN_OF_ONE(exp2) LANTHORN_OF_ONE(expm1) LANTHORN_OF_ONE(log) LANTHORN_OF_ONE(log2) LANTHORN_OF_ONE(log10) LANTHORN_OF_ONE(log1p)
LANTHORN_OF_ONE(sqrt) LANTHORN_OF_ONE(cbrt) LANTHORN_OF_ONE(erf) LANTHORN_OF_ONE(erfc) LANTHORN_OF_ONE(tgamma) LANTHORN_OF_ONE(lgamma)
LANTHORN_OF_ONE(floor) LANTHORN_OF_ONE(ceil) LANTHORN_OF_ONE(trunc) LANTHORN_OF_ONE(round) LANTHORN_OF_ONE(rint) LANTHORN_OF_ONE(nearbyint) LANTHORN_OF_ONE(fabs)
LANTHORN_OF_TWO(pow) LANTHORN_OF_TWO(fmod) LANTHORN_OF_TWO(remainder) LANTHORN_OF_TWO(atan2) LANTHORN_OF_TWO(hypot) LANTHORN_OF_TWO(fmin) LANTHORN_OF_TWO(fmax)
LANTHORN_OF_TWO(copysign) LANTHORN_OF_TWO(nextafter)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" int abs(int) noexcept;
extern "C" long long llabs(long long) noexcept;
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
static inline bool isnan(float x) { return x != x; }
static inline bool isnan(double x) { return x != x; }
static inline bool isinf(float x) { return __builtin_isinf(x); }
static inline bool isinf(double x) { return __builtin_isinf(x); }
static inline bool isfinite(float x) { return __builtin_isfinite(x); }
static inline bool isfinite(double x) { return __builtin_isfinite(x); }
static inline bool signbit(float x) { return __builtin_signbit(x); }
static inline bool signbit(double x) { return __builtin_signbit(x); }

#define LANTHORN_EXTREMES(type)                                                      \
    static inline type min(type a, type b) { return b < a ? b : a; }                 \
    static inline type max(type a, type b) { return a < b ? b : a; }
LANTHORN_EXTREMES(int)
LANTHORN_EXTREMES(unsigned)
LANTHORN_EXTREMES(long)
LANTHORN_EXTREMES(unsigned long)
LANTHORN_EXTREMES(long long)
LANTHORN_EXTREMES(unsigned long long)
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

template <class To, class From> static inline To lanthorn_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline float __int_as_float(int x) { return lanthorn_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return lanthorn_bits<float>(x); }
static inline int __float_as_int(float x) { return lanthorn_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return lanthorn_bits<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return lanthorn_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return lanthorn_bits<long long>(x); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __brev(unsigned x) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; ++bit) result |= (x >> bit & 1u) << (31 - bit);
    return result;
}
static inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
static inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    shift &= 31;
    return shift == 0 ? high : high << shift | low >> (32 - shift);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    shift &= 31;
    return shift == 0 ? low : low >> shift | high << (32 - shift);
}
template <class T> static inline T __ldg(const T* at) { return *at; }
template <class T> static inline T __ldcs(const T* at) { return *at; }
template <class T> static inline void __stcs(T* at, T value) { *at = value; }

// ---- Accesses, checked ----------------------------------------------------------------------------------------------------------------------

#ifdef LANTHORN_CHECKED
// Built with -fsanitize=kernel-address, which calls these functions: a kernel may access its
// buffers, its shared memory, its arguments and its stack. Each access must be aligned to its size.
namespace lanthorn_emulator {
LANTHORN_UNCHECKED static __noinline__ void check(const char* at, size_t bytes, bool aligned, const char* verb) {
    const char *stacks = call.stacks, *end = at + bytes;
    if (aligned && reinterpret_cast<size_t>(at) % bytes != 0) LANTHORN_FAIL("%s %zu bytes at an address that is no multiple of that", verb, bytes);
    for (size_t buffer = 0; buffer < call.buffer_count; ++buffer)
        if (at >= call.buffers[buffer].begin && end <= call.buffers[buffer].end) return;
    if (at >= stacks && end <= stacks + MAX_THREADS * call.stack_bytes) return;
    if (at >= __ehdr_start && end <= _end) return;
    const char* nearest = nullptr;
    long distance = 0;
    for (size_t buffer = 0; buffer < call.buffer_count; ++buffer) {
        long off = at - call.buffers[buffer].begin;
        if (nearest == nullptr || __builtin_labs(off) < __builtin_labs(distance)) nearest = call.buffers[buffer].begin, distance = off;
    }
    LANTHORN_FAIL("%s %zu bytes outside of its buffers, %ld from the start of the nearest", verb, bytes, distance);
}
} // namespace lanthorn_emulator
#define LANTHORN_ACCESS(size)                                                                                                                           \
    extern "C" LANTHORN_UNCHECKED void __asan_load##size##_noabort(const char* at) { lanthorn_emulator::check(at, size, true, "reads"); }               \
    extern "C" LANTHORN_UNCHECKED void __asan_store##size##_noabort(const char* at) { lanthorn_emulator::check(at, size, true, "writes"); }
LANTHORN_ACCESS(1)
LANTHORN_ACCESS(2)
LANTHORN_ACCESS(4)
LANTHORN_ACCESS(8)
LANTHORN_ACCESS(16)
extern "C" LANTHORN_UNCHECKED void __asan_loadN_noabort(const char* at, size_t bytes) { lanthorn_emulator::check(at, bytes, false, "reads"); }
extern "C" LANTHORN_UNCHECKED void __asan_storeN_noabort(const char* at, size_t bytes) { lanthorn_emulator::check(at, bytes, false, "writes"); }
extern "C" LANTHORN_UNCHECKED void __asan_handle_no_return() {}
#endif

// ---- The entry point: after the kernel's text -----------------------------------------------------------------------------------------------

namespace lanthorn_emulator {
template <class T> struct Plain { typedef T Type; };
template <class T> struct Plain<const T> { typedef T Type; };
template <class... T> struct Types {};

// The arguments follow one by one, by the types of the kernel's parameters, as in the driver
// interface: an address for each.
template <class... Bound> static LANTHORN_UNCHECKED void apply(void (*kernel)(Bound...), void**, Types<>, typename Plain<Bound>::Type... values) {
    kernel(values...);
}
template <class... Bound, class Next, class... Rest, class... Values>
static LANTHORN_UNCHECKED void apply(void (*kernel)(Bound...), void** arguments, Types<Next, Rest...>, Values... values) {
    apply(kernel, arguments + 1, Types<Rest...>(), values..., *static_cast<typename Plain<Next>::Type*>(*arguments));
}
template <class... Bound> static LANTHORN_UNCHECKED void run(void (*kernel)(Bound...), void** arguments) {
    apply(kernel, arguments, Types<Bound...>());
}
} // namespace lanthorn_emulator

#define LANTHORN_ENTRY(kernel)                                                                                                    \
    void lanthorn_emulator::run_thread() { lanthorn_emulator::run(kernel, lanthorn_emulator::call.arguments); }                   \
    extern "C" LANTHORN_UNCHECKED __attribute__((visibility("default"))) int lanthorn_run(const lanthorn_emulator::Call* call) {                     \
        lanthorn_emulator::call = *call;                                                                                          \
        lanthorn_emulator::failed = false;                                                                                        \
        gridDim = {call->grid[0], call->grid[1], call->grid[2]};                                                                  \
        blockDim = {call->block[0], call->block[1], call->block[2]};                                                              \
        lanthorn_emulator::count = blockDim.x * blockDim.y * blockDim.z;                                                          \
        for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)                                                                \
            for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)                                                            \
                for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)                                                        \
                    if (lanthorn_emulator::run_block(); lanthorn_emulator::failed) return 1;                                      \
        return 0;                                                                                                                 \
    }
