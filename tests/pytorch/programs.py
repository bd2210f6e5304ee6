#!/usr/bin/env python3
"""Programs that PyTorch exports, and a check of those that lanthorn has saved of the same.

    programs.py make DIR      writes programs as DIR/NAME.pt2, and their calls as DIR/NAME.call
    programs.py check DIR     loads DIR/back/NAME.pt2, what lanthorn wrote, calls it, and compares results, buffers, the
                              inputs that a call writes to, and the state dict to the bit

`crates/program/tests/it/save.rs` runs both if there is a Python with torch. Everything is seeded.
"""
import collections
import pathlib
import sys
import warnings

import torch
from torch import nn
from torch.export import Dim, export
from torch.utils import _pytree as pytree

Point = collections.namedtuple("Point", ["x", "y"])
pytree._register_namedtuple(Point, serialized_type_name="lanthorn.Point")

PROGRAMS = []


def program(*inputs, kwargs=None, dynamic=None, decompose=False, train=False):
    """Exports a module on inputs; `dynamic` are the dimensions that may change."""

    def register(cls):
        PROGRAMS.append((cls, inputs, kwargs or {}, dynamic, decompose, train))
        return cls

    return register


def data(*shape):
    return torch.randn(shape)


@program(data(7, 3), dynamic={"x": {0: Dim.DYNAMIC}})
class Sizes(nn.Module):
    """Sizes as numbers: products, quotients, the smaller of two."""

    def forward(self, x):
        n = x.shape[0]
        y = torch.cat([x, x]).reshape(n * 2, 3)
        half, full = y[: (n + 1) // 2], torch.full((n, n % 5 + 1), n) * torch.sym_float(n)
        return half, full, y.new_zeros(torch.sym_max(n, 3)), n


@program(
    data(4, 3),
    {"a": data(2), "b": [data(2), data(2)]},
    kwargs={"point": Point(data(2), data(2)), "scale": 2.5, "flag": True},
)
class Nested(nn.Module):
    """Arguments and results in dictionaries, lists and named tuples, and arguments that are numbers."""

    def forward(self, x, tree, *, point, scale, flag=True, nothing=None):
        y = tree["a"] + tree["b"][0] * tree["b"][1]
        if flag:
            y = y * scale + point.x - point.y
        return {"y": y, "rest": (x.sum(), [x.mean(0)]), "point": Point(y + 1, y - 1)}


@program(torch.tensor([[1, 2, 3]]))
class Tied(nn.Module):
    """Tied parameters, buffers of both kinds, and constants."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(6, 4)
        self.head = nn.Linear(4, 6, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("kept", torch.arange(4.0))
        self.register_buffer("dropped", torch.arange(4.0) / 3, persistent=False)
        self.register_buffer("low", torch.randn(4).half())
        self.frozen = nn.Parameter(torch.ones(4), requires_grad=False)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.kept * self.dropped + self.low.float() + self.frozen
        return self.head(x + torch.tensor([1.0, 2.0, 3.0, 4.0]))


class Counter(nn.Module):
    """A buffer and an argument that a call writes to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("history", torch.zeros(4))

    def forward(self, x, out):
        self.count += 1
        self.history[1:3].add_(x.sum())
        out.mul_(2).relu_()
        return x * self.count + self.history.sum()


program(data(3), data(3))(Counter)
program(data(3), data(3), decompose=True)(type("CounterDecomposed", (Counter,), {}))


@program(data(4, 3, 6, 6), train=True)
class Norms(nn.Module):
    """Running statistics in training mode."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 4, 3, padding="same"), nn.BatchNorm2d(4), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.net(x).to(memory_format=torch.channels_last).mean((2, 3), dtype=torch.float64)


@program(data(3, 4), dynamic={"x": {0: Dim("rows", min=2, max=64)}})
class Cond(nn.Module):
    """Branches within branches."""

    def forward(self, x):
        def inner(x):
            return torch.cond(x.mean() > 10, lambda x: (x * 3, x.sum(0)), lambda x: (x - 1, x.amax(0)), (x,))

        return torch.cond(x.sum() > 0, inner, lambda x: (x.sin(), x.cos().sum(0)), (x,))


@program(data(3), torch.tensor(0))
class Loop(nn.Module):
    """A loop, whose body reads a parameter."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))

    def forward(self, x, i):
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * self.weight + 0.5), (i, x))


@program(data(3, 4))
class Modes(nn.Module):
    """Blocks without gradients and under autocast."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.linear(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = self.linear(x)
        return y + 1, z.float() + y


@program(torch.tensor([3, 0, 5, 0]), data(4))
class DataDependent(nn.Module):
    """Sizes that follow from elements."""

    def forward(self, counts, x):
        n = counts.max().item()
        torch._check(n >= 0)
        torch._check(n < 10)
        return torch.nonzero(counts), torch.ones(n), x[counts > 0]


@program(data(2, 8), data(2, 6, 5), torch.tensor([2, 0]))
class Calls(nn.Module):
    """Lists of tensors, lists with None, several results, and arguments of every kind."""

    def forward(self, x, y, index):
        a, b = x.chunk(2, dim=1)
        values, places = y.topk(2, dim=-1)
        parts = y.split([1, 2, 3], dim=1)
        return (
            torch.cat([a, b, a], 1),
            values,
            places,
            y[:, index],
            y[index != 0][:, None, ..., 1:3],
            torch.stack(parts[1].unbind(-1)),
            torch.einsum("bi,bjk->ijk", a[:, :3], y),
            nn.functional.gelu(x, approximate="tanh").clamp(min=-0.5),
            x.clone(memory_format=torch.contiguous_format).masked_fill(x > float("inf"), float("-inf")),
            torch.arange(0, 1, 0.25, dtype=torch.float64),
            torch.empty(0, 3).sum(),
            x.std(0, correction=0),
            torch.linalg.vector_norm(x, ord=float("inf")),
            nn.functional.pad(y, (1, 2), value=0.5),
            nn.functional.interpolate(y[:, None], scale_factor=2.0, mode="nearest"),
        )


@program(data(3, 8))
class Fourier(nn.Module):
    """Complex numbers between transforms."""

    def __init__(self):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(5))

    def forward(self, x):
        z = torch.fft.rfft(x)
        w = z * self.filter + torch.fft.fft(x)[:, :5]
        p = torch.polar(x.abs(), x)
        return torch.fft.irfft(w, n=8), z.abs(), w.angle(), (z * w.conj()).real, torch.view_as_real(w), (p * p).imag


@program(data(3, 8))
class Spectrum(nn.Module):
    """A result that is complex."""

    def forward(self, x):
        return torch.fft.fft2(x)[1:]


@program(data(4), data(4))
class Lstm(nn.Module):
    """A recurrent layer: a list of parameters as an argument."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, batch_first=True)

    def forward(self, x, y):
        out, (h, c) = self.lstm(torch.stack([x, y])[None])
        return out, h, c


@program(data(4, 3), dynamic={"x": {0: Dim.DYNAMIC}})
class Slices(nn.Module):
    """A block for each slice, with a state."""

    def forward(self, x):
        from torch._higher_order_ops.scan import scan

        def step(state, row):
            return state + row, (state * row).clone()

        return scan(step, torch.zeros(3), x)


@program(data(4, 3))
class Checkpoint(nn.Module):
    """A block whose values are computed again in the backward pass."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(lambda x: self.linear(x).relu(), x, use_reentrant=False) + 1


@program(data(8), 5, dynamic={"x": None, "n": Dim.DYNAMIC})
class Integer(nn.Module):
    """An integer as an argument, and a branch of numbers."""

    def forward(self, x, n):
        torch._check(n > 1)
        torch._check(n < 8)
        y = x[:n] * (n / 2) + torch.sym_ite(n > 4, n, -n)
        return y, n * 2 - 1, torch.sym_sqrt(n), [n, None, 3, 0.5]


@program(
    collections.OrderedDict(b=data(2), a=collections.OrderedDict()),
    {3: data(2), 1: data(2)},
    collections.defaultdict(list, k=[data(2)]),
)
class Containers(nn.Module):
    """Dictionaries of other kinds and keys."""

    def forward(self, ordered, numbered, defaults):
        y = ordered["b"] + numbered[3] * numbered[1]
        return collections.OrderedDict(z=y, a=None), {7: defaults["k"][0] + y}


@program(data(0, 3), torch.ones(2, 2, dtype=torch.bfloat16), torch.tensor([1, 2], dtype=torch.int8))
class Types(nn.Module):
    """Elements of other types, and tensors without elements."""

    def __init__(self):
        super().__init__()
        base = torch.arange(12.0)
        self.register_buffer("base", base)
        self.register_buffer("even", base[::2])
        self.register_buffer("rows", torch.arange(3.0).expand(2, 3))
        self.register_buffer("flags", torch.tensor([True, False]))
        self.register_buffer("bytes", torch.tensor([[1, 255]], dtype=torch.uint8))
        self.register_buffer("wide", torch.tensor(2**62))
        self.register_buffer("nothing", torch.zeros(0, 4))

    def forward(self, empty, low, small):
        return (
            empty.sum(0) + self.rows,
            low.double() * 3,
            small.short() + self.bytes,
            self.base[1::2] - self.even,
            self.flags.logical_not(),
            self.wide - 1,
            self.nothing.mean(),
            low.to(torch.float16).to(torch.int32),
        )


@program(data(3, 3), train=True)
class Random(nn.Module):
    """Random numbers, also written in place."""

    def forward(self, x):
        y = torch.empty(3).uniform_(0.25, 0.5)
        return nn.functional.dropout(x, 0.5, True) + torch.rand_like(x), y, torch.bernoulli(x.sigmoid())


@program(data(2))
class Built(nn.Module):
    """What a test of lanthorn builds node by node."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return (x + self.weight).relu()


def make(folder):
    for cls, inputs, kwargs, dynamic, decompose, train in PROGRAMS:
        torch.manual_seed(len(cls.__name__))
        module = cls().train(train)
        exported = export(module, inputs, kwargs, dynamic_shapes=dynamic, strict=False)
        if decompose:
            exported = exported.run_decompositions()
        torch.export.save(exported, folder / f"{cls.__name__}.pt2")


def called(path):
    """The results of a call of a program, its buffers, the arguments after it, and its state dict before it."""
    exported = torch.export.load(path)
    state = {name: tensor.clone() for name, tensor in exported.state_dict.items()}
    parameters = {name: parameter.requires_grad for name, parameter in exported.named_parameters()}
    name = path.stem
    _, inputs, kwargs, *_ = next(entry for entry in PROGRAMS if entry[0].__name__ == name)
    cloned = lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf
    inputs, kwargs = pytree.tree_map(cloned, (inputs, kwargs))
    module = exported.module()
    torch.manual_seed(0)
    results = module(*inputs, **kwargs)
    return [results, dict(module.named_buffers()), (inputs, kwargs), state, parameters]


def check(folder):
    found = 0
    for path in sorted((folder / "back").glob("*.pt2")):
        expected, saved = called(folder / path.name), called(path)
        (a, a_tree), (b, b_tree) = pytree.tree_flatten(expected), pytree.tree_flatten(saved)
        if a_tree != b_tree:
            sys.exit(f"{path.stem}: {b_tree}, not {a_tree}")
        for x, y in zip(a, b):
            same = x == y if not isinstance(x, torch.Tensor) else (
                x.dtype == y.dtype and x.shape == y.shape and torch.allclose(x, y, rtol=0, atol=0, equal_nan=True))
            if not same:
                sys.exit(f"{path.stem}: {y}, not {x}")
        found += 1
    print(f"{found} programs are the same")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "check"):
        sys.exit(__doc__)
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
