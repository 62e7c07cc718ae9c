#!/usr/bin/env bash
# Sees to it that the crate `v8` finds its library: two files in .v8/, or a download that will work. In this order:
#   1. the files are in .v8/ and were verified;
#   2. they lie in ../shared/v8: copied and verified against tools/v8.sha256;
#   3. the release archive of the crate's authors can be reached: left to the crate's own build script;
#   4. built from source by tools/build-v8.sh.
#
# What the crate's build script (152.2.0) does, and this script leans on:
# - it looks for RUSTY_V8_MIRROR/vVERSION/FILE, then RUSTY_V8_MIRROR/FILE, then (RUSTY_V8_MIRROR_FALLBACK=1) the release;
#   .cargo/config.toml sets both variables;
# - from a folder it copies with no other program; it downloads with deno, python3 or curl, the first that works;
# - debug builds of Isolane link the release library too, so one archive serves every profile;
# - a failed run is not remembered by cargo: the next build runs it again;
# - a run that succeeded is not repeated when the files in .v8/ change, so what it made of bad ones is removed below.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd "$root"

# Whoever sets these knows where V8 comes from; cargo's configuration does not override them.
for variable in RUSTY_V8_MIRROR RUSTY_V8_ARCHIVE V8_FROM_SOURCE; do
  if [ -n "${!variable:-}" ]; then
    say "$variable is set: V8 comes from there"
    exit 0
  fi
done

version=$(manifest_value v8)
target=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
case $target in
  *windows*) library=rusty_v8_release_$target.lib.gz ;;
  *) library=librusty_v8_release_$target.a.gz ;;
esac
files=("$library" "src_binding_release_$target.rs")
store=.v8
shared=../shared/v8
own=$store/own.sha256      # written by build-v8.sh: what was built here is not the pinned archive bit for bit
stamp=$store/verified      # sizes, times and sums of the files as last verified, so that they are not hashed each time

# The sums to hold `file` against, one a line; both lists name the version that they are for.
sums_of() {
  local list
  for list in tools/v8.sha256 "$own"; do
    if [ -f "$list" ] && grep -qF "v8 $version " "$list"; then
      awk -v name="$1" '$2 == name { print $1 }' "$list"
    fi
  done
}
has_sum() { [ -f "$1" ] && sums_of "$(basename "$1")" | grep -qxF "$(sha256sum <"$1" | cut -d' ' -f1)"; }
# Targets that the project has no archive for: what lies in .v8/ was put there by hand, and is taken as it is.
unknown_target() { ! grep -qsF "$library" tools/v8.sha256 "$own"; }
all_in() {
  local file
  for file in "${files[@]}"; do [ -f "$1/$file" ] || return 1; done
}
verified() {
  local file
  for file in "${files[@]}"; do has_sum "$1/$file" || return 1; done
}
fingerprint() {
  local file
  for file in "${files[@]}"; do
    stat -c '%n %s %Y' "$store/$file"
    sums_of "$file"
  done
}

# 1. Here already.
if all_in "$store"; then
  if unknown_target; then exit 0; fi
  if [ -f "$stamp" ] && [ "$(fingerprint)" = "$(cat "$stamp")" ]; then exit 0; fi
  if verified "$store"; then
    fingerprint >"$stamp"
    exit 0
  fi
  say "the files in $store are damaged or not those of v8 $version: renamed to *.rejected" \
    "(if you put them there and trust them, list their sums in $own below a line '# v8 $version own')"
  for file in "${files[@]}"; do mv "$store/$file" "$store/$file.rejected"; done
  rm -f "$stamp"
  # Cargo would go on with what the crate's build script made of them.
  rm -rf target/*/build/v8-* target/*/.fingerprint/v8-* target/*/*/build/v8-* target/*/*/.fingerprint/v8-*
fi

# 2. Beside the project.
if all_in "$shared"; then
  if verified "$shared"; then
    say "V8 $version: copying from $shared"
    mkdir -p "$store"
    for file in "${files[@]}"; do
      cp "$shared/$file" "$store/$file.part"
      chmod u+w "$store/$file.part"
      mv "$store/$file.part" "$store/$file"
    done
    # The disk may have lied.
    verified "$store" || die "the copy in $store differs from tools/v8.sha256"
    fingerprint >"$stamp"
    exit 0
  fi
  say "the files in $shared do not match tools/v8.sha256 for v8 $version: not used"
fi

# 3. The crate's own download. Nothing to look up once it has worked: the build folder has a record of it.
if grep -qsF "/v$version/" "${CARGO_TARGET_DIR:-target}"/{*,*/*}/gn_out/obj/*rusty_v8.sum; then exit 0; fi

say "V8 $version is not here yet: looking for the release archive of its authors"
metadata=$(cargo metadata -q --format-version 1 --filter-platform "$target") || die "cargo cannot resolve the dependencies (see above)"
crate=$(printf '%s' "$metadata" | grep -o "\"manifest_path\":\"[^\"]*/v8-$version/Cargo.toml\"" | head -n 1 | cut -d'"' -f4)
script_of_crate=${crate%/Cargo.toml}/build.rs
base=
if [ -f "$script_of_crate" ]; then
  # The address is taken from the script that will use it, so the two cannot differ.
  base=$(grep -A 2 'DEFAULT_ARTIFACT_BASE: &str' "$script_of_crate" | grep -o '"[^"]*"' | head -n 1 | tr -d '"')
fi
[ -n "$base" ] || say "the build script of v8 $version does not state its download address"

if ! have curl && ! have python3 && can_apt; then apt_install curl ca-certificates; fi
reachable() {
  [ -n "$base" ] || return 1
  local url=$base/v$version/$library
  if have curl; then
    curl --fail --silent --location --head --output /dev/null --connect-timeout 10 --max-time 30 "$url"
  elif have python3; then
    timeout 30 python3 -c 'import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method="HEAD"), timeout=10)' "$url" 2>/dev/null
  else
    say "neither curl nor python3 is installed: nothing can be downloaded"
    return 1
  fi
}
if reachable; then
  say "it can be reached: cargo downloads it (about 30 MB) when it comes to the crate"
  exit 0
fi

# 4. From source.
say "the release archive cannot be reached: V8 $version is built from its source on the crate registry"
[ "$target" = x86_64-unknown-linux-gnu ] || die \
  "V8 for $target is neither here nor to be downloaded, and tools/build-v8.sh builds for x86_64-unknown-linux-gnu only" \
  "Put these files into $root/$store (they come from the releases page of the crate v8):" "${files[@]}" \
  "or point RUSTY_V8_MIRROR at a folder or address that has them."
tools/build-v8.sh "$store"
verified "$store" || die "tools/build-v8.sh left no usable files in $store"
fingerprint >"$stamp"
