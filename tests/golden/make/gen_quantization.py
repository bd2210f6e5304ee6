"""Writes the answers of PyTorch and torchao for quantization into a JSON file.

usage: VENV/bin/python gen_quantization.py --out quantization.json

Needs torch and torchao (`pip install --no-deps torchao`). The numbers of the inputs are multiples of
2^-16, which JSON keeps exactly.
"""
import argparse
import json

import torch
import torch.ao.quantization as ao
import torchao
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_
from torchao.quantization import quant_primitives


def numbers(*shape, spread=1.0):
    return (torch.randn(*shape) * spread * 65536).round() / 65536


def weight_only(out):
    """Scales, integers, and results of linear layers."""
    x, weight, bias = numbers(4, 64), numbers(6, 64), numbers(6)
    layer = torch.nn.Linear(64, 6)
    layer.load_state_dict({"weight": weight, "bias": bias})
    out["linear"] = {"x": x.tolist(), "weight": weight.tolist(), "bias": bias.tolist(), "float": layer(x).tolist()}
    for name, config in {
        "int8_weight_only": Int8WeightOnlyConfig(version=2),
        "int8_dynamic": Int8DynamicActivationInt8WeightConfig(version=2),
    }.items():
        model = torch.nn.Sequential(torch.nn.Linear(64, 6))
        model[0].load_state_dict({"weight": weight, "bias": bias})
        quantize_(model, config)
        held = model[0].weight
        out[name] = {"qdata": held.qdata.tolist(), "scale": held.scale.tolist(), "y": model(x).tolist()}
    for group in (32, 64):
        block = (1, group)
        scale, zero_point = quant_primitives._choose_qparams_affine_tinygemm(
            weight, quant_primitives.MappingType.ASYMMETRIC, block, torch.int32, 0, 15, 1e-6)
        integers = quant_primitives._quantize_affine_tinygemm(weight, block, scale, zero_point, torch.int32, 0, 15)
        found = quant_primitives._dequantize_affine_tinygemm(integers, block, scale, zero_point, torch.int32, 0, 15)
        out[f"int4_group_{group}"] = {
            "integers": integers.tolist(), "scale": scale.tolist(), "zero_point": zero_point.tolist(),
            "y": torch.nn.functional.linear(x, found, bias).tolist(),
        }


def observers(out):
    """Observers over three batches, of which the last has outliers."""
    batches = [numbers(3, 4, 5), numbers(3, 4, 5, spread=2.0), numbers(3, 4, 5)]
    batches[2][0, 0, 0] = 9.0
    cases = {
        "MinMaxObserver": lambda **kw: ao.MinMaxObserver(**kw),
        "MovingAverageMinMaxObserver": lambda **kw: ao.MovingAverageMinMaxObserver(averaging_constant=0.1, **kw),
        "HistogramObserver": lambda **kw: ao.HistogramObserver(bins=256, **kw),
        "PerChannelMinMaxObserver": lambda **kw: ao.PerChannelMinMaxObserver(ch_axis=1, **kw),
    }
    rows = []
    for name, make in cases.items():
        kind = "per_channel" if name.startswith("PerChannel") else "per_tensor"
        for scheme in ("affine", "symmetric"):
            dtype, ends = (torch.quint8, (0, 255)) if scheme == "affine" else (torch.qint8, (-128, 127))
            observer = make(dtype=dtype, qscheme=getattr(torch, f"{kind}_{scheme}"))
            for batch in batches:
                observer(batch)
            scale, zero_point = observer.calculate_qparams()
            rows.append({"observer": name, "qscheme": f"{kind}_{scheme}", "quant_min": ends[0], "quant_max": ends[1],
                         "scale": scale.tolist(), "zero_point": zero_point.tolist()})
    out["observers"] = {"batches": [batch.tolist() for batch in batches], "results": rows}


def fake_quantize(out):
    x = numbers(3, 8, spread=2.0)
    grad = numbers(3, 8)
    rows = []

    def add(name, call, tensors, arguments):
        leaves = [torch.tensor(value, dtype=torch.float32, requires_grad=True) for value in tensors]
        given = x.clone().requires_grad_()
        y = call(given, *leaves)
        y.backward(grad)
        rows.append({"op": name, "tensors": tensors, "arguments": arguments, "y": y.tolist(), "grad": given.grad.tolist(),
                     "grads": [leaf.grad.tolist() for leaf in leaves if leaf.grad is not None]})

    add("fake_quantize_per_tensor_affine", lambda v: torch.fake_quantize_per_tensor_affine(v, 0.3, 2, -8, 7), [], [0.3, 2, -8, 7])
    scales, zeros = [0.25, 0.3, 0.45], [0.0, 2.0, -3.0]
    add("fake_quantize_per_channel_affine",
        lambda v, s, z: torch.fake_quantize_per_channel_affine(v, s.detach(), z.detach().int(), 0, -8, 7), [scales, zeros], [0, -8, 7])
    add("fake_quantize_learnable_per_tensor_affine",
        lambda v, s, z: torch._fake_quantize_learnable_per_tensor_affine(v, s, z, -8, 7, 0.5), [[0.3], [2.0]], [-8, 7, 0.5])
    add("fake_quantize_learnable_per_channel_affine",
        lambda v, s, z: torch._fake_quantize_learnable_per_channel_affine(v, s, z, 0, -8, 7, 0.5), [scales, zeros], [0, -8, 7, 0.5])
    out["fake_quantize"] = {"x": x.tolist(), "grad": grad.tolist(), "calls": rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    torch.manual_seed(18)
    out = {"torch": torch.__version__.split("+")[0], "torchao": torchao.__version__.split("+")[0]}
    weight_only(out)
    observers(out)
    fake_quantize(out)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(out, file)
        file.write("\n")


if __name__ == "__main__":
    main()
