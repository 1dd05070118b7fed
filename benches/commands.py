#!/usr/bin/env python3
"""Compares one `echo hi` in three forms, in turn: a plain process, a server without a sandbox, and a server with it.

usage: commands.py BINARY [ROUNDS] [DIRECTORIES]

BINARY is a build of `toolpost`; ROUNDS is the number of commands of each form (default 200), and DIRECTORIES the number of
directories in the workspace (default 170). The servers have run commands before, and their reply comes over the pipe. Times
are medians; the processor time includes everything that the servers start.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from server import Server

TICK = 1000 / os.sysconf("SC_CLK_TCK")
WARM_UP = 5


class Plain:
    """A process of this program, without a server."""

    def __init__(self):
        self.before = os.times()

    def run(self):
        said = subprocess.run(["bash", "-c", "echo hi"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout
        assert said == b"hi\n", said

    def processor(self):
        now = os.times()
        return (now.children_user + now.children_system) * 1000

    def end(self):
        pass


class Commands(Server):
    """A server that runs commands, in its own session and directories."""

    def __init__(self, binary, root, home, *options):
        super().__init__(binary, root, "opencode", home, options=["--ask", "allow", *options])

    def run(self):
        reply = self.ask("tools/call", {"name": "bash", "arguments": {"command": "echo hi"}})
        assert not reply.get("isError") and "hi" in reply["content"][0]["text"], reply

    def processor(self):
        """Processor time of the server, its descendants, and those of them that were reaped, in ms."""
        stats = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                    stats[int(pid)] = (int(fields[1]), sum(map(int, fields[11:15])))
            except OSError:
                pass
        below, found = {self.process.pid}, 1
        while found:
            more = {pid for pid, (parent, _) in stats.items() if parent in below} - below
            below, found = below | more, len(more)
        return sum(stats[pid][1] for pid in below if pid in stats) * TICK


def main():
    binary, rounds = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or ["200"])[0])
    directories = int((sys.argv[3:] or ["170"])[0])
    # Not in /tmp, which a command sees as its own.
    root, home = tempfile.mkdtemp(dir="/var/tmp"), tempfile.mkdtemp(dir="/var/tmp")
    for number in range(directories):
        os.makedirs(f"{root}/d{number}")
    subprocess.run(["git", "init", "-q", root], check=True)
    forms = {
        "`bash -c`, a plain process": Plain(),
        "`toolpost serve --sandbox off`": Commands(binary, root, f"{home}/off", "--sandbox", "off"),
        "`toolpost serve`": Commands(binary, root, f"{home}/on"),
    }
    names, times = list(forms), {name: [] for name in forms}
    for _ in range(WARM_UP):
        for form in forms.values():
            form.run()
    before = {name: form.processor() for name, form in forms.items()}
    for turn in range(rounds):
        for place in range(len(names)):
            name = names[(place + turn) % len(names)]
            began = time.perf_counter()
            forms[name].run()
            times[name].append((time.perf_counter() - began) * 1000)
    processor = {name: (form.processor() - before[name]) / rounds for name, form in forms.items()}
    plain = names[0]
    print(f"`echo hi`, {rounds} rounds, a workspace of {directories} directories\n")
    print("| form | median, ms | more than plain, ms | minimum, ms | processor time, ms |\n|---|---|---|---|---|")
    for name in names:
        more = statistics.median(time - other for time, other in zip(times[name], times[plain]))
        row = [statistics.median(times[name]), more, min(times[name]), processor[name]]
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + " |")
    for form in forms.values():
        form.end()
    shutil.rmtree(root)
    shutil.rmtree(home)


main()
