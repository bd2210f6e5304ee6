"""Calls at kinks, ties, zeros, infinities and NaN, for gen_golden.py: values and gradients that PyTorch's samples leave out.

calls() returns {name of a file without its ending: [(args, kwargs)]}; refusals() returns calls whose error depends on the elements.
PyTorch's own float32 answers where float64 would not overflow or not meet the tie; no comparison is lenient here.
"""
import itertools
import torch

inf, nan = float("inf"), float("nan")
FAR = [-inf, -6., -3., -2.5, -2., -1.5, -1., -.5, -0., 0., .5, 1., 1.5, 2., 2.5, 3., 6., inf, nan]
GRID = list(itertools.product([-inf, -2.5, -1., -0., 0., 1., 2.5, inf, nan], repeat=2))
ORDERS = [0., .5, 1., 1.5, 2., 3., inf]


def x(*v):
    """A float tensor with a gradient."""
    return torch.tensor(v[0] if len(v) == 1 and isinstance(v[0], list) else list(v), dtype=torch.float32).requires_grad_()


def c(*v):
    """A float tensor without a gradient."""
    return x(*v).detach()


def i(*v):
    """An integer tensor."""
    return torch.tensor(v[0] if len(v) == 1 and isinstance(v[0], list) else list(v))


def call(*args, **kwargs):
    return args, kwargs


def full(value, *shape):
    return torch.full(shape, value).requires_grad_()


UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac i0 lgamma log log10 log1p
  log2 logit nan_to_num neg positive rad2deg reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc isfinite
  isinf isnan isneginf isposinf logical_not frexp special.i1 special.entr special.ndtr special.erfcx special.log_ndtr special.i0e special.i1e
  nn.functional.relu nn.functional.relu6 nn.functional.leaky_relu nn.functional.elu nn.functional.selu nn.functional.celu nn.functional.gelu
  nn.functional.silu nn.functional.mish nn.functional.softplus nn.functional.softsign nn.functional.hardswish nn.functional.hardsigmoid
  nn.functional.hardtanh nn.functional.hardshrink nn.functional.softshrink nn.functional.tanhshrink nn.functional.logsigmoid""".split()
BINARY = """add sub mul div__no_rounding_mode div__floor_rounding div__trunc_rounding floor_divide fmod remainder pow float_power maximum minimum fmax
  fmin atan2 hypot copysign nextafter heaviside logaddexp logaddexp2 xlogy special.xlog1py eq ne lt le gt ge isclose max__binary min__binary
  ldexp __rpow__""".split()


def elementwise():
    t = {}
    def add(name, *calls): t.setdefault(name, []).extend(calls)
    for name in UNARY: add(name, call(x([-2.5, -.5, -0., 0., .5, 1., 2.5, inf, nan] if name == "digamma" else FAR[1:-2] + [nan] if name == "nn.functional.gelu" else FAR)))
    first, second = zip(*GRID)
    for name in BINARY:
        rounding = {"div__floor_rounding": "floor", "div__trunc_rounding": "trunc"}.get(name)
        add(name, call(x(list(first)), x(list(second)), **({"rounding_mode": rounding} if rounding else {})))
    F = "nn.functional."
    add("logit", *[call(x(-1., 0., .25, .5, .75, 1., 2., nan), e) for e in (.25, 0., .5)])
    add("round__decimals_3", call(x(.0005, .0015, -.0005, 2.5, inf, nan), decimals=3))
    add("round__decimals_neg_3", call(x(500., 1500., -2500., inf, nan), decimals=-3))
    add("nan_to_num", call(x(FAR), nan=1.5, posinf=2.5, neginf=-2.5))
    for s in (0., .5, 1., 2., 3., -.5, -1., -2., inf, -inf, nan): add("pow", call(x(FAR), s))
    for s in (0., 2., -1.5): add("fmod", call(x(FAR), s)); add("remainder", call(x(FAR), s))
    for s in (0., 1., inf): add("xlogy", call(x(FAR), s)); add("special.xlog1py", call(x(FAR), s))
    for s in (0., -0.): add("copysign", call(x(FAR), s))
    add("hypot", call(x(3e38, 1e19, 1e-30, 0., 1e19), x(1., 1e19, 1e-30, 0., 0.)))
    add("atan2", call(x(1e30, 1e-30, 1e-30, -1e20), x(1e30, 1e-30, -1e-30, 1e-20)))
    add("logaddexp", call(x(1e4, -1e4, 100., -1e30), x(1e4, -1e4, -100., 1e30)))
    add("logaddexp2", call(x(1e4, -1e4, 200., -1e30), x(1e4, -1e4, -200., 1e30)))
    add("sinc", call(x(1e-20, -1e-20, 1e-4, -1e-4)))
    add("sqrt", call(full(0., 2, 2)))
    low, high = c([-1.] * len(FAR)), c([1.] * len(FAR))
    for a, b in ((-1., 1.), (1., -1.), (None, 1.), (-1., None), (nan, 1.), (-1., nan), (-inf, inf)): add("clamp", call(x(FAR), a, b))
    add("clamp", call(x(FAR), low.clone().requires_grad_(), high.clone().requires_grad_()), call(x(FAR), high.clone().requires_grad_(), low.clone().requires_grad_()),
        call(x(FAR), x(FAR), x(FAR)), call(x(0., 1., 2., nan), x(nan, 1., 3., 0.), x(1., nan, 3., 0.)),
        call(x(FAR), low.clone().requires_grad_(), None), call(x(FAR), None, high.clone().requires_grad_()))
    for name in ("clamp_min", "clamp_max"): add(name, call(x(list(first)), x(list(second))), call(x(FAR), 1.))
    ends, starts = [1., -inf, inf, inf, 0., nan, 2.], [3., 1., 1., inf, -0., 1., 2.]
    for w in (0., .25, .5, .75, 1., nan): add("lerp", call(x(starts), x(ends), w))
    add("lerp", call(x(starts), x(ends), x(0., .499, .5, .501, 1., .5, inf)))
    add("addcdiv", call(x(0., 1., inf, 1.), x(0., 1., 1., inf), x(0., 0., inf, inf), value=2.))
    add("addcmul", call(x(0., 1., inf, 1.), x(0., inf, 1., inf), x(0., 0., -inf, inf), value=0.))
    add("where", call(x(1., inf, nan, 0.), torch.tensor([True, False, True, False]), x(nan, 2., 3., inf)))
    add("heaviside", call(x(-0., 0., nan, 1.), x(nan, inf, 0., nan)))
    add("isclose", call(c(inf, inf, nan, 1., 0.), c(inf, -inf, nan, 1. + 1e-6, 1e-9), equal_nan=True))
    add(F + "hardtanh", call(x(FAR), -2., .5), call(x(FAR), 1., 1.))
    add(F + "hardshrink", call(x(FAR), 0.), call(x(FAR), 1.5), call(x(FAR), -1.))
    add(F + "softshrink", call(x(FAR), 0.), call(x(FAR), 1.5))
    add(F + "threshold", call(x(FAR), .5, -2.), call(x(FAR), 0., nan), call(x(FAR), -inf, 3.))
    add(F + "leaky_relu", call(x(FAR), 0.), call(x(FAR), 1.), call(x(FAR), -.5))
    add(F + "elu", call(x(FAR), alpha=0.), call(x(FAR), alpha=2.), call(x(FAR), alpha=-1.))
    add(F + "celu", call(x(FAR), alpha=2.), call(x(FAR), alpha=-1.))
    add(F + "softplus", call(x(FAR), beta=2, threshold=3), call(x(FAR), beta=1, threshold=0), call(x(50., -50., 20., 20.5, -104., -90.)))
    add(F + "gelu", call(x(FAR), approximate="tanh"), call(x(-30., 30., -1e20, 1e20)), call(x(-30., 30., -1e10, 1e10), approximate="tanh"))
    add(F + "silu", call(x(-100., 100., -1e20, 1e20)))
    add(F + "mish", call(x(-100., 100., -1e20, 1e20)))
    add("sigmoid", call(x(-100., 100., -1e20, 1e20)))
    add(F + "softsign", call(x(-1e30, 1e30, 1e-30)))
    add(F + "logsigmoid", call(x(-100., 100., -1e20, 1e20)))
    add(F + "prelu", call(x(FAR), x(.25)), call(x(FAR), x(0.)), call(x([[0., -0., inf], [-inf, nan, -1.]]), x(.5, 0., inf)))
    add(F + "glu", call(x([[1., inf, -inf, nan, 0., inf], [0., -inf, 1., 1., -inf, inf]])))
    return t


def reductions():
    t = {}
    def add(name, *calls): t.setdefault(name, []).extend(calls)
    ties = lambda: [x([[1., 3., 3., 2.], [3., 3., 3., 3.], [-inf, -inf, -inf, -inf], [inf, 1., inf, 0.], [nan, 1., 2., nan], [0., -0., 0., -0.]])]
    for name in ("amax", "amin"): add(name, call(*ties()), call(*ties(), dim=1), call(*ties(), dim=0), call(x(2., 1., 2.)), call(*ties(), dim=(0, 1), keepdim=True))
    add("aminmax", call(*ties()), call(*ties(), dim=1), call(x(2., 1., 2., 1.)))
    for name in ("max", "min"):
        add(f"{name}__reduction_no_dim", call(*ties()), call(x(2., 1., 2., 1.)), call(x(inf, 1., -inf, inf)))
        add(f"{name}__reduction_with_dim", call(*ties(), 1), call(*ties(), 0), call(x(nan, 1., nan), 0))
        add(f"arg{name}", call(*ties(), dim=1), call(*ties()), call(x(-inf, -inf), 0))
        add(f"cum{name}", call(*ties(), 1), call(*ties(), 0), call(x(1., nan, 3., nan, inf), 0), call(x(-0., 0., -0.), 0))
    for name in ("median", "nanmedian"):
        add(name, call(x(1., 4., 2., 3.)), call(x([[3., nan, 1.], [nan, nan, nan], [inf, -inf, 0.]]), 1), call(x(nan, 1., 2.)), call(x(inf)))
    for name in ("quantile", "nanquantile"):
        add(name, call(x(1., inf, 3.), .5), call(x(1., inf, 3.), 1.), call(x(-inf, inf), .5), call(x(nan, 1., 2.), .5), call(x(nan, nan), .5),
            call(x([[2., 2., 1.], [nan, 1., 1.]]), c(0., .5, 1.), dim=1), call(x(1., 2., 4., 8.), .3, interpolation="nearest"))
    add("kthvalue", call(x([[3., 1., nan], [inf, -inf, 0.]]), 3, 1), call(x(-inf, 1., 2.), 1))
    add("sort", call(x([[3., nan, 1., -inf], [inf, -inf, nan, 0.]])), call(x(nan, 1., inf, -inf), 0, True), call(x(2., 1., 2., 1.), stable=True, dim=0),
        call(x(-0., 0., -0., 0.), stable=True, dim=0, descending=True))
    add("topk", call(x(nan, 1., inf, -inf), 3), call(x(nan, 1., inf, -inf), 2, 0, False))
    add("msort", call(x([[3., nan], [1., -inf], [nan, inf]])))
    add("argsort", call(x(nan, 1., inf, -inf)), call(x(2., 1., 2., 1.), stable=True, dim=0))
    zeros = lambda: x([[1., 2., 3., 4.], [0., 2., 3., 4.], [1., 0., 3., 0.], [0., 0., 0., 0.], [-1., 2., -0., 1.]])
    add("prod", call(zeros(), 1), call(zeros(), 0), call(x(2., 0., 3.)), call(x(0., 0., 3.)), call(x(0.)), call(torch.tensor(0.).requires_grad_()),
        call(x(inf, 0., 3.)), call(x(1., nan, 0.)))
    add("cumprod", call(zeros(), 1), call(zeros(), 0), call(x(2., 0., 3., 0., 4.), 0), call(x(0., 0.), 0), call(x(0., 2., 3.), 0))
    add("cumsum", call(x(1., inf, 2., -inf, 3.), 0), call(x(nan, 1.), 0), call(x([[inf, 1.], [-inf, 2.]]), 0))
    add("logcumsumexp", call(x(-inf, -inf, 1., inf, 2.), 0), call(x(-inf, 0., -inf, 1.), 0), call(x(inf, -inf, 1.), 0), call(x(1., nan, 2.), 0),
        call(x(-inf, -inf), 0), call(x(1e4, 1e4, -1e4), 0))
    low = lambda: x([[-inf, -inf, -inf], [inf, 1., -inf], [inf, inf, 0.], [nan, 1., 2.], [1., -inf, 1.], [1e4, 1e4, -1e4], [-1e30, -1e30, -1e30]])
    add("logsumexp", call(low(), 1), call(low(), (0, 1)), call(low(), 0, True), call(x(-inf), 0))
    for name in ("softmax", "log_softmax", "nn.functional.softmin"): add(name, call(low(), 1), call(low(), 0), call(x([[-inf], [inf], [2.]]), 1))
    one = lambda: x([[1.], [inf], [nan], [0.]])
    same = lambda: x([[2., 2., 2.], [0., 0., 0.], [1e18, 1e18, -1e18], [1e-15, 2e-15, 3e-15]])
    endless = lambda: x([[inf, inf, 1.], [inf, -inf, 0.], [nan, 1., 2.]])
    for name in ("std", "var", "std_mean", "var_mean"):
        add(name, call(one(), dim=1), call(same(), dim=1), call(same(), dim=1, correction=0), call(same(), dim=1, correction=3), call(same(), dim=1, correction=5),
            call(one(), dim=1, correction=0), call(x(3., 3.)), call(torch.tensor(2.).requires_grad_()), call(x(2., 2., 2.), dim=0, correction=2))
    for name in ("std", "var"): add(name, call(endless(), dim=1), call(endless(), dim=1, correction=0))
    add("nansum", call(x(nan, nan)), call(x(nan, inf, 1.)), call(x([[nan, 1.], [nan, nan]]), dim=1))
    add("nanmean", call(x(nan, nan)), call(x(nan, inf, 1.)), call(x([[nan, 1.], [nan, nan]]), dim=1))
    add("sum", call(x(inf, -inf, 1.)), call(x(3e38, 3e38)))
    add("mean", call(x(inf, -inf, 1.)), call(x(3e38, 3e38)))
    add("count_nonzero", call(x(nan, 0., -0., inf)))
    for name in ("any", "all"): add(name, call(c(nan, 0.)), call(c(-0., 0.)), call(c(nan, inf)))
    vectors = lambda: x([[0., 0., 0.], [0., 3., -4.], [3., -3., 3.], [inf, 1., 0.], [nan, 1., 0.], [1e19, 1e19, 0.], [1e-23, 1e-23, 0.], [-inf, inf, 1.]])
    for p in ORDERS + [-inf, -1., -2., -.5, 4.]:
        add("linalg.vector_norm", call(vectors(), p, dim=1))
        add("norm", call(vectors(), p, dim=1))
        add("linalg.norm", call(vectors(), p, dim=1))
    for p in (0., 1., 2., 3., inf, -inf): add("linalg.vector_norm", call(x(0., 0.), p), call(x(0.), p), call(torch.tensor(0.).requires_grad_(), p), call(x(2., -2., 2.), p))
    add("norm", call(x(0., 0.)), call(x([[0., 0.], [0., 0.]]), "fro"), call(x([[0., 0.], [0., 0.]]), "nuc"))
    for p in ("fro", 1, inf, -1, -inf): add("linalg.matrix_norm", call(x([[0., 0.], [0., 0.]]), p), call(x([[1., 1.], [-1., 1.]]), p), call(x([[inf, 1.], [nan, 1.]]), p))
    for p in ORDERS + [4., -1.]: add("dist", call(x(1., 2., 3.), x(1., 2., 3.), p), call(x(1., 2., inf), x(1., 4., 1.), p), call(x(1., 3., -1.), x(-1., 1., 1.), p))
    for p in (.5, 1., 2., 3., inf): add("renorm", call(x([[3., 4.], [0., 0.], [.3, .4], [inf, 1.]]), p, 0, 5.), call(x([[3., 4.], [0., 0.]]), p, 0, 0.))
    for p in ORDERS:
        add("cdist", call(x([[1., 2.], [0., 0.]]), x([[1., 2.], [3., 2.], [0., 0.]]), p), call(x([[1., inf]]), x([[1., inf], [2., 0.]] if p < inf else [[2., 0.]]), p),
            call(x([[1., 1.], [2., -2.]]), x([[3., 3.]]), p), call(x([[nan, 0.]]), x([[0., 0.]]), p if p < inf else 4.))
        add("nn.functional.pdist", call(x([[1., 2.], [1., 2.], [0., 2.], [2., 3.]]), p), call(x([[1., inf], [2., 1.]]), p))
    for mode in ("use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"): add("cdist", call(x([[1., 2.], [0., 0.]]), x([[1., 2.], [0., 0.]]), 2., compute_mode=mode))
    add("cov", call(x([[1., 1., 1.], [1., 2., 3.]])), call(x([[1.], [2.]])))
    add("corrcoef", call(x([[1., 1., 1.], [1., 2., 3.]])), call(x([[1., 2., 3.], [1., 2., 3.]])))
    add("histc", call(c(0., 1., 2., 3., -1., 5.), bins=3, min=0, max=3), call(c(1., 1., 1.), bins=2))
    add("diff", call(x(inf, inf, 1.)))
    add("mode", call(x([[2., 2., 1.], [inf, inf, 0.]]), 1))
    return t


def losses():
    t = {}
    F = "nn.functional."
    def add(name, *calls): t.setdefault(F + name, []).extend(calls)
    none = {"reduction": "none"}
    p, y = zip(*itertools.product([0., 1e-30, .5, 1. - 2 ** -24, 1.], [0., .25, 1.]))
    add("binary_cross_entropy", call(x(list(p)), c(list(y)), **none), call(x(list(p)), c(list(y))), call(x(list(p)), x(list(y)), **none),
        call(x(0., 1., 0., 1.), c(0., 1., 1., 0.), weight=c(2., 3., 0., .5), reduction="sum"))
    far, y = zip(*itertools.product([-inf, -200., -100., 0., 100., 200., inf, nan], [0., .5, 1.]))
    add("binary_cross_entropy_with_logits", call(x(list(far)), c(list(y)), **none), call(x(list(far)), x(list(y)), pos_weight=c(2.), **none),
        call(x(-200., 200., 0.), c(1., 0., 1.), weight=c(0., 1., 2.), pos_weight=c(0., 3., 1.), **none))
    near = [-2., -1., -.5, -0., 0., .5, 1., 2., inf, nan]
    zero = [0.] * len(near)
    for name in ("mse_loss", "l1_loss"): add(name, call(x(near), x(zero), **none), call(x(inf, 1.), x(inf, 1.), **none))
    for beta in (0., .5, 1., 2.): add("smooth_l1_loss", call(x(near), x(zero), beta=beta, **none), call(x(inf), x(inf), beta=beta, **none))
    for delta in (.5, 1., 2.): add("huber_loss", call(x(near), x(zero), delta=delta, **none))
    rows = [[-inf, 0., 1.], [1., -inf, -inf], [inf, 0., 1.], [-inf, -inf, -inf], [nan, 0., 1.], [200., -200., 0.]]
    add("nll_loss", call(x(rows), i(1, 0, 1, 1, 1, 2), **none), call(x(rows), i(-100, -100, -100, -100, -100, -100)), call(x(rows[:2]), i(0, 2)),
        call(x(rows[:2]), i(1, 1), weight=c(0., 0., 1.)), call(x([[-1., -inf]]), i(1), weight=c(1., 0.), **none), call(x(rows[:2]), i(1, 0), ignore_index=0, reduction="sum"))
    for smoothing in (0., .1, 1.):
        add("cross_entropy", call(x(rows), i(1, 0, 1, 1, 1, 2), label_smoothing=smoothing, **none), call(x(rows[:2]), i(1, 0), label_smoothing=smoothing),
            call(x(rows[:2]), i(1, 0), weight=c(0., 1., 2.), label_smoothing=smoothing), call(x([[0., 1.]] * 2), i(-100, -100), label_smoothing=smoothing),
            call(x([[0., 1.]] * 2), i(-100, -100), label_smoothing=smoothing, reduction="sum"))
        add("cross_entropy", call(x([[200., -200., 0.], [-inf, 0., 1.]]), c([[0., 0., 1.], [0., .5, .5]]), label_smoothing=smoothing, **none))
    add("kl_div", call(x(-inf, -1., 0., -1., -inf, 1.), x(0., 0., 1., .5, 1., -1.), **none), call(x(-inf, -1., 0., nan), x(-inf, -inf, 0., 0.), log_target=True, **none),
        call(x([[-1., -2.]]), c([[0., 0.]]), reduction="batchmean"))
    counts = c(0., 1., 2., .5, 1., 0.)
    for log in (True, False):
        for whole in (True, False):
            add("poisson_nll_loss", call(x(0., 0., 1., 1e-8, inf, -1.), counts, log_input=log, full=whole, **none), call(x(0., 1., 2., 1., 1., 1.), x(.25, 1., 2., .5, 1., 3.), log_input=log, full=whole, **none))
    add("gaussian_nll_loss", call(x(1., 1., 1., 0., inf), x(1., 2., 1., 0., 1.), x(0., 0., 1e-6, 1e-7, 1.), **none), call(x(1., 2.), c(1., 1.), x(1e-3, 1.), eps=1e-3, full=True, **none))
    add("hinge_embedding_loss", call(x(-1., 0., 1., 2., 1., inf, nan, -1.), c(1., 1., -1., -1., -1., -1., -1., -1.), **none), call(x(.5, 1.), c(-1., -1.), margin=.5, **none))
    add("margin_ranking_loss", call(x(1., 1., 2., 0., inf), x(1., 1., 1., 1., inf), c(1., -1., 1., -1., 1.), **none), call(x(1., 2.), x(1.5, 1.), c(1., -1.), margin=.5, **none),
        call(x(1., 2.), x(2., 1.), c(-1., 1.), margin=-1., **none))
    add("soft_margin_loss", call(x(inf, -40., 40., 0., 200.), c(1., 1., -1., 0., 1.), **none))
    add("cosine_embedding_loss", call(x([[0., 0.], [1., 0.], [1., 0.], [0., 0.]]), x([[1., 0.], [0., 1.], [-1., 0.], [0., 0.]]), i(1, -1, 1, -1), **none),
        call(x([[1., 0.], [1., 0.]]), x([[1., 0.], [0., 1.]]), i(-1, -1), margin=1., **none), call(x([[1., 0.]]), x([[0., 1.]]), i(-1), margin=0., **none),
        call(x([[1e15, 0.], [1e19, 1e19]]), x([[1e15, 0.], [1e19, 1e19]]), i(1, 1), **none))
    for q in (1., 1.5, 2., 3., inf):
        add("triplet_margin_loss", call(x([[0., 0.], [1., 0.], [1., 2.]]), x([[0., 0.], [1., 1.], [1., 2.]]), x([[0., 0.], [1., 2.], [5., 2.]]), p=q, **none),
            call(x([[0., 0.], [1., 0.]]), x([[1., 0.], [0., 0.]]), x([[0., 1.], [2., 0.]]), p=q, swap=True, **none),
            call(x([[0., 0.]]), x([[0., 0.]]), x([[1., 0.]]), p=q, eps=0., **none), call(x([[0., 0.]]), x([[0., 0.]]), x([[0., 0.]]), p=q, eps=0., swap=True, **none))
    add("triplet_margin_loss", call(x([[0., 0.]]), x([[1., 0.]]), x([[2., 0.]]), eps=0., margin=1., **none))
    for q in (1, 2):
        add("multi_margin_loss", call(x([[1., 0., 2.], [0., 0., 0.], [1., 2., 0.], [inf, 0., 1.], [nan, 0., 1.]]), i(0, 1, 1, 0, 1), p=q, **none),
            call(x([[1., 0., 2.], [0., 0., 0.]]), i(0, 1), p=q, margin=2., weight=c(0., 2., 1.)))
    add("multilabel_margin_loss", call(x([[1., 0., 2., 1.], [0., 0., 0., 0.], [1., 2., 3., 4.], [inf, 0., 1., 2.]]), i([[0, 2, -1, -1], [1, -1, 0, 2], [-1, 0, 1, 2], [0, 1, 2, 3]]), **none))
    add("multilabel_soft_margin_loss", call(x([[200., -200., 0.], [inf, -inf, 1.]]), c([[0., 1., .5], [1., 0., 0.]]), **none))
    pairs = lambda: (x([[0., 0.], [1., 2.], [0., 0.], [1e19, 1e19], [1e-20, 0.], [inf, 1.], [nan, 1.], [1e-5, 0.]]),
                     x([[0., 0.], [0., 0.], [1., 2.], [1e19, 1e19], [1e-20, 0.], [1., 1.], [1., 1.], [1e-5, 0.]]))
    add("cosine_similarity", call(*pairs()), call(*pairs(), dim=1, eps=1e-4), call(*pairs(), dim=1, eps=1.), call(*pairs(), dim=0), call(x(3., 4.), x(3., 4.), dim=0, eps=5.))
    for q in ORDERS + [-1.]:
        add("pairwise_distance", call(x([[1., 2.], [1., 2.], [1e19, 1e19]]), x([[1., 2.], [0., 2.], [0., 0.]]), p=q), call(x([[1., 2.], [1., 4.]]), x([[1., 2.], [3., 2.]]), p=q, eps=0.))
        add("normalize", call(x([[0., 0.], [3., 4.], [1e-20, 0.], [1e19, 1e19], [inf, 1.], [nan, 1.], [2., -2.]]), p=q), call(x([[1e-13, 0.], [3., 4.]]), p=q, eps=5.))
    return t


def ctc():
    frames = torch.tensor([[[.5, -1., .25, 2.], [0., 1., -2., .5], [1., 0., .5, -1.]]] * 5) * torch.tensor([1., -.5, .75, 2., -1.])[:, None, None]
    logs = lambda classes=4: frames[..., :classes].log_softmax(2).requires_grad_()
    targets = i([[1, 2, 1], [2, 2, 1], [1, 1, 1]])
    rows = [([5, 0, 5], [2, 0, 0]), ([5, 0, 3], [2, 1, 3]), ([5, 5, 5], [0, 0, 0]), ([5, 4, 1], [1, 3, 1]), ([2, 3, 5], [2, 2, 3]), ([0, 0, 0], [0, 0, 0]), ([0, 0, 0], [1, 2, 3]), ([1, 1, 1], [0, 1, 2])]
    calls = [call(logs(), targets, i(a), i(b), reduction=r, zero_infinity=z) for a, b in rows for r in ("none", "mean") for z in (False, True)]
    calls += [call(logs(), i([1, 2, 1]), i([5, 3, 5]), i([2, 1, 0]), reduction="none"), call(logs(), torch.empty(3, 0, dtype=torch.int64), i([5, 2, 0]), i([0, 0, 0]), reduction="none"),
              call(logs(), torch.empty(0, dtype=torch.int64), i([5, 2, 0]), i([0, 0, 0]), reduction="none"), call(logs(), i([[1, 2], [2, 2], [3, 3]]), i([5, 2, 3]), i([2, 2, 2]), blank=3 - 3, reduction="sum", zero_infinity=True)]
    never = torch.tensor([[[0., -inf, -inf]], [[0., -inf, -inf]]]).requires_grad_()
    calls += [call(never, i([[1]]), i([2]), i([1]), reduction="none", zero_infinity=z) for z in (False, True)]
    return {"nn.functional.ctc_loss": calls}


def windows():
    t = {}
    F = "nn.functional."
    def add(name, *calls): t.setdefault(F + name, []).extend(calls)
    line = lambda: x([[[1., 1., 2., 2., nan, 0.], [-inf, -inf, -inf, -inf, 0., -0.], [inf, 1., inf, 1., inf, inf]]])
    plane = lambda: x([[[[1., 1., 0.], [1., 1., 2.], [2., 2., 2.]], [[-inf, -inf, 0.], [-inf, -inf, nan], [inf, 1., 2.]]]])
    space = lambda: x([[[[[1., 1.], [1., 1.]], [[2., 2.], [0., 2.]]]]])
    add("max_pool1d", call(line(), 2), call(line(), 3, 1, 1), call(line(), 2, 1, 0, 2), call(line(), 2, return_indices=True))
    add("max_pool2d", call(plane(), 2), call(plane(), 2, 1), call(plane(), 3, 2, 1), call(plane(), 2, 1, return_indices=True), call(plane(), 2, 2, 1, 1, True, True))
    add("max_pool3d", call(space(), 2), call(space(), 2, 1, 1))
    add("adaptive_max_pool1d", call(line(), 2), call(line(), 4))
    add("adaptive_max_pool2d", call(plane(), 2), call(plane(), 2, return_indices=True))
    add("adaptive_max_pool3d", call(space(), 1))
    add("avg_pool1d", call(line(), 2), call(line(), 3, 2, 1, True, False))
    add("avg_pool2d", call(plane(), 2, 1, 1), call(plane(), 2, divisor_override=3))
    add("adaptive_avg_pool2d", call(plane(), 2))
    for p in (1., 2., 3., inf):
        add("lp_pool1d", call(x([[[0., 0., 3., -4., 1e20, 1e20, -2., 0.]]]), p, 2))
        add("lp_pool2d", call(x([[[[0., 0., 1.], [0., 0., -1.], [2., 0., -2.]]]]), p, 2, 1))
    add("max_unpool2d", call(x([[[[1., 2.], [3., 4.]]]]), i([[[[0, 2], [8, 10]]]]), 2, 2))
    square = lambda: x([[[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]]])
    inside = [[[-1., -1.], [1., 1.], [0., 0.]], [[-1.5, .5], [1.5, -2.], [3., 3.]], [[1. / 3., -1. / 3.], [-1. / 3., 2. / 3.], [.5, -.5]]]
    for padding in ("zeros", "border", "reflection"):
        for mode in ("bilinear", "nearest", "bicubic"):
            for corners in (False, True): add("grid_sample", call(square(), x([inside]), mode=mode, padding_mode=padding, align_corners=corners))
    # A weight of 0 times infinity is NaN; elements that an output does not use leave it as it is.
    row = lambda: x([[[1., inf, 3., 4., nan, 6.]]])
    image = lambda: x([[[[0., 1., 2., 3.], [4., 5., inf, 7.], [8., 9., 10., 11.], [nan, 13., 14., 15.]]]])
    volume = lambda: x([[[[[0., 1., 2.], [3., inf, 5.]], [[6., 7., 8.], [nan, 10., -inf]]]]])
    for size in (12, 6, 3): add("interpolate__linear", call(row(), size, mode="linear"), call(row(), size, mode="linear", align_corners=True))
    for mode in ("bilinear", "bicubic"):
        for size in ((4, 8), (8, 4), (7, 7), (4, 4), (2, 2)):
            for corners in (False, True): add("interpolate__" + mode, call(image(), size, mode=mode, align_corners=corners))
        for size in ((2, 4), (4, 2), (3, 3), (6, 2)): add("interpolate__" + mode, call(image(), size, mode=mode, antialias=True))
    for size in ((2, 2, 6), (4, 4, 3)): add("interpolate__trilinear", call(volume(), size, mode="trilinear"))
    add("upsample_bilinear", call(image(), (7, 4)))
    table = lambda: x([[0., 0.], [3., 4.], [1., 1.], [1., 1.]])
    add("embedding_bag", call(table(), i(2, 3, 2, 1), offsets=i(0, 2, 2, 4), mode="max"), call(table(), i(2, 3), offsets=i(0, 0, 2), mode="mean"), call(table(), i(2, 3, 2), offsets=i(0, 3), mode="max"))
    return t


def normalizations():
    t = {}
    F = "nn.functional."
    def add(name, *calls): t.setdefault(F + name, []).extend(calls)
    rows = lambda: x([[1., 1., 1., 1.], [0., 0., 0., 0.], [1e19, -1e19, 1e19, -1e19], [inf, 1., 1., 1.], [nan, 1., 1., 1.]])
    w, b = (lambda: x(1., 2., 0., -1.)), (lambda: x(0., 1., 2., 3.))
    add("layer_norm", call(rows(), (4,), w(), b()), call(rows(), (4,), w(), b(), 0.), call(x([[2.], [3.]]), (1,)))
    add("rms_norm", call(rows(), (4,), w()), call(rows(), (4,), w(), 0.), call(x([[2.], [0.]]), (1,)))
    add("group_norm", call(rows(), 2, w(), b()))
    add("batch_norm", call(x([[1., 0.], [1., 0.]]), None, None, x(1., 2.), x(0., 1.), True), call(x([[1., inf], [1., 0.]]), None, None, training=True), call(x([[1., 2.]]), c(0., 0.), c(.25, 1.), training=False, eps=0.))
    add("instance_norm", call(x([[[1., 1., 1.], [0., inf, 1.]]])))
    add("local_response_norm", call(x([[[0., 0.], [1e19, 1.], [1., inf]]]), 2), call(x([[[0., 0.], [1., 1.]]]), 2, alpha=1., beta=.75, k=0.))
    q, k, v = (lambda: x([[[1., 0.], [0., 1.]]])), (lambda: x([[[1., 1.], [2., 0.]]])), (lambda: x([[[1., 2.], [3., 4.]]]))
    mask = torch.tensor([[False, False], [True, False]])
    add("scaled_dot_product_attention", call(q(), k(), v(), mask), call(q(), k(), v(), c([[-inf, -inf], [0., -inf]])), call(q(), k(), x([[[inf, nan], [3., 4.]]]), torch.tensor([[False, True], [True, True]])))
    return t


def scatters():
    t = {}
    def add(name, *calls): t.setdefault(name, []).extend(calls)
    index = i(0, 0, 1, 1, 2, 2)
    source = lambda: x(1., 1., 0., 2., nan, 1.)
    for how in ("amax", "amin", "prod", "mean"):
        for own in (True, False):
            add(f"scatter_reduce__{how}", call(x(1., 0., 3., 4.), 0, index, source(), how, include_self=own), call(x(0., 2., inf, 1.), 0, index, x(0., 0., 0., 3., inf, 1.), how, include_self=own))
            add(f"index_reduce__{how}", call(x(1., 0., 3., 4.), 0, index, source(), how, include_self=own), call(x(0., 2., inf, 1.), 0, index, x(0., 0., 0., 3., inf, 1.), how, include_self=own))
    add("masked_fill", call(x(1., inf, nan), torch.tensor([True, True, False]), inf))
    add("searchsorted", call(c(1., 2., 2., 3.), c(2., 0., nan, inf, -inf, 3.)), call(c(1., 2., 2., 3.), c(2., 3., nan), right=True))
    add("bucketize", call(c(2., 0., nan, inf, -inf, 3.), c(1., 2., 2., 3.)), call(c(2., 3., nan), c(1., 2., 2., 3.), right=True))
    add("isin", call(c(nan, 1., -0.), c(nan, 0., 2.)))
    return t


def matrices():
    t = {}
    def add(name, *calls): t.setdefault(name, []).extend(calls)
    two = lambda: x([[1., 2.], [2., 4.]])
    add("linalg.det", call(two().detach()), call(x([[0., 0.], [0., 0.]])), call(x([[0.]])), call(x([[0., 1.], [1., 0.]])), call(x([[1., 1., 1.], [1., 1., 1.], [1., 1., 1.]])))
    add("linalg.slogdet", call(x([[0., 1.], [1., 0.]])), call(x([[-1., 0.], [0., 2.]])))
    add("logdet", call(x([[-1., 0.], [0., 2.]])))
    add("linalg.matrix_rank", call(c([[0., 0.], [0., 0.]])), call(two().detach()))
    add("linalg.pinv", call(x([[0., 0.], [0., 0.]])))
    add("matrix_exp", call(x([[0., 0.], [0., 0.]])), call(x([[0., 1.], [0., 0.]])))
    add("linalg.cond", call(c([[0., 0.], [0., 0.]]), 1), call(two().detach(), inf))
    add("linalg.matrix_power", call(x([[0., 1.], [0., 0.]]), 0), call(x([[0., 1.], [0., 0.]]), 3))
    add("matmul", call(x([[inf, 0.]]), x([[0.], [1.]])), call(x([[0., 1.]]), x([[nan], [1.]])), call(x([[1e20, 1e20]]), x([[1e20], [-1e20]])))
    add("linalg.solve_triangular", call(x([[1., 0.], [0., 0.]]), x([[1.], [1.]]), upper=True))
    add("cross", call(x([0., 0., 0.]), x([inf, 1., 0.])))
    add("linalg.vecdot", call(x([inf, 0.]), x([0., 1.])))
    return t


def calls():
    t = {}
    for part in (elementwise, reductions, losses, ctc, windows, normalizations, scatters, matrices):
        for name, rows in part().items(): t.setdefault(name, []).extend(rows)
    return t


def refusals():
    """Calls whose error depends on the elements, for ops with and without other samples."""
    rows = {}
    for bad in ([1., -1., 2.], [0., 0., 0.], [1., inf, 2.], [1., nan, 2.]):
        for again in (False, True): rows.setdefault("multinomial", []).extend([call(c(bad), 2, again), call(c([[1., 2., 3.], bad]), 2, again)])
        rows["multinomial"].append(call(c(bad), 1, False))
    F = "nn.functional."
    for p in (-.5, 1.5, nan): rows.setdefault(F + "binary_cross_entropy", []).extend([call(x(.5, p), c(0., 1.)), call(x(.5, .5), c(0., p))])
    rows[F + "gaussian_nll_loss"] = [call(x(1., 2.), c(1., 2.), x(1., -1.))]
    frames = torch.zeros(3, 2, 4).log_softmax(2)
    for a, b in (([4, 3], [1, 1]), ([3, -1], [1, 1]), ([3, 3], [3, 1]), ([3, 3], [1, -1])): rows.setdefault(F + "ctc_loss", []).append(call(frames, i([[1, 2], [1, 2]]), i(a), i(b)))
    rows["bernoulli"] = [call(c(.5, p)) for p in (-.1, 1.5, nan, inf)]
    rows["normal"] = [call(c(0., 0.), c(1., -1.)), call(0., c(1., -1.)), call(c(0., 0.), -1.)]
    return {name: found for name, found in rows.items() if found}
