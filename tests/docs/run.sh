#!/usr/bin/env bash
# Runs the examples of the documents through the built binary: the tutorial, the page about scripts, every policy
# recipe, and the servers of all settings for clients.
# Takes TOOLPOST (the binary) from `cargo xtask test`; python3 and git come from the system.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
exec python3 -B "$here/check.py" "$(realpath "$binary")" "$top/docs" "$@"
