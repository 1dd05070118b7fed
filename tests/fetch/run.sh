#!/usr/bin/env bash
# Fetches hostile pages through the built binary ($TOOLPOST, else the newer of target/{release,debug}/toolpost), and watches its memory.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
binary=${TOOLPOST:-$(ls -t "${CARGO_TARGET_DIR:-$top/target}"/{release,debug}/toolpost 2>/dev/null | head -1 || true)}
if [ ! -x "$binary" ]; then
  echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2
  exit 2
fi
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/measure.py" "$binary" "$@"
