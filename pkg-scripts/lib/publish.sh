# The steps of publishing, without their last one. Sourced after common.sh.

npm_publishes() { (cd target/npm && npm publish --dry-run --loglevel=error); }

# In the order of their dependencies. The native tests built the crates.
crates_publish() { cargo publish --workspace --dry-run --no-verify --allow-dirty; }

block() { # block LANGUAGE: the first example of the README in that language
  awk -v start="\`\`\`$1" '$0 == "```" { if (inside) exit } inside { print } $0 == start { inside = 1 }' README.md
}

# A project with the README's example and nothing else. It takes this clone for the published crate,
# and its profile and versions, so that cargo finds most crates built.
rust_example() {
  local project status=0
  project=$(mktemp -d)
  mkdir "$project/src"
  block rust >"$project/src/main.rs"
  {
    printf '[package]\nname = "pasted"\nedition = "2024"\n\n'
    block toml
    printf '\n[patch.crates-io]\nlanthorn = { path = "%s/crates/lanthorn" }\n\n' "$ROOT"
    awk '/^\[profile\.dev/ { inside = 1 } /^$/ { if (inside) print ""; inside = 0 } inside' Cargo.toml
  } >"$project/Cargo.toml"
  cp Cargo.lock "$project"
  cargo run -q --manifest-path "$project/Cargo.toml" --target-dir target || status=$?
  rm -r "$project"
  return $status
}
