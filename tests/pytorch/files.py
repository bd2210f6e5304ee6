#!/usr/bin/env python3
"""Files that PyTorch, safetensors, NumPy and gguf write, and a check of those that lanthorn writes.

    files.py make DIR      writes the files of DIR and `manifest.json`, which holds the CRC of every tensor's bytes
    files.py check DIR     reads DIR/back, what lanthorn wrote of the same, and compares all of it to the bit

`files` beside this script was made by `make` with PyTorch 2.15.0, safetensors 0.8.0, NumPy 2.4.6 and gguf 0.19.0 (CPU, Python 3.11); without gguf its file is left out.
Everything is seeded, so a run with these versions gives the same tensors. The models are written here, and small; no weights of anyone are in them.
"""
import json
import math
import pathlib
import sys
import warnings
import zlib

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn


class Block(nn.Module):
    """A residual block as a ResNet has."""

    def __init__(self, width, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = nn.Sequential(nn.Conv2d(width, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + self.downsample(x))


class ResNet(nn.Module):
    """A residual network of two blocks."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.layer1 = nn.Sequential(Block(4, 6, 1), Block(6, 8, 2))
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        return self.fc(self.layer1(torch.relu(self.bn1(self.conv1(x)))).mean((2, 3)))


class Layer(nn.Module):
    """A transformer's layer with a causal mask that is a buffer, as in the first GPTs."""

    def __init__(self, width, context):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.register_buffer("mask", torch.ones(context, context, dtype=torch.bool).tril())

    def forward(self, x):
        q, k, v = self.c_attn(self.ln_1(x)).chunk(3, -1)
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~self.mask, -torch.inf)
        x = x + self.c_proj(scores.softmax(-1) @ v)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """A language model of two layers whose head shares the embedding's weight."""

    def __init__(self, vocabulary=20, width=12, context=8):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(context, width)
        self.h = nn.ModuleList([Layer(width, context) for _ in range(2)])
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for layer in self.h:
            x = layer(x)
        return self.lm_head(self.ln_f(x))


def training():
    """A training run's checkpoint after three steps."""
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 4)).square().sum().backward()
        optimizer.step()
        scheduler.step()
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "rng": torch.get_rng_state(),
        "epoch": 3,
        "best": 0.25,
        "big": 2**40,
        "note": "three steps – größer",
        "flags": [True, False, None, (1, "a")],
        "bytes": bytes(range(256)),
    }


def views():
    """Tensors of every element type, and views that share storages."""
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    every = {
        name: torch.tensor([0, 1, 2, 100]).to(getattr(torch, name))
        for name in ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
    }
    return every | {
        "base": base,
        "transposed": base.t(),
        "column": base[:, 2],
        "steps": base[1::2, ::3],
        "permuted": torch.arange(24, dtype=torch.int16).reshape(2, 3, 4).permute(2, 0, 1),
        "expanded": torch.tensor([1.5, 2.5]).reshape(2, 1).expand(2, 3),
        "channels_last": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "scalar": torch.tensor(7.0),
        "empty": torch.zeros(0, 3),
        "parameter": nn.Parameter(torch.tensor([1.0, 2.0])),
        "size": torch.Size([2, 3]),
        "dtype": torch.float16,
    }


def arrays():
    """Arrays in C and Fortran order, and of the other endianness."""
    grid = np.arange(12, dtype=np.float32).reshape(3, 4)
    return {
        "c": grid,
        "fortran": np.asfortranarray(grid),
        "fortran3": np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4)),
        "big_endian": grid.astype(">f4"),
        "scalar": np.float64(2.5),
        "empty": np.zeros((0, 3), np.float16),
        "bool": np.array([True, False]),
        "int64": np.array([-(2**62), 2**62]),
    }


def tensor_bytes(tensor):
    tensor = tensor.detach().contiguous()
    return tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def rows(value, path=""):
    """Every tensor of a tree by its path, with what it takes to compare it."""
    if isinstance(value, torch.Tensor):
        yield path, [str(value.dtype).removeprefix("torch."), list(value.shape), zlib.crc32(tensor_bytes(value))]
    elif isinstance(value, np.ndarray):
        native = np.ascontiguousarray(value, value.dtype.newbyteorder("<")).reshape(value.shape)
        yield path, [str(native.dtype), list(value.shape), zlib.crc32(native.tobytes())]
    elif isinstance(value, (dict, list, tuple)):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in entries:
            yield from rows(child, f"{path}.{key}" if path else str(key))


def gguf_file(path):
    """Every quantization of ggml, and its numbers as gguf's reference gives them."""
    import gguf

    generator = np.random.default_rng(20261121)
    writer = gguf.GGUFWriter(path, "test")
    writer.add_string("general.name", "every quantization")
    writer.add_uint32("test.number", 7)
    writer.add_array("test.tokens", ["a", "b", "ab"])
    expected = {}
    plain = generator.standard_normal((2, 256)).astype(np.float32)
    for dtype in [np.float32, np.float16, np.int32]:
        name = np.dtype(dtype).name
        writer.add_tensor(name, plain.astype(dtype))
        expected[name] = torch.from_numpy(plain.astype(dtype))
    # Where a block's scales are stored (float16s and a float32), which must be finite numbers.
    scales = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
              "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_XS": [0], "MXFP4": []}
    for name, offsets in scales.items():
        kind = gguf.GGMLQuantizationType[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = generator.integers(0, 256, (2, 512 // elements, size), dtype=np.uint8)
        for offset in offsets:
            numbers = generator.standard_normal(blocks.shape[:2]).astype(np.float16)
            blocks[..., offset : offset + 2] = numbers[..., None].view(np.uint8)
        if name == "MXFP4":
            blocks[..., 0] = blocks[..., 0] % 32 + 112
        stored = blocks.reshape(2, -1)
        writer.add_tensor(name, stored, raw_dtype=kind)
        expected[name] = torch.from_numpy(gguf.quants.dequantize(stored, kind))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return expected


def make(folder):
    torch.manual_seed(20261121)
    manifest = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trees = {"resnet": ResNet().state_dict(), "gpt": GPT().state_dict(), "training": training(), "views": views()}
    for name, tree in trees.items():
        torch.save(tree, folder / f"{name}.pt")
        manifest[f"{name}.pt"] = dict(rows(tree))
        if name in ("resnet", "gpt"):
            apart = {key: tensor.clone().contiguous() for key, tensor in tree.items()}
            save_file(apart, folder / f"{name}.safetensors", metadata={"format": "pt"})
            manifest[f"{name}.safetensors"] = dict(rows(tree))
    torch.save(trees["resnet"], folder / "legacy.pt", _use_new_zipfile_serialization=False)
    manifest["legacy.pt"] = manifest["resnet.pt"]
    torch.save({"when": pathlib.PurePosixPath("x")}, folder / "refused.pt")
    for name, array in arrays().items():
        np.save(folder / f"{name}.npy", array)
        manifest[f"{name}.npy"] = dict(rows(np.asarray(array)))
    np.savez(folder / "stored.npz", **arrays())
    np.savez_compressed(folder / "deflated.npz", **arrays())
    manifest["stored.npz"] = manifest["deflated.npz"] = dict(rows({key: np.asarray(array) for key, array in arrays().items()}))
    np.save(folder / "objects.npy", np.array([{}], dtype=object))
    try:
        manifest["quantized.gguf"] = dict(rows(gguf_file(folder / "quantized.gguf")))
    except ImportError:
        print("gguf is not installed: its file is left out")
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def check(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    read = {
        ".pt": lambda path: torch.load(path, weights_only=True),
        ".safetensors": load_file,
        ".npz": lambda path: dict(np.load(path, allow_pickle=False)),
        ".npy": lambda path: np.load(path, allow_pickle=False),
    }
    compared = 0
    for path in sorted((folder / "back").iterdir()):
        value = read[path.suffix](path)
        found, expected = dict(rows(value)), manifest[path.name]
        assert json.loads(json.dumps(found)) == expected, f"{path.name}: {found} is not {expected}"
        if path.name == "training.pt":
            original = torch.load(folder / path.name, weights_only=True)
            for key in ["epoch", "best", "big", "note", "flags", "bytes"]:
                assert value[key] == original[key], key
            model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
            model.load_state_dict(value["model"])
            optimizer = torch.optim.AdamW(model.parameters())
            optimizer.load_state_dict(value["optimizer"])
            torch.set_rng_state(value["rng"])
        if path.stem == "resnet":
            ResNet().load_state_dict(value)
        if path.stem == "gpt":
            GPT().load_state_dict(value)
        compared += len(expected)
    assert compared > 0
    print(f"{compared} tensors are the same")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "check"):
        sys.exit(__doc__)
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
