"""Writes control.json: PyTorch's results and gradients of scans, loops and branches.

Run: python tests/golden/make/gen_control.py tests/golden/control.json
A tensor of a shape has the numbers sin(1.3 i + phase) / 2. A case has the results and the gradients
of the sum of their squares, for the tensors in the order of the program of that name here, in
crates/lanthorn/tests/it/control.rs and in tests/browser/api/control.mjs. All is computed in float64.
"""

import json
import sys

import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

torch.set_default_dtype(torch.float64)


def wave(*shape, phase=0.0):
    count = torch.Size(shape).numel()
    return (torch.sin(torch.arange(count) * 1.3 + phase) / 2).reshape(shape).requires_grad_(True)


def recurrent():
    h, xs, w, u = wave(4), wave(6, 3, phase=1), wave(4, 4, phase=2), wave(4, 3, phase=3)

    def step(h, x):
        h = torch.tanh(w @ h + u @ x)
        return h, h.clone() * 2

    last, ys = scan(step, h, xs)
    return [last, ys], [h, xs, w, u]


def backwards():
    a, b, x, z = wave(3), wave(3, phase=1), wave(3, 5, phase=2), wave(3, 5, 2, phase=3)

    def step(carry, x):
        a, b = carry
        a, b = a * 0.5 + x[0], b + a.sin() * x[1].sum(-1)
        return (a, b), (a * b, b.sum())

    (a1, b1), (ys, sums) = scan(step, (a, b), (x, z), dim=1, reverse=True)
    return [a1, b1, ys, sums], [a, b, x, z]


def count():
    c, w = wave(2, phase=1), wave(2, phase=2)
    last, ys = scan(lambda c, _: (c * w + 1, c.exp()), c, None, length=4)
    return [last, ys], [c, w]


def layer(reverse, dim, shape):
    def program():
        a, b = wave(*shape, phase=1), wave(*shape, phase=2)
        combine = lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1])
        found = associative_scan(combine, (a, b), dim, reverse=reverse, combine_mode="generic")
        return list(found), [a, b]

    return program


def products():
    m = wave(6, 2, 2, phase=1)
    return [associative_scan(lambda x, y: y @ x, m, 0, combine_mode="generic")], [m]


def repeat():
    x, w = wave(3, phase=1), wave(3, phase=2)
    goes_on = lambda n, x: x.square().sum() < 50
    _, x1 = while_loop(goes_on, lambda n, x: (n + 1, x * 1.5 + w.sin()), (torch.tensor(0), x))
    return [x1], [x, w]


def branch(sign):
    def program():
        x, y = wave(3, phase=1), wave(3, phase=2)
        pred = (x.sum() * 0 + sign) > 0
        return [torch.cond(pred, lambda x, y: x * x.exp(), lambda x, y: y.cos() + 1, (x, y))], [x, y]

    return program


CASES = {
    "recurrent": recurrent,
    "backwards": backwards,
    "counted": count,
    "layer": layer(False, 0, (7, 2)),
    "reversed layer": layer(True, 1, (2, 6)),
    "products": products,
    "repeated": repeat,
    "true": branch(1),
    "false": branch(-1),
}


def describe(tensor):
    return {"shape": list(tensor.shape), "data": [float(f"{number:.9g}") for number in tensor.detach().flatten().tolist()]}


def main():
    rows = {}
    for name, program in CASES.items():
        results, inputs = program()
        total = sum(result.square().sum() for result in results)
        gradients = torch.autograd.grad(total, inputs, allow_unused=True, materialize_grads=True)
        rows[name] = {"results": [describe(x) for x in results], "gradients": [describe(x) for x in gradients]}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        file.write("{\n" + lines + "\n}\n")


main()
