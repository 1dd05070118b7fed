"""Runs the examples of the documents, loads every policy recipe, starts the server of every client's settings, and compares
the pages about errors and security evidence with the code. A shell block that nothing runs must be marked as such.
Usage: check.py BINARY DOCS"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from setups import check_setups, of_line

PAGES = ["tutorial.md", "headless.md"]
RECIPES = "policy-recipes.md"
EVIDENCE = "security-evidence.md"
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
    text = re.sub(r" +$", "", text.replace(str(folder / "work"), "DIR").replace(str(folder / "home"), "HOME"), flags=re.M)
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
    """Explains a command under a policy. A valid policy prints a verdict, whose exit status can be any of 0, 1 and 2."""
    done = subprocess.run(
        [binary, "policy", "explain", "--policy", policy, "ls"], env=variables, cwd=policy.parent, capture_output=True, text=True,
    )
    return "verdict: " in done.stdout, done.stderr


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
            valid, error = explain(binary, policy, variables)
            if not valid:
                failures.append(f"{page.name}: a policy is refused: {error}")
            if "execute" not in block["text"]:
                continue
            allowed = re.search(r'^allow = \["([^"]+)"', block["text"], re.M)
            if not allowed:
                failures.append(f"{page.name}: a policy over commands has no example under `allow`:\n{block['text']}")
                continue
            policy.write_text(block["text"].replace("\nask = [", f'\nask = ["{allowed[1]}", ', 1))
            if explain(binary, policy, variables)[0]:
                failures.append(f"{page.name}: a wrong example is accepted in:\n{block['text']}")
    return count, failures


def run_setups(docs, binary):
    """Starts every server that a page tells a client to start."""
    with tempfile.TemporaryDirectory() as name:
        return check_setups(docs, environment(binary, Path(name).resolve()))


def starts_server(line):
    """Returns whether a line of a shell block starts a server or adds one to a client, which `check_setups` runs."""
    return any(server for _, server in of_line(line))


def check_marks(docs):
    """Checks that every shell block is run, or is marked with `<!-- not run -->`."""
    failures, count = [], 0
    for page in sorted(docs.glob("*.md")):
        text = page.read_text()
        for block in BLOCK.finditer(text) if page.name not in PAGES else ():
            if block["kind"] != "sh":
                continue
            count += 1
            lines = [line for line in block["text"].replace("\\\n", " ").splitlines() if line.strip()]
            if not block["skip"] and not all(starts_server(line) for line in lines):
                number = text[: block.start()].count("\n") + 1
                failures.append(
                    f"{page.name}:{number}: nothing runs this shell block: add the page to PAGES in tests/docs/check.py, or write "
                    f"`<!-- not run -->` above the block\n{block['text']}"
                )
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


def check_evidence(docs):
    """Checks that every test that the page of security evidence names exists: its file, its function, or the rows of tests/security."""
    top = docs.parent
    page = (docs / EVIDENCE).read_text()
    sources = {str(path.relative_to(top / "crates")): path for path in (top / "crates").rglob("*.rs")}
    functions = {name for path in sources.values() for name in re.findall(r"fn ([a-z0-9_]+)", path.read_text())}
    cases = [path.read_text() for path in (top / "tests/security").glob("*.jsonl")]
    rows = {row for text in cases for row in re.findall(r'"id": ?"([A-Z]+-\d+)"', text)}
    failures, count = [], 0
    for line in page.splitlines():
        cells = line.split("|")
        if len(cells) < 4 or cells[2].strip() in ("tests", "---"):
            continue
        for crate, file, function in re.findall(r"`([a-z_-]+)/([a-z_/]+)(?:: ([a-z0-9_]+))?`", cells[2]):
            if crate == "tests":
                continue
            count += 1
            if not any(name.startswith(f"{crate}/") and (f"/{file}.rs" in name or f"/{file}/" in name) for name in sources):
                failures.append(f"{EVIDENCE}: `{crate}/{file}` is not a file of tests")
            if function and function not in functions:
                failures.append(f"{EVIDENCE}: `{function}` is not a test")
        for function in re.findall(r"`([a-z][a-z0-9_]+)`", cells[2]):
            count += 1
            if function not in functions:
                failures.append(f"{EVIDENCE}: `{function}` is not a test")
        for row in re.findall(r"\b([A-Z]{2}-\d{3})\b", cells[2]):
            count += 1
            if row not in rows:
                failures.append(f"{EVIDENCE}: {row} is not a row of tests/security")
    return count, failures


def main():
    binary, docs = sys.argv[1], Path(sys.argv[2])
    results = [run_page(docs / page, binary) for page in PAGES]
    results.append(run_recipes(docs / RECIPES, binary))
    results.append(run_setups(docs, binary))
    results.append(check_marks(docs))
    results.append(check_kinds(docs))
    results.append(check_evidence(docs))
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
