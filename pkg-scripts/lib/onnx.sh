# ONNX's own backend tests, from its Python package, and ONNX Runtime for models that lanthorn writes. Sourced after
# common.sh and packages.sh.

ONNX_VERSION=1.23.2
ONNX_RUNTIME_VERSION=1.32.0

# Writes the tests once for a version and a script, and names their folder in LANTHORN_ONNX_CASES.
onnx_cases() {
  local script="$ROOT/tests/onnx/cases.py" library="$CACHE/tools/onnx-$ONNX_VERSION" sum
  sum=$(cksum <"$script" | cut -d' ' -f1)
  export LANTHORN_ONNX_CASES="$CACHE/onnx-cases-$ONNX_VERSION-$sum"
  [ -e "$LANTHORN_ONNX_CASES/index.tsv" ] && return
  python_package "$library" "onnx==$ONNX_VERSION"
  step "writing ONNX's backend tests to $LANTHORN_ONNX_CASES" \
    env PYTHONPATH="$library" python3 "$script" "$LANTHORN_ONNX_CASES"
}

# Checks the models in a folder, which tests have written, by `onnx.checker`, and runs them by ONNX Runtime.
onnx_round_trip() { # onnx_round_trip FOLDER
  local library="$CACHE/tools/onnxruntime-$ONNX_RUNTIME_VERSION-onnx-$ONNX_VERSION"
  python_package "$library" "onnxruntime==$ONNX_RUNTIME_VERSION" "onnx==$ONNX_VERSION"
  PYTHONPATH="$library" python3 "$ROOT/tests/onnx/round_trip.py" "$1"
}
