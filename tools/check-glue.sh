#!/usr/bin/env bash
# Type-checks js-glue with the TypeScript compiler (js-glue/tsconfig.json). Skipped, with a word, where there is no npm.
# Arguments go to tsc.
set -euo pipefail
. "$(dirname "$0")/common.sh"

typescript=5.9.3
if ! have npm || ! have node; then
  say "skipped: npm is not installed, so js-glue was not type-checked"
  exit 0
fi

home=$root/target/tools/typescript-$typescript
tsc=$home/node_modules/typescript/bin/tsc
if [ ! -f "$tsc" ]; then
  say "installing typescript $typescript into target/tools"
  mkdir -p "$home"
  npm install --prefix "$home" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error "typescript@$typescript" </dev/null \
    || die "npm could not install typescript $typescript"
fi

SECONDS=0
node "$tsc" --project "$root/js-glue/tsconfig.json" "$@" || die "js-glue has type errors (above)"
say "js-glue: no type errors ($(duration $SECONDS))"
