#!/usr/bin/env python3
"""Asks `codesearch` about packages whose defining files are known, and prints the ranks of these files in the answers.

There are two kinds of questions: those in questions.jsonl, and the names and first sentences of public functions and classes of each Python package.
"""

import argparse
import ast
import json
import pathlib
import re
import subprocess

PLACE = re.compile(r"^((?:py|js|rust|go|java):\S+:\d+-\d+.*|[\w./-]+:\d+-\d+.*)$", re.M)


def ask(binary, project, questions, tokens):
    """Returns the locations in each answer, in order. All questions are asked in one session."""
    calls = [{"tool": "codesearch", "arguments": {"query": ask, "tokens_num": tokens}} for ask in questions]
    script = "".join(json.dumps(call) + "\n" for call in calls)
    command = [binary, "call", "--dialect", "opencode", "--root", str(project), "--script", "-"]
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    assert len(answers) == len(questions), f"{len(answers)} answers to {len(questions)} questions: {done.stderr}"
    texts = ["\n".join(part.get("text", "") for part in answer["content"]) for answer in answers]
    unsearched = sum("no time was left for" in text for text in texts)
    if unsearched:
        print(f"  ({unsearched} answers say that there was no time for some packages)")
    return [PLACE.findall(text) for text in texts]


def rank(places, wanted):
    """Returns the rank of the first hit, from 1; 0 if there is none."""
    return next((at for at, place in enumerate(places, 1) if re.search(wanted, place)), 0)


def tell(name, ranks):
    first, three = sum(rank == 1 for rank in ranks), sum(1 <= rank <= 3 for rank in ranks)
    print(f"{name:24} first {first}/{len(ranks)}   first three {three}/{len(ranks)}   not at all {ranks.count(0)}")


def described(package):
    """Yields the documented public functions and classes of a package: name, first sentence, and file."""
    for file in sorted(package.rglob("*.py")):
        relative = file.relative_to(package)
        if any(part.startswith("_") and part != "__init__.py" for part in relative.parts):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            said = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node)
            sentence = re.split(r"(?<=\.)\s|\n\n", " ".join(said.split()))[0] if said else ""
            if len(node.name if said else "") > 4 and not node.name.startswith("_") and 30 < len(sentence) < 160:
                yield node.name, sentence.replace("`", ""), str(relative)


def defining(package, name):
    """Lists the files of a package that define a name."""
    files = {file: ast.walk(ast.parse(file.read_text(encoding="utf-8"))) for file in package.rglob("*.py")}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {str(file.relative_to(package)) for file, nodes in files.items() if any(isinstance(node, kinds) and node.name == name for node in nodes)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("projects", type=pathlib.Path, help="the directory with the projects py and npm")
    parser.add_argument("--each", type=int, default=12, help="questions of each sort about each Python package")
    parser.add_argument("--show", action="store_true", help="show the first results if the wanted file is not among the first three")
    options = parser.parse_args()
    rows = [json.loads(line) for line in (pathlib.Path(__file__).parent / "questions.jsonl").read_text().splitlines()]
    for project in ["py", "npm"]:
        own = [row for row in rows if row["project"] == project]
        found = ask(options.binary, options.projects / project, [row["ask"] for row in own], 5_000)
        ranks = [rank(places, f"^{row['package']}@[^ ]*/.*({row['file']})") for row, places in zip(own, found)]
        tell(f"{project}: by hand", ranks)
        for row, places, at in zip(own, found, ranks):
            if options.show and not 1 <= at <= 3:
                print(f"  {row['ask']} -> {at}: {places[:3]}")
    site = next((options.projects / "py/.venv/lib").glob("python3*/site-packages"))
    for name in ["requests", "flask", "click", "werkzeug"]:
        all_of = list(described(site / name))
        some = all_of[:: max(1, len(all_of) // options.each)][: options.each]
        for sort, questions in [("names", [f"{name} {row[0]}" for row in some]), ("sentences", [row[1] for row in some])]:
            found = ask(options.binary, options.projects / "py", questions, 5_000)
            files = [defining(site / name, one[0]) for one in some]
            wanted = [f"^py:{name}@[^/]*/({'|'.join(map(re.escape, sorted(own)))}):" for own in files]
            ranks = [rank(places, one) for places, one in zip(found, wanted)]
            tell(f"{name}: {sort}", ranks)
            for question, places, at in zip(questions, found, ranks):
                if options.show and not 1 <= at <= 3:
                    print(f"  {question} -> {at}: {places[:3]}")


if __name__ == "__main__":
    main()
