"""Drives `toolpost agent`, `call` and `doctor` with a scripted external agent (`agent.py`), and stops runs by signals."""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
RULES = '[[rule]]\ntouch = ["read"]\npaths = ["hidden.txt"]\ndecide = "deny"\n'
FILES = {"calc.py": "def total(a, b):\n    return a - b\n", "lines.txt": "one\ntwo\nthree", "hidden.txt": "nobody reads this\n"}


class World:
    """A workspace, the directories of a user, and a scripted agent."""

    def __init__(self, binary, *prompts, **scenario):
        self.binary, self.base = binary, tempfile.TemporaryDirectory()
        self.top = pathlib.Path(self.base.name).resolve()
        self.root = self.top / "root"
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.top / "config/toolpost").mkdir(parents=True)
        (self.top / "config/toolpost/policy.toml").write_text(RULES)
        prompts = [prompt if isinstance(prompt, dict) else {"steps": prompt} for prompt in prompts]
        (self.top / "scenario.json").write_text(json.dumps({"prompts": prompts, **scenario}))
        self.agent = shlex.join([sys.executable, str(here / "agent.py"), str(self.top / "scenario.json"), str(self.top / "journal.jsonl")])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.base.cleanup()

    def environment(self, **more):
        kept = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY") and not key.startswith("TOOLPOST_")}
        return {**kept, "XDG_CONFIG_HOME": str(self.top / "config"), "XDG_STATE_HOME": str(self.top / "state"),
                "XDG_CACHE_HOME": str(self.top / "cache"), "HOME": str(self.top), **more}

    def command(self, name, *more, dialect="claude"):
        return [self.binary, name, "--dialect", dialect, "--root", str(self.root), "--sandbox", "off", "--acp", self.agent, *more]

    def call(self, *command, **more):
        done = subprocess.run(command, env=self.environment(**more), capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def run(self, *arguments, **more):
        code, out, errors = self.call(*self.command("agent", "--json", *arguments), **more)
        return code, json.loads(out) if out.strip() else {}, errors

    def heard(self, what):
        lines = (self.top / "journal.jsonl").read_text().splitlines() if (self.top / "journal.jsonl").exists() else []
        entries = [json.loads(line) for line in lines]
        return [entry["data"] for entry in entries if entry["what"] == what]

    def left(self):
        """Returns the processes of this world that still exist two seconds after the end."""
        for _ in range(40):
            found = [path.parent.name for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if self.mine(path)]
            if not found:
                return []
            time.sleep(0.05)
        return found

    def mine(self, path):
        try:
            return str(self.top / "scenario.json").encode() in path.read_bytes()
        except OSError:
            return False


def whole_task(report, binary):
    edit = {"file_path": "calc.py", "old_string": "a - b", "new_string": "a + b"}
    steps = [{"say": "I look. "}, {"mcp": ["Read", {"file_path": "calc.py"}]}, {"expect": ["reply", "return a - b"]},
             {"mcp": ["Edit", edit]}, {"expect": ["reply", "calc.py"]}, {"say": "Fixed "}, {"say": "calc.py."}]
    with World(binary, {"when": "total adds wrongly", "steps": steps}) as world:
        code, answer, errors = world.run("--acp-may", "write", "total adds wrongly; fix it")
        wanted = {"reason": "completed", "words": "Fixed calc.py.", "missing": None}
        holds = code == 0 and {key: answer.get(key) for key in wanted} == wanted
        holds = holds and "a + b" in (world.root / "calc.py").read_text() and answer["used"]["calls"]["used"] == 2
        report("own agent: a whole task", holds, (code, answer, errors[-3000:], world.heard("failed")))
        report("own agent: its calls and its text are displayed", "  > mcp__toolpost-acp__Edit {" in errors and "| I look." in errors, errors[-2000:])
        report("own agent: none of its processes is left", world.left() == [], world.left())
        _, history, _ = world.call(binary, "history", "--root", str(world.root))
        report("own agent: its change is in the history", "calc.py" in history, history)
        lines = [json.loads(line) for line in next((world.top / "state/toolpost/transcripts").glob("*.jsonl")).read_text().splitlines()]
        kinds = [line.get("message", {}).get("from", line["line"]) for line in lines]
        wanted = ["began", "user", "model", "results", "model", "results", "model", "ended"]
        report("own agent: its transcript is complete", kinds == wanted and lines[-1]["reason"] == "completed", lines)
    more = {"when": "conversation of this task so far.*sky blue.*and the sea", "steps": [{"say": "Blue, too."}]}
    with World(binary, more, [{"say": "It is sky blue."}]) as world:
        _, first, _ = world.run("what colour is it")
        code, answer, errors = world.run("--resume", first["id"], "and the sea")
        report("own agent: a run is resumed", code == 0 and answer["words"] == "Blue, too.", (code, answer, errors[-2000:], world.heard("failed")))


def read_only(report, binary):
    steps = [{"tools": None}, {"expect": ["tools", "^(?!.*(Edit|Write))(?=.*Read)"]}, {"write": ["/nowhere/new.txt", "x"]}, {"say": "${tools} ${error}"}]
    with World(binary, steps) as world:
        code, answer, errors = world.run("look")
        said = world.heard("initialize")[0]
        holds = code == 0 and "must not write files" in answer["words"] and not said["clientCapabilities"]["fs"].get("writeTextFile")
        holds = holds and not said["clientCapabilities"].get("terminal") and sorted(path.name for path in world.root.iterdir()) == sorted(FILES)
        report("own agent: by default it may only read", holds, (code, answer, errors[-2000:], said, world.heard("failed")))
        new = world.heard("session/new")[0]
        report("own agent: it works in the root", new["cwd"] == str(world.root), new)
    with World(binary, [{"tools": None}, {"say": "${tools}"}]) as world:
        command = world.command("agent", "--acp-may", "write", "--json", "look", dialect="probe")
        code, out, errors = world.call(*command)
        words = json.loads(out)["words"].split()
        report("own agent: it cannot delegate", "edit" in words and "delegate" not in words, (words, errors[-1500:]))


#: The requested call, the value of `acp_may`, and the option that is selected.
ASKED = [
    ({"title": "mcp__toolpost-acp__Edit", "kind": "other"}, "read", "allow_once"),
    ({"title": "edit calc.py", "kind": "edit", "locations": [{"path": "@/calc.py"}]}, "write", "reject_once"),
    ({"title": "mcp__toolpost-acp__Edit; rm", "kind": "execute"}, "write", "reject_once"),
    ({"title": "run it", "kind": "execute"}, "all", "allow_once"),
    ({"title": "run it", "kind": "execute", "options": ["allow_always"]}, "all", "cancelled"),
    ({"title": "read", "kind": "read", "locations": [{"path": "@/calc.py"}]}, "read", "allow_once"),
    ({"title": "read", "kind": "read", "locations": [{"path": "@/hidden.txt"}]}, "read", "reject_once"),
    ({"title": "read", "kind": "read", "locations": [{"path": "/etc/passwd"}]}, "read", "reject_once"),
    ({"title": "fetch", "kind": "fetch"}, "read", "reject_once"),
]


def permissions(report, binary):
    for call, may, wanted in ASKED:
        with World(binary) as world:
            call = json.loads(json.dumps(call).replace("@", str(world.root)))
            scenario = {"prompts": [{"steps": [{"ask": call}, {"say": "${answer}"}]}]}
            (world.top / "scenario.json").write_text(json.dumps(scenario))
            code, answer, errors = world.run("--acp-may", may, "do it")
            holds = code == 0 and answer["words"] == wanted and "  ? " in errors
            report(f"own agent asks: {call}, {may}", holds, (code, answer, errors[-1500:]))


#: Requests for files: the step of the agent, the recorded variable, and the expected content or error.
REACHED = [
    ({"read": ["@/lines.txt"]}, "file", "one\ntwo\nthree"),
    ({"read": ["@/calc.py"]}, "file", FILES["calc.py"]),
    ({"read": ["@/lines.txt", 2, 1]}, "file", "two\n"),
    ({"read": ["/etc/passwd"]}, "error", "outside"),
    ({"read": ["@/../scenario.json"]}, "error", "outside"),
    ({"read": ["@/hidden.txt"]}, "error", "hidden.txt"),
    ({"read": ["@/none.txt"]}, "error", "none.txt"),
    ({"write": ["@/lines.txt", "x"]}, "error", "lines.txt"),
    ({"write": ["/etc/toolpost-test", "x"]}, "error", "outside"),
    ({"write": ["@/new.txt", "new\n"]}, "file", "written"),
]


def files(report, binary):
    for step, name, wanted in REACHED:
        with World(binary) as world:
            step = json.loads(json.dumps(step).replace("@", str(world.root)))
            scenario = {"prompts": [{"steps": [step, {"say": "<${" + name + "}>"}]}]}
            (world.top / "scenario.json").write_text(json.dumps(scenario))
            code, answer, errors = world.run("--acp-may", "write", "do it")
            words = answer.get("words", "")
            holds = words == f"<{wanted}>".strip() if name == "file" else wanted in words and words != "<>"
            report(f"own agent requests a file: {step}", code == 0 and holds, (code, answer, errors[-1500:]))
    with World(binary) as world:
        at = str(world.root / "lines.txt")
        steps = [{"read": [at]}, {"write": [at, "four\n"]}, {"say": "${file}"}]
        (world.top / "scenario.json").write_text(json.dumps({"prompts": [{"steps": steps}]}))
        events = world.top / "events.jsonl"
        code, answer, errors = world.run("--acp-may", "write", "--events", str(events), "do it")
        _, history, _ = world.call(binary, "history", "--root", str(world.root))
        tools = [json.loads(line).get("name") for line in events.read_text().splitlines()]
        holds = code == 0 and (world.root / "lines.txt").read_text() == "four\n" and "lines.txt" in history and {"Read", "Write"} <= set(tools)
        report("own agent: it writes a file that it has read, with entries in the history and the events", holds, (code, answer, errors[-1500:], history, tools))


PART = {"say": "I have begun."}
#: The fault, the steps of the agent, flags, settings, and the expected outcome.
FAULTS = [
    ("it ends", [PART, {"say": " And it is done."}], [], {}, {"reason": "completed", "words": "I have begun. And it is done."}),
    ("max_tokens", [PART, {"stop": "max_tokens"}], [], {}, {"reason": "cut", "words": "I have begun."}),
    ("max_turn_requests", [PART, {"stop": "max_turn_requests"}], [], {}, {"reason": "limit", "missing": "its own limit"}),
    ("refusal", [PART, {"stop": "refusal"}], [], {}, {"reason": "refused"}),
    ("cancelled by itself", [PART, {"stop": "cancelled"}], [], {}, {"reason": "agent", "fault": "a cancellation that Toolpost did not request"}),
    ("a crash", [PART, {"stderr": "out of cheese"}, {"sleep": 0.2}, {"exit": 3}], [], {},
     {"reason": "agent", "fault": "exited with status 3", "missing": "out of cheese", "words": "I have begun."}),
    ("an error", [PART, {"expect": ["nothing", "x"]}], [], {}, {"reason": "agent", "fault": "session/prompt with an error: nothing is"}),
    ("silence", [PART, {"deaf": 60}], [], {"TOOLPOST_IDLE_SECONDS": "1"}, {"reason": "agent", "fault": "the agent sent nothing for 1 s", "words": "I have begun."}),
    ("garbage", [{"raw": "Warning: hello"}, {"raw": "[1]"}, {"raw": "{\"a\": "}, PART], [], {}, {"reason": "completed"}),
    ("a huge line", [PART, {"huge": 40_000_000}, {"sleep": 60}], [], {}, {"reason": "agent", "fault": "message of more than"}),
    ("an unknown method", [{"request": ["terminal/create", {"sessionId": "s1", "command": "ls"}]}, {"expect": ["error", "-32601"]}, PART], [], {}, {"reason": "completed"}),
    ("an unknown update", [{"update": {"sessionUpdate": "of_tomorrow", "x": 1}}, PART], [], {}, {"reason": "completed"}),
    ("no time left", [PART, {"sleep": 60}], ["--max-time", "8"], {}, {"reason": "budget", "spent": "time", "words": "I have begun."}),
    ("no time left, and it does not listen", [PART, {"deaf": 60}], ["--max-time", "8"], {},
     {"reason": "budget", "spent": "time", "missing": "did not stop when asked", "words": "I have begun."}),
    ("no calls left", [PART] + [{"mcp": ["Read", {"file_path": "calc.py"}]}] * 3 + [{"sleep": 60}], ["--max-calls", "2"], {},
     {"reason": "budget", "spent": "calls", "words": "I have begun."}),
]


def faults(report, binary):
    for name, steps, flags, settings, wanted in FAULTS:
        with World(binary, steps) as world:
            began = time.monotonic()
            code, answer, errors = world.run(*flags, "do it", **settings)
            holds = all(str(value) in str(answer.get(key)) for key, value in wanted.items())
            holds = holds and (code == 0) == (wanted["reason"] == "completed") and (answer.get("missing") is None) == (code == 0)
            holds = holds and world.left() == [] and time.monotonic() - began < 50
            if "budget" in wanted["reason"]:
                holds = holds and world.heard("session/cancel") != []
            report(f"own agent: {name}", holds, (code, answer, errors[-1500:], world.left(), world.heard("failed")))
    rows = [({"version": 7}, "does not support version 1 of the Agent Client Protocol (Invalid request: unsupported ACP protocol version 7"), ({"new": {"error": [-32000, "log in"]}}, "needs a login: start it directly"),
            ({"new": {"error": [-32603, "no room"]}}, "no room"),
            ({"on_start": [{"stderr": "cannot find the moon"}, {"sleep": 0.2}, {"exit": 9}]}, "exited with status 9"),
            ({"on_start": [{"raw": "hello"}, {"raw": "npm warn x"}]}, None)]
    for scenario, wanted in rows:
        with World(binary, [PART], **scenario) as world:
            code, answer, errors = world.run("do it")
            holds = (code, answer.get("reason")) == ((1, "agent") if wanted else (0, "completed")) and (wanted or "") in answer.get("fault", "")
            report(f"own agent at its start: {scenario}", holds and world.left() == [], (code, answer, errors[-1500:]))


def asked(report, binary):
    """Tools that need a model ask the agent."""
    with World(binary, {"when": "go deep", "steps": [{"mcp": ["extract", {"file": "lines.txt"}]}, {"expect": ["reply", "two"]}, {"say": "It says two."}]}) as world:
        code, out, errors = world.call(*world.command("call", "delegate", json.dumps({"task": "go deep"}), dialect="probe"))
        report("own agent: a task is delegated to it", code == 0 and "It says two." in out and world.left() == [],
               (code, out, errors[-1500:], world.heard("failed")))
    described = "---\nname: looker\ndescription: Finds out how something works.\ntools: extract\n---\nYou look.\n"
    with World(binary, {"when": "You look.*go deep", "steps": [{"tools": None}, {"say": "<${tools}>"}]}) as world:
        (world.top / "config/toolpost/agents").mkdir()
        (world.top / "config/toolpost/agents/looker.md").write_text(described)
        delegate = json.dumps({"task": "go deep", "subagent": "looker"})
        code, out, errors = world.call(*world.command("call", "delegate", delegate, dialect="probe"))
        report("own agent: a defined subagent has only its own tools", code == 0 and "<extract>" in out, (code, out, errors[-1500:], world.heard("failed")))
    plan = {"code": "const word = LLM('Which number is it?', 'two');\nreturn word + '!';"}
    with World(binary, {"when": "Which number.*<data>\ntwo", "steps": [{"say": "2"}]}) as world:
        code, out, errors = world.call(*world.command("call", "execute_plan", json.dumps(plan), dialect="probe"))
        new = (world.heard("session/new") or [{}])[0]
        report("own agent: a plan asks it a question, without tools", code == 0 and "2!" in out and new.get("mcpServers") == [],
               (code, out, errors[-1500:], world.heard("failed")))


def told(report, binary):
    with World(binary) as world:
        _, out, _ = world.call(*world.command("doctor", "--all"))
        report("doctor starts the own agent", "scripted 0.1, protocol 1; `acp_may` is read" in out and "agent.acp_may = read (default)" in out, out)
        command = world.command("doctor")
        command[command.index("--acp") + 1] = "no-such-agent acp"
        _, out, _ = world.call(*command)
        report("doctor reports an agent that cannot be started", "no-such-agent" in out and "cannot be used: the agent could not be started" in out, out)
        code, _, errors = world.call(*world.command("agent", "--model", "m", "do it"))
        report("a model and an external agent together are an error", code == 2 and "both a model and an external agent" in errors, (code, errors))
        config = world.top / "config/toolpost/config.toml"
        config.write_text(f"[agent]\nacp = {json.dumps(shlex.split(world.agent))}\nacp_may = \"write\"\nacp_env = [\"FOR_AGENT\"]\n")
        command = [binary, "doctor", "--root", str(world.root)]
        _, out, _ = world.call(*command, FOR_AGENT="x")
        report("the configuration file can name the own agent", "scripted 0.1, protocol 1; `acp_may` is write" in out and "acp_env = FOR_AGENT (file" in out, out)
        _, out, _ = world.call(*command, TOOLPOST_ACP="none")
        report("the own agent is switched off", "agent.acp = none" in out and "scripted" not in out, out)


def interrupted(process, ready, *signals):
    """Sends signals once `ready` returns true. Returns the exit code, both outputs, and the time until the exit."""
    end = time.monotonic() + 60
    while not ready() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1.5)
    began = time.monotonic()
    for at, number in enumerate(signals):
        time.sleep(0.5 if at else 0.0)
        process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors, time.monotonic() - began


def transcript_of(world):
    places = list((world.top / "state/toolpost/transcripts").glob("*.jsonl"))
    return json.loads(places[0].read_text().splitlines()[-1]) if places else {}


def signals(report, binary, model_world):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    rows = [("it stops", "sleep", [signal.SIGINT], ""), ("SIGTERM", "sleep", [signal.SIGTERM], ""),
            ("it does not listen", "deaf", [signal.SIGINT], "did not stop")]
    for name, kind, sent, missing in rows:
        with World(binary, [PART, {kind: 60}]) as world:
            process = subprocess.Popen(world.command("agent", "--json", "do it"), env=world.environment(), **pipes)
            code, out, errors, _ = interrupted(process, lambda world=world: world.heard("prompt"), *sent)
            answer = json.loads(out) if out.strip() else {}
            holds = (code, answer.get("reason"), answer.get("words")) == (130, "cancelled", "I have begun.") and missing in answer["missing"]
            holds = holds and transcript_of(world) == {"line": "ended", "reason": "cancelled"} and world.left() == []
            report(f"own agent stopped: {name}", holds, (code, answer, errors[-1500:], transcript_of(world), world.left()))
    with World(binary, [PART, {"deaf": 60}]) as world:
        process = subprocess.Popen(world.command("agent", "--json", "do it"), env=world.environment(), **pipes)
        code, out, errors, took = interrupted(process, lambda: world.heard("prompt"), signal.SIGINT, signal.SIGINT)
        report("own agent stopped immediately by a second signal", code == 130 and out == "" and took < 4 and world.left() == [], (code, out, errors[-1500:], took, world.left()))
    # In Toolpost's own agent loop: while the model answers, and while a call runs.
    stalled = [{"say": "I think about it for long.", "fault": {"stall": 60, "after": 3}}]
    running = [{"say": "I run it.", "calls": [{"tool": "bash", "arguments": {"command": "sleep 50"}}]}]
    for name, steps, rules in [("while the model answers", stalled, None), ("while a call runs", running, '[[rule]]\ntouch = ["execute"]\ncommands = ["sleep"]\ndecide = "allow"\n')]:
        with model_world(steps, **({"rules": rules} if rules else {})) as world:
            environment = world.environment(TOOLPOST_IDLE_SECONDS="60")
            process = subprocess.Popen(world.command("--json", "do it"), env=environment, **pipes)
            code, out, errors, took = interrupted(process, lambda world=world: world.journal, signal.SIGINT)
            answer = json.loads(out) if out.strip() else {}
            holds = (code, answer.get("reason")) == (130, "cancelled") and transcript_of(world) == {"line": "ended", "reason": "cancelled"}
            holds = holds and took < 20 and (not rules or answer["words"] == "I run it.")
            report(f"a run is stopped {name}", holds, (code, answer, errors[-1500:], transcript_of(world), took))


def check(report, binary, model_world, only):
    for part in (whole_task, read_only, permissions, files, faults, asked, told):
        if not only or part.__name__ in only:
            part(report, binary)
    if not only or "signals" in only:
        signals(report, binary, model_world)
