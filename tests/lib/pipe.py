"""A minimal MCP client over the pipes of one server process: it sends bytes and keeps the messages of the server."""
import json
import os
import signal
import subprocess
import threading
import time

LEGACY, MODERN = "2025-11-25", "2026-07-28"
CLIENT = {"name": "toolpost-tests", "version": "1"}


class Silent(Exception):
    """The server runs but does not answer."""


class Gone(Exception):
    """The server ended before it answered."""


def meta(capabilities=None, version=MODERN, **more):
    """The `_meta` of a request of the era without a handshake."""
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        "io.modelcontextprotocol/clientInfo": CLIENT,
        **more,
    }


def initialize_params(version=LEGACY, capabilities=None):
    """Returns the parameters of `initialize`."""
    return {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": CLIENT}


class Pipe:
    """One server process; responses are kept by id, everything else in order."""

    def __init__(self, command, *, cwd=None, env=None, identity=None, errors=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=cwd, env=env,
            start_new_session=True, **(identity or {}))
        self.replies, self.others, self.noise = {}, [], []
        self.changed = threading.Condition()
        self.writing = threading.Lock()
        self.may_read = threading.Event()
        self.may_read.set()
        self.ended, self.last, self.roots = False, 0, []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        stream = self.process.stdout
        while True:
            self.may_read.wait()
            line = stream.readline()
            if not line:
                break
            self._keep(line)
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _keep(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        with self.changed:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                self.noise.append(line[:500])
            elif "method" in message:
                self.others.append(message)
            else:
                self.replies[json.dumps(message.get("id"))] = message
            self.changed.notify_all()
        if isinstance(message, dict) and message.get("method") == "roots/list" and "id" in message:
            roots = [{"uri": f"file://{root}", "name": "r"} for root in self.roots]
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}})

    def raw(self, data):
        """Writes raw bytes."""
        with self.writing:
            try:
                self.process.stdin.write(data)
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError) as error:
                raise Gone(self.why_gone()) from error

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def ask(self, method, params=None, id=None):
        """Sends a request and returns its id without waiting."""
        if id is None:
            self.last += 1
            id = self.last
        self.send({"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})})
        return id

    def wait(self, id, seconds=15.0):
        """Waits for the response to an id."""
        key, until = json.dumps(id), time.monotonic() + seconds
        with self.changed:
            while key not in self.replies:
                if self.ended:
                    raise Gone(self.why_gone())
                left = until - time.monotonic()
                if left <= 0:
                    raise Silent(f"no answer to request {id} within {seconds:.0f} s")
                self.changed.wait(left)
            return self.replies.pop(key)

    def wait_other(self, wanted, seconds=15.0):
        """Waits for a notification or request that `wanted` accepts, and removes it from the list."""
        until = time.monotonic() + seconds
        with self.changed:
            while True:
                for message in self.others:
                    if wanted(message):
                        self.others.remove(message)
                        return message
                left = until - time.monotonic()
                if self.ended or left <= 0:
                    raise Gone(self.why_gone()) if self.ended else Silent(f"no such message within {seconds:.0f} s")
                self.changed.wait(left)

    def request(self, method, params=None, seconds=15.0, id=None):
        return self.wait(self.ask(method, params, id), seconds)

    def initialize(self, version=LEGACY, capabilities=None, seconds=15.0):
        """Opens the session with the older handshake."""
        answer = self.request("initialize", initialize_params(version, capabilities), seconds)
        if "result" in answer:
            self.notify("notifications/initialized")
        return answer

    def call(self, tool, arguments, seconds=15.0):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, seconds)

    def alive(self, seconds=6.0):
        """Returns whether the same process still answers."""
        if self.process.poll() is not None:
            return False
        try:
            self.last += 1
            return "jsonrpc" in self.request("ping", seconds=seconds, id=f"alive-{self.last}")
        except (Silent, Gone):
            return False

    def why_gone(self):
        return f"the server ended (exit status {self.process.poll()})"

    def _memory(self, name):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                for line in status:
                    if line.startswith(name):
                        return int(line.split()[1]) / 1024
        except OSError:
            pass
        return None

    def resident_mb(self):
        """Returns the resident memory in MB; None if it cannot be read."""
        return self._memory("VmRSS:")

    def peak_mb(self):
        """Returns the peak of the resident memory in MB, as the kernel recorded it."""
        return self._memory("VmHWM:")

    def forget_peak(self):
        """Resets the recorded peak."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def close_input(self):
        with self.writing:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass

    def kill(self):
        """Kills the process and its process group."""
        self.may_read.set()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except (BrokenPipeError, RuntimeError, ValueError):
                pass


def text_of(answer):
    """Returns the text of a response: its text parts, or its error."""
    if "error" in answer:
        return json.dumps(answer["error"], ensure_ascii=False)
    parts = answer.get("result", {}).get("content", [])
    return "\n".join(part.get("text", "") for part in parts if part.get("type") == "text")


def refused(answer):
    """Returns whether a response is a protocol error or an error result."""
    return "error" in answer or answer.get("result", {}).get("isError") is True
