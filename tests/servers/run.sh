#!/usr/bin/env bash
# Queries real language servers through the built binary: ty, TypeScript 7 and clangd, before and after edits.
# Takes TOOLPOST (the binary) and TOOLS, PYTHON, NODE_MODULES from `cargo xtask test`; without them it installs into target/test-tools.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
binary=$(realpath "$binary")
export TOOLS=${TOOLS:-$target/test-tools/servers} PYTHONDONTWRITEBYTECODE=1
mkdir -p "$TOOLS"
if [ -z "${PYTHON:-}" ]; then
  PYTHON=$TOOLS/python/bin/python
  [ -x "$PYTHON" ] || { python3 -m venv "$TOOLS/python" && "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"; } ||
    { echo "ty and clangd could not be installed"; exit 77; }
fi
if [ -z "${NODE_MODULES:-}" ]; then
  mkdir -p "$TOOLS/node" && cp "$here/package.json" "$TOOLS/node/"
  [ -d "$TOOLS/node/node_modules/typescript" ] || (cd "$TOOLS/node" && npm install --no-audit --no-fund --loglevel=error) ||
    { echo "TypeScript could not be installed"; exit 77; }
  NODE_MODULES=$TOOLS/node/node_modules
fi
exec "$PYTHON" "$here/ask.py" "$binary" "$(dirname "$PYTHON")" "$NODE_MODULES/.bin" "$@"
