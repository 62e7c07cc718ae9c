# shellcheck shell=bash
# Sourced by the scripts of this folder: where the project is, and how they speak.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(basename "$0" .sh)

# rustup puts its commands there, but a shell that was open before knows nothing of it.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

say() { printf '%s: %s\n' "$script" "$*"; }
die() {
  printf '%s: error: %s\n' "$script" "$1" >&2
  shift
  if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# 3725 -> "1 h 02 min 05 s"
duration() {
  local s=$1
  if [ "$s" -ge 3600 ]; then printf '%d h %02d min %02d s' $((s / 3600)) $((s / 60 % 60)) $((s % 60))
  elif [ "$s" -ge 60 ]; then printf '%d min %02d s' $((s / 60)) $((s % 60))
  else printf '%d s' "$s"; fi
}

# The version a script has to agree with, from the one place that states it: the workspace's manifest.
manifest_value() { sed -n "s/^$1 = \"=\{0,1\}\([^\"]*\)\".*/\1/p" "$root/Cargo.toml" | head -n 1; }

can_apt() { [ "$(id -u)" = 0 ] && have apt-get; }
apt_install() {
  say "installing $* with apt-get"
  # Quiet, unless it fails.
  local log
  log=$(mktemp)
  if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } </dev/null >"$log" 2>&1; then
    rm -f "$log"
  else
    cat "$log" >&2
    rm -f "$log"
    die "apt-get could not install: $*"
  fi
}
