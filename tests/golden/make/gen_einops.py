"""Writes einops.json: the results of einops for patterns of crates/einops.

Run: python tests/golden/make/gen_einops.py tests/golden/einops.json
A tensor of a shape has the numbers from 0, divided by 8. A row has the shape, the pattern, the sizes
of dimensions, and the result or null for an error.
"""

import json
import sys

import einops
import torch

ROWS = [
    ("rearrange", [2, 3, 4], "b h w -> b w h", {}),
    ("rearrange", [2, 3, 4], "b h w -> (b h) w", {}),
    ("rearrange", [6, 4], "(b h) w -> h b w", {"b": 2}),
    ("rearrange", [6, 4], "(b h) w -> w (h b)", {"h": 2}),
    ("rearrange", [2, 3, 4, 2], "b ... c -> c ... b", {}),
    ("rearrange", [2, 3, 4, 2], "b ... c -> b (... c)", {}),
    ("rearrange", [2, 3], "... -> 1 ... 1", {}),
    ("rearrange", [1, 6, 1], "1 (a b) 1 -> b a", {"a": 3}),
    ("rearrange", [1, 2, 4, 4], "b c (h h2) (w w2) -> b (c h2 w2) h w", {"h2": 2, "w2": 2}),
    ("rearrange", [6], "(a b) -> () b a", {"a": 2}),
    ("rearrange", [6, 4], "a b -> a", {}),
    ("rearrange", [6, 4], "a b -> b a c", {}),
    ("rearrange", [6, 4], "a a -> a", {}),
    ("rearrange", [6, 4], "a (b -> a b", {}),
    ("rearrange", [6, 4], "a b) -> a b", {}),
    ("rearrange", [6, 4], "(a b) c -> a b c", {}),
    ("rearrange", [6, 4], "(a b) c -> a b c", {"a": 4}),
    ("rearrange", [6, 4], "a b c -> c b a", {}),
    ("rearrange", [6, 4], "a 4 -> a 4", {}),
    ("rearrange", [6, 4], "a b -> b a", {"c": 2}),
    ("rearrange", [6, 4], "a -b -> b a", {}),
    ("rearrange", [6, 4], "a b", {}),
    ("rearrange", [6, 4], "(a ...) -> a ...", {}),
    ("reduce mean", [2, 3, 4], "b h w -> b", {}),
    ("reduce sum", [2, 3, 4], "b h w -> h", {}),
    ("reduce max", [2, 4, 4], "b (h h2) (w w2) -> b h w", {"h2": 2, "w2": 2}),
    ("reduce min", [2, 4, 4], "b (h 2) (w 2) -> w h b", {}),
    ("reduce prod", [2, 3], "a b -> ", {}),
    ("reduce mean", [2, 3, 4], "b h w -> b 1 w", {}),
    ("reduce sum", [2, 3, 4], "... w -> w", {}),
    ("reduce sum", [2, 3, 4], "b h w -> b h w c", {}),
    ("repeat", [2, 3], "a b -> a b c", {"c": 2}),
    ("repeat", [2, 3], "a b -> c a b", {"c": 2}),
    ("repeat", [2, 3], "a b -> (a c) (b d)", {"c": 2, "d": 3}),
    ("repeat", [2, 3], "a b -> a (2 b)", {}),
    ("repeat", [2, 3], "... -> n ...", {"n": 2}),
    ("repeat", [2, 3], "a b -> a b c", {}),
    ("repeat", [2, 3], "a b -> a", {}),
    ("einsum", [[2, 3], [3, 4]], "row inner, inner column -> row column", {}),
    ("einsum", [[2, 3, 4], [2, 4, 5]], "b ... k, b k n -> b ... n", {}),
    ("einsum", [[2, 3]], "first second -> second first", {}),
    ("einsum", [[2, 3], [3, 4]], "a b, b c -> a d", {}),
]


def ramp(shape):
    """The numbers from 0 of a shape, divided by 8."""
    return (torch.arange(int(torch.tensor(shape).prod())) / 8).reshape(shape)


def main():
    """Writes the file."""
    rows = []
    for name, shape, pattern, axes in ROWS:
        function, *more = name.split()
        try:
            if function == "einsum":
                result = einops.einsum(*(ramp(each) for each in shape), pattern)
            else:
                result = getattr(einops, function)(ramp(shape), pattern, *more, **axes)
        except Exception:
            value = None
        else:
            value = {"shape": list(result.shape), "data": result.flatten().tolist()}
        rows.append({"function": function, "reduction": more, "shape": shape, "pattern": pattern, "axes": axes, "value": value})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


main()
