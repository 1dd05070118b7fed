"""Runs the examples of the documents, loads every policy recipe, and compares the page about errors with the code. Usage: check.py BINARY DOCS"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = ["tutorial.md", "headless.md"]
RECIPES = "policy-recipes.md"
BLOCK = re.compile(r"^(?P<skip><!-- not run -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S)


def environment(binary, folder):
    """Returns an environment with an empty home, in which `toolpost` is the binary."""
    home, programs = folder / "home", folder / "bin"
    home.mkdir()
    programs.mkdir()
    (programs / "toolpost").symlink_to(binary)
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"}


def normal(text, folder):
    """Replaces the parts of an output that differ from run to run."""
    text = re.sub(r" +$", "", text.replace(str(folder / "work"), "DIR"), flags=re.M)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b", "TIME", text)
    text = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{10}\b", "ID", text)
    return re.sub(r'"duration":[0-9.]+', '"duration":MS', text)


def examples(text):
    """Returns the shell blocks of a page that are run, each with the expected output or None."""
    blocks = list(BLOCK.finditer(text))
    for block, after in zip(blocks, [*blocks[1:], None]):
        if block["kind"] != "sh" or block["skip"]:
            continue
        adjoining = after is not None and after["kind"] in ("text", "json") and not text[block.end() : after.start()].strip()
        yield block["text"], after["text"] if adjoining else None


def run_page(page, binary):
    """Runs the blocks of a page in one shell. Returns the number of blocks and a list of failures."""
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "work").mkdir()
        variables = environment(binary, folder)
        where = folder / "work"
        for commands, wanted in examples(page.read_text()):
            count += 1
            script = f"set -e\ncd {str(where)!r}\n{commands}\npwd > {str(folder / 'where')!r}\n"
            done = subprocess.run(
                ["bash", "-c", script], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=300,
            )
            if done.returncode:
                failures.append(f"{page.name}: exit status {done.returncode}\n{commands}\n{done.stdout}")
                break
            where = Path((folder / "where").read_text().strip())
            shown = normal(done.stdout, folder)
            if wanted is not None and shown != wanted:
                lines = difflib.unified_diff(wanted.splitlines(), shown.splitlines(), "documented", "printed", lineterm="")
                failures.append(f"{page.name}: the output of this example differs\n{commands}\n" + "\n".join(lines))
    return count, failures


def explain(binary, policy, variables):
    return subprocess.run(
        [binary, "policy", "explain", "--policy", policy, "ls"], env=variables, cwd=policy.parent, capture_output=True, text=True,
    )


def run_recipes(page, binary):
    """Loads each policy, and checks that a wrong example in it would be refused."""
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        variables = environment(binary, folder)
        (folder / "work").mkdir()
        policy = folder / "work" / "policy.toml"
        for block in BLOCK.finditer(page.read_text()):
            if block["kind"] != "toml":
                continue
            count += 1
            policy.write_text(block["text"])
            done = explain(binary, policy, variables)
            if done.returncode:
                failures.append(f"{page.name}: a policy is refused: {done.stderr}")
            if "execute" not in block["text"]:
                continue
            allowed = re.search(r'^allow = \["([^"]+)"', block["text"], re.M)
            if not allowed:
                failures.append(f"{page.name}: a policy over commands has no example under `allow`:\n{block['text']}")
                continue
            policy.write_text(block["text"].replace("\nask = [", f'\nask = ["{allowed[1]}", ', 1))
            if explain(binary, policy, variables).returncode == 0:
                failures.append(f"{page.name}: a wrong example is not noticed in:\n{block['text']}")
    return count, failures


def check_kinds(docs):
    """Checks that the page about errors has a section and a row for each kind of failure, and for no other."""
    source = (docs.parent / "crates/engine/src/failure/mod.rs").read_text()
    body = re.search(r"pub enum Kind \{(.*?)\n\}", source, re.S)
    names = re.findall(r"^    ([A-Z]\w+),", body[1], re.M) if body else []
    kinds = [re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in names]
    page = (docs / "errors.md").read_text()
    sections = re.findall(r"^## ([a-z_]+)$", page, re.M)
    rows = re.findall(r"^\| \[`([a-z_]+)`\]", page, re.M)
    failures = [f"errors.md has {found}, and the code has {kinds}" for found in (sections, rows) if found != kinds or not kinds]
    return 1, failures


def main():
    binary, docs = sys.argv[1], Path(sys.argv[2])
    results = [run_page(docs / page, binary) for page in PAGES]
    results.append(run_recipes(docs / RECIPES, binary))
    results.append(check_kinds(docs))
    failures = [failure for _, failed in results for failure in failed]
    for failure in failures:
        print(failure, end="\n\n")
    total = sum(count for count, _ in results)
    if not all(count for count, _ in results):
        print("a page has no examples")
        return 1
    print(f"{total - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
