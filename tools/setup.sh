#!/usr/bin/env bash
# Makes a fresh machine ready to build: checks the Rust toolchain and the linker, and fetches V8.
# Every target of the Makefile runs it first; it says nothing when there is nothing to do.
# Usage: tools/setup.sh [--without-v8]
# As root on Debian it installs what is missing; otherwise it names the command that does.
set -euo pipefail
. "$(dirname "$0")/common.sh"

wanted=$(manifest_value rust-version)

if ! have cargo || ! have rustc; then
  die "cargo and rustc are not found" "Install rustup, then: rustup default stable"
fi
# Asked in the project's folder, where a toolchain override may apply.
cd "$root"
if ! found=$(rustc --version 2>&1); then
  die "rustc does not start: $found" "With rustup and no toolchain yet: rustup default stable"
fi
found=$(printf '%s\n' "$found" | sed -n 's/^rustc \([0-9][0-9.]*\).*/\1/p')
if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
  die "rustc $found is too old: Isolane needs $wanted or newer ($(command -v rustc))" "With rustup: rustup update stable"
fi

# A compiler alone is not enough to link: a program is what shows that the C library's start-up files are there.
links() { printf 'int main(void) { return 0; }\n' | cc -x c - -o /dev/null >/dev/null 2>&1; }
if ! { have cc && links; }; then
  if can_apt; then
    apt_install gcc libc6-dev
    links || die "cc is installed and still cannot link a program" "Try: echo 'int main(void){return 0;}' | cc -x c - -o /dev/null"
  elif have apt-get; then
    die "no C compiler that can link a program ('cc'); Rust links with it" "Run: sudo apt-get install gcc libc6-dev"
  else
    die "no C compiler that can link a program ('cc'); Rust links with it" "Install gcc or clang with your system's package manager."
  fi
fi

if [ "${1:-}" != --without-v8 ]; then "$root/tools/setup-v8.sh"; fi
