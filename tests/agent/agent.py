"""A scripted agent that speaks the Agent Client Protocol (version 1) on standard input and output, with deliberate faults.

usage: agent.py SCENARIO.json JOURNAL.jsonl

A scenario is `{"prompts": [{"when": RE, "steps": [...], "times": N}], "version": N, "on_start": [...], "new": {"error": [CODE, TEXT]}}`.
A prompt is answered by the first entry that matches and is not used up. The steps run in order; `${name}` inserts a recorded variable:

  say TEXT             writes text                  ask {title, kind, locations, options?, name?}   requests permission, records `answer`
  mcp [TOOL, ARGS]     calls a tool of the MCP server, reports the call, records `reply`; `tools` records the tool names in `tools`
  read [PATH, LINE, LIMIT]   write [PATH, TEXT]     requests a file from the client, records `file` or `error`
  request [METHOD, PARAMS]   sends any request, even an unknown one; records `error`
  update {...}         sends an update unchanged    raw TEXT   writes a raw line         huge N     writes a line of N bytes
  stderr TEXT          exit CODE                    sleep S    until it is cancelled     deaf S     ignores all messages
  expect [NAME, RE]    fails the prompt if a recorded variable does not match
  stop REASON          ends the prompt with a reason other than end_turn
"""
import json
import os
import queue
import re
import string
import subprocess
import sys
import threading
import time

scenario = json.load(open(sys.argv[1], encoding="utf-8"))
journal = open(sys.argv[2], "a", encoding="utf-8")
out, lock, waiting, sessions, used = sys.stdout, threading.Lock(), {}, {}, {}


class Stop(Exception):
    """The prompt ends with a reason."""


class Failed(Exception):
    """The prompt fails."""


def note(what, data):
    with lock:
        journal.write(json.dumps({"what": what, "data": data}) + "\n")
        journal.flush()


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def write(line):
    with lock:
        out.write(line + "\n")
        out.flush()


def request(method, params):
    with lock:
        number = len(waiting) + 1
        waiting[number] = queue.Queue()
    send({"id": number, "method": method, "params": params})
    return waiting[number].get(timeout=60)


class Mcp:
    """The MCP server that the client passed, over its pipes."""

    def __init__(self, server):
        environment = {**os.environ, **{entry["name"]: entry["value"] for entry in server["env"]}}
        self.process = subprocess.Popen([server["command"], *server["args"]], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}})
        self.tell({"method": "notifications/initialized"})

    def tell(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.tell({"id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message
        raise Failed("the MCP server has exited")


class Session:
    def __init__(self, name, params):
        self.name, self.params, self.known, self.cancelled, self.calls = name, params, {}, threading.Event(), 0
        self.server = None

    def mcp(self):
        if self.server is None:
            self.server = Mcp(self.params["mcpServers"][0])
        return self.server

    def update(self, update):
        send({"method": "session/update", "params": {"sessionId": self.name, "update": update}})

    def filled(self, value):
        if isinstance(value, str):
            return string.Template(value).safe_substitute(self.known)
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        return value

    def keep(self, name, answer, take):
        self.known["error"] = json.dumps(answer.get("error")) if "error" in answer else ""
        if "error" not in answer:
            self.known[name] = take(answer.get("result") or {})

    def step(self, kind, value):
        value = self.filled(value)
        if kind == "say":
            self.update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": value}})
        elif kind == "update":
            self.update(value)
        elif kind == "mcp":
            self.tool(*value)
        elif kind == "tools":
            listed = self.mcp().ask("tools/list", {})["result"]["tools"]
            self.known["tools"] = " ".join(tool["name"] for tool in listed)
        elif kind == "ask":
            self.permission(value)
        elif kind == "read":
            params = dict(zip(("path", "line", "limit"), value))
            self.keep("file", request("fs/read_text_file", {"sessionId": self.name, **params}), lambda result: result["content"])
        elif kind == "write":
            params = dict(zip(("path", "content"), value))
            self.keep("file", request("fs/write_text_file", {"sessionId": self.name, **params}), lambda _: "written")
        elif kind == "request":
            self.keep("answer", request(*value), json.dumps)
        elif kind == "raw":
            write(value)
        elif kind == "huge":
            write('{"jsonrpc": "2.0", "method": "x", "params": "' + "x" * value + '"}')
        elif kind == "stderr":
            print(value, file=sys.stderr, flush=True)
        elif kind == "exit":
            os._exit(value)
        elif kind == "sleep":
            if self.cancelled.wait(value):
                raise Stop("cancelled")
        elif kind == "deaf":
            time.sleep(value)
        elif kind == "expect":
            if not re.search(value[1], self.known.get(value[0], ""), re.S):
                raise Failed(f"{value[0]} is {self.known.get(value[0])!r}, not {value[1]!r}")
        elif kind == "stop":
            raise Stop(value)

    def tool(self, tool, arguments):
        self.calls += 1
        name = f"call-{self.calls}"
        self.update({"sessionUpdate": "tool_call", "toolCallId": name, "title": f"mcp__toolpost-acp__{tool}", "kind": "other",
                     "status": "pending", "rawInput": arguments})
        answer = self.mcp().ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result") or {"content": [{"type": "text", "text": json.dumps(answer.get("error"))}], "isError": True}
        self.known["reply"] = "\n".join(part.get("text", "") for part in result["content"])
        self.update({"sessionUpdate": "tool_call_update", "toolCallId": name, "status": "failed" if result.get("isError") else "completed",
                     "content": [{"type": "content", "content": {"type": "text", "text": self.known["reply"]}}]})

    def permission(self, call):
        self.calls += 1
        options = call.pop("options", ["allow_always", "allow_once", "reject_once"])
        answer = request("session/request_permission", {
            "sessionId": self.name, "toolCall": {"toolCallId": f"call-{self.calls}", **call},
            "options": [{"optionId": kind, "name": kind, "kind": kind} for kind in options]})
        outcome = (answer.get("result") or {}).get("outcome", {})
        self.known["answer"] = outcome.get("optionId", outcome.get("outcome", json.dumps(answer)))


def prompt(number, params):
    session = sessions[params["sessionId"]]
    session.cancelled.clear()
    text = "\n".join(block.get("text", "") for block in params["prompt"])
    note("prompt", {"session": session.name, "text": text})
    try:
        for at, entry in enumerate(scenario["prompts"]):
            if used.get(at, 0) < entry.get("times", 1) and re.search(entry.get("when", ""), text, re.S):
                used[at] = used.get(at, 0) + 1
                for step in entry["steps"]:
                    (kind, value), = step.items()
                    session.step(kind, value)
                raise Stop("end_turn")
        raise Failed(f"no entry fits {text!r}")
    except Stop as stop:
        note("stop", str(stop))
        send({"id": number, "result": {"stopReason": str(stop)}})
    except Exception as error:  # noqa: BLE001
        note("failed", repr(error))
        send({"id": number, "error": {"code": -32603, "message": str(error)}})


def heard(message):
    method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method is None:
        with lock:
            queued = waiting.get(number)
        if queued:
            queued.put(message)
        return
    note(method, params)
    if method == "initialize":
        for step in scenario.get("on_start", []):
            (kind, value), = step.items()
            Session("none", {}).step(kind, value)
        send({"id": number, "result": {"protocolVersion": scenario.get("version", 1), "agentCapabilities": {},
                                       "agentInfo": {"name": "scripted", "version": "0.1"}, "authMethods": []}})
    elif method == "session/new":
        if "new" in scenario:
            code, text = scenario["new"]["error"]
            send({"id": number, "error": {"code": code, "message": text}})
            return
        name = f"s{len(sessions) + 1}"
        sessions[name] = Session(name, params)
        send({"id": number, "result": {"sessionId": name}})
    elif method == "session/prompt":
        threading.Thread(target=prompt, args=(number, params), daemon=True).start()
    elif method == "session/cancel":
        sessions[params["sessionId"]].cancelled.set()
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})


for line in sys.stdin:
    heard(json.loads(line))
