#!/usr/bin/env bash
# Fuzzes what reads bytes that a guest may have written: each target of guest-abi/fuzz.
# Usage: tools/fuzz.sh [SECONDS [TARGET…]]    (default: 60 seconds for each target there is)
# Needs cargo-fuzz (cargo install cargo-fuzz) and a C++ compiler. What it finds is kept in guest-abi/fuzz/artifacts.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd "$root/guest-abi"

seconds=${1:-60}
case $seconds in
  '' | *[!0-9]* | 0) die "usage: tools/fuzz.sh [SECONDS [TARGET…]]; '$seconds' is not a number of seconds" ;;
esac
shift || true
cargo fuzz --version >/dev/null 2>&1 || die "cargo-fuzz is not installed" "Run: cargo install cargo-fuzz --locked"

# Its flags are unstable ones; this lets a stable compiler take them.
export RUSTC_BOOTSTRAP=1
if [ $# -gt 0 ]; then targets=("$@"); else mapfile -t targets < <(cargo fuzz list); fi
[ ${#targets[@]} -gt 0 ] || die "guest-abi/fuzz has no targets"
for target in "${targets[@]}"; do
  say "$target, for $seconds s"
  cargo fuzz run "$target" -- "-max_total_time=$seconds" -print_final_stats=1
done
say "${#targets[@]} targets: nothing found"
