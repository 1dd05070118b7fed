"""Runs the security rows against a built binary: one line a row, a summary, and an exit status.

usage: run.py BINARY [--only REGEX] [--jobs N] [--strict]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
sys.dont_write_bytecode = True
import adapter_claude as adapter  # noqa: E402
import assertions  # noqa: E402
from needs import Needs  # noqa: E402
from operations import MACHINES  # noqa: E402
from session import NoAnswer, Session  # noqa: E402
from tools import build_tools  # noqa: E402
from world import Setting, World  # noqa: E402

AREAS = {"fs-confine", "special-files", "metadata", "edit-fidelity", "data-loss", "search", "protocol", "fault-injection", "trust-config",
         "secrets-logs", "stateless-2026"}
#: Rows that watch memory, kill or race: they run by themselves.
ALONE = {"race_read", "race_write", "kill9_write", "kill_points", "edit_loop_kill", "parallel_edit", "backpressure"}


def lacking(row):
    """The operation that this dialect has no tool for, if the row cannot be said without it."""
    if row["operation"] in adapter.LACKS:
        return row["operation"]
    for step in row.get("steps", []):
        if step["operation"] in adapter.LACKS and step["expect"] != "any":
            return step["operation"]
    return None


def known(row):
    """Fails on what the runner does not know, before anything runs."""
    if lacking(row):
        return
    assertions.shape(row)
    for part in (row, *row.get("steps", [])):
        operation = part["operation"]
        if operation not in MACHINES and operation not in adapter.LACKS:
            adapter.calls(operation, {"path": "", "paths": [], "name": "", "arguments": {}})


def operate(session, part):
    """Runs an operation and returns its replies."""
    operation, args = part["operation"], session.world.fill(part["args"])
    machine = MACHINES.get(operation)
    if machine is None:
        return session.say(operation, args)
    if session.server is None:
        return session.say("checkpoint", {})
    return machine(session, **args)


def expected(want, replies):
    """What is wrong with the replies, in words."""
    bad = any(reply.refused for reply in replies)
    if want == "refuse" and not bad:
        return [f"it was not refused: {replies[0].text[:200]!r}"]
    if want == "ok" and bad:
        return [f"it was refused: {replies[0].text[:300]!r}"]
    return []


def run_row(setting, row):
    """Runs one row and returns what is wrong with it."""
    world = World(setting, row)
    session = Session(world)
    try:
        world.build()
        session.begin()
        began = time.monotonic()
        replies = operate(session, row)
        wrong = expected(row["expect"], replies)
        took = time.monotonic() - began
        if took > session.limit():
            wrong.append(f"it took {took:.1f} s, over {session.limit():.1f} s")
        for step in row.get("steps", []):
            if step["operation"] in adapter.LACKS:
                continue
            step_replies = operate(session, step)
            wrong += expected(step["expect"], step_replies) + assertions.judge(step, session, step_replies)
            replies += step_replies
        failing = assertions.judge(row, session, replies)
        said = [f"it said {replies[0].text[:200]!r}"] if failing else []
        return wrong + failing + said
    except NoAnswer as error:
        return [f"no answer: {error}"]
    finally:
        session.close()
        world.end()


def judged(setting, needs, row):
    """One of passed, failed, skipped, not applicable; and why."""
    lacks = lacking(row)
    if lacks:
        return "not applicable", f"the dialect has no tool for {lacks}"
    elsewhere = needs.elsewhere(row)
    if elsewhere:
        return "elsewhere", elsewhere
    missing = needs.missing(row)
    if missing:
        return "skipped", missing
    try:
        wrong = run_row(setting, row)
    except Exception as error:  # a runner that breaks is a failed row, with its reason
        return "failed", f"the runner broke: {type(error).__name__}: {error}"
    return ("failed", "; ".join(wrong)) if wrong else ("passed", "")


def unprivileged():
    """Who the rows run as: the caller, or `nobody` when the caller is root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def prepared(binary):
    """A place that the unprivileged user can reach, with the binary and the small tools in it."""
    place = tempfile.mkdtemp(prefix="toolpost-security-")
    os.chmod(place, 0o755)
    copy = os.path.join(place, "toolpost")
    shutil.copy(binary, copy)
    os.chmod(copy, 0o755)
    setting = Setting(copy, place, unprivileged(), float(os.environ.get("SCALE", "2.5")))
    setting.chown(place)
    build_tools(setting.tools)
    return setting


def rows(only):
    """The rows of both files that the expression chooses."""
    found = []
    for name in ("cases.jsonl", "own.jsonl"):
        with open(HERE / name, encoding="utf8") as file:
            found += [json.loads(line) for line in file if line.strip()]
    chosen = [row for row in found if row["area"] in AREAS and re.search(only, row["id"])]
    for row in chosen:
        known(row)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--only", default=".")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    setting = prepared(os.path.abspath(options.binary))
    needs, counts = Needs(setting), dict.fromkeys(("passed", "failed", "skipped", "not applicable", "elsewhere"), 0)
    chosen = rows(options.only)

    def report(row, result):
        outcome, why = result
        counts[outcome] += 1
        if outcome != "passed" or options.verbose:
            print(f"{outcome:14} {row['id']:8} {row['risk'][:90]}" + (f"\n{'':24}{why[:700]}" if why else ""), flush=True)

    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            together = [row for row in chosen if row["operation"] not in ALONE]
            for row, result in zip(together, pool.map(lambda row: judged(setting, needs, row), together), strict=True):
                report(row, result)
        for row in chosen:
            if row["operation"] in ALONE:
                report(row, judged(setting, needs, row))
    finally:
        subprocess.run(["rm", "-rf", setting.place], check=False)
    print(f"not applicable in this dialect: {counts['not applicable']}; to be run on another kind of machine: {counts['elsewhere']}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
