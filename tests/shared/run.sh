#!/usr/bin/env bash
# Tests the shared index with a real PostgreSQL server: pushes, searches and failures.
# Takes TOOLPOST (the binary) from `cargo xtask test`; installs PostgreSQL with its contrib extensions and pgvector if apt can.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
binary=$(realpath "$binary")
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 1; fi
}
installed() { ls /usr/share/postgresql/*/extension/btree_gin.control >/dev/null 2>&1 && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }
if ! installed; then
  as_root apt-get update -qq >/dev/null 2>&1
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql postgresql-contrib git openssl >/dev/null 2>&1
fi
as_root "$here/pgvector.sh" || echo "pgvector could not be installed"
installed && ls /usr/share/postgresql/*/extension/vector.control >/dev/null 2>&1 || { echo "PostgreSQL with its contrib extensions and pgvector could not be installed"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/check.py" "$binary" "$@"
