#!/usr/bin/env bash
# Drives `toolpost agent` with a scripted model on the loopback, whose streams the official SDKs of OpenAI and Anthropic parse too.
# Takes TOOLPOST (the binary) and PYTHON from `cargo xtask test`; without them it installs into target/test-tools.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
binary=$(realpath "$binary")
export TOOLS=${TOOLS:-$target/test-tools/agent} PYTHONDONTWRITEBYTECODE=1
mkdir -p "$TOOLS"
if [ -z "${PYTHON:-}" ]; then
  PYTHON=$TOOLS/python/bin/python
  [ -x "$PYTHON" ] || { python3 -m venv "$TOOLS/python" && "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"; } ||
    { echo "the SDKs could not be installed"; exit 77; }
fi
exec "$PYTHON" "$here/check.py" "$binary" "$@"
