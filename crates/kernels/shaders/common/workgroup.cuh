// What threads do together: values passed within a warp, and teams of 32, 256 or 1024 threads of a block that bring their results together.

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

// The value of the lane that lies `distance` before; the first lanes keep their own.
template <typename T>
__device__ inline T shuffle_up(T value, u32 distance) {
    return by_words(value, [=](u32 word) { return __shfl_up_sync(0xffffffffu, word, distance); });
}

// The results of all threads of a group combined, for each of them. `shared` has a place for each warp of a group; it may be used again at once.
template <u32 GROUP, typename T, typename Combine>
__device__ inline T combine_group(T value, T* shared, Combine combine) {
#pragma unroll
    for (u32 mask = 16; mask > 0; mask >>= 1) value = combine(value, shuffle_xor(value, mask));
    if (GROUP > 32) {
        const u32 warps = GROUP / 32;
        // What was there before has been read.
        __syncthreads();
        if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
        __syncthreads();
        value = shared[threadIdx.x % warps];
#pragma unroll
        for (u32 mask = warps / 2; mask > 0; mask >>= 1) value = combine(value, shuffle_xor(value, mask));
    }
    return value;
}
