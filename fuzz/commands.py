#!/usr/bin/env python3
"""Compares what the rules allow with what bash runs: `commands.py JUDGE SECONDS [SEED]`.

JUDGE is `crates/policy/examples/judge.rs`, built. Lines are put together from pieces of shell and from mutated
lines. Bash runs each allowed line with a program `EVIL` and two programs `aa` and `bb` that do nothing. A line that
runs `EVIL`, or creates a file, is a hole in the rules, and is printed.
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PIECES = [
    'aa', 'bb', 'EVIL', ' EVIL', ';EVIL', 'EVIL ', 'aa EVIL', ' ', ' ', '\n', ';', '&', '|', '&&', '||', '$(', '`',
    ')', '(', '{ ', '; }', '"', "'", '\\', '\\\n', '$', '${x:-', '}', '${', '$((', '))', '[[ ', ' ]]', '[ ', ' ]',
    '<(', '>(', '<<X\n', '\nX\n', "<<'X'\n", '<<-X\n', '\n\tX\n', '<<<', '#', ' #', 'if aa; then ', '; fi',
    'for i in a; do ', '; done', 'while bb; do ', 'case x in x) ', ';; esac', 'x=', 'x=EVIL', '$x', '"$x"', '${x}',
    'eval ', '!', '! ', 'time ', 'exec ', 'command ', '-c', 'bash -c ', 'sh -c ', "$'", "\\'", '\\"', '\\n', '$"', '=',
    '==', '-eq ', 'a[', 'a[$(EVIL)]', ']', '*', '?', '~', 'f() {', 'f', 'function f {', 'select i in a; do ',
    'coproc ', 'in ', 'do ', 'done ', 'esac ', 'then ', 'fi ', 'else ', 'elif ', 'until ', '2>', '>', '<', '&>', '>&',
    '|&', '<>', '>|', '1', 'X', 'Y', 'echo ', 'cat ', 'read ', 'let ', 'local ', 'declare ', 'export ', 'printf -v ',
    'test ', 'unset ', 'x', 'y', '${x', '@P}', ':=', '//', '^', '%', '#}', '$[', ']', '{a,', '}', '{EVIL,', '\t',
    'env ', 'xargs ', 'nohup ', 'timeout 1 ', 'set -- ', '$1', '$@', '"$@"', 'trap ', 'EXIT', 'alias ', 'source ',
    '. ', '/dev/null', '/dev/stdin', 'builtin ', ';;', '|| EVIL', '&& EVIL', '`EVIL`', '$(EVIL)',
]

LINES = [
    "aa 'EVIL' x", 'aa "; EVIL" b', 'aa EVIL', 'aa # EVIL', 'aa \\; EVIL', 'cat <<X\nEVIL\nX',
    "cat <<'X'\n$(EVIL)\nX\n", 'cat <<-X\n\tEVIL\n\tX\naa', "x='EVIL'; aa $x", 'x=\'EVIL;\'; aa "$x"',
    'for i in EVIL b; do aa $i; done', 'case EVIL in EVIL) aa;; *) bb;; esac', '[ EVIL = x ] && aa',
    '[[ EVIL == x ]] || bb', "aa $'EVIL' b", 'aa ${x:-EVIL} b', 'f() { aa EVIL; }; f EVIL',
    'aa \'a\' "b" EVIL | bb EVIL && aa', 'if [ x = EVIL ]; then aa EVIL; else bb; fi', 'while bb EVIL; do break; done',
    '(aa EVIL; bb)', '{ aa EVIL; bb; }', 'aa {EVIL,b}', 'echo $(aa EVIL) `bb EVIL`', 'aa <(bb EVIL)',
    "bash -c 'aa EVIL'", 'sh -c "aa \'EVIL\'" EVIL', 'env aa EVIL', 'timeout 1 aa EVIL', 'nohup aa EVIL',
    'aa 2>&1 EVIL', 'aa EVIL </dev/null', 'echo EVIL >/dev/null 2>&1', "printf '%s' 'EVIL;'", 'read x <<< EVIL',
    'local x=EVIL', 'export LANG=EVIL', 'set -e; aa EVIL', 'time aa EVIL', '! aa EVIL', 'aa\\\n EVIL',
    "aa 'x\ny' EVIL", 'echo "$(aa \'EVIL\')"', 'echo "`aa EVIL`"', 'cat <<X | bb\n$x EVIL\nX',
    'cat <<X <<Y\nEVIL\nX\nEVIL\nY\n', 'aa <<X EVIL\nEVIL\nX\nbb', 'aa ${x#EVIL} ${y%EVIL} ${z/EVIL/b}',
    'aa $((1 + 2)) EVIL', '[[ 1 -eq 2 ]]; aa EVIL', 'test EVIL', 'true EVIL || aa', 'echo a;# EVIL\nbb',
    '[[ EVIL =~ (a|b) ]] && aa', 'case $x in (EVIL|b) aa;; esac', 'aa &>/dev/null EVIL', 'aa EVIL & bb',
    'for ((;;)); do EVIL; done', 'echo ${#x} EVIL', 'aa "${x:-\'EVIL\'}"', 'aa "${x:-"EVIL"}"',
    'function f { aa EVIL; }; f', 'until aa EVIL; do :; done', 'select i in EVIL; do aa; done',
    'aa EVIL;bb\naa EVIL\n\nbb', 'coproc aa EVIL', 'aa|&bb EVIL', 'x=(EVIL b); aa', 'x+=EVIL aa', 'x[1]=EVIL',
    'aa >&2 EVIL', 'exec 3</dev/null; aa EVIL', "trap 'aa EVIL' EXIT",
]

LETTERS = '>>><<x=&|;{}\xe9\xca\u4e2d  \t\n;&|()<>\'"\\$`{}[]#!*?~=-+:%^/@,0X'


def from_pieces():
    return "".join(random.choice(PIECES) for _ in range(random.randint(2, 9)))


def mutated():
    line = random.choice(LINES)
    for _ in range(random.randint(0, 4)):
        kind = random.random()
        at = random.randint(0, len(line))
        to = min(len(line), at + random.randint(1, 3))
        if kind < 0.35:
            line = line[:at] + random.choice(LETTERS) + line[at:]
        elif kind < 0.55:
            line = line[:at] + line[to:]
        elif kind < 0.75:
            line = line[:at] + random.choice(PIECES) + line[at:]
        elif kind < 0.85:
            line = line + random.choice(PIECES) + random.choice(LINES)
        else:
            line = line[:at] + random.choice(LETTERS) + line[to:]
    return line


def programs(base):
    place = os.path.join(base, "bin")
    os.mkdir(place)
    bodies = {"EVIL": 'echo x >> "$EVILLOG"'} | dict.fromkeys(["aa", "bb", "ls", "cat"], "exit 0")
    for name, body in bodies.items():
        path = os.path.join(place, name)
        with open(path, "w") as file:
            file.write("#!/bin/bash\n" + body + "\n")
        os.chmod(path, 0o755)
    return place


def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (3, 3))


def is_hole(line, base, place):
    log = os.path.join(base, "log")
    open(log, "w").close()
    work = tempfile.mkdtemp(dir=base)
    environment = {"PATH": place, "EVILLOG": log, "HOME": work}
    nothing = subprocess.DEVNULL
    try:
        subprocess.run(
            ["/bin/bash", "-c", line], cwd=work, env=environment, stdin=nothing, stdout=nothing, stderr=nothing,
            timeout=3, preexec_fn=limits,
        )
    except (subprocess.TimeoutExpired, ValueError):
        pass
    found = os.path.getsize(log) > 0 or os.listdir(work) != []
    shutil.rmtree(work, ignore_errors=True)
    return found


def main():
    judge, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    random.seed(seed)
    end = time.monotonic() + seconds
    judged, allowed, holes = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="toolpost-commands-") as base:
        place = programs(base)
        while time.monotonic() < end:
            lines = [from_pieces() if random.random() < 0.5 else mutated() for _ in range(5000)]
            said = subprocess.run([judge], input="\0".join(lines).encode(), stdout=subprocess.PIPE, check=True)
            said = said.stdout.decode().split()
            judged += len(lines)
            interesting = {line for line, word in zip(lines, said, strict=True)
                           if word == "allow" and ("EVIL" in line or ">" in line)}
            allowed += len(interesting)
            for line in sorted(interesting):
                if is_hole(line, base, place):
                    holes.append(line)
                    print("HOLE", ascii(line), flush=True)
    print(f"seed {seed}: {judged} lines judged, {allowed} allowed and run, {len(holes)} holes")
    sys.exit(1 if holes else 0)


main()
