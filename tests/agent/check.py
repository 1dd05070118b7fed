"""Drives `toolpost agent` with a scripted model: whole tasks in every wire form, faults, budgets, resuming after a kill.

usage: check.py BINARY
"""
import base64
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.dont_write_bytecode = True
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import acp  # noqa: E402
import sdks  # noqa: E402
from model import Server  # noqa: E402

KEY = "key-of-the-test-7f3a"
FIVE = ["openai", "responses", "anthropic", "gemini", "ollama"]
THREE = FIVE[:3]
FILES = {
    "src/calc.py": "def total(a, b):\n    return a - b\n",
    "check.sh": "grep -q 'a + b' src/calc.py && echo PASS || { echo FAIL; exit 1; }\n",
    "notes.txt": "one\ntwo\n",
}
RULES = '[[rule]]\ntouch = ["execute"]\ncommands = ["sh check.sh $"]\ndecide = "allow"\n'
LOOK = {"tool": "extract", "arguments": {"file": "notes.txt"}}
passed, failed = 0, 0


def report(what, holds, found):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"FAILED {what}\n  {found}\n", flush=True)


class World:
    """A workspace, the folders of a user, and a scripted model."""

    def __init__(self, steps, files=(), provider="openai", rules=RULES):
        self.base = tempfile.TemporaryDirectory()
        self.top = pathlib.Path(self.base.name).resolve()
        self.root, self.provider = self.top / "root", provider
        for name, text in {**FILES, **dict(files)}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.top / "config/toolpost").mkdir(parents=True)
        (self.top / "config/toolpost/policy.toml").write_text(rules)
        self.server = Server({"steps": steps})

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *_):
        self.server.__exit__()
        self.base.cleanup()

    def command(self, *arguments, dialect="probe"):
        return [BINARY, "agent", "--dialect", dialect, "--root", str(self.root), "--sandbox", "off", "--provider", self.provider,
                "--model", "scripted", "--base-url", self.server.address, *arguments]

    def environment(self, **more):
        kept = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY") and not key.startswith("TOOLPOST_")}
        return {**kept, "XDG_CONFIG_HOME": str(self.top / "config"), "XDG_STATE_HOME": str(self.top / "state"),
                "XDG_CACHE_HOME": str(self.top / "cache"), "HOME": str(self.top), "TOOLPOST_MODEL_KEY": KEY,
                "TOOLPOST_IDLE_SECONDS": "6", **more}

    def run(self, *arguments, dialect="probe", **more):
        command = self.command(*arguments, "--json", dialect=dialect)
        done = subprocess.run(command, env=self.environment(**more), capture_output=True, text=True, timeout=120, check=False)
        self.said = done.stdout + done.stderr
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        return done.returncode, answer, done.stderr

    @property
    def journal(self):
        return self.server.script.journal


def whole_tasks():
    """A whole task (find, edit, run the check, finish) in every wire format, also with the stream in pieces of one byte."""
    steps = json.loads((here / "scenarios/fix.json").read_text())["steps"]
    for provider in FIVE:
        for how, more in [("whole", {}), ("byte by byte", {"split": 1})]:
            if how != "whole" and provider not in THREE:
                continue
            with World([{**step, **more} for step in steps], provider=provider) as world:
                code, answer, errors = world.run("total adds wrongly; fix it")
                wanted = {"reason": "completed", "words": "Fixed src/calc.py: the check passes.", "missing": None}
                found = {key: answer.get(key) for key in wanted}
                right = (world.root / "src/calc.py").read_text() == "def total(a, b):\n    return a + b\n"
                used = answer.get("used", {})
                report(f"a whole task, {provider}, {how}",
                       code == 0 and found == wanted and right and used.get("turns", {}).get("used") == 5
                       and used.get("calls", {}).get("used") == 5,
                       (code, answer, errors[-3000:], [entry["ended"] for entry in world.journal]))
                keys = {entry["key"] for entry in world.journal}
                sent = {"openai": f"Bearer {KEY}", "responses": f"Bearer {KEY}", "anthropic": KEY, "gemini": KEY}
                report(f"the key is in the header that the provider expects, {provider}", keys == {sent.get(provider)}, keys)
                kept = "".join(path.read_text(errors="replace") for path in world.top.rglob("*")
                               if path.is_file() and "cache" not in path.parts)
                report(f"the key is written nowhere, {provider}", KEY not in world.said + kept, "found")


DONE = {"when": {"last": "."}, "say": "Done."}
#: The fault, the steps of the scenario, the expected outcome, and the number of model requests.
FAULTS = [
    ("slow drip, but alive", [{"say": "Done.", "split": 40, "drip": 0.01}], {"reason": "completed"}, 1),
    ("429 with retry-after", [{**DONE, "fault": {"status": 429, "retry_after": 0.2, "times": 2}}], {"reason": "completed"}, 3),
    ("529", [{**DONE, "fault": {"status": 529, "times": 1}}], {"reason": "completed"}, 2),
    ("500", [{**DONE, "fault": {"status": 500, "times": 1}}], {"reason": "completed"}, 2),
    ("429 with a retry-after that is too long", [{**DONE, "fault": {"status": 429, "retry_after": 900}}],
     {"reason": "model", "fault": "a wait of 900 s"}, 1),
    ("401", [{**DONE, "fault": {"status": 401, "message": "the key ${key} is wrong"}}], {"reason": "model", "fault": "[redacted] is wrong"}, 1),
    ("400", [{**DONE, "fault": {"status": 400, "message": "no"}}], {"reason": "model", "fault": "status 400: no"}, 1),
    ("silent before the answer", [{**DONE, "fault": {"stall": 20, "times": 1}}], {"reason": "completed"}, 2),
    ("silent in the answer", [{"say": "Done and done and done and done.", "repeat": 12, "fault": {"stall": 20, "after": 9}}],
     {"reason": "model", "fault": "Nothing more arrived from the model for 6 s"}, 1),
    ("broken before the answer", [{**DONE, "fault": {"disconnect": True, "times": 1}}], {"reason": "completed"}, 2),
    ("broken in the answer", [{"say": "Done and done and done and done.", "repeat": 12, "fault": {"disconnect": True, "after": 9}}], {"reason": "model"}, 1),
    ("an end in the answer", [{"say": "Done and done and done and done.", "repeat": 12, "fault": {"end": True, "after": 9}}],
     {"reason": "model", "fault": "ended early"}, 1),
    ("overloaded in the answer", [{"say": "Done and done and done and done.", "repeat": 12, "fault": {"error": "overloaded_error", "after": 9}}],
     {"reason": "model", "fault": "overloaded_error"}, 1),
    ("another content type", [{**DONE, "fault": {"content_type": "text/html", "body": "<html>busy</html>", "times": 1}}],
     {"reason": "completed"}, 2),
    ("arguments that are no JSON, once", [{"calls": [{"tool": "extract", "raw": "{\"file\": \"notes"}]},
                                          {"when": {"last": "not a JSON object"}, "calls": [LOOK]}, {"when": {"last": "two"}, "say": "Done."}],
     {"reason": "completed"}, 3),
    ("arguments that are no JSON, twice", [{"calls": [{"tool": "extract", "raw": "{\"file\": \"notes"}], "times": 2}], {"reason": "malformed"}, 2),
    ("arguments that are a list", [{"calls": [{"tool": "extract", "raw": "[1]"}]}, {"when": {"last": "valid JSON of another type"}, "say": "Done."}],
     {"reason": "completed"}, 2),
    ("an unknown tool", [{"calls": [{"tool": "fly", "arguments": {}}]}, {"when": {"last": "No tool is called fly"}, "say": "Done."}],
     {"reason": "completed"}, 2),
    ("two calls with the same id", [{"calls": [{**LOOK, "id": "x"}, {"tool": "listFiles", "arguments": {}, "id": "x"}]},
                             {"when": {"last": "(?=.*two)(?=.*check.sh)"}, "say": "Done."}], {"reason": "completed"}, 2),
    ("many calls at once", [{"calls": [LOOK] * 20}, {"when": {"last": "(two.*){20}"}, "say": "Done."}], {"reason": "completed"}, 2),
    ("nothing, once", [{"say": ""}, {"when": {"last": "answer was empty"}, "say": "Done."}], {"reason": "completed"}, 2),
    ("nothing, always", [{"say": "", "times": 9}], {"reason": "empty"}, 3),
    ("cut off, once", [{"say": "Do", "stop": "length"}, {"when": {"last": "cut off"}, "say": "ne."}], {"reason": "completed", "words": "Done."}, 2),
    ("cut off, always", [{"say": "Do", "stop": "length", "times": 9}], {"reason": "cut"}, 3),
    ("a very long answer", [{"say": "0123456789abcdef", "repeat": 700000}], {"reason": "model", "fault": "more than 8388608 bytes"}, 1),
    ("no host", None, {"reason": "model", "fault": "cannot be reached"}, 0),
]


def faults():
    for name, steps, wanted, asked in FAULTS:
        for provider in THREE:
            with World(steps or [], provider=provider) as world:
                arguments = ["do it"] if steps else ["do it", "--base-url", "http://127.0.0.1:9"]
                if not steps:
                    at = world.command().index("--base-url")
                    command = world.command()
                    command[at + 1] = "http://127.0.0.1:9"
                    world.command = lambda *more, dialect="probe", command=command: [*command, *more]
                    arguments = ["do it"]
                code, answer, errors = world.run(*arguments)
                holds = all(str(value) in str(answer.get(key)) for key, value in wanted.items())
                holds = holds and (code == 0) == (wanted["reason"] == "completed") and len(world.journal) == asked
                holds = holds and (answer.get("missing") is None) == (code == 0) and KEY not in world.said
                report(f"{name}, {provider}", holds,
                       (code, answer, errors[-1500:], [(entry["ended"]) for entry in world.journal]))


def budgets():
    endless = [{"calls": [LOOK, LOOK], "say": "I look again.", "tokens": [500, 100], "times": 99}]
    rows = [("turns", ["--max-turns", "3"], "3/3 turns"), ("calls", ["--max-calls", "5"], "5/5 calls"),
            ("tokens", ["--max-tokens", "1000"], "1200/1000 tokens"), ("time", ["--max-time", "2"], "/2 s")]
    for spent, flags, used in rows:
        steps = endless if spent != "time" else [{**endless[0], "fault": {"stall": 30, "after": 2}}]
        with World(steps) as world:
            began = time.monotonic()
            code, answer, errors = world.run("do it", *flags, TOOLPOST_IDLE_SECONDS="60")
            holds = code == 1 and (answer.get("reason"), answer.get("spent")) == ("budget", spent) and used in answer["missing"]
            holds = holds and (spent == "time" or answer["words"] == "I look again.") and time.monotonic() - began < 30
            report(f"budget of {spent}", holds, (code, answer, errors[-1500:]))
            if spent == "calls":
                report("calls that were not made are named", "Calls that were not made: extract." in answer["missing"], answer)
            if spent == "time":
                time.sleep(0.3)
                report("the connection of a question that is given up ends", world.journal[0]["ended"] == "left", world.journal[0]["ended"])


def written_calls():
    """Calls that the model writes as text: in Probe's form, and as `to=functions`."""
    rows = [
        ("<extract>\n<file>notes.txt</file>\n</extract>", "probe", "reply tool=\"extract\" went=\"done\".*two"),
        ("I look.\nto=functions.extract {\"file\": \"notes.txt\"}", "probe", "reply tool=\"extract\" went=\"done\".*two"),
        ("to=functions.grep {\n  \"pattern\": \"t.o\"\n}", "opencode", "reply tool=\"grep\" went=\"done\".*notes.txt"),
        ("<extract><file>none.txt</file></extract>", "probe", "went=\"failed\""),
    ]
    for words, dialect, reply in rows:
        with World([{"say": words}, {"when": {"last": reply}, "say": "Done."}]) as world:
            code, answer, errors = world.run("do it", dialect=dialect)
            report(f"a call written as text: {words!r}", code == 0 and answer["words"] == "Done.", (code, answer, errors[-1500:]))


def completion():
    steps = [{"say": "", "calls": [{"tool": "attempt_completion", "arguments": {"result": "All is done."}}]}]
    with World(steps) as world:
        code, answer, errors = world.run("do it")
        report("a tool reports the task as complete", code == 0 and answer["words"] == "All is done.", (code, answer, errors[-1500:]))


def shortened():
    """The conversation is compacted before the context window is full, and the run continues."""
    long = {"notes.txt": "a line of some length that fills the window\n" * 120}
    steps = [{"when": {"absent": "left out"}, "calls": [LOOK], "say": "I look.", "tokens": [1, 1], "times": 20},
             {"when": {"last": "", "whole": "left out to save space"}, "say": "Done."}]
    with World(steps, files=long.items(), provider="anthropic") as world:
        code, answer, errors = world.run("do it", TOOLPOST_WINDOW="16000")
        report("a conversation is compacted", code == 0 and answer["words"] == "Done." and "conversation compacted from about" in errors,
               (code, answer, errors[-1500:]))
    steps = [{"when": {"no_tools": True, "whole": "<conversation>"}, "say": "It was about SHORT.", "tokens": [1, 1]},
             {"when": {"whole": "It was about SHORT"}, "say": "Done."},
             {"when": {"whole": "Begin"}, "fault": {"status": 400, "message": "maximum context length is 10 tokens"}}]
    with World(steps, provider="responses") as world:
        code, answer, errors = world.run("Begin " + "many words " * 3000, TOOLPOST_WINDOW="14000")
        report("a request that is too long is repeated after a compaction", code == 0 and answer.get("words") == "Done.",
               (code, answer, errors[-1500:], [entry["ended"] for entry in world.journal]))


def resumed():
    """Another process resumes the run of a killed process."""
    steps = [{"calls": [LOOK], "say": "I look."}, {"when": {"last": "two", "absent": "Continue the task"}, "say": "x", "fault": {"stall": 60, "after": 3, "times": 1}}]
    more = [{"when": {"last": "Continue the task", "whole": "do it.*two"}, "say": "Done."}]
    with World(steps + more) as world:
        environment = world.environment(TOOLPOST_IDLE_SECONDS="60")
        process = subprocess.Popen(world.command("do it"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while len(world.journal) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        identity = process.communicate()[1].split("--resume ")[1].split("`")[0]
        place = world.top / f"state/toolpost/transcripts/{identity}.jsonl"
        place.write_bytes(place.read_bytes() + b'{"line":"message","mess')
        report("only the owner can read a transcript", place.stat().st_mode & 0o777 == 0o600, oct(place.stat().st_mode))
        code, answer, errors = world.run("--resume", identity)
        report("the run of a killed process is resumed", code == 0 and (answer["words"], answer["id"]) == ("Done.", identity),
               (code, answer, errors[-1500:]))
        code, answer, errors = world.run("--resume", identity)
        report("a complete run is not resumed without a new task", code == 2 and "is complete" in errors, (code, errors))
        code, _, errors = world.run("--resume", "../x")
        report("an invalid id", code == 2 and "is not the id of a transcript" in errors, (code, errors))


def lines_of(place):
    return [json.loads(line) for line in place.read_text().splitlines()]


def stopped():
    """Ctrl-C: the transcript records the reason, the printed command resumes the run, and the task list is still there."""
    task = {"tool": "task", "arguments": {"action": "create", "title": "Look at the notes"}}
    steps = [{"when": {"last": "^do it"}, "calls": [task]},
             {"when": {"last": "task-1", "absent": "Continue the task"}, "say": "x", "fault": {"stall": 60, "after": 3, "times": 1}},
             {"when": {"last": "Continue the task"}, "calls": [{"tool": "task", "arguments": {"action": "list"}}]},
             {"when": {"last": "Look at the notes", "whole": "Continue the task"}, "say": "Done."},
             {"when": {"last": "and more"}, "say": "Done again."}, {"when": {"last": "and then"}, "say": "Done at last."}]
    with World(steps, provider="anthropic") as world:
        environment = world.environment(TOOLPOST_IDLE_SECONDS="60")
        command = world.command("--read-only", "do it")
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while len(world.journal) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
        printed = errors.rstrip().splitlines()[-1]
        report("the command that resumes the run is printed last", printed.startswith("toolpost: continue with `toolpost agent --resume "), errors)
        again = printed.split("`")[1].split()[1:]
        identity = again[-1]
        place = world.top / f"state/toolpost/transcripts/{identity}.jsonl"
        ended = [line for line in lines_of(place) if line["line"] == "ended"]
        report("a transcript records that the run was cancelled", process.returncode == 130 and ended == [{"line": "ended", "reason": "cancelled"}],
               (process.returncode, ended, errors))
        # In another directory, and with another model in the environment.
        other = world.environment(TOOLPOST_MODEL="another", TOOLPOST_DIALECT="claude")

        def run(*words, at=world.top):
            done = subprocess.run([BINARY, *words], env=other, cwd=at, capture_output=True, text=True, timeout=120, check=False)
            return done.returncode, done.stdout, done.stderr

        code, said, errors = run(*again)
        holds = code == 0 and said == "Done.\n" and {entry["model"] for entry in world.journal} == {"scripted"}
        report("the printed command resumes the run, with its task list", holds, (code, said, errors[-1500:], [e["ended"] for e in world.journal]))
        tools = world.journal[-1]["tools"] if world.journal else []
        report("what was denied stays denied", "task" in tools and "edit" not in tools and "create" not in tools, tools)
        code, said, errors = run("agent", "--resume", "last", "and more", at=world.root)
        report("the latest run is resumed", code == 0 and said == "Done again.\n", (code, said, errors[-1500:]))
        code, said, errors = run("agent", "--resume", identity[:6], "and then")
        report("the beginning of an id is enough", code == 0 and said == "Done at last.\n", (code, said, errors[-1500:]))
        other_root = world.top / "other"
        other_root.mkdir()
        code, said, errors = run("agent", "--resume", "last", at=other_root)
        report("another directory has no latest run", code == 2 and "no earlier runs in" in errors, (code, said, errors))
        code, said, errors = run("agent", "list", "--json", at=world.root)
        work = json.loads(said)[0] if code == 0 else {}
        found = {key: work.get(key) for key in ("id", "ended", "turns", "model", "task")}
        wanted = {"id": identity, "ended": "completed", "turns": 5, "model": "scripted", "task": "do it"}
        report("the run is listed", found == wanted, (code, said, errors))
        code, said, _ = run("agent", "list", at=other_root)
        report("the list counts the runs in other directories", "1 more run in another directory" in said, said)
        code, said, _ = run("agent", "list", "--all", at=other_root)
        report("the list of all runs", said.startswith(f"{identity}  ") and str(world.root) in said, said)


def told():
    """The display of calls: reasons, exit codes and diffs. Colours appear only on a terminal; times exclude prompts."""
    edit = {"tool": "edit", "arguments": {"file_path": "src/calc.py", "old_string": "return a - c", "new_string": "return a + b"}}
    right = {**edit, "arguments": {**edit["arguments"], "old_string": "return a - b"}}
    check = {"tool": "bash", "arguments": {"command": "sh check.sh"}}
    steps = [{"when": {"last": "^do it"}, "calls": [check]}, {"when": {"last": "FAIL"}, "calls": [edit]},
             {"when": {"last": "extract"}, "calls": [{"tool": "extract", "arguments": {"file": "src/calc.py"}}]},
             {"when": {"last": "return a - b"}, "calls": [edit]}, {"when": {"last": "."}, "calls": [right]},
             {"when": {"last": "."}, "say": "Done."}]
    with World(steps) as world:
        done = subprocess.run(world.command("do it"), env=world.environment(), capture_output=True, text=True, timeout=120, check=False)
        wanted = [r"  < bash: exit code 1, \d+ bytes \(", r"  < edit failed \([^\n]*\n      \S", r"  < edit: src/calc.py \+1 -1 \(",
                  r"\n      -    return a - b\n      \+    return a \+ b\n", r"toolpost: done\. Used: 6/200 turns"]
        for pattern in wanted:
            report(f"a user sees {pattern!r}", re.search(pattern, done.stderr), done.stderr)
        report("without a terminal there are no colours", done.returncode == 0 and "\x1b" not in done.stderr, done.stderr)
    asked = [{"when": {"last": "^do it"}, "calls": [{"tool": "bash", "arguments": {"command": "touch made"}}]},
             {"when": {"last": "."}, "say": "Done."}]
    for colours, more in [(True, {}), (False, {"NO_COLOR": "1"})]:
        with World(asked, rules="") as world:
            seen, took = at_terminal(world.command("do it"), world.environment(TERM="xterm", **more), "n  Deny", 9)
            report("a user is asked at a terminal", "Done." in seen and (world.root / "made").exists(), seen)
            report(f"colours on a terminal: {colours}", ("\x1b[36m>\x1b[0m bash" in seen) == colours, seen)
            shown = re.search(r"< bash: exit code 0, \d+ bytes \((\d+(?:\.\d)?) (ms|s)\)", seen)
            seconds = float(shown.group(1)) / (1000 if shown.group(2) == "ms" else 1) if shown else 99
            report("the time of a call does not include its prompt", seconds < took, seen)


def at_terminal(command, environment, question, seconds, answer=b"y"):
    """Runs a program at a terminal, and answers its prompt after `seconds`. Returns its output and the wait of the prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(command[0], command, environment)
    seen, waited, end = b"", 0, time.monotonic() + 120
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1)
        if ready:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            if not waited and question.encode() in seen:
                time.sleep(seconds)
                waited = seconds
                os.write(terminal, answer)
    os.close(terminal)
    os.waitpid(pid, 0)
    return seen.decode(errors="replace").replace("\r\n", "\n"), waited


def stopped_at_a_question():
    """Ctrl-C while a prompt waits: the run ends, and its transcript records the reason."""
    asked = [{"when": {"last": "^do it"}, "calls": [{"tool": "bash", "arguments": {"command": "touch made"}}]}]
    with World(asked, rules="") as world:
        seen, _ = at_terminal(world.command("do it"), world.environment(TERM="xterm"), "n  Deny", 1, b"\x03")
        (place,) = (world.top / "state/toolpost/transcripts").iterdir()
        holds = lines_of(place)[-1] == {"line": "ended", "reason": "cancelled"} and "toolpost: continue with `" in seen
        report("Ctrl-C at a prompt ends the run", holds and not (world.root / "made").exists(), seen)


def keys_of_a_prompt():
    """One key answers a prompt, and an approval holds as long as its key says: `make check` covers exactly these words,
    `cargo test` any further words."""
    policy = "config/toolpost/policy.toml"
    rows = [
        # the key, the command, whether it ran, the confirmation, and what the policy file then holds
        (b"y", "touch made", True, "allowed once", ""),
        (b"n", "touch made", False, "denied", ""),
        (b"\r", "touch made", False, "denied", ""),
        (b"\x1b", "touch made", False, "denied", ""),
        (b"a", "touch made", True, "always allowed", 'commands = ["touch made $"]'),
        (b"a", "git add made", False, "always allowed", 'commands = ["git add"]'),
    ]
    for key, command, ran, confirmed, rule in rows:
        with World([], rules="") as world:
            call = [BINARY, "call", "--dialect", "opencode", "--root", str(world.root), "--sandbox", "off", "bash", json.dumps({"command": command})]
            seen, asked = at_terminal(call, world.environment(TERM="xterm"), "n  Deny", 0.2, key)
            learned = (world.top / policy).read_text()
            holds = asked and confirmed in seen and ((world.root / "made").exists() == ran)
            holds = holds and (rule in learned if rule else learned == "")
            report(f"the key {key} for `{command}`", holds, (seen, learned))
            if confirmed == "always allowed":
                # The next call of the same kind does not prompt, and a call of another kind still does.
                more = "git add notes.txt src" if rule.endswith('["git add"]') else command
                again = [*call[:-1], json.dumps({"command": more})]
                done = subprocess.run(again, env=world.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
                report(f"after \"always\", `{more}` does not prompt", "Not allowed" not in done.stdout + done.stderr, done)
                other = [*call[:-1], json.dumps({"command": "touch made other"})]
                done = subprocess.run(other, env=world.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
                denied = "Not allowed" in done.stdout + done.stderr and not (world.root / "other").exists()
                report("after \"always\", other arguments still prompt", denied, done)


def waiting():
    """A server that is started at a terminal prints that it waits for a client; any other server prints nothing."""
    with World([]) as world:
        command = [BINARY, "serve", "--root", str(world.root)]
        seen, _ = at_terminal(command, world.environment(TERM="xterm"), "Ctrl-C stops the server", 0, b"\x03")
        report("a server at a terminal prints that it waits for a client", "waiting for a client on standard input" in seen, seen)
        done = subprocess.run(command, env=world.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        report("a server without a terminal prints nothing", (done.returncode, done.stdout, done.stderr) == (0, "", ""), done)


def anthropic_form():
    """In Anthropic's format, a failed result has an error flag, and each request is cached up to the end of the previous one."""
    wrong = {"tool": "extract", "arguments": {"file": "none.txt"}}
    steps = [{"when": {"last": "^do it"}, "calls": [wrong, LOOK]}, {"when": {"last": "two"}, "calls": [LOOK]},
             {"when": {"last": "two"}, "say": "Done."}]
    with World(steps, provider="anthropic") as world:
        code, answer, errors = world.run("do it")
        bodies = [entry["body"] for entry in world.journal]
        results = [block for body in bodies[1:2] for message in body["messages"] if isinstance(message["content"], list)
                   for block in message["content"] if block["type"] == "tool_result"]
        report("a failed result has an error flag", code == 0 and [block.get("is_error", False) for block in results] == [True, False],
               (code, errors[-1500:], results))
        wrong = [sdks.wrong("anthropic", block, sdks.anthropic.types.ToolResultBlockParam) for block in results]
        report("the official types accept a failed result", not any(wrong), wrong)
        ephemeral = {"type": "ephemeral"}

        def marked(body):
            """Returns the indexes of the messages that end a cached part."""
            ends = [message["content"][-1] if isinstance(message["content"], list) else {} for message in body["messages"]]
            return [at for at, block in enumerate(ends) if block.get("cache_control") == ephemeral]

        report("the system prompt is cached", all(body["system"][-1].get("cache_control") == ephemeral for body in bodies), bodies[0].get("system"))
        report("the conversation is cached as it grows", [marked(body) for body in bodies] == [[0], [0, 2], [2, 4]],
               [marked(body) for body in bodies])


def pictured_in_words():
    """The reply to a call written as text also has its image."""
    image = png()
    steps = [{"when": {"last": "^do it"}, "say": "<readImage>\n<path>red.png</path>\n</readImage>"},
             {"when": {"last": "reply tool=\"readImage\" went=\"done\""}, "say": "Done."}]
    for provider in FIVE:
        for name, more in [("shown", {}), ("named", {"TOOLPOST_PICTURES": "named"})]:
            with World(steps, provider=provider) as world:
                (world.root / "red.png").write_bytes(image)
                code, answer, errors = world.run("do it", **more)
                sent = [base64.b64encode(image).decode() in json.dumps(entry["body"]) for entry in world.journal]
                holds = code == 0 and answer.get("words") == "Done." and sent == [False, name == "shown"]
                report(f"an image of a call written as text, {name}, {provider}", holds, (code, answer, errors[-1500:], sent))


def delegated():
    """A part of the task is delegated to a subagent."""
    agent = "---\nname: looker\ndescription: Looks.\ntools: extract\nmodel: other\n---\nYou are the looker.\n"
    left = {"tool": "delegate", "arguments": {"task": "read the notes", "subagent": "looker", "context": "CONTEXT"}}
    steps = [
        {"when": {"last": "^do it", "tools": ["delegate"]}, "calls": [left]},
        {"when": {"system": "You are the looker", "last": "read the notes.*CONTEXT"}, "calls": [LOOK]},
        {"when": {"system": "You are the looker", "last": "two"}, "say": "The notes say two."},
        {"when": {"last": "The notes say two"}, "say": "Done."},
    ]
    described = {".toolpost/agents/looker.md": agent}
    with World(steps, files=described.items()) as world:
        trust = [BINARY, "policy", "trust", "--root", str(world.root)]
        subprocess.run(trust, env=world.environment(), check=True, capture_output=True)
        code, answer, errors = world.run("do it")
        tools = [entry["tools"] for entry in world.journal]
        holds = code == 0 and answer["words"] == "Done." and [entry["model"] for entry in world.journal] == ["scripted", "other", "other", "scripted"]
        holds = holds and tools[1] == ["extract"] and answer["used"]["turns"]["used"] == 4 and answer["used"]["calls"]["used"] == 2
        holds = holds and "    [looker 1] turn 2" in errors
        report("a defined subagent does a part of the task", holds, (code, answer, errors[-1500:], [(e["ended"], e["model"]) for e in world.journal]))
    with World(steps[:1] + [{"when": {"last": "No agent is called looker"}, "say": "Done."}], files=described.items()) as world:
        code, answer, errors = world.run("do it")
        report("a subagent of an untrusted project does not exist", code == 0 and answer["words"] == "Done.", (code, answer, errors[-1500:]))
    plain = {"tool": "delegate", "arguments": {"task": "go deep"}}
    steps = [
        {"when": {"last": "^do it"}, "calls": [plain]},
        {"when": {"last": "^go deep"}, "say": "I go.", "calls": [plain]},
        {"when": {"last": "No tool is called delegate"}, "say": "", "fault": {"status": 400, "message": "broken"}},
        {"when": {"last": "did not finish its task.*broken.*I go"}, "say": "Done."},
    ]
    with World(steps) as world:
        code, answer, errors = world.run("do it")
        report("a subagent cannot delegate, and its failure is reported", code == 0 and answer.get("words") == "Done.",
               (code, answer, errors[-1500:], [entry["ended"] for entry in world.journal]))


def picture_of(provider, body):
    """Returns the first image of a request: its media type, its base64 data, and the part that contains it; None without one."""
    def inside(value):
        if isinstance(value, dict):
            yield value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            yield from inside(part)

    def url(text, part):
        head, data = text.split(";base64,")
        return head.removeprefix("data:"), data, part

    for part in inside(body):
        if provider == "openai" and part.get("type") == "image_url":
            return url(part["image_url"]["url"], part)
        if provider == "responses" and part.get("type") == "input_image":
            return url(part["image_url"], part)
        # The result of a call contains its images.
        if provider == "anthropic" and part.get("type") == "tool_result" and len(part["content"]) > 1:
            image = part["content"][1]
            return image["source"]["media_type"], image["source"]["data"], image
        if provider == "gemini" and "inline_data" in part:
            return part["inline_data"]["mime_type"], part["inline_data"]["data"], part
        if provider == "ollama" and part.get("images"):
            return "image/png", part["images"][0], part
    return None


def png():
    """An image of two red pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"\0\xff\0\0\xff\0\0")
    head = struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def pictured():
    """Images of replies: sent in the format of each service, or only named, by the setting or after a refusal of the service."""
    look = {"tool": "readImage", "arguments": {"path": "red.png"}}
    steps = [{"when": {"last": "^do it"}, "calls": [look, LOOK]}, {"when": {"whole": "image 1: image/png"}, "say": "Done."}]
    refuses = [*steps[:1], {"when": {"absent": "only their names"}, "fault": {"status": 400, "message": "this model takes no images"}},
               {"when": {"whole": "the images of this reply are not shown to you, only their names"}, "calls": [look]},
               {"when": {"whole": "the images of this reply are not shown to you, only their names"}, "say": "Done."}]
    image = png()
    for provider in FIVE:
        for name, more, script, sent in [("shown", {}, steps, 2), ("named", {"TOOLPOST_PICTURES": "named"}, steps, None),
                                         ("refused", {}, refuses, 2)]:
            with World(script, provider=provider) as world:
                (world.root / "red.png").write_bytes(image)
                code, answer, errors = world.run("do it", **more)
                found = [picture_of(provider, entry["body"]) for entry in world.journal]
                wanted = [None] * len(script)
                if sent:
                    wanted[sent - 1] = ("image/png", base64.b64encode(image).decode())
                holds = code == 0 and answer.get("words") == "Done." and [one and one[:2] for one in found] == wanted
                holds = holds and ("later requests contain only the images' names" in errors) == (name == "refused")
                report(f"pictures {name}, {provider}", holds, (code, answer, errors[-1500:], found, [e["ended"] for e in world.journal]))
                if name == "shown":
                    wrong = found[-1] and sdks.wrong(provider, found[-1][2])
                    report(f"the official types accept the image that is sent, {provider}", not wrong, wrong)


def one_budget():
    """Model requests of tools count against the budget of the whole run, and the run ends with the correct reason."""
    plan = {"tool": "execute_plan", "arguments": {"code": "return [LLM('one', 'x'), LLM('two', 'x'), LLM('three', 'x')].join()"}}
    asks = {"tool": "analyze_all", "arguments": {"question": "What does total do?"}}
    first = {"when": {"last": "^do it"}, "tokens": [10, 10]}
    llm = {"when": {"no_tools": True}, "say": "CLAIM a\nCITE E1", "tokens": [400, 100], "times": 9}
    rows = [("turns", plan, ["--max-turns", "3"], "3/3 turns", 3), ("tokens", plan, ["--max-tokens", "900"], "1020/900 tokens", 3),
            ("turns", asks, ["--max-turns", "2"], "2/2 turns", 2)]
    for spent, call, flags, used, asked in rows:
        with World([{**first, "calls": [call]}, llm]) as world:
            code, answer, errors = world.run("do it", *flags)
            holds = code == 1 and (answer.get("reason"), answer.get("spent")) == ("budget", spent) and used in answer["missing"]
            report(f"{call['tool']} counts against the budget of {spent}", holds and len(world.journal) == asked,
                   (code, answer, errors[-1500:], [entry["ended"] for entry in world.journal]))


READ = {"tool": "read_file", "arguments": {"path": "src/calc.py"}}
CLAIM = "CLAIM total takes b away from a.\nCITE src/calc.py:2 | return a - b\nGAP Who calls it."
FALSE = "CLAIM a\nCITE src/calc.py:2 | return a * b\nCLAIM b\nCITE src/none.py:1 | x\nCLAIM c\nCLAIM d\nCITE E77\n"


def called(world, tool, arguments, dialect="zblade", **more):
    """Makes a single call with `toolpost call`."""
    command = [BINARY, "call", "--dialect", dialect, *world.command(dialect=dialect)[4:], tool, json.dumps(arguments)]
    done = subprocess.run(command, env=world.environment(**more), capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def investigated():
    """Investigations that a model guides: one that cites correctly, and several that misbehave."""
    begun = {"last": "Find out about the code", "tools": ["read_file"]}
    honest = [{"when": begun, "calls": [READ]}, {"when": {"last": "return a - b"}, "say": CLAIM}]
    endless = [{"calls": [READ], "say": "I read again.", "times": 99}]
    many = [{"when": begun, "calls": [READ] * 30}, {"when": {"last": "This call was not made, because all . tool calls"}, "say": CLAIM}]
    writes = [{"when": begun, "calls": [{"tool": "write_file", "arguments": {"path": "src/calc.py", "content": "x"}}]},
              {"when": {"last": "No tool is called write_file"}, "say": CLAIM}]
    away = [{"say": "x", "fault": {"status": 401, "message": "no"}}]
    silent = [{"say": "x", "fault": {"stall": 30}}]
    rows = [
        ("an honest model", honest, {}, {"ended": "completed", "turns": 2, "calls": 1, "claims": 1, "dropped": 0}, 1, 2),
        ("a model that cites falsely", [{"when": begun, "say": FALSE}], {}, {"ended": "completed", "claims": 4, "dropped": 4}, 0, 1),
        ("a model that never ends", endless, {"max_turns": 5}, {"ended": "turns", "claims": 0}, 0, 4),
        ("a model that makes too many calls", many, {"max_tool_calls": 9}, {"ended": "completed", "claims": 1}, 1, 2),
        ("a model that wants to write", writes, {}, {"ended": "completed", "claims": 1}, 1, 2),
        ("a model that fails", away, {}, {"ended": "failed", "claims": 0}, 0, 1),
        ("a model that is silent", silent, {"cancel_after_ms": 2500}, {"ended": "time", "claims": 0}, 0, 1),
    ]
    for provider in THREE:
        for name, steps, more, wanted, claims, asked in rows:
            with World(steps, provider=provider) as world:
                asks = {"objective": "What does total in calc.py do?", **more}
                code, said, errors = called(world, "codebase_investigator", asks, TOOLPOST_IDLE_SECONDS="60")
                found = json.loads(said) if code == 0 else {}
                model = found.get("meta", {}).get("model") or {}
                by = [one["by"] for one in found.get("findings", [])]
                holds = {key: model.get(key) for key in wanted} == wanted and by.count("model") == claims and "search" in by
                holds = holds and by == sorted(by) and len(world.journal) == asked
                meta = found.get("meta", {})
                holds = holds and meta["turns_used"] <= meta["max_turns"] and meta["tool_calls_used"] <= meta["max_tool_calls"]
                if claims:
                    holds = holds and found["findings"][0]["evidence"] == ["src/calc.py:2"]
                if name == "a model that makes too many calls":
                    holds = holds and model["refused"] == 30 - model["calls"] and meta["tool_calls_used"] == 9
                offered = set(world.journal[0]["tools"]) if world.journal else set()
                holds = holds and "read_file" in offered and not offered & {"write_file", "edit_file", "run_command", "delete_file"}
                holds = holds and (world.root / "src/calc.py").read_text() == FILES["src/calc.py"]
                report(f"investigated by {name}, {provider}", holds, (code, said, errors[-1500:], [e["ended"] for e in world.journal]))


def asked_of_all():
    """A question over a project: chunk by chunk, then one summary."""
    part = {"no_tools": True, "last": "is a part of the code.*2\\| +return a - b"}
    summed = {"no_tools": True, "last": "numbered claims.*C1 total takes b away"}
    asks = {"question": "What does total do?"}
    with World([{"when": part, "say": CLAIM + "\n" + FALSE}, {"when": summed, "say": "It subtracts [C1]."}]) as world:
        code, said, errors = called(world, "analyze_all", asks, dialect="probe")
        holds = code == 0 and "Answer of the model:\nIt subtracts [C1]." in said
        holds = holds and "C1 total takes b away from a. [src/calc.py:2]" in said and "4 claims dropped because of wrong citations" in said
        report("a question over a project", holds and "Languages:" in said and len(world.journal) == 2, (code, said, errors[-1500:]))
    with World([{"when": part, "say": "x", "fault": {"status": 401, "message": "no"}}]) as world:
        code, said, errors = called(world, "analyze_all", asks, dialect="probe")
        holds = code == 0 and "- no answer for chunk 1 of 1 (" in said and "Search results for the question, without the model:" in said
        report("a question over a project whose model fails", holds, (code, said, errors[-1500:]))
    with World([]) as world:
        code, said, errors = called(world, "analyze_all", {"depth": "deep"}, dialect="probe")
        report("without a question no model is asked", code == 0 and not world.journal and "Languages:" in said, (code, said, errors[-1500:]))


def searched():
    """An agent searches if the setting `search_agent` is on."""
    words = "CLAIM It is computed there.\nCITE src/calc.py:1-2\nCLAIM Not there.\nCITE src/calc.py:5-9"
    steps = [{"when": {"last": "Find the code that this search asks for", "tools": ["extract"]},
              "calls": [{"tool": "extract", "arguments": {"file": "src/calc.py"}}]}, {"when": {"last": "return a - b"}, "say": words}]
    for value, asked in [("on", 2), ("off", 0), ("", 0)]:
        with World(steps) as world:
            code, said, errors = called(world, "search", {"query": "where is the sum"}, dialect="probe", TOOLPOST_SEARCH_AGENT=value)
            holds = code == 0 and len(world.journal) == asked
            if asked:
                holds = holds and said.startswith("- It is computed there.: src/calc.py:1-2\n") and "2 claims (1 dropped" in said
                holds = holds and "2:" in said and "return a - b" in said
            else:
                holds = holds and "model" not in said
            report(f"a search with search_agent={value!r}", holds, (code, said, errors[-1500:]))
    with World([{"say": "x", "fault": {"status": 401, "message": "no"}}]) as world:
        code, said, errors = called(world, "search", {"query": "total"}, dialect="probe", TOOLPOST_SEARCH_AGENT="on")
        holds = code == 0 and "return a - b" in said and "failed" in said and "without a model" in said
        report("a search whose agent fails", holds, (code, said, errors[-1500:]))


def unset():
    """Without a model or a key, the error names the settings to set."""
    rows = [([], "no model is set: pass --model NAME, or set TOOLPOST_MODEL"),
            (["--model", "m"], "openai needs a key: set TOOLPOST_MODEL_KEY or OPENAI_API_KEY"),
            (["--model", "m", "--provider", "anthropic"], "anthropic needs a key: set TOOLPOST_MODEL_KEY or ANTHROPIC_API_KEY")]
    with World([]) as world:
        environment = world.environment()
        del environment["TOOLPOST_MODEL_KEY"]
        for flags, wanted in rows:
            command = [BINARY, "agent", "--root", str(world.root), *flags, "do it"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
            report(f"unset: {flags}", done.returncode == 1 and wanted in done.stderr, (done.returncode, done.stderr))
        doctor = subprocess.run([BINARY, "doctor", "--root", str(world.root), "--model", "m"], env=environment, capture_output=True,
                                text=True, timeout=60, check=False).stdout
        report("doctor says what is missing", "none: openai needs a key" in doctor and "agent.model = m (flag)" in doctor, doctor)


if __name__ == "__main__":
    BINARY = sys.argv[1]
    only = sys.argv[2:]
    if not only:
        sdks.check(report)
    for part in (unset, whole_tasks, faults, budgets, written_calls, completion, shortened, resumed, stopped, stopped_at_a_question, keys_of_a_prompt, told, waiting, anthropic_form, delegated, pictured,
                 pictured_in_words,
                 one_budget, investigated, asked_of_all, searched):
        if not only or part.__name__ in only:
            part()
    acp.check(report, BINARY, World, only)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
