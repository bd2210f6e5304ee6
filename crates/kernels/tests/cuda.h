// Just enough of what CUDA builds in for a C++ compiler to check a kernel's text.
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)

typedef decltype(sizeof(0)) size_t;
struct Three {
    unsigned x, y, z;
};
extern Three threadIdx, blockIdx, gridDim;

void __syncthreads();
void __syncwarp();
unsigned __shfl_xor_sync(unsigned, unsigned, int);
unsigned __shfl_up_sync(unsigned, unsigned, unsigned);
unsigned __shfl_down_sync(unsigned, unsigned, unsigned);
unsigned __shfl_sync(unsigned, unsigned, int);
unsigned atomicExch(unsigned*, unsigned);
unsigned __umulhi(unsigned, unsigned);
int __clz(int);

#define FUNCTION(name)       \
    extern "C" float name##f(float); \
    extern "C" double name(double);
FUNCTION(exp) FUNCTION(expm1) FUNCTION(log) FUNCTION(log1p) FUNCTION(sqrt) FUNCTION(sin) FUNCTION(cos) FUNCTION(tanh) FUNCTION(erf) FUNCTION(fabs) FUNCTION(floor) FUNCTION(ceil)
FUNCTION(trunc) FUNCTION(rint)
#define FUNCTION_OF_TWO(name)      \
    extern "C" float name##f(float, float); \
    extern "C" double name(double, double);
FUNCTION_OF_TWO(pow) FUNCTION_OF_TWO(fmod) FUNCTION_OF_TWO(nextafter) FUNCTION_OF_TWO(copysign)
extern "C" float frexpf(float, int*);
extern "C" double frexp(double, int*);
