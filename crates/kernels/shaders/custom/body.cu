// The user's statements, run once for each thread below a count that is an argument of the kernel.

{{kernel}} {
    const u32 i = (blockIdx.y * gridDim.x + blockIdx.x) * {{threads}} + threadIdx.x;
    if (i >= {{count}}) return;
{{accessors}}
{{user}}
}
