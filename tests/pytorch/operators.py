"""Runs the samples of lanthorn's operations as programs in PyTorch, and compares the results.

    cargo run -p lanthorn-conformance --example export_samples FOLDER
    python3 tests/pytorch/operators.py FOLDER

Needs PyTorch and safetensors. The suite holds the same programs to lanthorn itself.
"""

import logging
import pathlib
import sys
import warnings

import torch
from safetensors.torch import load_file

warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)

# Random numbers, uninitialized elements, and factors whose signs are free.
OTHER_ELEMENTS = {
    "bernoulli", "cauchy", "dropout", "empty", "empty_like", "exponential", "geometric", "linalg_eigh", "linalg_svd",
    "log_normal", "multinomial", "new_empty", "normal", "normal_functional", "rand", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "randperm", "uniform",
}
# Samples of unsorted boundaries, of ties, and what PyTorch does not have on the CPU.
FREE = {"bucketize", "mode", "sort", "argsort", "linalg_lu_factor_ex"}


def check(file):
    name = file.stem.split("-")[0].split(".")[0].rstrip("_")
    tensors = load_file(file.with_suffix(".safetensors"))
    count = lambda kind: sum(key.startswith(kind) for key in tensors)
    inputs = [tensors[f"inputs.{index}"] for index in range(count("inputs."))]
    outputs = [tensors[f"outputs.{index}"] for index in range(count("outputs."))]
    module = torch.export.load(file).module()
    if name in FREE:
        return
    results = module(*inputs)
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    assert len(results) == len(outputs), f"{len(results)} results, not {len(outputs)}"
    for result, output in zip(results, outputs):
        # Complex numbers are pairs in lanthorn.
        result = torch.view_as_real(result.resolve_conj()) if result.is_complex() else result
        assert result.shape == output.shape, f"shape {list(result.shape)}, not {list(output.shape)}"
        if name not in OTHER_ELEMENTS:
            error = (result.double() - output.double()).abs().nan_to_num().max() if output.numel() else 0
            close = torch.allclose(result.double(), output.double(), rtol=1e-4, atol=1e-5, equal_nan=True)
            assert close, f"other elements, by {error}"


failed = []
files = sorted(pathlib.Path(sys.argv[1]).glob("*.pt2"))
for file in files:
    try:
        check(file)
    except Exception as error:
        failed.append(f"{file.stem}: {str(error)[:200]}".replace("\n", " "))
print("\n".join(failed))
print(f"{len(files) - len(failed)} passed, {len(failed)} failed")
sys.exit(bool(failed) or not files)
