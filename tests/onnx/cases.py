"""Writes ONNX's own backend tests, of the package `onnx`, into a folder.

    python tests/onnx/cases.py FOLDER

A test is a folder with `model.onnx` and, for each data set, `input_*.pb` and `output_*.pb`. `index.tsv` lists
them: kind, name, relative and absolute tolerance. Tests whose model would be downloaded are left out.
"""

import pathlib
import shutil
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator"]


def message(value):
    """A value of a data set as a protocol buffer, with the suffix of its kind."""
    if isinstance(value, (onnx.TensorProto, onnx.SequenceProto, onnx.OptionalProto)):
        return value
    if value is None:
        return numpy_helper.from_optional(None)
    if isinstance(value, list):
        return numpy_helper.from_list(value)
    return numpy_helper.from_array(np.asarray(value))


def write(case, kind, folder):
    target = folder / kind / case.name
    target.mkdir(parents=True)
    if case.model is not None:
        onnx.save(case.model, target / "model.onnx")
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data = target / f"test_data_set_{number}"
            data.mkdir()
            for side, values in (("input", inputs), ("output", outputs)):
                for index, value in enumerate(values):
                    proto = message(value)
                    kinds = {onnx.SequenceProto: "seq.pb", onnx.OptionalProto: "opt.pb"}
                    suffix = kinds.get(type(proto), "pb")
                    (data / f"{side}_{index}.{suffix}").write_bytes(proto.SerializeToString())
    else:
        shutil.copytree(case.model_dir, target, dirs_exist_ok=True)
    return f"{kind}\t{case.name}\t{case.rtol}\t{case.atol}\n"


def main():
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1])
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    rows = [write(case, kind, partial) for kind in KINDS for case in load_model_tests(kind=kind) if not case.url]
    (partial / "index.tsv").write_text("".join(sorted(rows)))
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    print(f"{len(rows)} tests in {folder}")


if __name__ == "__main__":
    main()
