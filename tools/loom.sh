#!/usr/bin/env bash
# Runs guest-abi's loom models: every order of the accesses to a lane, up to the bounds that each model states.
# Arguments go to the test harness: tools/loom.sh growth
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd "$root"

SECONDS=0
# A folder of its own: the flag changes every crate. Release, since a model runs for as long as it has orders to try.
RUSTFLAGS="--cfg loom ${RUSTFLAGS:-}" cargo test -p isolane-guest-abi --release --features std --test 'loom_*' --target-dir target/loom -- "$@"
say "passed ($(duration $SECONDS))"
