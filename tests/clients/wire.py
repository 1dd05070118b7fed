"""Checks the protocol over a bare pipe: how connections open and end, and that standard output has only messages.

usage: wire.py BINARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from checks import check, end, equal  # noqa: E402
from pipe import LEGACY, MODERN, Gone, Pipe, Silent, initialize_params, meta, refused  # noqa: E402

#: Seconds within which a server must exit after the end of its input. The limit detects a hang; it is not a claim about speed.
PATIENCE = 5


def message(method, params=None, id=None):
    return {"jsonrpc": "2.0", **({} if id is None else {"id": id}), "method": method, **({} if params is None else {"params": params})}


INITIALIZE, READY = message("initialize", initialize_params(), "i"), message("notifications/initialized")
DISCOVER, LIST = message("server/discover", {"_meta": meta()}, "d"), message("tools/list", None, "last")
LIST_MODERN, CANCEL = message("tools/list", {"_meta": meta()}, "last"), message("notifications/cancelled", {"requestId": "none"})
CRLF = json.dumps(INITIALIZE).encode() + b"\r\n"
NOT_UTF8 = b'{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"Glob","arguments":{"pattern":"\xff\xfe"}}}\n'

OPENINGS = [
    ("the old way", [INITIALIZE, READY, LIST]), ("the new way", [DISCOVER, LIST_MODERN]), ("the new way without asking first", [LIST_MODERN]),
    ("a cancel before anything", [CANCEL, INITIALIZE, READY, LIST]), ("a cancel between", [DISCOVER, CANCEL, LIST_MODERN]),
    ("ready before the beginning", [READY, INITIALIZE, READY, LIST]), ("asked the new way, then opened the old", [DISCOVER, INITIALIZE, READY, LIST]),
    ("no JSON first", [b"{oops\n", INITIALIZE, READY, LIST]), ("an empty line first", [b"\n", INITIALIZE, READY, LIST]),
    ("an unknown request first", [message("no/such", None, "x"), INITIALIZE, READY, LIST]), ("no notice of being ready", [INITIALIZE, LIST]),
    ("opened twice", [INITIALIZE, {**INITIALIZE, "id": "j"}, READY, LIST]), ("an answer to nothing", [INITIALIZE, READY, {"jsonrpc": "2.0", "id": 99, "result": {}}, LIST]),
    ("bytes that are not UTF-8", [INITIALIZE, READY, NOT_UTF8, LIST]), ("CRLF", [CRLF, READY, LIST]),
    ("a version from the future", [message("initialize", initialize_params("2099-01-01"), "i"), READY, LIST]),
    ("odd ids", [INITIALIZE, READY, {**message("tools/list"), "id": None}, message("tools/list", None, 1.0), LIST]),
    ("a level of logging", [INITIALIZE, message("logging/setLevel", {"level": "info"}, "s"), READY, LIST]),
    ("a list before the opening", [{**LIST, "id": "early"}, INITIALIZE, READY, LIST]),
]


class Bench:
    """Starts servers in a small workspace, and keeps their output that is not a message."""

    def __init__(self, binary, base):
        self.root, self.noise = os.path.join(base, "ws"), []
        os.mkdir(self.root)
        for number in range(2000):
            with open(os.path.join(self.root, f"file{number}.txt"), "w") as file:
                file.write("word\n" * 2000)
        self.environment = {"HOME": base, "PATH": "/usr/bin:/bin"}
        self.command = [binary, "serve", "--root", self.root]

    def start(self):
        return Pipe(self.command, cwd=self.root, env=self.environment)

    def stop(self, server):
        self.noise += server.noise
        server.kill()


def openings(bench):
    for name, messages in OPENINGS:
        server = bench.start()
        try:
            for one in messages:
                server.raw(one) if isinstance(one, bytes) else server.send(one)
            answer = server.wait("last", 20)
            names = [tool["name"] for tool in answer.get("result", {}).get("tools", [])]
            check(f"opening: {name}", len(names) == 5, answer)
        except (Gone, Silent) as error:
            check(f"opening: {name}", False, error)
        bench.stop(server)


def modern_rules(bench):
    server = bench.start()
    found = server.request("server/discover", {"_meta": meta()})["result"]
    check("discover offers the version", MODERN in found["supportedVersions"], found)
    check("discover returns the capabilities, and how long they may be cached", {"capabilities", "ttlMs", "cacheScope"} <= found.keys(), found)
    first, second = (server.request("tools/list", {"_meta": meta()})["result"] for _ in range(2))
    equal("the list is the same twice", first["tools"], second["tools"])
    check("the list is marked as complete", first.get("resultType") == "complete" and {"ttlMs", "cacheScope"} <= first.keys(), sorted(first))
    bare = server.request("tools/list", {})
    equal("a request without a protocol version", bare.get("error", {}).get("code"), -32602)
    other = server.request("tools/list", {"_meta": meta(version="1999-01-01")}).get("error", {})
    check("an unknown version", other.get("code") == -32022 and MODERN in other.get("data", {}).get("supported", []), other)
    check("an unknown tool is refused", refused(server.request("tools/call", {"name": "none", "arguments": {}, "_meta": meta()})))
    server.send(message("subscriptions/listen", {"_meta": meta(), "notifications": {"toolsListChanged": True}}, "listen"))
    heard = server.wait_other(lambda one: "subscriptions" in one["method"])
    equal("a subscription begins with its acknowledgement", heard["method"], "notifications/subscriptions/acknowledged")
    bench.stop(server)


def versions(bench):
    for asked, wanted in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"), (LEGACY, LEGACY)):
        server = bench.start()
        equal(f"the version {asked}", server.initialize(asked)["result"]["protocolVersion"], wanted)
        bench.stop(server)


def slow_call(server, modern):
    arguments = {"pattern": "(w|o|r|d|x){1,40}y", "output_mode": "count"}
    server.send(message("tools/call", {"name": "Grep", "arguments": arguments, **({"_meta": meta()} if modern else {})}, "slow"))
    time.sleep(0.05)


def endings(bench):
    def old(server):
        server.initialize()
        server.request("tools/list")

    def new(server):
        server.request("server/discover", {"_meta": meta()})

    def listening(server):
        new(server)
        server.send(message("subscriptions/listen", {"_meta": meta(), "notifications": {"toolsListChanged": True}}, "listen"))
        server.wait_other(lambda one: True)

    def half_a_line(server):
        new(server)
        server.raw(b'{"jsonrpc":"2.0","id":1,')

    situations = [("nothing said", lambda server: None), ("asked once", new), ("used, the old way", old), ("listening", listening), ("half a line", half_a_line),
                  ("a call in flight, the old way", lambda server: (old(server), slow_call(server, False))),
                  ("a call in flight, the new way", lambda server: (new(server), slow_call(server, True)))]
    for name, prepare in situations:
        server = bench.start()
        try:
            prepare(server)
            server.close_input()
            code = server.process.wait(PATIENCE)
        except (Gone, Silent, subprocess.TimeoutExpired) as error:
            code = error
        equal(f"ends with its input: {name}", code, 0)
        bench.stop(server)


def broken_output(bench):
    """A client that closes its end of the output pipe ends the server."""
    reader, writer = os.pipe()
    process = subprocess.Popen(bench.command, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.DEVNULL, cwd=bench.root, env=bench.environment)
    os.close(writer)
    os.close(reader)
    try:
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n" + json.dumps(LIST).encode() + b"\n")
        process.stdin.flush()
        process.wait(PATIENCE)
        check("a broken output ends the server", True)
    except BrokenPipeError:
        check("a broken output ends the server", process.wait(PATIENCE) is not None)
    except subprocess.TimeoutExpired:
        check("a broken output ends the server", False, "the server still runs")
    process.kill()
    process.wait()


def cancelling(bench):
    for modern in (False, True):
        server = bench.start()
        server.request("server/discover", {"_meta": meta()}) if modern else server.initialize()
        slow_call(server, modern)
        server.notify("notifications/cancelled", {"requestId": "slow", "reason": "enough"})
        answer = server.request("tools/list", {"_meta": meta()} if modern else None)
        check("the server answers after a cancelled call", "result" in answer, answer)
        bench.stop(server)


def main():
    with tempfile.TemporaryDirectory(prefix="toolpost-wire-") as base:
        bench = Bench(os.path.abspath(sys.argv[1]), base)
        for part in (openings, modern_rules, versions, endings, broken_output, cancelling):
            try:
                part(bench)
            except (Gone, Silent, KeyError) as error:
                check(f"{part.__name__} ran to its end", False, f"{type(error).__name__}: {error}")
        equal("nothing but messages on standard output", bench.noise, [])
    end()


if __name__ == "__main__":
    main()
