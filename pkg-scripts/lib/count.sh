# Counts tests, for scripts that run several runners. Sourced after common.sh. Defines check, counted,
# summary.

passed=0
failed=0
counted_at=0
count() { # count NAME PASSED FAILED: what ran since the last count, and its seconds
  printf '== %s: %d passed, %d failed, %d s\n' "$1" "$2" "$3" $((SECONDS - counted_at))
  counted_at=$SECONDS
  passed=$((passed + $2))
  failed=$((failed + $3))
}

# check NAME COMMAND...: one test that is a whole command.
check() {
  local name=$1; shift
  say "$name"
  if "$@"; then count "$name" 1 0; else count "$name" 0 1; fi
}

# counted NAME COMMAND...: a runner whose output `tally` sums up. A runner without tests, or one that
# fails without a failed test, counts as failed.
counted() {
  local name=$1 log status=0 good bad; shift
  log=$(mktemp)
  say "$name"
  "$@" 2>&1 | tee "$log" || status=$?
  read -r good bad < <(tally <"$log")
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  if [ "$good" = 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  count "$name" "$good" "$bad"
  rm -f "$log"
}

# Sums the closing lines of cargo test, nextest, wasm-bindgen-test and node's runner.
tally() {
  sed 's/\x1b\[[0-9;]*m//g' | awk '
    /^test result:/ { for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) good += $i; if ($(i + 1) ~ /^failed/) bad += $i } }
    /^ *Summary \[/ { for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) good += $i; if ($(i + 1) ~ /^(failed|timed)/) bad += $i } }
    /^[0-9]+ passed, [0-9]+ failed$/ { good += $1; bad += $3 }
    /^(#|ℹ) pass [0-9]+$/ { good += $3 }
    /^(#|ℹ) fail [0-9]+$/ { bad += $3 }
    /^(#|ℹ) cancelled [0-9]+$/ { bad += $3 }
    END { print good + 0, bad + 0 }'
}

# The last line of a script, whose status it gives.
summary() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
