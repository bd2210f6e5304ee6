# The Rust toolchains: a native one, and one with the standard library for wasm32-unknown-unknown.
# Sourced after common.sh. Defines ensure_rust, ensure_wasm_target, ensure_threads_std, wasm_env.

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

# seed_std FOLDER COMMAND...: builds std from its source, in an empty crate, with a cargo command,
# and copies it into the folder.
seed_std() {
  local into=$1 seed
  seed=$(mktemp -d "$CACHE/wasm-std.XXXXXX")
  mkdir -p "$seed/src"
  printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2021"\n[lib]\n[workspace]\n' >"$seed/Cargo.toml"
  : >"$seed/src/lib.rs"
  (cd "$seed" && RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$seed/target" "${@:2}" build --release --target $WASM -Zbuild-std=std,panic_abort,test) || return 1
  as_root mkdir -p "$into"
  find "$seed/target/$WASM/release/deps" -name '*.rlib' ! -name 'libseed-*' -print0 | as_root xargs -0 cp -t "$into/"
  rm -rf "$seed"
}

# Into the compiler's folder, where every build finds it.
build_wasm_std() {
  seed_std "$(/usr/bin/rustc --print sysroot)/lib/rustlib/$WASM/lib" env RUSTC=/usr/bin/rustc RUSTFLAGS="" /usr/bin/cargo
}

# Flags of every build for wasm without threads: the package and the tests of wasm-bindgen share their
# compiled dependencies. v0 symbol names include the location of a closure, so that functions
# ordered by name are beside similar ones. The function table can grow for the functions of another
# module (build_fused in build-npm).
WASM_FLAGS="-Ctarget-feature=+simd128 -Csymbol-mangling-version=v0 -Clink-arg=--growable-table"

# Instructions of threads, and memory that they share. Needs a std that is built alike.
THREADS_FEATURES="-Ctarget-feature=+simd128,+atomics,+bulk-memory,+mutable-globals"
THREADS_MEMORY="-Clink-arg=--shared-memory -Clink-arg=--import-memory -Clink-arg=--max-memory=4294967296"

# A std for wasm with threads, kept in a folder for each compiler; sets THREADS_SYSROOT.
ensure_threads_std() {
  local version flags="$THREADS_FEATURES -Cembed-bitcode=yes"
  version=$(wasm_env rustc --version | tr -c 'a-zA-Z0-9.\n' '-')
  THREADS_SYSROOT="$CACHE/wasm-threads-std-$version-$(cksum <<<"$flags" | cut -d' ' -f1)"
  [ -e "$THREADS_SYSROOT/complete" ] && return
  ensure_std_source
  rm -rf "$THREADS_SYSROOT"
  step "building the standard library for $WASM with threads" \
    seed_std "$THREADS_SYSROOT/lib/rustlib/$WASM/lib" wasm_env env RUSTFLAGS="$flags" cargo
  touch "$THREADS_SYSROOT/complete"
}

has_std_source() { wasm_env sh -c 'test -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/std/Cargo.toml"'; }

# The source of std for the compiler that builds for wasm: rustup's, or the distribution's.
ensure_std_source() {
  has_std_source && return
  if has_wasm_std rustc && have rustup; then
    say "adding the source of the standard library with rustup"
    timeout 100 rustup component add rust-src >"$LOGS/rust-src.log" 2>&1 && has_std_source && return
  fi
  have apt-get || die "no source of the standard library: 'rustup component add rust-src' failed ($LOGS/rust-src.log) and this is no Debian"
  # shellcheck disable=SC2086
  apt_install $DEBIAN_RUST_PACKAGES
  has_std_source || die "the compiler that builds for $WASM has no source of the standard library"
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
