// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The operations in the order of their numbers. */
export const OPERATIONS = `relu(Tensor self) -> Tensor|!
sigmoid(Tensor self) -> Tensor|!special_expit
silu(Tensor self) -> Tensor|!
gelu(Tensor self, *, str{none|tanh} approximate="none") -> Tensor|!
leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor|!
elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor|!
celu(Tensor self, Scalar alpha=1.0) -> Tensor|!
selu(Tensor self) -> Tensor|!
softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor|!
log_sigmoid(Tensor self) -> Tensor|!logsigmoid
mish(Tensor self) -> Tensor|!
hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor|!
relu6(Tensor self) -> Tensor|!
hardsigmoid(Tensor self) -> Tensor|!
hardswish(Tensor self) -> Tensor|!
softsign(Tensor self) -> Tensor|!
tanhshrink(Tensor self) -> Tensor|!
hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor|!
softshrink(Tensor self, Scalar lambd=0.5) -> Tensor|
threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor|!
prelu(Tensor self, Tensor weight) -> Tensor|
glu(Tensor self, int dim=-1) -> Tensor|
add(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor|!
sub(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor|!subtract
rsub(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor|
mul(Tensor self, Tensor|Scalar other) -> Tensor|!multiply
neg(Tensor self) -> Tensor|!negative
positive(Tensor self) -> Tensor|
abs(Tensor self) -> Tensor|!absolute
sign(Tensor self) -> Tensor|!sgn
square(Tensor self) -> Tensor|!
reciprocal(Tensor self) -> Tensor|!
maximum(Tensor self, Tensor other) -> Tensor|!
minimum(Tensor self, Tensor other) -> Tensor|!
fmax(Tensor self, Tensor other) -> Tensor|!
fmin(Tensor self, Tensor other) -> Tensor|!
clamp_min(Tensor self, Tensor|Scalar min) -> Tensor|!
clamp_max(Tensor self, Tensor|Scalar max) -> Tensor|!
lerp(Tensor self, Tensor end, Tensor|Scalar weight) -> Tensor|!
addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor|!
addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor|!
scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, Scalar? scale=None, bool enable_gqa=False, Tensor? key_lengths=None, int? window=None, float? soft_cap=None) -> Tensor|
bitwise_not(Tensor self) -> Tensor|!
bitwise_and(Tensor self, Tensor|Scalar other) -> Tensor|!
bitwise_or(Tensor self, Tensor|Scalar other) -> Tensor|!
bitwise_xor(Tensor self, Tensor|Scalar other) -> Tensor|!
bitwise_left_shift(Tensor self, Tensor|Scalar other) -> Tensor|!
bitwise_right_shift(Tensor self, Tensor|Scalar other) -> Tensor|!
to(Tensor self, ScalarType dtype) -> Tensor|
bool(Tensor self) -> Tensor|
byte(Tensor self) -> Tensor|
int(Tensor self) -> Tensor|
long(Tensor self) -> Tensor|
half(Tensor self) -> Tensor|
bfloat16(Tensor self) -> Tensor|
float(Tensor self) -> Tensor|
double(Tensor self) -> Tensor|
clone(Tensor self) -> Tensor|
contiguous(Tensor self) -> Tensor|
eq(Tensor self, Tensor|Scalar other) -> Tensor|!
ne(Tensor self, Tensor|Scalar other) -> Tensor|!not_equal
lt(Tensor self, Tensor|Scalar other) -> Tensor|!less
le(Tensor self, Tensor|Scalar other) -> Tensor|!less_equal
gt(Tensor self, Tensor|Scalar other) -> Tensor|!greater
ge(Tensor self, Tensor|Scalar other) -> Tensor|!greater_equal
logical_and(Tensor self, Tensor other) -> Tensor|!
logical_or(Tensor self, Tensor other) -> Tensor|!
logical_xor(Tensor self, Tensor other) -> Tensor|!
logical_not(Tensor self) -> Tensor|!
isnan(Tensor self) -> Tensor|!
isclose(Tensor self, Tensor other, float rtol=1e-5, float atol=1e-8, bool equal_nan=False) -> Tensor|
where(Tensor condition, Tensor|Scalar input, Tensor|Scalar other) -> Tensor|
full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
zeros(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
ones(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
arange(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
arange.end(Scalar end, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
eye(int n, int? m=None, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor|
diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor|
div(Tensor self, Tensor|Scalar other, *, str{trunc|floor}? rounding_mode=None) -> Tensor|!divide true_divide
floor_divide(Tensor self, Tensor|Scalar other) -> Tensor|!
remainder(Tensor self, Tensor|Scalar other) -> Tensor|!
fmod(Tensor self, Tensor|Scalar other) -> Tensor|!
gcd(Tensor self, Tensor other) -> Tensor|!
lcm(Tensor self, Tensor other) -> Tensor|!
exp(Tensor self) -> Tensor|!
expm1(Tensor self) -> Tensor|!special_expm1
exp2(Tensor self) -> Tensor|!special_exp2
log(Tensor self) -> Tensor|!
log1p(Tensor self) -> Tensor|!special_log1p
log2(Tensor self) -> Tensor|!
log10(Tensor self) -> Tensor|!
sqrt(Tensor self) -> Tensor|!
rsqrt(Tensor self) -> Tensor|!
pow(Tensor self, Tensor|Scalar exponent) -> Tensor|!
float_power(Tensor self, Tensor|Scalar exponent) -> Tensor|!
sin(Tensor self) -> Tensor|!
cos(Tensor self) -> Tensor|!
tanh(Tensor self) -> Tensor|!
erf(Tensor self) -> Tensor|!special_erf
fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor|
fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor|
fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor|
fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor|
fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor|
flip(Tensor self, int[] dims) -> Tensor|
gather(Tensor self, int dim, Tensor index) -> Tensor|
index_select(Tensor self, int dim, Tensor index) -> Tensor|
scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor|!
scatter(Tensor self, int dim, Tensor index, Tensor|Scalar src, *, str{add|multiply}? reduce=None) -> Tensor|!
scatter.value(Tensor self, int dim, Tensor index, Scalar value, *, str{add|multiply}? reduce=None) -> Tensor|!
store(Tensor self, int dim, Tensor index, Tensor src) -> Tensor|!
cat(Tensor[] tensors, int dim=0) -> Tensor|concat concatenate
linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor|
linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)|
linalg_lu_factor(Tensor self, *, bool pivot=True) -> (Tensor LU, Tensor pivots)|
linalg_lu_factor_ex(Tensor self, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)|
linalg_qr(Tensor self, str{reduced|complete|r} mode="reduced") -> (Tensor Q, Tensor R)|
linalg_det(Tensor self) -> Tensor|det
linalg_slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)|slogdet
matrix_exp(Tensor self) -> Tensor|linalg_matrix_exp
linalg_pinv(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor|
linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor|
linalg_pinv.rcond(Tensor self, float rcond, bool hermitian=False) -> Tensor|
linalg_matrix_rank(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor|
linalg_matrix_rank.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor|
linalg_matrix_rank.tol(Tensor self, float tol, bool hermitian=False) -> Tensor|
cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor|
linalg_solve(Tensor self, Tensor B, *, bool left=True) -> Tensor|
linalg_solve_ex(Tensor self, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)|
linalg_lu_solve(Tensor self, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor|
linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor|
linalg_inv(Tensor self) -> Tensor|inverse
linalg_inv_ex(Tensor self, *, bool check_errors=False) -> (Tensor inverse, Tensor info)|
linalg_eigh(Tensor self, str{L|U|l|u} UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)|
linalg_eigvalsh(Tensor self, str{L|U|l|u} UPLO="L") -> Tensor|
linalg_svd(Tensor self, bool full_matrices=True, *, str{gesvd|gesvdj|gesvda}? driver=None) -> (Tensor U, Tensor S, Tensor Vh)|
linalg_svdvals(Tensor self, *, str{gesvd|gesvdj|gesvda}? driver=None) -> Tensor|
matmul(Tensor self, Tensor other) -> Tensor|linalg_matmul
pad(Tensor self, int[] pad, str{constant|reflect|replicate|circular} mode="constant", Scalar? value=None) -> Tensor|
constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor|
copysign(Tensor self, Tensor|Scalar other) -> Tensor|!
signbit(Tensor self) -> Tensor|!
frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)|
ldexp(Tensor self, Tensor other) -> Tensor|!
nextafter(Tensor self, Tensor other) -> Tensor|!
frac(Tensor self) -> Tensor|!
isfinite(Tensor self) -> Tensor|!
isinf(Tensor self) -> Tensor|!
isposinf(Tensor self) -> Tensor|!
isneginf(Tensor self) -> Tensor|!
nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor|!
heaviside(Tensor self, Tensor values) -> Tensor|!
max_pool1d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor|
max_pool2d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor|
max_pool3d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor|
max_pool1d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)|
max_pool2d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)|
max_pool3d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)|
max_unpool1d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor|
max_unpool2d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor|
max_unpool3d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor|
dequantize(Tensor self, str{q4_0|q4_1|q5_0|q5_1|q8_0|q2_k|q3_k|q4_k|q5_k|q6_k|q8_k|iq4_nl|iq4_xs|mxfp4|q4_1_128} format) -> Tensor|
quantize(Tensor self, str{q4_0|q4_1|q5_0|q5_1|q8_0|q2_k|q3_k|q4_k|q5_k|q6_k|q8_k|iq4_nl|iq4_xs|mxfp4|q4_1_128} format) -> Tensor|
rand(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
randn(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
randint(int high, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
randint.low(int low, int high, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
randperm(int n, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
uniform(Tensor self, float from=0.0, float to=1.0) -> Tensor|!
exponential(Tensor self, float lambd=1.0) -> Tensor|!
log_normal(Tensor self, float mean=1.0, float std=2.0) -> Tensor|!
cauchy(Tensor self, float median=0.0, float sigma=1.0) -> Tensor|!
geometric(Tensor self, float p) -> Tensor|!
bernoulli(Tensor self) -> Tensor|
bernoulli.p(Tensor self, float p) -> Tensor|!
normal(Tensor|Scalar mean, Tensor|Scalar std=1.0) -> Tensor|
normal.size(float mean, float std, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
normal_functional(Tensor self, float mean=0.0, float std=1.0) -> Tensor|!
multinomial(Tensor self, int num_samples, bool replacement=False) -> Tensor|
standard_gamma(Tensor self) -> Tensor|
standard_gamma_grad(Tensor self, Tensor output) -> Tensor|
sample_dirichlet(Tensor self) -> Tensor|
dirichlet_grad(Tensor self, Tensor alpha, Tensor total) -> Tensor|
poisson(Tensor self) -> Tensor|
binomial(Tensor self, Tensor prob) -> Tensor|
linspace(Tensor|Scalar start, Tensor|Scalar end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
logspace(Tensor|Scalar start, Tensor|Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
rnn_tanh(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n)|
rnn_relu(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n)|
gru(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n)|
lstm(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n, Tensor c_n)|
rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor|
rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor|
gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor|
lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor h, Tensor c)|
sum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
prod(Tensor self, int? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
amax(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor|
amin(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor|
argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor|
argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor|
max(Tensor self) -> Tensor|
max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)|
max.other(Tensor self, Tensor other) -> Tensor|
min(Tensor self) -> Tensor|
min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)|
min.other(Tensor self, Tensor other) -> Tensor|
aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)|
count_nonzero(Tensor self, int[]? dim=None) -> Tensor|
any(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor|
all(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor|
floor(Tensor self) -> Tensor|!
ceil(Tensor self) -> Tensor|!
round(Tensor self, *, int decimals=0) -> Tensor|!special_round
trunc(Tensor self) -> Tensor|!fix
cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor|!
cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor|!
cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)|
cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)|
logcumsumexp(Tensor self, int dim) -> Tensor|
scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str{sum|prod|mean|amax|amin} reduce, *, bool include_self=True) -> Tensor|!
index_reduce(Tensor self, int dim, Tensor index, Tensor source, str{prod|mean|amax|amin} reduce, *, bool include_self=True) -> Tensor|!
index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor|!
index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor|!
sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)|
sort.stable(Tensor self, int dim=-1, bool descending=False, *, bool? stable=None) -> (Tensor values, Tensor indices)|
argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor|
argsort.stable(Tensor self, int dim=-1, bool descending=False, *, bool stable=True) -> Tensor|
erfc(Tensor self) -> Tensor|!special_erfc
special_erfcx(Tensor self) -> Tensor|!
erfinv(Tensor self) -> Tensor|!special_erfinv
special_ndtr(Tensor self) -> Tensor|!
special_log_ndtr(Tensor self) -> Tensor|!
lgamma(Tensor self) -> Tensor|!special_gammaln
digamma(Tensor self) -> Tensor|!special_digamma special_psi
polygamma(int n, Tensor self) -> Tensor|special_polygamma
igamma(Tensor self, Tensor other) -> Tensor|!special_gammainc
igammac(Tensor self, Tensor other) -> Tensor|!special_gammaincc
i0(Tensor self) -> Tensor|!special_i0
special_i0e(Tensor self) -> Tensor|!
special_i1(Tensor self) -> Tensor|!
special_i1e(Tensor self) -> Tensor|!
special_entr(Tensor self) -> Tensor|!
xlogy(Tensor self, Tensor|Scalar other) -> Tensor|!special_xlogy
special_xlog1py(Tensor self, Tensor|Scalar other) -> Tensor|!
logit(Tensor self, float? eps=None) -> Tensor|!special_logit
logaddexp(Tensor self, Tensor other) -> Tensor|
logaddexp2(Tensor self, Tensor other) -> Tensor|
as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor|!
tril(Tensor self, int diagonal=0) -> Tensor|!
triu(Tensor self, int diagonal=0) -> Tensor|!
tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
tan(Tensor self) -> Tensor|!
asin(Tensor self) -> Tensor|!arcsin
acos(Tensor self) -> Tensor|!arccos
atan(Tensor self) -> Tensor|!arctan
atan2(Tensor self, Tensor other) -> Tensor|!arctan2
hypot(Tensor self, Tensor other) -> Tensor|!
sinh(Tensor self) -> Tensor|!
cosh(Tensor self) -> Tensor|!
asinh(Tensor self) -> Tensor|!arcsinh
acosh(Tensor self) -> Tensor|!arccosh
atanh(Tensor self) -> Tensor|!arctanh
sinc(Tensor self) -> Tensor|!special_sinc
deg2rad(Tensor self) -> Tensor|!
rad2deg(Tensor self) -> Tensor|!
im2col(Tensor self, int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1) -> Tensor|
col2im(Tensor self, int[] output_size, int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1) -> Tensor|fold
unfold(Tensor self, int dimension, int size, int step) -> Tensor|
reshape(Tensor self, int[] shape) -> Tensor|
view(Tensor self, int[] size) -> Tensor|
permute(Tensor self, int[] dims) -> Tensor|
transpose(Tensor self, int dim0, int dim1) -> Tensor|!swapaxes swapdims
expand(Tensor self, int[] size) -> Tensor|
unsqueeze(Tensor self, int dim) -> Tensor|!
squeeze(Tensor self, int[]? dim=None) -> Tensor|!
slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor|
narrow(Tensor self, int dim, int start, int length) -> Tensor|
narrow.tensor(Tensor self, int dim, Tensor start, int length) -> Tensor|
select(Tensor self, int dim, int index) -> Tensor|
select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor|
slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor|
diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor|
as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor|
adaptive_avg_pool1d(Tensor self, int[] output_size) -> Tensor|
adaptive_avg_pool2d(Tensor self, int?[] output_size) -> Tensor|
adaptive_avg_pool3d(Tensor self, int?[] output_size) -> Tensor|
adaptive_max_pool1d(Tensor self, int[] output_size) -> Tensor|
adaptive_max_pool2d(Tensor self, int?[] output_size) -> Tensor|
adaptive_max_pool3d(Tensor self, int?[] output_size) -> Tensor|
adaptive_max_pool1d.with_indices(Tensor self, int[] output_size, bool return_indices=True) -> (Tensor values, Tensor indices)|
adaptive_max_pool2d.with_indices(Tensor self, int?[] output_size, bool return_indices=True) -> (Tensor values, Tensor indices)|
adaptive_max_pool3d.with_indices(Tensor self, int?[] output_size, bool return_indices=True) -> (Tensor values, Tensor indices)|
multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, Tensor? in_proj_weight=None, Tensor? in_proj_bias=None, Tensor? bias_k=None, Tensor? bias_v=None, bool add_zero_attn=False, float dropout_p=0.0, Tensor? out_proj_weight=None, Tensor? out_proj_bias=None, bool training=True, Tensor? key_padding_mask=None, bool need_weights=True, Tensor? attn_mask=None, bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, Tensor? v_proj_weight=None, bool average_attn_weights=True, bool is_causal=False) -> Tensor[]|
clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor|!clip
clamp.tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor|!
conv1d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1) -> Tensor|
conv2d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1) -> Tensor|
conv3d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1) -> Tensor|
conv_transpose1d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1) -> Tensor|
conv_transpose2d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1) -> Tensor|
conv_transpose3d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1) -> Tensor|
cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor|
corrcoef(Tensor self) -> Tensor|
diag(Tensor self, int diagonal=0) -> Tensor|
diagflat(Tensor self, int offset=0) -> Tensor|
trace(Tensor self) -> Tensor|
linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor|
deform_conv2d(Tensor self, Tensor offset, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] dilation=1, Tensor? mask=None) -> Tensor|
nms(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor|
batched_nms(Tensor boxes, Tensor scores, Tensor idxs, float iou_threshold) -> Tensor|
roi_align(Tensor self, Tensor boxes, int[] output_size, float spatial_scale=1.0, int sampling_ratio=-1, bool aligned=False) -> Tensor|
diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor|
trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor|trapz
trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor|
cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor|
cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor|
cdist(Tensor x1, Tensor x2, float p=2.0, str{use_mm_for_euclid_dist_if_necessary|use_mm_for_euclid_dist|donot_use_mm_for_euclid_dist} compute_mode="use_mm_for_euclid_dist_if_necessary") -> Tensor|
dist(Tensor self, Tensor other, Scalar p=2) -> Tensor|
renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor|!
dropout(Tensor self, float p=0.5, bool train=True) -> Tensor|!
einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor|
tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor|
tensordot.int(Tensor self, Tensor other, int dims=2) -> Tensor|
bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor|
embedding(Tensor weight, Tensor indices, *, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False) -> Tensor|
embedding_bag(Tensor weight, Tensor indices, Tensor? offsets=None, *, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str{sum|mean|max} mode="mean", Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor|
allclose(Tensor self, Tensor other, float rtol=1e-5, float atol=1e-8, bool equal_nan=False) -> bool|
equal(Tensor self, Tensor other) -> bool|
is_nonzero(Tensor self) -> bool|
isreal(Tensor self) -> Tensor|
fft_fft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_ifft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_fft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor|
fft_ifft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor|
fft_fftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_ifftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_rfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_irfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_rfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor|
fft_irfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor|
fft_rfftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_irfftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_hfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_ihfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor|
fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
fft_fftshift(Tensor self, int[]? dim=None) -> Tensor|
fft_ifftshift(Tensor self, int[]? dim=None) -> Tensor|
fractional_max_pool2d(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, *, Tensor? _random_samples=None) -> Tensor|
fractional_max_pool2d.with_indices(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, bool return_indices=True, *, Tensor? _random_samples=None) -> (Tensor values, Tensor indices)|
fractional_max_pool3d(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, *, Tensor? _random_samples=None) -> Tensor|
fractional_max_pool3d.with_indices(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, bool return_indices=True, *, Tensor? _random_samples=None) -> (Tensor values, Tensor indices)|
gradient(Tensor self, *, Scalar? spacing=None, int[]? dim=None, int edge_order=1) -> Tensor[]|
gradient.array(Tensor self, *, float[] spacing, int[]? dim=None, int edge_order=1) -> Tensor[]|
gradient.coordinates(Tensor self, *, Tensor[] spacing, int[]? dim=None, int edge_order=1) -> Tensor[]|
grid_sample(Tensor self, Tensor grid, str{bilinear|nearest|bicubic} mode="bilinear", str{zeros|border|reflection} padding_mode="zeros", bool? align_corners=None) -> Tensor|
affine_grid(Tensor theta, int[] size, bool? align_corners=None) -> Tensor|
histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor|
histogram(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)|
histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)|
bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor|
take(Tensor self, Tensor index) -> Tensor|
put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor|!
take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor|
masked_fill(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor|!
index_fill(Tensor self, int dim, Tensor index, Tensor|Scalar value) -> Tensor|!
nonzero(Tensor self) -> Tensor|argwhere
nonzero_numpy(Tensor self) -> Tensor[]|
where.condition(Tensor condition) -> Tensor[]|
masked_select(Tensor self, Tensor mask) -> Tensor|
masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor|!
unravel_index(Tensor indices, int[] shape) -> Tensor[]|
index_tensors(Tensor self, Tensor?[] indices) -> Tensor|
index(Tensor self, Tensor?[] indices) -> Tensor|
index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor|!
getitem(Tensor self, str key, Tensor[] tensors) -> Tensor|
setitem(Tensor self, str key, Tensor[] tensors, Tensor|Scalar value) -> Tensor|!
hstack(Tensor[] tensors) -> Tensor|
vstack(Tensor[] tensors) -> Tensor|row_stack
dstack(Tensor[] tensors) -> Tensor|
column_stack(Tensor[] tensors) -> Tensor|
block_diag(Tensor[] tensors) -> Tensor|
cartesian_prod(Tensor[] tensors) -> Tensor|
combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor|
pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str{left|right} padding_side="right") -> Tensor|
zeros_like(Tensor self, *, ScalarType? dtype=None) -> Tensor|
ones_like(Tensor self, *, ScalarType? dtype=None) -> Tensor|
full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor|
empty_like(Tensor self, *, ScalarType? dtype=None) -> Tensor|
empty(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
rand_like(Tensor self, *, ScalarType? dtype=None) -> Tensor|
randn_like(Tensor self, *, ScalarType? dtype=None) -> Tensor|
randint_like(Tensor self, int high, *, ScalarType? dtype=None) -> Tensor|
randint_like.low(Tensor self, int low, int high, *, ScalarType? dtype=None) -> Tensor|
type_as(Tensor self, Tensor other) -> Tensor|
scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
fill(Tensor self, Tensor|Scalar value) -> Tensor|!
zero(Tensor self) -> Tensor|!
linalg_vector_norm(Tensor self, Scalar ord=2, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
linalg_matrix_norm(Tensor self, str{fro|nuc} ord="fro", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
linalg_matrix_norm.ord(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
linalg_norm(Tensor self, Scalar? ord=None, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
linalg_norm.ord_str(Tensor self, str{fro|nuc} ord, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
norm(Tensor self, Scalar p=2, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
norm.str(Tensor self, str{fro|nuc} p, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
linalg_cond(Tensor self, Scalar? p=None) -> Tensor|
linalg_cond.p_str(Tensor self, str{fro|nuc} p) -> Tensor|
cholesky_inverse(Tensor self, bool upper=False) -> Tensor|
triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)|
logdet(Tensor self) -> Tensor|
linalg_householder_product(Tensor self, Tensor tau) -> Tensor|orgqr
pinverse(Tensor self, float rcond=1e-15) -> Tensor|
linalg_tensorinv(Tensor self, int ind=2) -> Tensor|
linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor|
linalg_lstsq(Tensor self, Tensor B, float? rcond=None, *, str{gels|gelsy|gelsd|gelss}? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)|
linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor|
one_hot(Tensor self, int num_classes) -> Tensor|
one_hot.counted(Tensor self) -> Tensor|
nll_loss(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction="mean", int ignore_index=-100) -> Tensor|
cross_entropy(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction="mean", int ignore_index=-100, float label_smoothing=0.0) -> Tensor|
ctc_loss(Tensor self, Tensor targets, Tensor|int[] input_lengths, Tensor|int[] target_lengths, int blank=0, str{none|mean|sum} reduction="mean", bool zero_infinity=False) -> Tensor|
cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-8) -> Tensor|
pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-6, bool keepdim=False) -> Tensor|
pdist(Tensor self, float p=2.0) -> Tensor|
hinge_embedding_loss(Tensor self, Tensor target, *, float margin=1.0, str{none|mean|sum} reduction="mean") -> Tensor|
margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, *, float margin=0.0, str{none|mean|sum} reduction="mean") -> Tensor|
multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, *, str{none|mean|sum} reduction="mean") -> Tensor|
multilabel_margin_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction="mean") -> Tensor|
multilabel_soft_margin_loss(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction="mean") -> Tensor|
triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, *, float margin=1.0, float p=2.0, float eps=1e-6, bool swap=False, str{none|mean|sum} reduction="mean") -> Tensor|
cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, *, float margin=0.0, str{none|mean|sum} reduction="mean") -> Tensor|
mse_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction="mean", Tensor? weight=None) -> Tensor|
l1_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction="mean", Tensor? weight=None) -> Tensor|
smooth_l1_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction="mean", float beta=1.0) -> Tensor|
huber_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction="mean", float delta=1.0, Tensor? weight=None) -> Tensor|
binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction="mean") -> Tensor|
binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction="mean", Tensor? pos_weight=None) -> Tensor|
soft_margin_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction="mean") -> Tensor|
kl_div(Tensor self, Tensor target, *, str{none|batchmean|mean|sum} reduction="mean", bool log_target=False) -> Tensor|
poisson_nll_loss(Tensor self, Tensor target, *, bool log_input=True, bool full=False, float eps=1e-8, str{none|mean|sum} reduction="mean") -> Tensor|
gaussian_nll_loss(Tensor self, Tensor target, Tensor var, *, bool full=False, float eps=1e-6, str{none|mean|sum} reduction="mean") -> Tensor|
dropout1d(Tensor self, float p=0.5, bool training=True) -> Tensor|!
dropout2d(Tensor self, float p=0.5, bool training=True) -> Tensor|!
dropout3d(Tensor self, float p=0.5, bool training=True) -> Tensor|!
feature_dropout(Tensor self, float p, bool train) -> Tensor|!
alpha_dropout(Tensor self, float p=0.5, bool training=False) -> Tensor|!
feature_alpha_dropout(Tensor self, float p=0.5, bool training=False) -> Tensor|!
rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False) -> Tensor|!
gumbel_softmax(Tensor self, float tau=1.0, bool hard=False, float eps=1e-10, int dim=-1) -> Tensor|
random(Tensor self) -> Tensor|!
random.to(Tensor self, int to) -> Tensor|!
random.from(Tensor self, int from, int? to) -> Tensor|!
layer_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5) -> Tensor|
native_layer_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5) -> (Tensor output, Tensor mean, Tensor rstd)|
rms_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Scalar? eps=None) -> Tensor|
group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-5) -> Tensor|
instance_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-5) -> Tensor|
batch_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-5) -> Tensor|
normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12) -> Tensor|
local_response_norm(Tensor self, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor|
movedim(Tensor self, int[] source, int[] destination) -> Tensor|moveaxis
numpy_T(Tensor self) -> Tensor|T
mT(Tensor self) -> Tensor|mH adjoint
matrix_H(Tensor self) -> Tensor|H
fliplr(Tensor self) -> Tensor|
flipud(Tensor self) -> Tensor|
rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor|
roll(Tensor self, int[] shifts, int[] dims=[]) -> Tensor|
channel_shuffle(Tensor self, int groups) -> Tensor|
pixel_shuffle(Tensor self, int upscale_factor) -> Tensor|
pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor|
avg_pool1d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor|
avg_pool2d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor|
avg_pool3d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor|
lp_pool1d(Tensor self, float norm_type, int[] kernel_size, int[] stride=[], bool ceil_mode=False) -> Tensor|
lp_pool2d(Tensor self, float norm_type, int[] kernel_size, int[] stride=[], bool ceil_mode=False) -> Tensor|
lp_pool3d(Tensor self, float norm_type, int[] kernel_size, int[] stride=[], bool ceil_mode=False) -> Tensor|
mm(Tensor self, Tensor mat2) -> Tensor|
mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor|
bmm(Tensor self, Tensor mat2) -> Tensor|
bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor|
mv(Tensor self, Tensor vec) -> Tensor|
dot(Tensor self, Tensor tensor) -> Tensor|vdot
inner(Tensor self, Tensor other) -> Tensor|
outer(Tensor self, Tensor vec2) -> Tensor|ger
addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor|!
addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor|
addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor|!
addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor|!
baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor|!
baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor|
addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor|!
kron(Tensor self, Tensor other) -> Tensor|
linalg_matrix_power(Tensor self, int n) -> Tensor|matrix_power
linalg_multi_dot(Tensor[] tensors) -> Tensor|chain_matmul
linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor|
result_type(Tensor|Scalar tensor1, Tensor|Scalar tensor2) -> ScalarType|
promote_types(ScalarType type1, ScalarType type2) -> ScalarType|
can_cast(ScalarType from_, ScalarType to) -> bool|
quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation="linear") -> Tensor|
quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation="linear") -> Tensor|
nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation="linear") -> Tensor|
nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation="linear") -> Tensor|
msort(Tensor self) -> Tensor|
topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)|
kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)|
median(Tensor self) -> Tensor|
median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)|
nanmedian(Tensor self) -> Tensor|
nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)|
mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)|
interpolate(Tensor self, int[]? size=None, float[]? scale_factor=None, str{nearest|linear|bilinear|bicubic|trilinear|area|nearest-exact} mode="nearest", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor|
upsample_nearest(Tensor self, int[]? size=None, float[]? scale_factor=None) -> Tensor|
upsample_bilinear(Tensor self, int[]? size=None, float[]? scale_factor=None) -> Tensor|
ravel(Tensor self) -> Tensor|
reshape_as(Tensor self, Tensor other) -> Tensor|
view_as(Tensor self, Tensor other) -> Tensor|
broadcast_to(Tensor self, int[] size) -> Tensor|
expand_as(Tensor self, Tensor other) -> Tensor|
atleast_1d(Tensor tensor) -> Tensor|
atleast_2d(Tensor tensor) -> Tensor|
atleast_3d(Tensor tensor) -> Tensor|
atleast_1d.sequence(Tensor[] tensors) -> Tensor[]|
atleast_2d.sequence(Tensor[] tensors) -> Tensor[]|
atleast_3d.sequence(Tensor[] tensors) -> Tensor[]|
broadcast_shapes(int[] a, int[] b) -> int[]|
broadcast_tensors(Tensor[] tensors) -> Tensor[]|
meshgrid(Tensor[] tensors, str{ij|xy} indexing="ij") -> Tensor[]|
repeat(Tensor self, int[] repeats) -> Tensor|
tile(Tensor self, int[] dims) -> Tensor|
repeat_interleave(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor|
repeat_interleave.tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor|
resize(Tensor self, int[] size) -> Tensor|!
resize_as(Tensor self, Tensor the_template) -> Tensor|!
fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor|!
searchsorted(Tensor sorted_sequence, Tensor|Scalar input, *, bool out_int32=False, bool right=False, str{left|right}? side=None, Tensor? sorter=None) -> Tensor|
bucketize(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor|
bucketize.scalar(Scalar input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor|
isin(Tensor|Scalar elements, Tensor|Scalar test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor|
t(Tensor self) -> Tensor|!
flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor|
unflatten(Tensor self, int dim, int[] sizes) -> Tensor|
stack(Tensor[] tensors, int dim=0) -> Tensor|
sum_to_size(Tensor self, int[] size) -> Tensor|
softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor|
log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor|
softmin(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor|
logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor|
softmax.implicit_dim(Tensor self, *, ScalarType? dtype=None) -> Tensor|
log_softmax.implicit_dim(Tensor self, *, ScalarType? dtype=None) -> Tensor|
softmin.implicit_dim(Tensor self, *, ScalarType? dtype=None) -> Tensor|
split(Tensor self, int split_size, int dim=0) -> Tensor[]|unsafe_split
split.sizes(Tensor self, int[] split_size, int dim=0) -> Tensor[]|
split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]|unsafe_split_with_sizes
chunk(Tensor self, int chunks, int dim=0) -> Tensor[]|unsafe_chunk
tensor_split(Tensor self, int sections, int dim=0) -> Tensor[]|
tensor_split.indices(Tensor self, int[] indices, int dim=0) -> Tensor[]|
tensor_split.tensor(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]|
hsplit(Tensor self, int sections) -> Tensor[]|
hsplit.indices(Tensor self, int[] indices) -> Tensor[]|
vsplit(Tensor self, int sections) -> Tensor[]|
vsplit.indices(Tensor self, int[] indices) -> Tensor[]|
dsplit(Tensor self, int sections) -> Tensor[]|
dsplit.indices(Tensor self, int[] indices) -> Tensor[]|
unbind(Tensor self, int dim=0) -> Tensor[]|
mean(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
var(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor|
var.unbiased(Tensor self, bool unbiased) -> Tensor|
var.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor|
std(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor|
std.unbiased(Tensor self, bool unbiased) -> Tensor|
std.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor|
var_mean(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> (Tensor var, Tensor mean)|
var_mean.unbiased(Tensor self, bool unbiased) -> (Tensor var, Tensor mean)|
var_mean.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor var, Tensor mean)|
std_mean(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> (Tensor std, Tensor mean)|
std_mean.unbiased(Tensor self, bool unbiased) -> (Tensor std, Tensor mean)|
std_mean.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor std, Tensor mean)|
nansum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
nanmean(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor|
unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor[]|
unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor[]|
linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor|
cross(Tensor self, Tensor other, int? dim=None) -> Tensor|
linalg_vander(Tensor x, *, int? N=None) -> Tensor|
vander(Tensor x, int? N=None, bool increasing=False) -> Tensor|
mvlgamma(Tensor self, int p) -> Tensor|!special_multigammaln
hann_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
hamming_window(int window_length, bool periodic=True, float alpha=0.54, float beta=0.46, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
blackman_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
bartlett_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
kaiser_window(int window_length, bool periodic=True, float beta=12.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_bartlett(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_blackman(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_cosine(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_gaussian(int M, *, float std=1.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_general_cosine(int M, float[] a, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_general_hamming(int M, *, float alpha=0.54, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_hamming(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_hann(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_kaiser(int M, *, float beta=12.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_nuttall(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|
signal_windows_exponential(int M, *, float? center=None, float tau=1.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor|`;
