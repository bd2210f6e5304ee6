"""Shared encoder for the golden vectors (read README.md in the folder above).

Everything a reader needs is JSON + safetensors: no pickle, no Python types.  A value is encoded as
  null / true / false / "text"      Python None, bool, str
  12                                Python int with |n| < 2**53;   {"$":"int","v":"9223372036854775807"} otherwise
  {"$":"float","v":0.5}             Python float; v is a number or "nan" / "inf" / "-inf"
  {"$":"complex","v":[re,im]}
  [ ... ]                           Python list
  {"$":"tuple","v":[...]}           Python tuple (torch.Size too)
  {"$":"dict","v":{...}}            Python dict with str keys
  {"$":"slice","v":[a,b,c]}  {"$":"ellipsis"}  {"$":"dtype","v":"float32"}  {"$":"device","v":"cpu"}
  {"$":"layout","v":"strided"}  {"$":"memory_format","v":"channels_last"}
  {"$":"tensor","ref":"t12","dtype":"float32","shape":[2,3],("grad":true,"in":0,)("strides":[1,2])}
"ref" names an entry of the .safetensors file next to the JSON.  The file always holds the tensor contiguously;
"strides" is given only when PyTorch ran with a non-contiguous tensor (a reader may rebuild that layout, or ignore it).
"""
import hashlib, json, math, os, random, signal
import numpy as np
import torch
from safetensors.torch import save_file

OK_DTYPES = {torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
             torch.int8, torch.uint8, torch.bool, torch.uint16, torch.uint32}


def set_seed(n):
    global SEED
    SEED = n


def fixed_hash():
    """Some sample generators iterate over sets: run with a fixed string hash, so that every run gives the same bytes."""
    import sys
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable] + sys.argv)


class Unserialisable(Exception):
    pass


def dname(dt):
    return str(dt).replace("torch.", "")


SEED = 0            # --seed: another number gives other values with the same structure (e.g. a set that is kept hidden)


def key_seed(key):
    return int.from_bytes(hashlib.sha256((f"{SEED}/" * bool(SEED) + str(key)).encode()).digest()[:4], "little")


def seed_all(key):
    s = key_seed(key)
    torch.manual_seed(s)
    np.random.seed(s % (2 ** 32))
    random.seed(s)
    return s


class Timeout(Exception):
    pass


class time_limit:
    def __init__(self, s): self.s = int(s)
    def _h(self, *a): raise Timeout(f"over {self.s} s")
    def __enter__(self): self.old = signal.signal(signal.SIGALRM, self._h); signal.alarm(self.s)
    def __exit__(self, *a): signal.alarm(0); signal.signal(signal.SIGALRM, self.old)


class Store:
    """Tensors of one file, deduplicated by content."""
    def __init__(self):
        self.tensors, self.by_hash, self.n = {}, {}, 0

    def put(self, t):
        t = t.detach()
        if t.layout != torch.strided or t.is_quantized or t.dtype not in OK_DTYPES:
            raise Unserialisable(f"tensor dtype {t.dtype} layout {t.layout}")
        t = torch.empty(t.shape, dtype=t.dtype).copy_(t)             # canonical strides, own storage
        raw = t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
        h = (dname(t.dtype), tuple(t.shape), hashlib.sha1(raw).digest())
        if h in self.by_hash:
            return self.by_hash[h]
        name = f"t{self.n}"
        self.n += 1
        self.tensors[name] = t
        self.by_hash[h] = name
        return name

    def mark(self):
        return (self.n, dict(self.by_hash))

    def rollback(self, m):
        n, bh = m
        for i in range(n, self.n):
            self.tensors.pop(f"t{i}", None)
        self.n, self.by_hash = n, bh

    def save(self, path, meta):
        save_file(self.tensors, path, metadata={"about": json.dumps(meta, sort_keys=True)})      # one key: several come in random order
        os.chmod(path, 0o644)


def enc_float(v):
    return {"$": "float", "v": "nan" if math.isnan(v) else ("inf" if v > 0 else "-inf") if math.isinf(v) else v}


def encode(x, store, inputs=None):
    """inputs: list collecting the float tensors that need gradients, in order."""
    if x is None or isinstance(x, (bool, str)):
        return x
    if isinstance(x, np.generic):
        x = x.item()
        return encode(x, store, inputs)
    if isinstance(x, int):
        return x if abs(x) < 2 ** 53 else {"$": "int", "v": str(x)}
    if isinstance(x, float):
        return enc_float(x)
    if isinstance(x, complex):
        return {"$": "complex", "v": [x.real, x.imag]}
    if isinstance(x, torch.Tensor):
        d = {"$": "tensor", "ref": store.put(x), "dtype": dname(x.dtype), "shape": list(x.shape)}
        if inputs is not None and x.requires_grad:
            d["grad"] = True
            d["in"] = len(inputs)
            inputs.append(x)
        if not x.is_contiguous():
            d["strides"] = list(x.stride())
        return d
    if isinstance(x, torch.dtype):
        return {"$": "dtype", "v": dname(x)}
    if isinstance(x, torch.device):
        return {"$": "device", "v": str(x)}
    if isinstance(x, torch.memory_format):
        return {"$": "memory_format", "v": str(x).replace("torch.", "")}
    if isinstance(x, torch.layout):
        return {"$": "layout", "v": str(x).replace("torch.", "")}
    if x is Ellipsis:
        return {"$": "ellipsis"}
    if isinstance(x, slice):
        return {"$": "slice", "v": [encode(v, store, inputs) for v in (x.start, x.stop, x.step)]}
    if isinstance(x, (tuple, torch.Size)):
        return {"$": "tuple", "v": [encode(v, store, inputs) for v in x]}
    if isinstance(x, list):
        return [encode(v, store, inputs) for v in x]
    if isinstance(x, dict):
        if not all(isinstance(k, str) for k in x):
            raise Unserialisable("dict with non-string keys")
        return {"$": "dict", "v": {k: encode(v, store, inputs) for k, v in x.items()}}
    raise Unserialisable(f"value of type {type(x).__name__}")


def tmap(x, f):
    if isinstance(x, torch.Tensor): return f(x)
    if type(x) in (list, tuple): return type(x)(tmap(v, f) for v in x)
    if isinstance(x, torch.Size): return x
    if isinstance(x, tuple): return tuple(tmap(v, f) for v in x)      # namedtuple / structseq
    if isinstance(x, dict): return {k: tmap(v, f) for k, v in x.items()}
    if isinstance(x, slice): return slice(tmap(x.start, f), tmap(x.stop, f), tmap(x.step, f))
    return x


def leaves(x):
    if isinstance(x, torch.Tensor): return [x]
    if isinstance(x, (list, tuple)): return [l for v in x for l in leaves(v)]
    if isinstance(x, dict): return [l for v in x.values() for l in leaves(v)]
    if isinstance(x, slice): return [l for v in (x.start, x.stop, x.step) for l in leaves(v)]
    return []


def clone_for(x, dtype):
    """A fresh leaf copy of every tensor; floating tensors cast to dtype; strides kept where clone() keeps them."""
    def f(t):
        with torch.no_grad():
            c = t.detach().clone()
            if c.is_floating_point() and c.dtype != dtype: c = c.to(dtype)
        return c.requires_grad_(t.requires_grad) if t.requires_grad else c
    return tmap(x, f)


def err(a, b):
    """How far a is from the reference b, on entries finite in both: (max abs, rel, excess).
    rel: the largest relative error among the entries of at least 1 % of the largest magnitude (so cancellation near 0 does not
    blow it up); excess: the absolute tolerance needed on top of rtol = max(1.3e-6, rel) for all entries to be in."""
    if not b.is_floating_point() or not a.is_floating_point(): return 0.0, 0.0, 0.0
    a, b = a.detach().double(), b.detach().double()
    m = torch.isfinite(a) & torch.isfinite(b)
    if not m.any(): return 0.0, 0.0, 0.0
    d, r = (a[m] - b[m]).abs(), b[m].abs()
    big = (r >= 0.01 * r.max()) & (r >= 1.1754943508222875e-38)
    rel = float((d[big] / r[big]).max()) if bool(big.any()) else 0.0
    return float(d.max()), rel, max(0.0, float((d - max(1.3e-6, rel) * r).max()))


def rnd(x):
    return float(f"{x:.3g}")


def dump_json(obj, path):
    with open(path, "w") as f:
        json.dump(obj, f, allow_nan=False, separators=(",", ":"))


def versions():
    import platform, safetensors
    return {"torch": torch.__version__, "numpy": np.__version__, "safetensors": safetensors.__version__,
            "python": platform.python_version(), "format": 1}
