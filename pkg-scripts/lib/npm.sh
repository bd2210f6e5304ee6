# Builds the npm package, if one of its inputs has changed. Sourced after setup.
npm_package() {
  local stamp="$ROOT/target/npm/.built-from" inputs
  inputs=$(cd "$ROOT" && find Cargo.toml Cargo.lock crates npm pkg-scripts/build-npm -type f \
    -not -path '*/node_modules/*' -not -path '*/tests/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$inputs" ]; then
    "$ROOT/pkg-scripts/build-npm"
    printf '%s' "$inputs" >"$stamp"
  fi
}
