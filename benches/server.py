"""A server of a binary, and calls of its tools, for the scripts next to this file."""
import json
import os
import subprocess


class Server:
    """A server on a directory, with its own cache and state directory."""

    def __init__(self, binary, root, dialect, home, before=(), options=()):
        env = dict(os.environ, XDG_CACHE_HOME=f"{home}/cache", XDG_STATE_HOME=f"{home}/state")
        command = [*before, binary, "serve", "--root", root, "--dialect", dialect, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
        self.number = 0
        client = {"name": "benches", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})

    def ask(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.get("id") == self.number:
                return reply["result"]
        raise RuntimeError("the server ended")

    def call(self, tool, arguments):
        reply = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return reply["content"][0]["text"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
