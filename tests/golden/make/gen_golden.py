#!/usr/bin/env python3
"""Golden vectors (forward values and gradients) for tensor ops, from PyTorch's own OpInfo database.

  python gen_golden.py --out golden/ops [--ops add,mul,...] [--max-samples 12] [--max-numel 4096]
                       [--errors 8] [--extremal 4] [--gradgrad 2] [--int 3] [--seed 0] [--list]

For each op of OPS (names of torch.testing._internal.common_methods_invocations.op_db; all variants are taken) it writes
  <op>[__<variant>].json           description: args, kwargs, outputs, gradients, error cases
  <op>[__<variant>].safetensors    every tensor the JSON refers to
and index.json with the list of files, counts, versions and everything that could not be written and why.
Value encoding: golden_common.py / README.md.

Numbers: the inputs are float32.  Outputs and gradients are computed in float64 on the same values and rounded to
float32 ("ref":"f64"), so they are the correctly rounded truth and not one implementation's noise.  The op is also run
in float32; "f32_err" = [max abs, rel, excess] (golden_common.err) says how far PyTorch's own
float32 CPU result is from the truth - a fair base for tolerances.  Where
the two disagree grossly (discontinuous or dtype-dependent ops) the float32 result is written instead with "ref":"f32",
and "unstable":true unless the op is known to depend on the dtype.
Everything is seeded by op name: two runs on the same torch version give the same bytes.
"""
import argparse, collections, hashlib, inspect, json, os, re, sys, time, traceback, warnings
warnings.filterwarnings("ignore")
os.environ.setdefault("PYTORCH_TESTING_DEVICE_ONLY_FOR", "cpu")
import torch
from golden_common import *

CATS = {
 "unary": """abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac
   lgamma mvlgamma isreal log log10 log1p log2 logit nan_to_num neg positive rad2deg reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt
   square tan tanh trunc isfinite isinf isnan isposinf isneginf logical_not bitwise_not i0 special.i1 special.entr special.ndtr special.erfcx
   special.log_ndtr special.i0e special.i1e frexp""",
 "binary": """add sub mul div true_divide floor_divide fmod remainder pow float_power maximum minimum fmax fmin max min atan2 hypot
   copysign nextafter ldexp heaviside logaddexp logaddexp2 xlogy special.xlog1py eq ne lt le gt ge isclose logical_and logical_or logical_xor
   bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift igamma igammac rsub __radd__ __rmul__ __rsub__ __rdiv__ __rpow__ gcd lcm""",
 "ternary": "where clamp clamp_min clamp_max lerp addcmul addcdiv",
 "reduce": """sum mean prod amax amin aminmax max min argmax argmin all any std var std_mean var_mean logsumexp norm linalg.vector_norm
   nansum nanmean count_nonzero median nanmedian mode quantile nanquantile cumsum cumprod cummax cummin logcumsumexp diff trapezoid
   cumulative_trapezoid gradient histc bincount dist cov corrcoef renorm""",
 "matmul": """matmul mm bmm mv dot vdot inner outer addmm addmv addbmm baddbmm addr einsum tensordot kron linalg.multi_dot linalg.vecdot
   chain_matmul nn.functional.linear nn.functional.bilinear __rmatmul__ cdist linalg.matrix_power""",
 "shape": """reshape reshape_as view view_as flatten unflatten ravel squeeze unsqueeze transpose permute T mT t movedim swapaxes broadcast_to
   broadcast_tensors expand expand_as repeat tile stack cat hstack vstack dstack column_stack chunk split split_with_sizes tensor_split
   unbind narrow select flip fliplr flipud roll rot90 tril triu diag diag_embed diagonal diagflat atleast_1d atleast_2d atleast_3d as_strided
   unfold contiguous clone meshgrid cartesian_prod combinations block_diag hsplit vsplit dsplit repeat_interleave sum_to_size constant_pad_nd nn.functional.pad
   nn.functional.pixel_shuffle nn.functional.pixel_unshuffle nn.functional.channel_shuffle nn.functional.unfold nn.functional.fold trace
   slice select_scatter slice_scatter diagonal_scatter broadcast_shapes vander linalg.vander cross linalg.cross linalg.diagonal""",
 "index": """gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill index_put index_reduce take take_along_dim
   put masked_fill masked_select masked_scatter __getitem__ nonzero argwhere unravel_index nn.functional.embedding nn.functional.embedding_bag
   nn.functional.one_hot searchsorted bucketize isin unique unique_consecutive""",
 "sort": "sort argsort topk kthvalue msort",
 "create": """arange linspace logspace eye full ones zeros full_like ones_like zeros_like new_full new_ones new_zeros scalar_tensor tril_indices
   triu_indices to float double half int long bool fill signal.windows.hann signal.windows.hamming""",
 "act": """nn.functional.relu nn.functional.relu6 nn.functional.leaky_relu nn.functional.elu nn.functional.selu nn.functional.celu
   nn.functional.gelu nn.functional.silu nn.functional.mish nn.functional.softplus nn.functional.softsign nn.functional.hardswish
   nn.functional.hardsigmoid nn.functional.hardtanh nn.functional.hardshrink nn.functional.softshrink nn.functional.tanhshrink
   nn.functional.threshold nn.functional.logsigmoid nn.functional.glu nn.functional.prelu nn.functional.softmin softmax log_softmax
   nn.functional.normalize""",
 "norm": """nn.functional.layer_norm nn.functional.group_norm nn.functional.batch_norm nn.functional.instance_norm nn.functional.rms_norm
   nn.functional.local_response_norm native_layer_norm""",
 "conv": """nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d
   nn.functional.conv_transpose3d""",
 "pool": """nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d nn.functional.avg_pool1d nn.functional.avg_pool2d
   nn.functional.avg_pool3d nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d nn.functional.adaptive_max_pool1d
   nn.functional.adaptive_max_pool2d nn.functional.interpolate nn.functional.upsample_nearest nn.functional.upsample_bilinear
   nn.functional.grid_sample nn.functional.max_unpool2d""",
 "loss": """nn.functional.mse_loss nn.functional.l1_loss nn.functional.smooth_l1_loss nn.functional.huber_loss nn.functional.cross_entropy
   nn.functional.nll_loss nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits nn.functional.kl_div
   nn.functional.poisson_nll_loss nn.functional.gaussian_nll_loss nn.functional.hinge_embedding_loss nn.functional.margin_ranking_loss
   nn.functional.cosine_embedding_loss nn.functional.triplet_margin_loss nn.functional.soft_margin_loss nn.functional.multi_margin_loss
   nn.functional.multilabel_margin_loss nn.functional.multilabel_soft_margin_loss nn.functional.ctc_loss nn.functional.cosine_similarity
   nn.functional.pairwise_distance nn.functional.pdist""",
 "attn": "nn.functional.scaled_dot_product_attention nn.functional.multi_head_attention_forward",
 "linalg": """linalg.cholesky linalg.inv linalg.solve linalg.solve_triangular linalg.det linalg.slogdet logdet linalg.norm linalg.matrix_norm
   linalg.eigvalsh linalg.svdvals linalg.lu_factor linalg.lu_solve linalg.matrix_rank linalg.pinv linalg.lstsq linalg.qr linalg.eigh linalg.svd
   matrix_exp linalg.tensorsolve linalg.tensorinv cholesky_solve triangular_solve linalg.cond linalg.householder_product""",
}
OPS = {n: c for c, s in CATS.items() for n in s.split()}
RANDOM = set()                                                     # found at run time (two seeds differ)
DTYPE_DEP = {"nextafter", "nan_to_num", "float", "double", "half", "to", "linalg.matrix_rank", "frexp"}
TIES = {"sort", "argsort", "topk", "kthvalue", "median", "nanmedian", "mode", "max", "min", "argmax", "argmin", "cummax", "cummin", "aminmax",
        "nn.functional.max_pool1d", "nn.functional.max_pool2d", "nn.functional.max_pool3d", "nn.functional.adaptive_max_pool1d",
        "nn.functional.adaptive_max_pool2d", "msort", "unique"}
INT_CATS = {"unary", "binary", "ternary", "reduce", "shape", "index", "sort", "create"}


def sig(args, kwargs):
    """A structural signature, so that the samples kept differ in kind and not only in numbers."""
    def f(x):
        if isinstance(x, torch.Tensor): return ("T", x.dim(), dname(x.dtype), x.numel() == 0, 1 in x.shape, x.is_contiguous())
        if isinstance(x, (list, tuple)): return (type(x).__name__, len(x), tuple(f(v) for v in x[:4]))
        if isinstance(x, dict): return tuple(sorted((k, f(v)) for k, v in x.items()))
        if isinstance(x, float): return ("f", x if x in (0.0, 1.0) or x != x else "f")
        if isinstance(x, int) and not isinstance(x, bool): return ("i", x if abs(x) < 4 else "i")
        return repr(x)[:40]
    return repr((f(args), f(kwargs)))


def pick(cands, k):
    seen, first, rest = collections.Counter(), [], []
    for c in cands:
        s = sig(c[1], c[2])
        (first if seen[s] == 0 else rest).append(c)
        seen[s] += 1
    if len(first) > k:                                              # spread over the list, keep its ends
        idx = sorted({round(i * (len(first) - 1) / (k - 1)) for i in range(k)}) if k > 1 else [0]
        return [first[i] for i in idx]
    return first + rest[: k - len(first)]


def run_op(op, args, kwargs):
    return op.op(*args, **kwargs)


def backward(out, ins, gouts):
    outs = [o for o in leaves(out)]
    pairs = [(o, g) for o, g in zip(outs, gouts) if g is not None]
    if not pairs or not ins: return [None] * len(ins)
    return list(torch.autograd.grad([o for o, _ in pairs], ins, [g for _, g in pairs], allow_unused=True))


def float_leaves(x):
    return [t for t in leaves(x) if t.requires_grad]


def arg_names(op, args, kwargs):
    """Names of the positional args when PyTorch can bind them to a schema."""
    try:
        from torch.fx.operator_schemas import normalize_function
        def ty(x): return type(x)
        r = normalize_function(op.op, args, kwargs, tuple(map(ty, args)), {k: ty(v) for k, v in kwargs.items()}, normalize_to_only_use_kwargs=True)
        if r is not None:
            return list(r.kwargs)[: len(args)]
    except Exception:
        pass
    try:
        return list(inspect.signature(op.op).bind(*args, **kwargs).arguments)[: len(args)]
    except Exception:
        return None


def has_dups(args):
    return any(t.is_floating_point() is not None and t.numel() > 1 and t.unique().numel() < t.numel() for t in leaves(args) if t.dtype != torch.bool)


def one_sample(op, kind, args, kwargs, sample, dtype, store, opt, key, opname):
    up = torch.float64 if dtype == torch.float32 else None
    inputs = []
    rec = {"kind": kind, "dtype": dname(dtype)}
    rec["args"] = [encode(a, store, inputs) for a in args]
    rec["kwargs"] = {k: encode(v, store, inputs) for k, v in kwargs.items()}
    n = arg_names(op, args, kwargs)
    if n: rec["arg_names"] = n
    if sample is not None and getattr(sample, "broadcasts_input", False): rec["broadcasts_input"] = True
    # native run (twice, to find randomness)
    a32, k32 = clone_for(args, dtype), clone_for(kwargs, dtype)
    if not dtype.is_floating_point: a32, k32 = tmap(args, lambda t: t.detach().clone()), tmap(kwargs, lambda t: t.detach().clone())
    seed_all(key + "/a")
    o32 = run_op(op, a32, k32)
    seed_all(key + "/b")
    o32b = run_op(op, tmap(args, lambda t: t.detach().clone()), tmap(kwargs, lambda t: t.detach().clone()))
    l32 = leaves(o32)
    for a, b in zip(l32, leaves(o32b)):
        if a.is_complex(): continue
        if a.shape != b.shape or not torch.allclose(a.detach().double(), b.detach().double(), rtol=1e-3, atol=1e-4, equal_nan=True):
            raise Unserialisable("random output")
    if any(o.is_complex() for o in l32): raise Unserialisable("complex output")
    if sum(o.numel() for o in l32) > 16 * opt.max_numel: raise Unserialisable("output too large")
    gauge = False
    if sample is not None:
        try: gauge = sample.output_process_fn_grad(o32) is not o32
        except Exception: gauge = True
    # gradient outputs
    g = torch.Generator().manual_seed(key_seed(key + "/g"))
    gouts = [torch.randn(o.shape, generator=g, dtype=torch.float32).to(o.dtype) if o.requires_grad and o.is_floating_point() else None for o in l32]
    ins32 = float_leaves((a32, k32))
    want_grad = any(x is not None for x in gouts) and not gauge and kind != "int"
    g32 = gerr = None
    if want_grad:
        try:
            g32 = backward(o32, ins32, gouts)
        except (NotImplementedError, RuntimeError) as e:
            rec["grad_error"] = str(e).splitlines()[0][:120]
            want_grad = False
    # float64 truth
    ref, oref, gref = "f32" if up else "native", o32, g32
    unstable = False
    if up:
        try:
            a64, k64 = clone_for(args, up), clone_for(kwargs, up)
            k64 = {k: (torch.float64 if v is torch.float32 else v) for k, v in k64.items()}
            seed_all(key + "/a")
            o64 = run_op(op, a64, k64)
            l64 = leaves(o64)
            ok = len(l64) == len(l32) and all(a.shape == b.shape for a, b in zip(l64, l32))
            g64 = backward(o64, float_leaves((a64, k64)), [None if x is None else x.to(torch.float64) for x in gouts]) if want_grad else None
            def close(a, b):
                if not b.is_floating_point() or not a.is_floating_point(): return torch.equal(a.to(b.dtype), b) if not a.is_complex() else False
                return torch.allclose(a.double(), b.double(), rtol=2e-2, atol=1e-3, equal_nan=True)
            def fit(a): return a.to(torch.float32).double()          # compare after rounding: f64 1e300 is f32 inf
            ok = ok and all(close(a, fit(b) if b.is_floating_point() else b) for a, b in zip(l32, l64))
            if ok and g64 is not None:
                ok = all((a is None) == (b is None) and (a is None or close(a, fit(b))) for a, b in zip(g32, g64))
            if ok:
                ref, oref, gref = "f64", o64, g64
                es = [err(a, b) for a, b in zip(l32, leaves(o64))]
                rec["f32_err"] = {"out": [[rnd(x) for x in e] for e in es]}
                if g64 is not None: rec["f32_err"]["grad"] = [None if b is None else [rnd(x) for x in err(a, b)] for a, b in zip(g32, g64)]
            elif opname not in DTYPE_DEP:
                unstable = True
        except (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError) as e:
            rec["f64_error"] = f"{type(e).__name__}: {str(e).splitlines()[0][:100]}"
    rec["ref"] = ref
    if unstable: rec["unstable"] = True
    def down(t, like): return t.detach().to(like.dtype)
    it = iter(l32)
    oenc = tmap(oref, lambda t: down(t, next(it)))
    rec["out"] = encode(oenc, store)
    if gauge: rec["compare"] = "gauge"        # defined only up to sign / phase / order: check by reconstruction
    if opname in TIES and has_dups(args): rec["ties"] = True       # int outputs and gradients may pick another equal element
    if want_grad:
        rec["gout"] = [None if x is None else store.put(x) for x in gouts]
        rec["gin"] = [None if x is None else store.put(x.to(torch.float32) if ref == "f64" else x) for x in gref]
    return rec, (want_grad, ref)


def gradgrad(op, args, kwargs, key, store):
    """Double backward in float64: d/d(inputs, gout) of <gin, v>."""
    a, k = clone_for(args, torch.float64), clone_for(kwargs, torch.float64)
    ins = float_leaves((a, k))
    out = run_op(op, a, k)
    outs = [o for o in leaves(out) if o.requires_grad]
    g = torch.Generator().manual_seed(key_seed(key + "/gg"))
    go = [torch.randn(o.shape, generator=g, dtype=torch.float32).double().requires_grad_() for o in outs]
    gi = torch.autograd.grad(outs, ins, go, create_graph=True, allow_unused=True)
    sel = [(i, x) for i, x in enumerate(gi) if x is not None and x.requires_grad]
    if not sel: return None
    vs = [torch.randn(x.shape, generator=g, dtype=torch.float32).double() for _, x in sel]
    gg = torch.autograd.grad([x for _, x in sel], ins + go, vs, allow_unused=True)
    f = lambda t: None if t is None else store.put(t.detach().float())
    return {"gout": [f(x) for x in go], "v_of": [i for i, _ in sel], "v": [f(x) for x in vs],
            "gin": [f(x) for x in gg[: len(ins)]], "ggout": [f(x) for x in gg[len(ins):]]}


def too_big(x, lim):
    return any(t.numel() > lim for t in leaves(x))


def candidates(op, dtype, opt, requires_grad):
    from torch.testing._internal.opinfo import core
    out = []
    for s in op.sample_inputs("cpu", dtype, requires_grad=requires_grad):
        out.append(("sample" if dtype.is_floating_point else "int", (s.input, *s.args), dict(s.kwargs), s))
        if len(out) >= 400: break
    ext = []
    if dtype == torch.float32 and opt.extremal:
        gens = []
        if isinstance(op, core.UnaryUfuncInfo):
            gens = [("extremal", core.generate_elementwise_unary_extremal_value_tensors), ("small", core.generate_elementwise_unary_small_value_tensors),
                    ("large", core.generate_elementwise_unary_large_value_tensors), ("strided", core.generate_elementwise_unary_arbitrarily_strided_tensors)]
        elif isinstance(op, core.BinaryUfuncInfo):
            gens = [("extremal", core.generate_elementwise_binary_extremal_value_tensors), ("small", core.generate_elementwise_binary_small_value_tensors),
                    ("large", core.generate_elementwise_binary_large_value_tensors), ("broadcast", core.generate_elementwise_binary_broadcasting_tensors),
                    ("strided", core.generate_elementwise_binary_arbitrarily_strided_tensors)]
        for kind, gen in gens:
            try:
                c = 0
                for s in gen(op, device="cpu", dtype=dtype, requires_grad=requires_grad):
                    if too_big((s.input, s.args), opt.max_numel): continue
                    ext.append((kind, (s.input, *s.args), dict(s.kwargs), s)); c += 1
                    if c >= max(1, opt.extremal // (1 if kind == "extremal" else 4)): break
            except Exception:
                pass
    return out, ext


def tol_overrides(op):
    from torch.testing._internal.common_device_type import toleranceOverride
    from torch.testing._internal.opinfo.core import DecorateInfo
    r = []
    for d in op.decorators or ():
        decs, info = ([d], None) if not isinstance(d, DecorateInfo) else (d.decorators, d)
        for x in decs:
            if isinstance(x, toleranceOverride):
                for dt, t in x.d.items():
                    r.append({"test": None if info is None else f"{info.cls_name}.{info.test_name}", "device": None if info is None else info.device_type,
                              "dtype": dname(dt), "atol": t.atol, "rtol": t.rtol})
    return r


def gen_op(op, opt, index):
    t0 = time.time()
    key = op.name + (("/" + op.variant_test_name) if op.variant_test_name else "")
    fn = re.sub(r"[^A-Za-z0-9_.-]", "_", op.name) + (("__" + re.sub(r"[^A-Za-z0-9_.-]", "_", op.variant_test_name)) if op.variant_test_name else "")
    store, doc = Store(), {"op": op.name, "variant": op.variant_test_name or None, "category": OPS[op.name]}
    try: doc["schemas"] = [str(s) for s in torch._C._jit_get_schemas_for_operator("aten::" + (op.aten_name or op.name.split(".")[-1]))][:12]
    except Exception: doc["schemas"] = []
    doc["aliases"] = [a.name for a in op.aliases]
    doc["method"] = bool(op.method_variant)
    doc["inplace"] = op.inplace_variant.__name__ if op.inplace_variant is not None and hasattr(op.inplace_variant, "__name__") else None
    doc["torch_tolerance_overrides"] = tol_overrides(op)
    doc["autograd"] = bool(op.supports_autograd)
    doc["samples"], doc["errors"] = [], []
    skips = collections.Counter()
    jobs = []
    plans = []
    if torch.float32 in op.dtypes: plans.append((torch.float32, opt.max_samples))
    if opt.int and OPS[op.name] in INT_CATS:
        plans += [(d, opt.int) for d in (torch.int32, torch.bool) if d in op.dtypes]
        if torch.float32 not in op.dtypes and torch.int64 in op.dtypes: plans.append((torch.int64, opt.max_samples))
    for dtype, k in plans:
        seed_all(key + dname(dtype))
        try:
            with time_limit(60):
                base, ext = candidates(op, dtype, opt, op.supports_autograd and dtype.is_floating_point)
        except Exception as e:
            skips[f"sample_inputs({dname(dtype)}): {type(e).__name__}: {str(e)[:80]}"] += 1
            continue
        small = [c for c in base if not too_big((c[1], c[2]), opt.max_numel)]
        if not small and base:                       # ops whose samples are all big: the three smallest below 16 x the limit
            small = sorted((c for c in base if not too_big((c[1], c[2]), 16 * opt.max_numel)), key=lambda c: sum(t.numel() for t in leaves((c[1], c[2]))))[:3]
        skips["too large"] += len(base) - len(small)
        good = []
        for c in small:
            try: encode((c[1], c[2]), Store()); good.append(c)
            except Unserialisable as e: skips[str(e)] += 1
        jobs += [(dtype, c) for c in pick(good, k)] + [(dtype, c) for c in ext]
    ngrad = ngg = 0
    for i, (dtype, (kind, args, kwargs, sample)) in enumerate(jobs):
        m = store.mark()
        try:
            with time_limit(30):
                rec, (g, ref) = one_sample(op, kind, args, kwargs, sample, dtype, store, opt, f"{key}/{i}", op.name)
            rec["id"] = len(doc["samples"])
            if g and opt.gradgrad > ngg and op.supports_gradgrad and ref == "f64" and kind == "sample":
                m2 = store.mark()
                try:
                    with time_limit(30):
                        gg = gradgrad(op, args, kwargs, f"{key}/{i}", store)
                    if gg: rec["gradgrad"] = gg; ngg += 1
                except Exception as e:
                    store.rollback(m2); skips[f"gradgrad: {type(e).__name__}"] += 1
            doc["samples"].append(rec)
            ngrad += bool(g)
        except Unserialisable as e:
            store.rollback(m); skips[str(e)] += 1
            if str(e) == "random output" and not doc["samples"]: break
        except Exception as e:
            store.rollback(m); skips[f"{kind}/{dname(dtype)}: {type(e).__name__}: {str(e).splitlines()[0][:80] if str(e) else ''}"] += 1
    if opt.errors:
        try:
            seed_all(key + "/err")
            for ei in (op.error_inputs_func(op, "cpu") if op.error_inputs_func else []):
                s = ei.sample_input
                a, k = (s.input, *s.args), dict(s.kwargs)
                if too_big((a, k), opt.max_numel): continue
                if "out" in k: skips["error input: about out="] += 1; continue       # the file cannot say that two tensors share memory
                m = store.mark()
                try:
                    rec = {"args": [encode(x, store) for x in a], "kwargs": {n: encode(v, store) for n, v in k.items()},
                           "error_type": getattr(ei.error_type, "__name__", str(ei.error_type)), "error_regex": ei.error_regex}
                    n = arg_names(op, a, k)
                    if n: rec["arg_names"] = n
                    try: run_op(op, a, k); raised = False
                    except Exception as e: raised, rec["torch_says"] = True, f"{type(e).__name__}: {str(e).splitlines()[0][:160] if str(e) else ''}"
                    if not raised: raise Unserialisable("error input did not raise")
                    doc["errors"].append(rec)
                except Unserialisable as e:
                    store.rollback(m); skips["error input: " + str(e)] += 1
                if len(doc["errors"]) >= opt.errors: break
        except Exception as e:
            skips[f"error_inputs: {type(e).__name__}: {str(e)[:60]}"] += 1
    row = {"op": op.name, "variant": op.variant_test_name or None, "category": OPS[op.name], "file": fn, "samples": len(doc["samples"]), "with_grad": ngrad,
           "gradgrad": ngg, "errors": len(doc["errors"]), "unstable": sum(bool(s.get("unstable")) for s in doc["samples"]),
           "gauge": sum(s.get("compare") == "gauge" for s in doc["samples"]), "skipped": {k: v for k, v in skips.items() if v}}
    if doc["samples"] or doc["errors"]:
        store.save(os.path.join(opt.out, fn + ".safetensors"), {"op": op.name, "variant": op.variant_test_name})
        dump_json(doc, os.path.join(opt.out, fn + ".json"))
    row["skipped"] = dict(sorted(row["skipped"].items()))
    if time.time() - t0 > 5: print(f"  note: {key} took {time.time() - t0:.0f} s", flush=True)
    index["ops"].append(row)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default="golden/ops")
    ap.add_argument("--ops", default="")
    ap.add_argument("--max-samples", type=int, default=12)
    ap.add_argument("--max-numel", type=int, default=4096)
    ap.add_argument("--errors", type=int, default=8)
    ap.add_argument("--extremal", type=int, default=4)
    ap.add_argument("--gradgrad", type=int, default=2)
    ap.add_argument("--int", type=int, default=3)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--list", action="store_true")
    opt = ap.parse_args()
    set_seed(opt.seed)
    from torch.testing._internal.common_methods_invocations import op_db
    torch.set_num_threads(1)
    want = set(opt.ops.split(",")) if opt.ops else set(OPS)
    names = {o.name for o in op_db}
    if opt.list:
        print("\n".join(sorted(want & names))); print("not in op_db:", sorted(want - names)); return
    os.makedirs(opt.out, exist_ok=True)
    index = {**versions(), "options": {k: v for k, v in vars(opt).items() if k not in ("out", "list")}, "not_in_op_db": sorted(want - names), "ops": []}
    t0 = time.time()
    for op in op_db:
        if op.name not in want or op.name not in OPS: continue
        try: gen_op(op, opt, index)
        except Exception as e:
            traceback.print_exc()
            index["ops"].append({"op": op.name, "variant": op.variant_test_name, "file": None, "error": f"{type(e).__name__}: {e}"[:200], "samples": 0})
        r = index["ops"][-1]
        if not r["samples"]: print("  note:", json.dumps(r)[:300], flush=True)
    o = index["ops"]
    index["totals"] = {"op_names": len({r["op"] for r in o if r["samples"]}), "op_files": sum(1 for r in o if r["samples"]), "samples": sum(r["samples"] for r in o),
                       "with_grad": sum(r.get("with_grad", 0) for r in o), "gradgrad": sum(r.get("gradgrad", 0) for r in o), "errors": sum(r.get("errors", 0) for r in o),
                       "unstable": sum(r.get("unstable", 0) for r in o), "gauge": sum(r.get("gauge", 0) for r in o)}
    dump_json(index, os.path.join(opt.out, "index.json"))
    print(json.dumps(index["totals"]), f"{time.time() - t0:.0f} s")


if __name__ == "__main__":
    fixed_hash()
    main()
