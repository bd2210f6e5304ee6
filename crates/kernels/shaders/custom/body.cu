// Statements from outside, run once for each thread below a number that is data.

{{kernel}} {
    const u32 i = (blockIdx.y * gridDim.x + blockIdx.x) * {{threads}} + threadIdx.x;
    if (i >= {{count}}) return;
{{accessors}}
{{user}}
}
