"""Lets real agents complete tasks over the Agent Client Protocol, with the scripted model as their model. Only named agents run.

usage: acp_real.py BINARY KIND=PROGRAM...

  opencode=PROGRAM    of `npm install opencode-ai`
  claude=PROGRAM      of `npm install @zed-industries/claude-agent-acp`, which includes Claude Code
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
from model import Server  # noqa: E402

KEY = "key-of-the-test"
WRONG, RIGHT = "def total(a, b):\n    return a - b\n", "def total(a, b):\n    return a + b\n"


class OpenCode:
    """An agent that requests permission before every tool call, because of the settings below."""

    arguments, shell = ["acp"], "bash"

    def tool(self, name):
        return f"toolpost-acp_{name}"

    def set_up(self, home, address):
        model = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": f"{address}/v1", "apiKey": KEY},
                 "models": {"scripted": {"name": "scripted"}}}
        place = home / ".config/opencode/opencode.json"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps({"model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": False, "share": "disabled",
                                     "provider": {"scripted": model}, "permission": {"*": "ask"}}))
        return {}


class Claude:
    """An agent that requests permission by default, and reads its provider from the environment."""

    arguments, shell = [], "Bash"

    def tool(self, name):
        return f"mcp__toolpost-acp__{name}"

    def set_up(self, home, address):
        del home
        named = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        return {**named, "TOOLPOST_ACP_ENV": ",".join(named)}


KINDS = {"opencode": OpenCode(), "claude": Claude()}


def fix(agent):
    edit = {"file_path": "calc.py", "old_string": "a - b", "new_string": "a + b"}
    read, change = agent.tool("Read"), agent.tool("Edit")
    return [
        {"when": {"no_tools": True}, "say": "A title", "times": 9},
        {"when": {"last": "adds wrongly", "tools": [read]}, "say": "I look.", "calls": [{"tool": read, "arguments": {"file_path": "calc.py"}}]},
        {"when": {"last": "return a - b", "tools": [change]}, "calls": [{"tool": change, "arguments": edit}]},
        {"when": {"last": "calc.py", "whole": "a \\+ b"}, "say": "Fixed calc.py."},
    ]


def past(agent):
    """Returns the steps of a task that the agent does without Toolpost's tools."""
    make = {"command": "touch past.txt", "description": "Makes a file"}
    return [
        {"when": {"no_tools": True}, "say": "A title", "times": 9},
        {"when": {"last": "make a file"}, "say": "I try.", "calls": [{"tool": agent.shell, "arguments": make}]},
        {"when": {"last": "."}, "say": "That is all.", "times": 3},
    ]


def run(binary, agent, program, steps, task, may):
    """Runs a task. Returns the exit code, the outcome, the files in the root, the error output and the model's journal."""
    with tempfile.TemporaryDirectory() as base, Server({"steps": steps}) as server:
        top = pathlib.Path(base).resolve()
        (top / "root").mkdir()
        (top / "root/calc.py").write_text(WRONG)
        environment = {"HOME": str(top), "PATH": os.environ["PATH"], "TOOLPOST_MAX_TIME": "240", **agent.set_up(top, server.address)}
        command = [binary, "agent", "--root", str(top / "root"), "--sandbox", "off", "--acp-may", may, "--json",
                   "--acp", " ".join([program, *agent.arguments]), task]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        files = {path.name: path.read_text() for path in (top / "root").iterdir() if path.is_file()}
        return done.returncode, answer, files, done.stderr, [entry["ended"] for entry in server.script.journal]


ROWS = [
    ("a task with Toolpost's tools", fix, "total adds wrongly; fix it", "write",
     lambda code, answer, files: code == 0 and answer["words"] == "Fixed calc.py." and files == {"calc.py": RIGHT}),
    ("an action without Toolpost's tools is refused", past, "make a file", "write", lambda code, answer, files: files == {"calc.py": WRONG}),
    ("an action without Toolpost's tools is allowed", past, "make a file", "all", lambda code, answer, files: "past.txt" in files),
]


def main(binary, named):
    failed = 0
    for kind, _, program in (word.partition("=") for word in named):
        for name, steps, task, may, holds in ROWS:
            agent = KINDS[kind]
            code, answer, files, errors, journal = run(binary, agent, program, steps(agent), task, may)
            good = holds(code, answer, files)
            failed += not good
            print(f"{'passed' if good else 'FAILED'} {kind}: {name}", flush=True)
            if not good:
                print(f"  {(code, answer, files, journal)}\n{errors}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
