# The Rust toolchains: a native one, and one with the standard library for wasm32-unknown-unknown.
# Sourced after common.sh. Defines ensure_rust, ensure_wasm_target, wasm_env.

WASM=wasm32-unknown-unknown
DEBIAN_RUST_PACKAGES="rustc-web cargo-web rust-web-src rust-web-llvm lld-22"

ensure_rust() {
  have cargo && return
  have apt-get || die "no Rust: install it (https://rustup.rs), then try again"
  apt_install rustc-web cargo-web
}

has_wasm_std() { # has_wasm_std RUSTC...: does this compiler have a standard library for wasm?
  local sysroot
  sysroot=$("$@" --print sysroot 2>/dev/null) || return 1
  ls "$sysroot/lib/rustlib/$WASM/lib/"libstd-*.rlib >/dev/null 2>&1
}

# Tries, in order: the installed toolchain; rustup; the distribution's compiler, with std built from
# its source.
ensure_wasm_target() {
  has_wasm_std rustc && return
  has_wasm_std /usr/bin/rustc && return
  if have rustup && [ ! -e "$CACHE/rustup-has-no-wasm" ]; then
    say "adding the $WASM target with rustup"
    if timeout 100 rustup target add $WASM >"$LOGS/rustup.log" 2>&1 && has_wasm_std rustc; then return; fi
    say "rustup could not bring it (its server is out of reach, most likely); using the distribution's compiler"
    touch "$CACHE/rustup-has-no-wasm"
  fi
  have apt-get || die "no standard library for $WASM: 'rustup target add $WASM' failed ($LOGS/rustup.log) and this is no Debian"
  # shellcheck disable=SC2086
  apt_install $DEBIAN_RUST_PACKAGES
  step "building the standard library for $WASM" build_wasm_std
}

# Builds std once, in an empty crate, and copies it into the compiler's folder, where every build
# finds it.
build_wasm_std() {
  local seed="$CACHE/wasm-std" sysroot
  rm -rf "$seed" && mkdir -p "$seed/src"
  printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2021"\n[lib]\n[workspace]\n' >"$seed/Cargo.toml"
  : >"$seed/src/lib.rs"
  sysroot=$(/usr/bin/rustc --print sysroot)
  (cd "$seed" && RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="" /usr/bin/cargo build --release --target $WASM \
    -Zbuild-std=std,panic_abort,test) || return 1
  as_root mkdir -p "$sysroot/lib/rustlib/$WASM/lib"
  find "$seed/target/$WASM/release/deps" -name '*.rlib' ! -name 'libseed-*' -print0 |
    as_root xargs -0 cp -t "$sysroot/lib/rustlib/$WASM/lib/"
  rm -rf "$seed"
}

# wasm_env COMMAND...: runs it with a compiler that can build for wasm.
wasm_env() {
  if has_wasm_std rustc; then "$@"; return; fi
  if have rustup; then
    rustup toolchain list | grep -q '^debian' || rustup toolchain link debian /usr
    RUSTUP_TOOLCHAIN=debian "$@"
  else
    PATH="/usr/bin:$PATH" "$@"
  fi
}
