# Distribution packages, tools from crates.io, and npm packages. Sourced after common.sh.

# apt_install PACKAGE...: installs the missing ones.
apt_install() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} = 0 ] && return
  step "apt-get update" as_root apt-get update
  step "installing ${missing[*]}" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# cargo_tool CRATE VERSION BINARY [OPTION...]: builds a command-line tool once, in a folder named by its version,
# and adds it to PATH. It is built quickly rather than optimized: what it does takes a second.
cargo_tool() {
  local root="$CACHE/tools/$1-$2"
  if [ ! -x "$root/bin/$3" ]; then
    step "building $1 $2 (once; kept in $root)" env CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 \
      cargo install "$1" --version "$2" --root "$root" --target-dir "$CACHE/tool-build" "${@:4}"
  fi
  export PATH="$root/bin:$PATH"
}

# npm_packages FOLDER: installs the packages of its package-lock.json, if that was not done yet.
npm_packages() {
  local stamp="$1/node_modules/.lanthorn-installed" sum
  sum=$(cat "$1/package.json" "$1/package-lock.json" | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && return
  step "installing npm packages of ${1#"$ROOT"/}" npm --prefix "$1" ci --no-audit --no-fund
  printf '%s' "$sum" >"$stamp"
}

python_package() { # python_package FOLDER PACKAGE...: installs packages of Python into a folder, once
  [ -e "$1/done" ] && return
  python3 -m pip --version >/dev/null 2>&1 || { have apt-get && apt_install python3 python3-pip; } || die "no python3 with pip: install it"
  step "installing Python's ${*:2} (kept in $1)" \
    python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$1" "${@:2}"
  touch "$1/done"
}
