#!/bin/sh
# Installs the packages of the questions into a separate directory, and runs measure.py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=${1:?the built binary}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/py" "$work/npm"
python3 -m venv "$work/py/.venv"
"$work/py/.venv/bin/pip" -q install flask==3.1.3 requests==2.34.2
printf 'flask==3.1.3\nrequests==2.34.2\n' > "$work/py/requirements.txt"
(cd "$work/npm" && npm init -y > /dev/null && npm install --silent --ignore-scripts express@5.3.0 zod@4.6.7 commander@14.0.3)
XDG_CACHE_HOME="$work/cache" python3 "$here/measure.py" "$(realpath "$binary")" "$work" --show
