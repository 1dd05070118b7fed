#!/usr/bin/env bash
# Uses a real Neovim through the built binary: opens files, moves, selects, replaces, inserts, and waits for a stopped editor.
# Takes TOOLPOST (the binary) from `cargo xtask test`; Neovim comes from the system.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
binary=$(realpath "$binary")
command -v nvim >/dev/null || { echo "no nvim: install neovim 0.7 or later"; exit 77; }
exec python3 -B "$here/drive.py" "$binary" "$@"
