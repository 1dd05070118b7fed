#!/usr/bin/env bash
# Builds the program of docs/embed.md as a stranger does: a new crate outside the workspace, from the blocks of the page.
# Cargo then compiles the crates of the workspace again (about five minutes of processor time), so the suite runs only if
# TOOLPOST_STRANGER is 1. The tests of the crate `toolpost` compile the same blocks in every run.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
exec python3 -B "$here/trial.py" "$top" "$target/stranger"
