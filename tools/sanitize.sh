#!/usr/bin/env bash
# Runs guest-abi's tests under AddressSanitizer and ThreadSanitizer.
# Usage: tools/sanitize.sh [address|thread]    (default: both)
#
# The sanitizers are switched on with RUSTC_BOOTSTRAP=1, so a stable toolchain will do. `--target` keeps them out of
# build scripts and procedural macros.
#
# AddressSanitizer is exact on our own code with the standard library as it is shipped.
#
# ThreadSanitizer is exact only when the standard library is instrumented too, which takes its source: the component
# `rust-src`, of the toolchain in use or of nightly. Without it the library's locks and channels are invisible, and what
# they protect looks like a race, in the test harness too. So then the harness is kept to one thread, the tests that use
# locks are left out by name, the exit code is not used, and only races whose access stands in our own source count.
# That misses a race in an access which the library makes for us (`ptr::write`, `Vec::push`).
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd "$root"

host=$(rustc -vV | sed -n 's/^host: //p')
case $host in
  x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu | aarch64-apple-darwin) ;;
  *) die "no sanitizers for $host" ;;
esac
case ${1:-both} in
  both) kinds=(address thread) ;;
  address | thread) kinds=("$1") ;;
  *) die "usage: tools/sanitize.sh [address|thread]" ;;
esac
export RUSTC_BOOTSTRAP=1
# Doctests are linked by rustdoc, which is told of no sanitizer.
tests=(test -p isolane-guest-abi --features std --lib --tests --target "$host")

address() {
  say "AddressSanitizer"
  RUSTFLAGS="-Zsanitizer=address" cargo "${tests[@]}" --target-dir target/sanitize-address
}

# The toolchain whose standard library can be built: nothing for the one in use, `+nightly`, or failure.
with_source() {
  local toolchain
  for toolchain in "" +nightly; do
    # shellcheck disable=SC2086 # an empty argument is no toolchain
    if [ -d "$(rustc $toolchain --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library" ]; then
      printf '%s\n' "$toolchain"
      return
    fi
  done
  return 1
}

thread_whole() {
  say "ThreadSanitizer, with the standard library instrumented"
  RUSTFLAGS="-Zsanitizer=thread" cargo ${1:+"$1"} "${tests[@]}" --target-dir target/sanitize-thread -Zbuild-std
}

# They share a `Mutex` between threads.
locking=(growth many_ringers)
thread_narrow() {
  say "ThreadSanitizer, narrow: races in our own accesses only (for the whole check: rustup component add rust-src)"
  local folder=target/sanitize-thread-narrow log races skip=() name
  log=$folder/report.txt
  for name in "${locking[@]}"; do skip+=(--skip "$name"); done
  export TSAN_OPTIONS="exitcode=0 ${TSAN_OPTIONS:-}" RUST_TEST_THREADS=1
  export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
  cargo "${tests[@]}" --target-dir $folder --no-run
  if ! cargo "${tests[@]}" --target-dir $folder -- --exact "${skip[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    die "the tests failed under ThreadSanitizer"
  fi
  grep '^test result' "$log"
  # A report's last line names the access. Paths below /rustc/ are the library's.
  races=$(grep '^SUMMARY: ThreadSanitizer' "$log" | grep -v ' /rustc/' || true)
  if [ -n "$races" ]; then
    printf '%s\n' "$races" >&2
    die "races (whole reports: $log)"
  fi
  say "left out: the tests ${locking[*]}, and $(grep -c '^SUMMARY: ThreadSanitizer' "$log" || true) reports of accesses in the standard library"
}

for kind in "${kinds[@]}"; do
  SECONDS=0
  if [ "$kind" = address ]; then address
  elif toolchain=$(with_source); then thread_whole "$toolchain"
  else thread_narrow; fi
  say "$kind: passed ($(duration $SECONDS))"
done
