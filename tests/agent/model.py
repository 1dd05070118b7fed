"""A scripted model on the loopback, which answers each request with a step of a scenario.

usage: model.py SCENARIO.json      prints the port; exits when standard input ends

A scenario is `{"steps": [...]}`. The first unused step whose `when` matches answers a request. If no step matches, the request
is refused with status 400 and the reason. A step:

  when    {"last": RE, "whole": RE, "system": RE, "tools": [NAME], "lacks": [NAME], "no_tools": true, "absent": RE}: conditions
          on the request; `last` is the text after the model's last message; at least one tool in `lacks` is missing
  take    {"name": RE}: records the first group of the match in `last`; later texts insert it as `${name}`
  say     the text of the answer; `repeat` is the number of times that it is repeated
  calls   [{"tool": NAME, "arguments": {...} or "raw": TEXT, "id": ID}]
  stop    "length" if the answer is cut off
  tokens  [asked, said]: the reported token usage
  times   the number of requests that the step answers [1]
  split   the number of bytes in a piece; drip: the seconds between two pieces
  fault   {"status": CODE, "retry_after": S} | {"stall": S} | {"disconnect": true} | {"end": true} | {"error": KIND}
          | {"content_type": TYPE, "body": TEXT}, with "after": number of events before it, and "times": number of requests [all]

GET /journal returns the requests, and the end of each answer: whole, broken, or left (the client disconnected).
"""
import http.server
import json
import pathlib
import re
import select
import socket
import string
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import forms  # noqa: E402

REFUSED = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error"}


class Left(Exception):
    """The client has disconnected."""


class Mismatch(Exception):
    """No step answers this request."""


def filled(value, known):
    """Inserts the recorded texts into each string of a value."""
    if isinstance(value, str):
        return string.Template(value).safe_substitute(known)
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, known) for key, item in value.items()}
    return value


class Script:
    """The steps of a scenario, and how often each was used."""

    def __init__(self, scenario):
        self.steps, self.used, self.failed = scenario["steps"], {}, {}
        self.known, self.lock, self.journal, self.calls = {}, threading.Lock(), [], 0

    def holds(self, when, asked):
        found = {"last": asked.last, "whole": asked.whole, "system": asked.system}
        absent = when.get("absent")
        return (all(re.search(when[key], text, re.S) for key, text in found.items() if key in when)
                and set(when.get("tools", [])) <= set(asked.tools)
                and not ("lacks" in when and set(when["lacks"]) <= set(asked.tools))
                and not (when.get("no_tools") and asked.tools)
                and not (absent and re.search(absent, asked.whole, re.S)))

    def next(self, asked):
        """Returns the number of the step that answers, the step, and its fault; None if it has no fault for this request."""
        with self.lock:
            for number, step in enumerate(self.steps):
                if self.used.get(number, 0) >= step.get("times", 1) or not self.holds(step.get("when", {}), asked):
                    continue
                fault = step.get("fault")
                if fault and self.failed.get(number, 0) < fault.get("times", 1 << 30):
                    self.failed[number] = self.failed.get(number, 0) + 1
                    return number, step, fault
                self.used[number] = self.used.get(number, 0) + 1
                return number, step, None
        raise Mismatch(f"no step answers this; since the model spoke: {asked.last[:2000]!r}, tools: {asked.tools}")

    def answer(self, step, asked):
        with self.lock:
            for name, pattern in step.get("take", {}).items():
                found = re.search(pattern, asked.last, re.S)
                if not found:
                    raise Mismatch(f"{pattern!r} finds nothing in {asked.last[:2000]!r}")
                self.known[name] = found.group(1)
            calls = []
            for call in step.get("calls", []):
                self.calls += 1
                arguments = call["raw"] if "raw" in call else json.dumps(filled(call.get("arguments", {}), self.known))
                calls.append((call.get("id", f"call_{self.calls}"), call["tool"], arguments))
            words = filled(step.get("say", ""), self.known) * step.get("repeat", 1)
        tokens = step.get("tokens") or [len(asked.whole) // 4, (len(words) + sum(len(c[2]) for c in calls)) // 4]
        return forms.Answer(words, calls, step.get("stop"), tokens)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def plain(self, code, data, headers=(), kind="application/json"):
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with self.server.script.lock:
            self.plain(200, self.server.script.journal)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        form = forms.form_of(self.path)
        if form is None:
            return self.plain(404, {"error": {"message": f"no form ends with {self.path}"}})
        script = self.server.script
        name, read, stream, fault_of = form
        asked = read(body)
        keys = [self.headers.get(key) for key in ("authorization", "x-api-key", "x-goog-api-key")]
        entry = {"form": name, "model": asked.model, "key": next((key for key in keys if key), None),
                 "tools": asked.tools, "last": asked.last, "turns": len(asked.turns), "at": time.monotonic(),
                 "body": body, "ended": "open"}
        with script.lock:
            script.journal.append(entry)
        try:
            number, step, fault = script.next(asked)
            entry["step"] = number
            entry["ended"] = self.reply(step, fault, script.answer(step, asked), body, stream, fault_of)
        except Mismatch as wrong:
            entry["ended"] = f"mismatch: {wrong}"
            self.plain(400, {"type": "error", "error": {"type": "invalid_request_error", "message": f"scenario: {wrong}"}})
        except (Left, BrokenPipeError, ConnectionResetError):
            entry["ended"], self.close_connection = "left", True

    def reply(self, step, fault, answer, body, stream, fault_of):
        fault = fault or {}
        if "status" in fault:
            code = fault["status"]
            kind = REFUSED.get(code, "api_error")
            headers = [("retry-after", str(fault["retry_after"]))] if "retry_after" in fault else []
            message = filled(fault.get("message", "as the scenario says"), {"key": self.key()})
            self.plain(code, {"type": "error", "error": {"type": kind, "message": message}}, headers)
            return "broken"
        if "content_type" in fault:
            self.plain(200, fault.get("body", "").encode(), kind=fault["content_type"])
            return "broken"
        ndjson = stream is forms.stream_ollama
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson" if ndjson else "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        events, after = list(stream(answer, body)), fault.get("after", 0)
        for at, event in enumerate(events):
            if fault and at >= after:
                return self.break_off(fault, fault_of)
            self.send(event, step)
        self.wfile.write(b"0\r\n\r\n")
        return "whole"

    def key(self):
        return self.headers.get("x-api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")

    def break_off(self, fault, fault_of):
        self.close_connection = True
        if "stall" in fault:
            self.wait(fault["stall"])
        if "error" in fault:
            self.send(fault_of(fault["error"], "as the scenario says"), {})
        if "end" in fault or "error" in fault:
            self.wfile.write(b"0\r\n\r\n")
            return "broken"
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.connection.shutdown(socket.SHUT_RDWR)
        return "broken"

    def send(self, data, step):
        size, pause = step.get("split") or len(data), step.get("drip", 0)
        for at in range(0, len(data), size):
            part = data[at:at + size]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
            if pause:
                self.wait(pause)

    def wait(self, seconds):
        """Waits, unless the client leaves."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.05))
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise Left


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, scenario):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = Script(scenario)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as scenario_file:
        scenario = json.load(scenario_file)
    with Server(scenario) as server:
        print(server.server_address[1], flush=True)
        sys.stdin.read()
