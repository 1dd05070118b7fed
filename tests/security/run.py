"""Runs the security rows against a built binary, with the tools of each dialect, and prints a line for each row and a summary.

usage: run.py BINARY [--dialect NAME]... [--only REGEX] [--jobs N] [--verbose]
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
import adapters  # noqa: E402
import assertions  # noqa: E402
from needs import Needs  # noqa: E402
from operations import DRIVES, MACHINES  # noqa: E402
from session import NoAnswer, Session  # noqa: E402
from tools import build_tools  # noqa: E402
from world import Setting, World  # noqa: E402

AREAS = {"fs-confine", "special-files", "metadata", "edit-fidelity", "data-loss", "search", "protocol", "fault-injection", "trust-config",
         "secrets-logs", "stateless-2026", "exec", "exec-policy", "fetch-ssrf", "fetch-robust"}
#: Operations of rows that run alone, because they watch memory, kill or race.
ALONE = {"race_read", "race_write", "kill9_write", "kill_points", "edit_loop_kill", "parallel_edit", "backpressure", "exec_cancel", "exec_then_term",
         "exec_then_kill9"}


def lacking(adapter, row):
    """Returns the reason why the row does not apply to the dialect, or an empty string."""
    if adapter.DIALECT not in row.get("dialects", adapters.DIALECTS):
        return "the row is worded for another dialect"
    if row["id"] in getattr(adapter, "OTHERWISE", {}):
        return adapter.OTHERWISE[row["id"]]
    for part in (row, *row.get("steps", [])):
        operation = DRIVES.get(part["operation"], part["operation"])
        if part is not row and part["expect"] == "any":
            continue
        if adapters.lacks(adapter, operation):
            return f"the dialect has no tool for {operation}"
        try:
            if operation in adapters.SAID and part["operation"] not in DRIVES:
                adapters.calls(adapter, operation, part["args"])
        except adapters.CannotSay as error:
            return f"the dialect's tool for {operation} has no {error}"
    return ""


def known(row):
    """Fails if the row has an operation or assertion that the runner does not know, before anything runs."""
    parts = (row, *row.get("steps", []))
    if any(part["operation"] in adapters.LATER for part in parts if part is row or part["expect"] != "any"):
        return
    assertions.shape(row)
    for part in parts:
        operation = part["operation"]
        if operation not in MACHINES and operation not in adapters.SAID | adapters.LATER:
            raise KeyError(f"{row['id']}: the operation {operation!r} is not known")


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
    """Returns the problems of the replies, as texts."""
    bad = any(reply.refused for reply in replies)
    if want == "refuse" and not bad:
        return [f"it was not refused: {replies[0].text[:200]!r}"]
    if want == "ok" and bad:
        return [f"it was refused: {replies[0].text[:300]!r}"]
    return []


def run_row(setting, adapter, row):
    """Runs one row and returns what is wrong with it."""
    world = World(setting, row, adapter.SERVED)
    session = Session(world, adapter)
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
            if adapters.lacks(adapter, step["operation"]):
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


def judged(setting, needs, adapter, row):
    """Returns the outcome of a row (passed, failed, skipped, not applicable or elsewhere), and the reason."""
    lacks = lacking(adapter, row)
    if lacks:
        return "not applicable", lacks
    elsewhere = needs.elsewhere(row)
    if elsewhere:
        return "elsewhere", elsewhere
    missing = needs.missing(row)
    if missing:
        return "skipped", missing
    try:
        wrong = run_row(setting, adapter, row)
    except Exception as error:  # a runner that breaks is a failed row, with its reason
        return "failed", f"the runner broke: {type(error).__name__}: {error}"
    return ("failed", "; ".join(wrong)) if wrong else ("passed", "")


def unprivileged():
    """Returns the user of the rows: the caller, or `nobody` if the caller is root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def prepared(binary):
    """Creates a directory that the unprivileged user can read, with the binary and the helper programs."""
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
    """Returns the rows of both files whose id matches the expression."""
    found = []
    for name in ("cases.jsonl", "own.jsonl"):
        with open(HERE / name, encoding="utf8") as file:
            found += [json.loads(line) for line in file if line.strip()]
    chosen = [row for row in found if row["area"] in AREAS and re.search(only, row["id"])]
    for row in chosen:
        known(row)
    return chosen


def run_dialect(setting, needs, adapter, chosen, options):
    """Runs the rows in one dialect, and returns the number of rows for each outcome."""
    counts = dict.fromkeys(("passed", "failed", "skipped", "not applicable", "elsewhere"), 0)

    def report(row, result):
        outcome, why = result
        counts[outcome] += 1
        if outcome not in ("passed", "not applicable") or options.verbose:
            line = f"{adapter.DIALECT:9} {outcome:14} {row['id']:8} {row['risk'][:90]}"
            print(line + (f"\n{'':24}{why[:700]}" if why else ""), flush=True)

    def judge(row):
        return judged(setting, needs, adapter, row)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        together = [row for row in chosen if row["operation"] not in ALONE]
        for row, result in zip(together, pool.map(judge, together), strict=True):
            report(row, result)
    for row in chosen:
        if row["operation"] in ALONE:
            report(row, judge(row))
    words = ", ".join(f"{outcome} {count}" for outcome, count in counts.items())
    print(f"{adapter.DIALECT}: {words}", flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--dialect", action="append", choices=adapters.DIALECTS)
    parser.add_argument("--only", default=".")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    setting = prepared(os.path.abspath(options.binary))
    needs, chosen, total = Needs(setting), rows(options.only), {}
    try:
        for dialect in options.dialect or adapters.DIALECTS:
            for outcome, count in run_dialect(setting, needs, adapters.named(dialect), chosen, options).items():
                total[outcome] = total.get(outcome, 0) + count
    finally:
        subprocess.run(["rm", "-rf", setting.place], check=False)
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
