"""Checks the models that lanthorn wrote, and runs them by ONNX Runtime.

    LANTHORN_ONNX_WRITTEN=FOLDER cargo test -p lanthorn-onnx --test it export::
    python tests/onnx/round_trip.py FOLDER

A model is a folder with `model.onnx`, `input_*.pb` and `output_*.pb`, as the tests `export` leave them. Every
model passes `onnx.checker` with its full check, and gives the results. The last line is
`N passed, N failed`; failed models are named.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

# The error of ONNX Runtime's CPU provider for operators and element types that it does not have.
MISSING = "NOT_IMPLEMENTED"


def tensors(folder, side):
    for index in range(len(list(folder.glob(f"{side}_*.pb")))):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((folder / f"{side}_{index}.pb").read_bytes())
        yield numpy_helper.to_array(tensor)


def difference(found, wanted):
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"{found.dtype} {found.shape}, not {wanted.dtype} {wanted.shape}"
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    if not np.allclose(a, b, rtol=2e-5, atol=2e-5, equal_nan=True):
        return f"differs by {np.nanmax(np.abs(a - b))}"
    return None


def check(folder, options):
    path = str(folder / "model.onnx")
    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    results = session.run(None, dict(zip(names, tensors(folder, "input"))))
    for result, wanted in zip(results, tensors(folder, "output")):
        if found := difference(result, wanted):
            return found
    return None


def main(folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    passed, missing, failed = 0, [], []
    for path in sorted(path.parent for path in folder.glob("*/model.onnx")):
        try:
            problem = check(path, options)
        except Exception as error:  # The checker and the runtime have many types of errors.
            problem = " ".join(str(error).split())
        if problem is None:
            passed += 1
        elif MISSING in problem:
            missing.append(f"{path.name}: {problem}")
        else:
            failed.append(f"{path.name}: {problem}")
    for line in failed:
        print(line)
    if missing:
        print(f"{len(missing)} that ONNX Runtime has no kernel for:", *missing, sep="\n  ")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
