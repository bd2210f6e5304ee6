# Shared by every script here: paths, messages, quiet steps.
# Sourced, never executed. Sets ROOT, CACHE, VERSIONS; defines say, step, die, have, as_root.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Tools that are built once are kept outside of the clone, in a folder per version.
CACHE=${LANTHORN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lanthorn}
LOGS=$CACHE/logs
mkdir -p "$CACHE" "$LOGS"
export PATH="$HOME/.cargo/bin:$PATH"

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
die() { printf '\033[31merror: %s\033[0m\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# step NAME COMMAND...: runs COMMAND with its output in a log, and shows the log's end if it fails.
step() {
  local name=$1 log status; shift
  log="$LOGS/$(printf '%s' "$name" | tr -c 'a-zA-Z0-9.\n' '-').log"
  say "$name"
  # Not in a condition, where a function would continue after a failed command.
  set +e
  (set -e; "$@") >"$log" 2>&1
  status=$?
  set -e
  if [ "$status" != 0 ]; then
    tail -n 40 "$log" >&2
    die "$name failed; the whole log is $log"
  fi
}

# as_root COMMAND...: runs it as root, directly or through sudo; an error where neither is possible.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif have sudo && sudo -n true 2>/dev/null; then sudo "$@"
  else die "this needs administrator rights, which this user lacks; run it yourself, then try again:
  sudo $*"
  fi
}

# crate_version NAME: the version of a crate in Cargo.lock.
crate_version() {
  awk -v name="\"$1\"" '$1 == "name" { hit = ($3 == name) } hit && $1 == "version" { gsub(/"/, "", $3); print $3; exit }' "$ROOT/Cargo.lock"
}
