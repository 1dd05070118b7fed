#!/usr/bin/env bash
# Drives the inspector's command line: lists the tools, and calls each of them, in three protocol eras.
# usage: inspector.sh BINARY ROOT
set -u
binary=$1 root=$2 passed=0 failed=0
node=$NODE_MODULES/node/bin/node
inspector=$NODE_MODULES/.bin/mcp-inspector

inspect() { # NAME WANTED-STATUS ARGS...
  local name=$1 wanted=$2 said status; shift 2
  said=$(timeout 60 "$node" "$inspector" --cli --protocol-era "$era" --format json "$@" "$binary" serve --root "$root" 2>&1 </dev/null); status=$?
  if [ "$status" = "$wanted" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED inspector $era $name: exit $status, wanted $wanted: ${said:0:600}"; fi
}
call() { inspect "$1" 0 --method tools/call --tool-name "$1" --tool-args-json "$2"; }

for era in legacy auto modern; do
  inspect list 0 --method tools/list --strict
  call Write "{\"file_path\":\"inspected-$era.txt\",\"content\":\"one\\n\"}"
  call Read "{\"file_path\":\"inspected-$era.txt\"}"
  call Glob '{"pattern":"*"}'
  call Grep '{"pattern":"one"}'
  inspect edit-unread 5 --method tools/call --tool-name Edit --tool-args-json "{\"file_path\":\"inspected-$era.txt\",\"old_string\":\"one\",\"new_string\":\"two\"}"
  inspect unknown-tool 5 --method tools/call --tool-name no_such_tool --tool-args-json '{}'
  [ "$(cat "$root/inspected-$era.txt")" = one ] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAILED inspector $era: bytes"; }
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
