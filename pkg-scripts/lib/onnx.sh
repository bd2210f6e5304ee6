# ONNX's own backend tests, from its Python package. Sourced after common.sh and packages.sh.

ONNX_VERSION=1.23.2

# Writes the tests once for a version and a script, and names their folder in LANTHORN_ONNX_CASES.
onnx_cases() {
  local script="$ROOT/tests/onnx/cases.py" library="$CACHE/tools/onnx-$ONNX_VERSION" sum
  sum=$(cksum <"$script" | cut -d' ' -f1)
  export LANTHORN_ONNX_CASES="$CACHE/onnx-cases-$ONNX_VERSION-$sum"
  [ -e "$LANTHORN_ONNX_CASES/index.tsv" ] && return
  python3 -m pip --version >/dev/null 2>&1 || { have apt-get && apt_install python3 python3-pip; } || die "no python3 with pip: install it"
  [ -e "$library/done" ] || step "installing Python's onnx $ONNX_VERSION (kept in $library)" install_onnx "$library"
  step "writing ONNX's backend tests to $LANTHORN_ONNX_CASES" \
    env PYTHONPATH="$library" python3 "$script" "$LANTHORN_ONNX_CASES"
}

install_onnx() { # install_onnx FOLDER
  python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$1" "onnx==$ONNX_VERSION" && touch "$1/done"
}
