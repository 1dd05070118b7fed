#!/usr/bin/env python3
"""Compares two binaries, in alternating turns, by figures that do not depend on the load of the machine.

usage: counts.py BEFORE AFTER [TREE]

BEFORE and AFTER are binaries of the same build profile; TREE is a directory whose symbol index is built, which takes minutes.
Each figure is a count of system calls (with strace), a peak of memory, or processor time: the median of five turns. Only the
waits for the first searches in TREE depend on the load.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from server import Server

TURNS = 5


class Measured(Server):
    """A server whose memory and processor time are read."""

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))

    def processor(self):
        """User and system time of the server itself, in ms."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) * 10

    def user(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[11]) * 10


def calls(binary, root, dialect, act, of="all"):
    """Counts the system calls of a server and its commands, all or those of a name."""
    with tempfile.TemporaryDirectory() as home, tempfile.NamedTemporaryFile() as out:
        server = Measured(binary, root, dialect, home, ["strace", "-f", "-qq", "-c", "-e", f"trace={of}", "-o", out.name])
        act(server)
        server.end()
        rows = [line.split() for line in open(out.name)]
        return sum(int(row[3]) for row in rows if row and row[0][0].isdigit() and row[-1] != "total")


def of_a_command(binary, root):
    """Directory reads (getdents64) for one `echo hi` in a server that has run others. A scan of `/proc` takes one or two."""
    def run(times):
        def act(server):
            for _ in range(times):
                server.call("bash", {"command": "echo hi"})
        return calls(binary, root, "opencode", act, "getdents64")
    return (run(11) - run(1)) / 10


def processor_of_a_command(binary, root):
    """Processor time of the server itself for one `echo hi`, in ms, while 500 other processes exist."""
    others = [subprocess.Popen(["sleep", "1000"]) for _ in range(500)]
    with tempfile.TemporaryDirectory() as home:
        server = Measured(binary, root, "opencode", home)
        server.call("bash", {"command": "echo hi"})
        before = server.processor()
        for _ in range(50):
            server.call("bash", {"command": "echo hi"})
        taken = (server.processor() - before) / 50
        server.end()
    for other in others:
        other.kill()
        other.wait()
    return taken


def of_a_start(binary, root):
    """Number of system calls of a server that answers `initialize` and exits."""
    return calls(binary, root, "claude", lambda _: None)


def user_of_starts(binary, root):
    """User time of a server until `initialize` is answered, in ms: the mean of twenty starts."""
    def one():
        with tempfile.TemporaryDirectory() as home:
            server = Measured(binary, root, "claude", home)
            user = server.user()
            server.end()
            return user
    return statistics.mean(one() for _ in range(20))


def reply_to_an_overwrite(binary, root):
    """Size of the reply to an overwrite of a 6 KB file, in bytes."""
    with tempfile.TemporaryDirectory() as home:
        server = Measured(binary, root, "zblade", home)
        text = lambda word: "".join(f"{word} {line}\n" for line in range(480))
        server.call("write_file", {"path": "counts.txt", "content": text("before")})
        size = len(server.call("write_file", {"path": "counts.txt", "content": text("after")}))
        server.end()
        os.remove(os.path.join(root, "counts.txt"))
        return size


def peak_of_the_index(binary, tree):
    """Peaks of resident memory, in MB: while the symbol index of a tree is built, and of a server that finds it on the disk."""
    with tempfile.TemporaryDirectory() as home:
        peaks = []
        for _ in range(2):
            server = Measured(binary, tree, "zblade", home)
            while "not read yet" in server.call("symbol_search", {"query": "zzz_missing", "limit": 1}):
                time.sleep(1)
            peaks.append(server.peak())
            server.end()
        return peaks


def longest_wait(binary, tree, dialect, tool, arguments):
    """The longest of four first searches in a tree without an index, in seconds."""
    with tempfile.TemporaryDirectory() as home:
        server, waits = Measured(binary, tree, dialect, home), []
        for _ in range(4):
            began = time.monotonic()
            server.call(tool, arguments)
            waits.append(time.monotonic() - began)
        server.end()
        return max(waits)


SEARCHES = [
    ("probe", "search", {"query": "error handling"}),
    ("trae", "search_codebase", {"query": "parse arguments"}),
    ("opencode", "codesearch", {"query": "parse arguments"}),
    ("zblade", "symbol_search", {"query": "parse_args"}),
    ("zblade", "get_project_index_overview", {}),
]


def main():
    before, after = sys.argv[1:3]
    root = tempfile.mkdtemp()
    for number in range(170):
        os.makedirs(f"{root}/d{number}")
        with open(f"{root}/d{number}/f.txt", "w") as file:
            file.write("text\n")
    rows = [
        ("reads of directories (getdents64) of `echo hi` (opencode), 170 directories", of_a_command),
        ("processor time of the server in ms for `echo hi` (opencode), with 500 other processes", processor_of_a_command),
        ("system calls of start and end (claude)", of_a_start),
        ("user time in ms until `initialize` is answered (claude)", user_of_starts),
        ("size in bytes of the reply to an overwrite of 6 KB (zblade)", reply_to_an_overwrite),
    ]
    print("| what | before | after |\n|---|---|---|")
    for what, measure in rows:
        turns = [(measure(before, root), measure(after, root)) for _ in range(TURNS)]
        medians = [statistics.median(side) for side in zip(*turns)]
        print(f"| {what} | {medians[0]:.1f} | {medians[1]:.1f} |", flush=True)
    if len(sys.argv) > 3:
        for search in SEARCHES:
            sides = [longest_wait(binary, sys.argv[3], *search) for binary in (before, after)]
            print(f"| longest of four first searches, s, {search[1]} ({search[0]}) | {sides[0]:.1f} | {sides[1]:.1f} |", flush=True)
        sides = [peak_of_the_index(binary, sys.argv[3]) for binary in (before, after)]
        for at, what in enumerate(["building the symbol index", "with the symbol index on the disk"]):
            print(f"| peak of resident memory, MB, {what} | {sides[0][at]} | {sides[1][at]} |")
    shutil.rmtree(root)


main()
