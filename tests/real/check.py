"""Lets third-party agents complete a task with the tools of the built binary, directed by a scripted model.

usage: check.py BINARY PROGRAMS [--only AGENT] [--dialect DIALECT] [--show]
"""
import argparse
import fcntl
import json
import pathlib
import socket
import struct
import sys
import tempfile
import time

sys.dont_write_bytecode = True
here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here.parent / "agent")]
from agents import AGENTS, World  # noqa: E402
from model import Server  # noqa: E402
from tasks import AFTER, FILES, MADE, PATH, RULES, TASKS, UNASKED  # noqa: E402

ASKED = "total adds wrongly; fix it"
WORDS = "Fixed: the tests pass."
#: Keys of a schema that an agent may drop without harm to a call.
DECORATION = {"minimum", "maximum", "default", "format", "maxItems", "minItems", "additionalProperties", "$schema"}
passed, failed = 0, 0


def check(what, holds, found=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"FAILED {what}\n  {str(found)[:2000]}\n", flush=True)


def alone():
    """Brings the loopback up, and makes sure that nothing else can be reached."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        fcntl.ioctl(link, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        sys.exit(f"there are network interfaces other than the loopback: {names}; start this through run.sh")


def fill(root):
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def steps(agent, task):
    """Returns the task as a scenario; each step waits for the result of the previous one."""
    def call(*names):
        return [{"tool": agent.tool(task.calls[name][0]), "arguments": task.calls[name][1], "id": name.replace(" ", "_")} for name in names]

    wanted = [agent.tool(name) for name in task.tools]
    found = [{"when": {"lacks": wanted}, "calls": [agent.search(wanted)]}] if agent.searches else []
    return [
        {"when": {"no_tools": True}, "say": "Mending total", "times": 99},
        *found,
        {"when": {"tools": wanted}, "say": "I look.", "calls": call("read")},
        {"when": {"last": "return a - b"}, "calls": call("long")},
        {"when": {"last": "line 1 of a long file"}, "calls": call("verify before")},
        {"when": {"last": "FAIL"}, "calls": call("wrong edit")},
        {"when": {"last": "not found"}, "calls": call("right edit")},
        {"when": {"last": "return a \\+ b"}, "calls": call("verify after")},
        {"when": {"last": "PASS"}, "say": WORDS},
    ]


def replies(binary, agent, world, task):
    """Returns the reply to each call without an agent in between, by the purpose of the call."""
    fill(world.root)
    script = world.base / "script"
    script.write_text("".join(json.dumps({"tool": tool, "arguments": arguments}) + "\n" for tool, arguments in task.calls.values()))
    done = world.run(binary, "call", *task.flags, "--root", str(world.root), "--script", str(script), **agent.settings)
    said = ["".join(part.get("text", "") for part in json.loads(line)["content"]) for line in done.stdout.splitlines()]
    return dict(zip(task.calls, said, strict=True))


def same(ours, theirs):
    """Returns the changes that an agent made to a schema: those that affect a call, and those that do not."""
    grave, light = [], set()

    def walk(place, ours, theirs):
        if isinstance(ours, dict) and isinstance(theirs, dict):
            for key in ours.keys() | theirs.keys():
                if ours.get(key) == theirs.get(key):
                    continue
                empty = key == "properties" and not ours.get(key) and not theirs.get(key)
                if (key in DECORATION or empty) and place[-1:] != ["properties"]:
                    light.add(f"{'-' if key in ours else '+'}{key}")
                elif key not in ours or key not in theirs:
                    grave.append(f"{'.'.join([*place, key])} is {'gone' if key in ours else 'new'}")
                else:
                    walk([*place, key], ours[key], theirs[key])
        elif isinstance(ours, list) and isinstance(theirs, list) and place[-1:] == ["required"]:
            if sorted(ours) != sorted(theirs):
                grave.append(f"{'.'.join(place)}: {ours} became {theirs}")
        elif ours != theirs:
            grave.append(f"{'.'.join(place)}: {ours!r} became {theirs!r}")

    walk([], ours, theirs)
    return grave, light


def told_of_tools(what, agent, binary, world, task, journal):
    """Checks that the agent passes on each tool with its description and its schema."""
    listed = json.loads(world.run(binary, "tools", *task.flags, "--format", "mcp").stdout)
    ours = {agent.tool(tool["name"]): tool for tool in listed}
    theirs = {}
    for entry in journal:
        theirs |= {name: tool for name, tool in agent.definitions(entry["body"]).items() if name in ours}
    first = next((entry for entry in journal if entry["tools"]), journal[0])
    at_once = [name for name in ours if name in agent.definitions(first["body"])]
    if agent.searches:
        ours = {name: tool for name, tool in ours.items() if name in theirs}
        check(f"{what}: the called tools are passed on", {agent.tool(name) for name in task.tools} <= set(theirs), sorted(theirs))
    check(f"{what}: each tool is passed on", set(ours) == set(theirs), sorted(set(ours) ^ set(theirs)))
    decoration = set()
    for name in sorted(set(ours) & set(theirs)):
        description, schema = theirs[name]
        check(f"{what}: the description of {name} is complete", description == ours[name]["description"], description)
        grave, light = same(ours[name]["inputSchema"], schema)
        decoration |= light
        check(f"{what}: the schema of {name} is complete", not grave, "\n  ".join(grave))
    return f"{len(at_once)} of {len(listed)} tools in the first request; schemas: {', '.join(sorted(decoration)) or 'unchanged'}"


def work(agent, dialect, binary, programs, show):
    """One task: read, edit wrongly, edit, verify."""
    what, task = f"{agent.name}, {dialect}", TASKS[dialect]
    with tempfile.TemporaryDirectory(prefix="toolpost-real-") as base, Server({"steps": steps(agent, task)}) as model:
        world = World(pathlib.Path(base).resolve(), programs, model.address)
        world.write(".config/toolpost/policy.toml", RULES)
        wanted = replies(binary, agent, world, task)
        fill(world.root)
        added = agent.set_up(world, [binary, "serve", *task.flags, "--events", str(world.events)])
        check(f"{what}: the server is added", added.returncode == 0, added)
        began = time.monotonic()
        done, words = agent.do(world, ASKED)
        seconds = time.monotonic() - began
        journal = model.script.journal
        ended = [(entry["ended"][:300], entry.get("step")) for entry in journal]
        check(f"{what}: the run completes with the model's text", (done.returncode, (words or "").strip()) == (0, WORDS),
              (done.returncode, words, done.stderr[-3000:], ended))
        check(f"{what}: the file has the expected bytes", (world.root / PATH).read_bytes() == AFTER, (world.root / PATH).read_bytes())
        events = [json.loads(line) for line in world.events.read_text().splitlines()] if world.events.exists() else []
        ends = [(event["name"], event["status"]) for event in events if event["status"] != "started"]
        should = [(tool, "failed" if name == "wrong edit" else "completed") for name, (tool, _) in task.calls.items()]
        check(f"{what}: the event log has each call", ends == should, ends)
        notes = [told_of_tools(what, agent, binary, world, task, journal)] if journal else []
        results = {}
        for entry in journal:
            results |= agent.results(entry["body"])
        for name, words in wanted.items():
            result = results.get(name.replace(" ", "_"))
            if result is None:
                check(f"{what}: the reply to {name} reaches the model", False, ended)
                continue
            said = agent.said(result)
            if show and name != "long":
                print(f"--- {what}, {name}: {json.dumps(result, ensure_ascii=False)[:1500]}")
            if name == "long":
                whole = words in said
                check(f"{what}: the long reply reaches the model, whole or truncated by the agent", whole or agent.cuts, said[-300:])
                notes.append(f"a reply of {len(words.encode())} bytes arrives " + ("whole" if whole else f"as {len(said.encode())} bytes"))
                if show and not whole:
                    print(f"--- {what}, long: {said[:300]!r} ... {said[-300:]!r}")
            elif name.startswith("verify"):
                verdict = "FAIL" if name == "verify before" else "PASS"
                check(f"{what}: the reply to {name} reaches the model", verdict in said, said)
            else:
                check(f"{what}: the reply to {name} reaches the model whole", words in said, f"{said!r}\n  wanted {words!r}")
        print(f"{what}: {seconds:.1f} s; {'; '.join(notes)}", flush=True)


def asked(agent, binary, programs, show):
    """A command that no rule matches: without a user to prompt, it does not run, and the model gets the reason."""
    what, task = f"{agent.name}, a command without a rule", TASKS[agent.dialect]
    name = agent.tool(task.unasked[0])
    search = [{"when": {"lacks": [name]}, "calls": [agent.search([name])]}] if agent.searches else []
    scenario = [{"when": {"no_tools": True}, "say": "Making", "times": 99}, *search,
                {"when": {"tools": [name]}, "calls": [{"tool": name, "arguments": task.unasked[1], "id": "unasked"}]},
                {"when": {"last": "."}, "say": WORDS}]
    with tempfile.TemporaryDirectory(prefix="toolpost-real-") as base, Server({"steps": scenario}) as model:
        world = World(pathlib.Path(base).resolve(), programs, model.address)
        world.write(".config/toolpost/policy.toml", RULES)
        fill(world.root)
        agent.set_up(world, [binary, "serve", *task.flags, "--events", str(world.events)])
        done, words = agent.do(world, ASKED)
        results = {}
        for entry in model.script.journal:
            results |= agent.results(entry["body"])
        said = agent.said(results["unasked"]) if "unasked" in results else ""
        if show:
            print(f"--- {what}: {said}")
        check(f"{what}: the command does not run", not (world.root / MADE).exists(), said)
        check(f"{what}: the model gets the reason", f"`{UNASKED}`" in said and "allow" in said, (said, done.stderr[-1500:]))
        check(f"{what}: the run continues", (done.returncode, (words or "").strip()) == (0, WORDS), (done.returncode, words, done.stderr[-1500:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("programs", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--only", action="append", choices=[agent.program for agent in AGENTS])
    parser.add_argument("--dialect", action="append", choices=list(TASKS))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    alone()
    for agent in AGENTS:
        if options.only and agent.program not in options.only:
            continue
        asked(agent, options.binary, options.programs, options.show)
        for dialect in options.dialect or TASKS:
            work(agent, dialect, options.binary, options.programs, options.show)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
