"""Starts every server that a document tells a client to start, and lists its tools."""

import json
import re
import shlex
import subprocess
import tempfile
import tomllib
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
CODE = re.compile(r"`([^`\n]+)`")
PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b")
PROJECT = ("/path/to/project", "${workspaceFolder}")
CLIENT = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize",
     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "docs", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


def server(words, environment):
    """Returns the words of a server's command and its environment; None if the command is not a server of Toolpost."""
    return (tuple(words), tuple(sorted(environment.items()))) if words[:2] == ["toolpost", "serve"] else None


def of_line(line):
    """Yields the name under which a shell command adds a server to a client, or None, and the server."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"\w+=\S*", words[0]):
        words = words[1:]
    if words[1:3] == ["mcp", "add"] and "--" in words:
        at = words.index("--")
        given = [after for word, after in zip(words, words[1:at]) if word in ("--env", "-e")]
        yield words[3], server(words[at + 1 :], dict(pair.split("=", 1) for pair in given))
    else:
        yield None, server(words, {})


def of_settings(value, name=None):
    """Yields the name and the server of each entry of a client's settings that has a command."""
    if isinstance(value, list):
        for entry in value:
            yield from of_settings(entry)
    if isinstance(value, dict):
        command = value.get("command")
        if isinstance(command, (str, list)):
            words = ([command] if isinstance(command, str) else command) + value.get("args", [])
            yield name, server(words, value.get("env") or value.get("environment") or {})
        for key, entry in value.items():
            yield from of_settings(entry, key)


def setups(text):
    """Returns the servers of a page, the names that it adds, and the names that its settings and options refer to."""
    found, added, referred = [], set(), set(re.findall(r"\bmcp__(\w+?)(?:__|\b)", text))
    for kind, body in BLOCK.findall(text):
        if kind == "sh":
            lines = body.replace("\\\n", " ").splitlines()
            found += [entry for line in lines if "toolpost" in line and "<<" not in line for entry in of_line(line)]
        elif kind in ("json", "toml") and '"toolpost"' in body or kind == "toml" and "mcp_servers" in body:
            document = json.loads(body) if kind == "json" else tomllib.loads(body)
            found += of_settings(document)
            referred |= set(document.get("mcp_servers", {}))
    for code in CODE.findall(BLOCK.sub("", text)):
        if code.startswith(("--dialect ", "toolpost serve")) and not PLACEHOLDER.search(code):
            words = shlex.split(code)
            found.append((None, server(words if words[0] == "toolpost" else ["toolpost", "serve", *words], {})))
    added = {name for name, entry in found if name and entry}
    return [entry for _, entry in found if entry], added, referred


def start(entry, variables):
    """Starts a server as a client does. Returns what is wrong with it, or None."""
    words, environment = entry
    with tempfile.TemporaryDirectory() as project:
        for placeholder in PROJECT:
            words = [word.replace(placeholder, project) for word in words]
        done = subprocess.run(
            words, cwd=project, env={**variables, **dict(environment)}, capture_output=True, text=True, timeout=120,
            input="".join(json.dumps(message) + "\n" for message in CLIENT),
        )
    replies = {reply.get("id"): reply for reply in map(json.loads, done.stdout.splitlines())}
    tools = {tool["name"] for tool in replies.get(2, {}).get("result", {}).get("tools", [])}
    wanted = [pattern for word, after in zip(words, words[1:]) if word == "--tools" for pattern in after.split(",")]
    exact = {pattern for pattern in wanted if not re.search(r"[!*?]", pattern)}
    if done.returncode or not tools:
        return f"exit status {done.returncode}, {len(tools)} tools: {done.stderr.strip()}"
    if exact - tools or (len(exact) == len(wanted) != 0 and tools - exact):
        return f"it has the tools {sorted(tools)}"
    return f"it prints {done.stderr.strip()}" if done.stderr.strip() else None


def check_setups(docs, variables):
    """Checks the servers of all pages, and that the page about clients has all servers of the README."""
    top = docs.parent
    failures, of_pages = [], {}
    for page in [top / "README.md", *sorted(docs.glob("*.md"))]:
        found, added, referred = setups(page.read_text())
        of_pages[page.name] = set(found)
        if added and referred - added - {"server"}:
            failures.append(f"{page.name} refers to servers that it does not add: {sorted(referred - added)}")
    for missing in sorted(of_pages["README.md"] - of_pages["clients.md"]):
        failures.append(f"clients.md does not have the server of README.md: {shlex.join(missing[0])}")
    servers = sorted({entry for found in of_pages.values() for entry in found})
    for entry in servers:
        wrong = start(entry, variables)
        pages = ", ".join(name for name, found in of_pages.items() if entry in found)
        failures += [f"{pages}: `{shlex.join(entry[0])}` does not serve: {wrong}"] if wrong else []
    clients = len(setups((top / "README.md").read_text())[0])
    failures += [f"README.md adds Toolpost to {clients} clients, fewer than the 5 that are expected"] if clients < 5 else []
    return len(servers), failures
