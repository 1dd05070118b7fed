#!/usr/bin/env bash
# Lets Claude Code, Codex and opencode work with the built binary, directed by a scripted model.
# Takes TOOLPOST (the binary) and NODE_MODULES from `cargo xtask test`; without them it installs into target/test-tools.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$top/target}
binary=${TOOLPOST:-$(ls -t "$target"/{release,debug}/toolpost 2>/dev/null | head -1)}
[ -x "$binary" ] || { echo "no binary: build it with \`cargo build\`, or name it in TOOLPOST" >&2; exit 2; }
binary=$(realpath "$binary")
export TOOLS=${TOOLS:-$target/test-tools/real} PYTHONDONTWRITEBYTECODE=1
if [ -z "${NODE_MODULES:-}" ]; then
  mkdir -p "$TOOLS/node" && cp "$here/package.json" "$TOOLS/node/"
  [ -d "$TOOLS/node/node_modules/opencode-ai" ] || (cd "$TOOLS/node" && npm install --no-audit --no-fund --loglevel=error) ||
    { echo "the agents could not be installed"; exit 77; }
  NODE_MODULES=$TOOLS/node/node_modules
fi
# A separate network namespace, which has only the loopback.
apart=(unshare --net)
[ "$(id -u)" = 0 ] || apart=(unshare --user --map-root-user --net)
"${apart[@]}" true 2>/dev/null || { echo "the system allows no separate network namespace (unshare --net)"; exit 77; }
exec "${apart[@]}" python3 "$here/check.py" "$binary" "$NODE_MODULES/.bin" "$@"
