#!/usr/bin/env bash
# Runs guest-abi's tests in Miri, once under each model of aliasing. Needs a nightly toolchain with the components
# miri and rust-src; the tests run fewer rounds there, since each instruction is interpreted.
# Arguments go to the test harness.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd "$root"

if ! cargo +nightly miri --version >/dev/null 2>&1; then
  die "Miri is not installed" "Run: rustup toolchain install nightly --component miri,rust-src"
fi
for model in "" -Zmiri-tree-borrows; do
  SECONDS=0
  say "${model:-stacked borrows}"
  MIRIFLAGS="-Zmiri-strict-provenance $model ${MIRIFLAGS:-}" \
    cargo +nightly miri test -p isolane-guest-abi --features std --target-dir target/miri -- "$@"
  say "${model:-stacked borrows}: passed ($(duration $SECONDS))"
done
