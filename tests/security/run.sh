#!/usr/bin/env bash
# Runs the security rows against the built binary: $TOOLPOST, else target/{release,debug}/toolpost, whichever is newer.
# As root the rows run as `nobody`; only mounts are made by root. Further arguments go to run.py (--only REGEX, --jobs N, --verbose).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
binary=${TOOLPOST:-$(ls -t "${CARGO_TARGET_DIR:-$top/target}"/{release,debug}/toolpost 2>/dev/null | head -1 || true)}
if [ ! -x "$binary" ]; then
  echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2
  exit 2
fi
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/run.py" "$binary" "$@"
