"""Fetches the same URLs through two servers, and prints the time and the growth of memory of each.

usage: measure.py BINARY [--beside PYTHON] [--only NAME]...

Without a Python that has mcp-server-fetch, Toolpost is measured alone.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "lib"), str(TESTS / "security")]
from canaries import Canaries  # noqa: E402
from pipe import Gone, Pipe, Silent, refused, text_of  # noqa: E402

#: The fetched pages, with their paths on the canary server.
PATHS = {
    "a small page": "/hello", "4 GiB in 4 MB of gzip": "/gzbomb", "a bomb in a bomb": "/gzgz1", "an endless body": "/infinite",
    "a byte a second": "/drip", "10 MB of `<`": "/lt", "100 000 elements in one another": "/deep", "500 KB of binary data": "/bin",
}
#: Time limit of an answer in seconds; growth in MB at which a server is killed; maximum growth in MB that Toolpost promises.
PATIENCE, MOST, PROMISED = 60, 2_000, 200


def started(binary, python, port):
    """Yields the two servers: name, command, and a function that makes the call for a URL."""
    with tempfile.TemporaryDirectory(prefix="toolpost-fetch-") as folder:
        rules = os.path.join(folder, "rules.toml")
        with open(rules, "w") as file:
            file.write(f'[[rule]]\ntouch = ["fetch"]\nhosts = ["127.0.0.1:{port}"]\ndecide = "allow"\n')
        own = [binary, "serve", "--dialect", "opencode", "--root", folder, "--policy", rules]
        yield "toolpost", own, lambda url: ("webfetch", {"url": url, "format": "markdown", "timeout": 5})
        if python:
            theirs = [python, "-m", "mcp_server_fetch", "--allow-private-ips", "--ignore-robots-txt"]
            yield "mcp-server-fetch", theirs, lambda url: ("fetch", {"url": url})


def measured(command, call):
    """Makes one call of a new server; returns the seconds, the growth in MB, and how the call ended."""
    server = Pipe(command, env={"PATH": "/usr/bin:/bin", "HOME": tempfile.gettempdir(), "LANG": "C.UTF-8"})
    grown, over = [0.0], threading.Event()
    try:
        server.initialize(seconds=60)
        time.sleep(0.3)
        idle = server.resident_mb()
        server.forget_peak()

        def watch():
            while not over.wait(0.02):
                grown[0] = max(grown[0], (server.resident_mb() or idle) - idle)
                if grown[0] > MOST:
                    server.kill()
                    return

        threading.Thread(target=watch, daemon=True).start()
        began = time.monotonic()
        try:
            answer = server.call(*call, PATIENCE)
            said = text_of(answer).strip().replace("\n", " ")
            ended = f"{'refused' if refused(answer) else 'answered'}, {len(text_of(answer))} bytes: {said[:60]}"
        except Silent:
            ended = f"no answer in {PATIENCE} s"
        except Gone:
            ended = f"ended at {MOST} MB of growth" if grown[0] > MOST else "the server died"
        seconds = time.monotonic() - began
        grown[0] = max(grown[0], (server.peak_mb() or idle) - idle)
        return seconds, grown[0], ended
    finally:
        over.set()
        server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--beside", metavar="PYTHON")
    parser.add_argument("--only", action="append", choices=PATHS)
    options = parser.parse_args()
    canaries, right, broken = Canaries(), 0, []
    for name in options.only or PATHS:
        canaries.ready(PATHS[name])
        for server, command, call in started(os.path.abspath(options.binary), options.beside, canaries.port):
            seconds, grown, ended = measured(command, call(f"http://127.0.0.1:{canaries.port}{PATHS[name]}"))
            print(f"{name:34}{server:18}{seconds:7.1f} s {grown:7.0f} MB  {ended}", flush=True)
            if server == "toolpost":
                holds = grown <= PROMISED and ended.startswith(("answered", "refused"))
                right, broken = right + holds, broken if holds else [*broken, name]
    if broken:
        print(f"not as promised: {', '.join(broken)}")
    print(f"{right} passed, {len(broken)} failed, 0 skipped")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
