#!/usr/bin/env python3
"""Appends the calls of edges.py to the golden files of ops, with PyTorch's answers; earlier ones are replaced.

  python gen_edges.py --out ../ops [--ops amax,norm]
"""
import argparse, json, os
from types import SimpleNamespace
import torch
from safetensors.torch import load_file
import edges
from gen_golden import OPS, arg_names, one_sample
from golden_common import *

# Ops without samples of PyTorch's: the function and its category.
OTHERS = {"nn.functional.adaptive_max_pool3d": (torch.nn.functional.adaptive_max_pool3d, "pool"), "nn.functional.lp_pool1d": (torch.nn.functional.lp_pool1d, "pool"), "nn.functional.lp_pool2d": (torch.nn.functional.lp_pool2d, "pool"),
          "multinomial": (torch.multinomial, "random"), "bernoulli": (torch.bernoulli, "random"), "normal": (torch.normal, "random")}


def known_ops():
    from torch.testing._internal.common_methods_invocations import op_db
    import re
    clean = lambda text: re.sub(r"[^A-Za-z0-9_.-]", "_", text)
    names = {}
    for op in op_db:
        if op.name in OPS: names.setdefault(clean(op.name) + ("__" + clean(op.variant_test_name) if op.variant_test_name else ""), op)
    return names


def without_edges(doc, tensors):
    """The document without earlier edges, and a store of the tensors that it still names."""
    doc["samples"] = [s for s in doc["samples"] if s.get("kind") != "edge"]
    doc["errors"] = [e for e in doc["errors"] if e.get("kind") != "edge"]
    store, text = Store(), json.dumps(doc)
    for number in range(len(tensors)):
        name = f"t{number}"
        if f'"{name}"' not in text: break
        store.n = number
        store.put(tensors[name])
    store.n = len(store.tensors)
    return store


def refusal(op, args, kwargs, store):
    rec = {"kind": "edge", "args": [encode(a, store) for a in args], "kwargs": {k: encode(v, store) for k, v in kwargs.items()}}
    names = arg_names(op, args, kwargs)
    if names: rec["arg_names"] = names
    try:
        op.op(*args, **kwargs)
    except (RuntimeError, ValueError) as e:
        return {**rec, "error_type": type(e).__name__, "error_regex": "", "torch_says": f"{type(e).__name__}: {str(e).splitlines()[0][:160]}"}
    raise SystemExit(f"{op.name}{args}: PyTorch raises no error")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", required=True)
    ap.add_argument("--ops", default="")
    opt = ap.parse_args()
    opt.max_numel = 4096
    torch.set_num_threads(1)
    calls, refusals, ops = edges.calls(), edges.refusals(), known_ops()
    index = json.load(open(os.path.join(opt.out, "index.json")))
    for name in sorted({*calls, *refusals}):
        if opt.ops and name not in opt.ops.split(","): continue
        path = os.path.join(opt.out, name)
        if name in OTHERS:
            op = SimpleNamespace(op=OTHERS[name][0], name=name)
            doc, tensors = {"op": name, "variant": None, "category": OTHERS[name][1], "schemas": [], "aliases": [], "method": False, "inplace": None,
                            "torch_tolerance_overrides": [], "autograd": True, "samples": [], "errors": []}, {}
        else:
            op, doc, tensors = ops[name], json.load(open(path + ".json")), load_file(path + ".safetensors")
        store = without_edges(doc, tensors)
        for number, (args, kwargs) in enumerate(calls.get(name, [])):
            rec, _ = one_sample(op, "edge", args, kwargs, None, torch.float32, store, opt, f"{name}/edge/{number}", op.name)
            rec.pop("unstable", None)
            rec.pop("ties", None)
            doc["samples"].append({**rec, "id": len(doc["samples"])})
        doc["errors"] += [refusal(op, args, kwargs, store) for args, kwargs in refusals.get(name, [])]
        store.save(path + ".safetensors", {"op": doc["op"], "variant": doc["variant"] or ""})
        dump_json(doc, path + ".json")
        row = next((row for row in index["ops"] if row["file"] == name), None)
        if row is None:
            row = {"op": doc["op"], "variant": None, "category": doc["category"], "file": name, "gradgrad": 0, "unstable": 0, "gauge": 0, "skipped": {}}
            index["ops"].append(row)
        row.update(samples=len(doc["samples"]), with_grad=sum("gin" in s for s in doc["samples"]), errors=len(doc["errors"]))
    rows = [row for row in index["ops"] if row["samples"] or row["errors"]]
    total = lambda key: sum(row[key] for row in rows)
    index["totals"] = {"op_names": len({row["op"] for row in rows}), "op_files": len(rows), **{key: total(key) for key in ("samples", "with_grad", "gradgrad", "errors", "unstable", "gauge")}}
    dump_json(index, os.path.join(opt.out, "index.json"))
    print(json.dumps(index["totals"]))


if __name__ == "__main__":
    fixed_hash()
    main()
