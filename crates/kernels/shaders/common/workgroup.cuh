// Shuffles within a warp, and reductions over groups of 32, 256 or 1024 threads of a block.

// Applies a shuffle of words to a value of any size.
template <typename T, typename Shuffle>
__device__ inline T by_words(T value, Shuffle shuffle) {
    union {
        T value;
        u32 words[(sizeof(T) + 3) / 4];
    } both;
    // The last word may have bytes that are not the value's.
    both.words[(sizeof(T) + 3) / 4 - 1] = 0;
    both.value = value;
#pragma unroll
    for (u32 at = 0; at < (sizeof(T) + 3) / 4; ++at) both.words[at] = shuffle(both.words[at]);
    return both.value;
}

// The value of the lane whose number differs in the bits of `mask`.
template <typename T>
__device__ inline T shuffle_xor(T value, u32 mask) {
    return by_words(value, [=](u32 word) { return __shfl_xor_sync(0xffffffffu, word, mask); });
}

// The value of the lane `distance` before; the first lanes keep their own.
template <typename T>
__device__ inline T shuffle_up(T value, u32 distance) {
    return by_words(value, [=](u32 word) { return __shfl_up_sync(0xffffffffu, word, distance); });
}

// Combines the values of all threads of a group, and returns the result to each of them. `shared`
// has an element for each warp of a group; the next call may use the same memory at once.
template <u32 GROUP, typename T, typename Combine>
__device__ inline T combine_group(T value, T* shared, Combine combine) {
#pragma unroll
    for (u32 mask = 16; mask > 0; mask >>= 1) value = combine(value, shuffle_xor(value, mask));
    if (GROUP > 32) {
        const u32 warps = GROUP / 32;
        // All threads have read the previous values.
        __syncthreads();
        if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
        __syncthreads();
        value = shared[threadIdx.x % warps];
#pragma unroll
        for (u32 mask = warps / 2; mask > 0; mask >>= 1) value = combine(value, shuffle_xor(value, mask));
    }
    return value;
}
