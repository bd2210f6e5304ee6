# Builds the npm package, if one of its inputs has changed. Sourced after common.sh.

# npm_package [--for-tests] [--check]: the published package in target/npm, or a faster build of it.
npm_package() {
  local built="$ROOT/target/npm" modules surface
  modules=$(sums Cargo.toml Cargo.lock crates pkg-scripts/build-npm pkg-scripts/lib/toolchain.sh)" ${1:-}"
  surface=$(sums npm)
  if [ "$(cat "$built/.modules" 2>/dev/null)" != "$modules" ]; then
    "$ROOT/pkg-scripts/build-npm" "$@"
  elif [ "$(cat "$built/.surface" 2>/dev/null)" != "$surface" ]; then
    "$ROOT/pkg-scripts/build-npm" --types-only "$@"
  fi
  printf '%s' "$modules" >"$built/.modules"
  # After the build, which may have printed files into npm/.
  sums npm >"$built/.surface"
}

# sums FILE...: a checksum of files and of the files in folders, without tests.
sums() {
  (cd "$ROOT" && find "$@" -type f -not -path '*/node_modules/*' -not -path '*/tests/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
}
