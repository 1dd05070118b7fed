#!/usr/bin/env bash
# Drives the built binary with the official Python and TypeScript clients, the inspector, and a bare pipe.
# Takes TOOLPOST (the binary) and TOOLS, PYTHON, NODE_MODULES from `cargo xtask test`; without them it installs into target/test-tools.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
binary=$(realpath "$binary")
export TOOLS=${TOOLS:-$target/test-tools/clients} PYTHONDONTWRITEBYTECODE=1
mkdir -p "$TOOLS"
if [ -z "${PYTHON:-}" ]; then
  PYTHON=$TOOLS/python/bin/python
  [ -x "$PYTHON" ] || { python3 -m venv "$TOOLS/python" && "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"; } ||
    { echo "the Python client could not be installed"; exit 77; }
fi
if [ -z "${NODE_MODULES:-}" ]; then
  mkdir -p "$TOOLS/node" && cp "$here/package.json" "$TOOLS/node/"
  [ -d "$TOOLS/node/node_modules/node" ] || (cd "$TOOLS/node" && npm install --no-audit --no-fund --loglevel=error) ||
    { echo "the TypeScript client could not be installed"; exit 77; }
  NODE_MODULES=$TOOLS/node/node_modules
fi
export NODE_MODULES
packed=$("$PYTHON" -c "import sys; sys.path.insert(0, '$here'); import corpus; print(corpus.fetch('$TOOLS'))") ||
  { echo "the repository for the sessions could not be downloaded"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/ws" "$scratch/home"
bad=0
part() { # NAME COMMAND...
  echo "--- $1"; shift
  "$@" || bad=1
}
part "on a bare pipe" "$PYTHON" "$here/wire.py" "$binary"
for mode in auto legacy 2026-07-28; do
  part "the Python client, $mode" timeout 300 "$PYTHON" "$here/session.py" "$binary" "$packed" "$mode"
done
part "the Python client, every tool of the other dialects" timeout 300 "$PYTHON" "$here/dialects.py" "$binary"
for mode in auto legacy; do
  part "the TypeScript client, $mode" env HOME="$scratch/home" timeout 120 "$NODE_MODULES/node/bin/node" "$here/client.mjs" "$binary" "$scratch/ws" "$mode"
done
mkdir "$scratch/structured"
part "structured replies, the Python client and a validator" timeout 600 "$PYTHON" "$here/structured.py" "$binary" "$scratch/structured"
part "structured replies, the TypeScript client" timeout 600 "$NODE_MODULES/node/bin/node" "$here/structured.mjs" "$binary" "$scratch/structured"
part "the tokens of the tool list" env HOME="$scratch/home" "$NODE_MODULES/node/bin/node" "$here/tokens.mjs" "$binary" "$scratch/ws"
part "the inspector" env HOME="$scratch/home" "$here/inspector.sh" "$binary" "$scratch/ws"
exit $bad
