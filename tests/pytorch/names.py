"""Prints the public names of PyTorch's modules, for names.mjs: a line for each module.

    VENV/bin/python tests/pytorch/names.py > tests/pytorch/names/public.txt

A name is public if it is in the module's `__all__`, or a function or a class that the module defines;
of `torch`, every function and class of PyTorch among its attributes. An attribute of a class is
public if it is not an attribute of every object.
"""

import importlib
import inspect
import types

CLASSES = {"torch.Tensor": "torch", "torch.nn.Module": "torch.nn", "torch.Generator": "torch"}
MODULES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize
torch.nn.utils.parametrizations torch.func torch.autograd torch.autograd.functional torch.autograd.graph torch.linalg
torch.fft torch.special torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.distributions torch.utils.data
""".split()


def is_of(path, value):
    origin = getattr(value, "__module__", None) or ""
    if isinstance(value, types.BuiltinFunctionType):
        return True
    is_own = origin == path or origin.startswith(f"{path}.modules") or path == "torch" and origin.startswith("torch")
    return callable(value) and is_own


def public_names(path):
    if path in CLASSES:
        owner = getattr(importlib.import_module(CLASSES[path]), path.split(".")[-1])
        return [name for name in dir(owner) if not name.startswith("_") and name not in dir(object)]
    module = importlib.import_module(path)
    listed = set(getattr(module, "__all__", None) or ())
    found = {name for name in dir(module) if is_of(path, getattr(module, name))}
    names = listed | (found if path not in ("torch.distributions", "torch.optim.lr_scheduler") else set())
    is_module = lambda name: isinstance(getattr(module, name, None), types.ModuleType)
    return sorted(name for name in names if not name.startswith("_") and not is_module(name))


for path in [*MODULES, *CLASSES]:
    print(f"{path}: {' '.join(public_names(path))}")
