"""Lets a real agent do a task by the Agent Client Protocol, with the scripted model behind it; only where one is named.

usage: acp_real.py BINARY OPENCODE          OPENCODE: the program of `npm install opencode-ai`
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

EDIT = {"file_path": "calc.py", "old_string": "a - b", "new_string": "a + b"}
STEPS = [
    {"when": {"no_tools": True}, "say": "A title", "times": 9},
    {"when": {"last": "adds wrongly", "tools": ["toolpost-acp_Read"]}, "say": "I look.",
     "calls": [{"tool": "toolpost-acp_Read", "arguments": {"file_path": "calc.py"}}]},
    {"when": {"last": "return a - b", "tools": ["toolpost-acp_Edit"]}, "calls": [{"tool": "toolpost-acp_Edit", "arguments": EDIT}]},
    {"when": {"last": "calc.py", "whole": "a \\+ b", "absent": "past.txt"}, "say": "Fixed calc.py."},
]
PAST = [
    {"when": {"no_tools": True}, "say": "A title", "times": 9},
    {"when": {"last": "make a file"}, "say": "I try.", "calls": [{"tool": "bash", "arguments": {"command": "touch past.txt", "description": "Makes a file"}}]},
    {"when": {"last": "."}, "say": "It was refused.", "times": 3},
]


def run(binary, opencode, steps, task, *flags):
    """Gives what came of it, and whether the tree is as it should be."""
    with tempfile.TemporaryDirectory() as base, Server({"steps": steps}) as server:
        top = pathlib.Path(base).resolve()
        (top / "root").mkdir()
        (top / "root/calc.py").write_text("def total(a, b):\n    return a - b\n")
        (top / ".config/opencode").mkdir(parents=True)
        model = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": f"{server.address}/v1".replace("/v1/v1", "/v1"), "apiKey": "k"},
                 "models": {"scripted": {"name": "scripted"}}}
        (top / ".config/opencode/opencode.json").write_text(json.dumps({
            "model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": False, "share": "disabled",
            "provider": {"scripted": model}, "permission": {"*": "ask"}}))
        environment = {"HOME": str(top), "PATH": f"{pathlib.Path(opencode).parent}:{os.environ['PATH']}", "TOOLPOST_MAX_TIME": "240"}
        command = [binary, "agent", "--root", str(top / "root"), "--sandbox", "off", "--acp", f"{opencode} acp", "--json", *flags, task]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        files = {path.name: path.read_text() for path in (top / "root").iterdir() if path.is_file()}
        return done.returncode, answer, done.stderr, files, [entry["ended"] for entry in server.script.journal]


def main(binary, opencode):
    failed = 0
    fixed = "def total(a, b):\n    return a + b\n"
    rows = [("a task with our tools", STEPS, "total adds wrongly; fix it", ["--acp-may", "write"], lambda code, answer, files:
             code == 0 and answer["words"] == "Fixed calc.py." and files["calc.py"] == fixed),
            ("what goes past our tools is refused", PAST, "make a file", ["--acp-may", "write"], lambda code, answer, files: "past.txt" not in files),
            ("what goes past our tools is allowed", PAST, "make a file", ["--acp-may", "all"], lambda code, answer, files: "past.txt" in files)]
    for name, steps, task, flags, holds in rows:
        code, answer, errors, files, journal = run(binary, opencode, steps, task, *flags)
        good = holds(code, answer, files)
        failed += not good
        print(f"{'passed' if good else 'FAILED'} {name}\n  {(code, answer, files, journal)}\n{errors}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
