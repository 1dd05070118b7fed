#!/usr/bin/env bash
# Compares fetching with mcp-server-fetch, which takes about five minutes: the binary is $TOOLPOST, else target/{release,debug}/toolpost, whichever is newer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
binary=${TOOLPOST:-$(ls -t "${CARGO_TARGET_DIR:-$top/target}"/{release,debug}/toolpost 2>/dev/null | head -1 || true)}
if [ ! -x "$binary" ]; then
  echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2
  exit 2
fi
place=${FETCH_VENV:-$top/target/fetch-venv}
if [ ! -x "$place/bin/python" ]; then
  python3 -m venv "$place"
  "$place/bin/pip" install --quiet -r "$here/peer.txt"
fi
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/measure.py" "$binary" --beside "$place/bin/python" "$@"
