"""Queries real language servers through the built binary, before and after edits.

usage: ask.py BINARY PYTHON-PROGRAMS NODE-PROGRAMS [NAME...]
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pipe import Pipe, refused, text_of  # noqa: E402

#: Time limit in seconds, longer than a server takes to index one of these projects.
LONG = 120.0
passed, failed, skipped = 0, 0, 0


def check(what, holds, found):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}\n{found}\n", flush=True)


class Talk:
    """The binary on a workspace, with servers in its PATH."""

    def __init__(self, binary, root, path, sandbox, *dialects):
        self.root = root
        environment = {**os.environ, "PATH": path, "XDG_STATE_HOME": str(root.parent / "state"),
                       "XDG_CONFIG_HOME": str(root.parent / "config")}
        spoken = [word for dialect in dialects or ["opencode"] for word in ("--dialect", dialect)]
        self.pipe = Pipe([binary, "serve", *spoken, "--root", str(root), "--sandbox", sandbox], env=environment)
        self.pipe.initialize()

    def say(self, tool, **arguments):
        answer = self.pipe.call(tool, arguments, LONG)
        return refused(answer), text_of(answer)

    def lsp(self, operation, file, mark=None, nth=0):
        """Queries the position of the text `mark` in a file."""
        where = {}
        if mark:
            lines = (self.root / file).read_text().split("\n")
            places = [(number, line.index(mark)) for number, line in enumerate(lines) if mark in line]
            where = dict(zip(("line", "column"), places[nth]))
        return self.say("lsp", operation=operation, file=file, **where)

    def until(self, server, *question):
        """Repeats a query until the server gives a complete answer."""
        end = time.monotonic() + LONG
        while True:
            said = self.lsp(*question)
            if f"answered by {server}; complete: yes" in said[1] or time.monotonic() > end:
                return said
            time.sleep(0.3)

    def end(self):
        self.pipe.kill()


#: Marks a location that the syntax tree adds to an incomplete answer.
BY_TREE = "found by the syntax tree alone"


def places(words):
    """Returns the locations in a reply from the language server, as `path:line`."""
    return sorted(re.findall(rf"^(\S+:\d+):\d+:(?!.*{BY_TREE})", words, re.M))


def by_tree(words):
    """Returns the locations in a reply from the syntax tree, as `path:line`."""
    return sorted(re.findall(rf"^(\S+:\d+):\d+:.*{BY_TREE}", words, re.M))


def lines_with(root, text, *files):
    """Returns the lines that contain a text, as `path:line`."""
    return sorted(f"{file}:{number}" for file in files
                  for number, line in enumerate((root / file).read_text().split("\n"), 1) if text in line)


LANGUAGES = {
    "ty": {
        "files": {
            "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n",
            "shop/__init__.py": "",
            "shop/prices.py": 'def total(prices: list[int]) -> int:\n    """Adds prices up."""\n    return sum(prices)\n',
            "shop/till.py": "from shop.prices import total\n\n\nclass Till:\n    def close(self) -> int:\n"
                            "        return total([1, 2])\n\n\ndef other(total):\n    return total\n",
        },
        "defined": "shop/prices.py", "used": "shop/till.py", "definition": "def total", "call": "total([1",
        "uses": ["def total", "import total", "total([1"],
        "symbols": ["class Till", "close"], "hover": "list[int]",
        "new": ("shop/more.py", "from shop.prices import total as total\n\nprint(total([3]))\n", ["import total", "total([3"]),
        "edit": ("shop/till.py", "total([1, 2])", "total([1, 2]) + total([1])"), "moved": "# Prices.\n\n",
    },
    "TypeScript 7": {
        "files": {
            "package.json": '{"name": "shop", "type": "module"}\n',
            "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler"}}\n',
            "src/prices.ts": "/** Adds prices up. */\nexport function total(prices: number[]): number {\n  return prices.length;\n}\n",
            "src/till.ts": 'import { total } from "./prices";\n\nexport class Till {\n  close(): number {\n'
                           "    return total([1, 2]);\n  }\n}\n\nexport const other = (total: number) => total;\n",
        },
        "defined": "src/prices.ts", "used": "src/till.ts", "definition": "function total", "call": "total([1",
        "uses": ["function total", "{ total }", "total([1"],
        "symbols": ["class Till", "close"], "hover": "number[]",
        "new": ("src/more.ts", 'import { total } from "./prices";\n\nconsole.log(total([3]));\n', ["{ total }", "total([3"]),
        "edit": ("src/till.ts", "total([1, 2])", "total([1, 2]) + total([1])"), "moved": "// Prices.\n\n",
    },
    "clangd": {
        "files": {
            "prices.h": "/* Adds prices up. */\nint total(const int *prices, int count);\n",
            "prices.c": '#include "prices.h"\n\nint total(const int *prices, int count) {\n  return prices[count - 1];\n}\n',
            "till.c": '#include "prices.h"\n\nint close_till(void) {\n  int prices[] = {1, 2};\n  return total(prices, 2);\n}\n\n'
                      "int other(int total) { return total; }\n",
        },
        "database": ["prices.c", "till.c", "more.c"],
        "defined": "prices.c", "used": "till.c", "definition": "int total", "call": "total(prices, 2",
        "uses": ["int total(const", "total(prices, 2"],
        "symbols": ["function close_till"], "hover": "const int *prices",
        "new": ("more.c", '#include "prices.h"\n\nint more(void) { int p[] = {3}; return total(p, 1); }\n', ["total(p, 1"]),
        "edit": ("till.c", "total(prices, 2)", "total(prices, 2) + total(prices, 1)"), "moved": "/* Prices. */\n\n",
    },
}


def project(language, root):
    for name, text in language["files"].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    if "database" in language:
        commands = [{"directory": str(root), "file": name, "command": f"cc -c {name}"} for name in language["database"]]
        (root / "compile_commands.json").write_text(json.dumps(commands))


def questions(name, language, talk):
    """The four queries on unchanged files."""
    files = [file for file in language["files"] if file.endswith((".py", ".ts", ".c", ".h"))]
    words = talk.until(name, "references", language["used"], language["call"])[1]
    wanted = sorted(place for text in language["uses"] for place in lines_with(talk.root, text, *files))
    check(f"{name}: references", places(words) == wanted and "complete: yes" in words, (words, wanted))
    words = talk.until(name, "definition", language["used"], language["call"])[1]
    wanted = lines_with(talk.root, language["definition"], language["defined"])
    check(f"{name}: definition", set(wanted) <= set(places(words)) and "complete: yes" in words, (words, wanted))
    words = talk.until(name, "symbols", language["used"])[1]
    check(f"{name}: symbols", all(symbol in words for symbol in language["symbols"]), words)
    words = talk.until(name, "hover", language["used"], language["call"])[1]
    check(f"{name}: hover", language["hover"] in words, words)


def edits(name, language, talk):
    """A query immediately after an edit is answered from the edited files."""
    file, old, new = language["edit"]
    files = [file for file in language["files"] if file.endswith((".py", ".ts", ".c", ".h"))]

    def references(what, *files, uses=language["uses"]):
        words = talk.lsp("references", language["used"], language["call"])[1]
        wanted = sorted(place for text in uses for place in lines_with(talk.root, text, *files))
        check(f"{name}: {what}", sorted(set(places(words))) == sorted(set(wanted)) and f"answered by {name}" in words, (words, wanted))
        return words

    bad, words = talk.say("edit", filePath=file, oldString=old, newString=new)
    check(f"{name}: an edit", not bad, words)
    words = references("references after an edit of the file asked about", *files)
    check(f"{name}: both uses of the edited line", words.count(new.split(" + ")[0]) >= 2, words)

    path, text, uses = language["new"]
    bad, words = talk.say("write", filePath=path, content=text)
    check(f"{name}: a new file", not bad, words)
    references("references after a new file", *files, path, uses=[*language["uses"], *uses])

    # Without the tools, as a command or a user changes files.
    defined = talk.root / language["defined"]
    defined.write_text(language["moved"] + defined.read_text())
    words = talk.lsp("definition", language["used"], language["call"])[1]
    wanted = lines_with(talk.root, language["definition"], language["defined"])
    check(f"{name}: definition after a change without the tools", set(wanted) <= set(places(words)), (words, wanted))
    (talk.root / path).unlink()
    references("references after a file is gone", *files)


#: A larger project: path and text of a file that defines, path and text of many files that use, and the uses in each of them.
MANY = {
    "ty": ("shop/prices.py", "def total(prices): return sum(prices)\n", "shop/use{0}.py",
           "import asyncio, json, typing\nfrom shop.prices import total\n\nprint(total([{0}]))\n", 2),
    "TypeScript 7": ("src/prices.ts", "export function total(prices: number[]) { return prices.length; }\n", "src/use{0}.ts",
                     'import { total } from "./prices";\n\nexport const use{0} = total([{0}]);\n', 2),
    "clangd": ("prices.c", '#include "prices.h"\nint total(int price) { return price; }\n', "use{0}.c",
               '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "prices.h"\n'
               'int use{0}(void) { printf("%d", 1); return total({0}); }\n', 1),
}


def many(name, talk):
    """From the start of a server on, no incomplete answer claims to be complete."""
    defined, text, use, uses, times = MANY[name]
    (talk.root / defined).write_text(text)
    if name == "TypeScript 7":
        (talk.root / "tsconfig.json").write_text('{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}}\n')
    if name == "clangd":
        (talk.root / "prices.h").write_text("int total(int price);\n")
    for number in range(150):
        (talk.root / use.replace("{0}", str(number))).write_text(uses.replace("{0}", str(number)))
    if name == "clangd":
        names = [defined, *(use.replace("{0}", str(number)) for number in range(150))]
        (talk.root / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(talk.root), "file": file, "command": f"cc -c {file}"} for file in names]))
    wanted = 150 * times + (2 if name == "clangd" else 1)
    end, early = time.monotonic() + LONG, []
    while time.monotonic() < end:
        words = talk.lsp("references", defined, "total(")[1]
        if f"answered by {name}; complete: yes" in words:
            break
        early.append(words)
        time.sleep(0.2)
    found = places(words)
    check(f"{name}: a complete answer has all uses", "complete: yes" in words and len(found) == wanted, (len(found), wanted, words[-2000:]))
    check(f"{name}: earlier answers are marked as incomplete", all("complete: no" in words or "complete: unknown" in words for words in early), early)


def killed(name, talk, language):
    """A killed server is reported, and started again."""
    children = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    of, parents = {talk.pipe.process.pid}, {}
    for line in children.split("\n")[1:-1]:
        pid, parent, words = line.split(None, 2)
        parents[int(pid)] = (int(parent), words)
    grown = True
    while grown:
        more = {pid for pid, (parent, _) in parents.items() if parent in of} - of
        grown, of = bool(more), of | more
    servers = [pid for pid in of if re.search(r"clangd|\bty\b|--lsp", parents.get(pid, (0, ""))[1]) and pid != talk.pipe.process.pid
               and "serve --dialect" not in parents[pid][1]]
    check(f"{name}: the server runs below the binary", servers, parents)
    for pid in servers:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    words = talk.lsp("references", language["used"], language["call"])[1]
    told = "syntax tree" in words and "language server" in words or f"answered by {name}" in words
    check(f"{name}: a killed server does not cause an empty answer", told and places(words), words)
    words = talk.until(name, "references", language["used"], language["call"])[1]
    check(f"{name}: the killed server is started again", f"answered by {name}; complete: yes" in words, words)


#: Calls whose target only type inference can determine: the file, its text, the position of the query, and the method.
INFERRED = {
    "ty": ("pets.py", "def same[T](one: T) -> T:\n    return one\n\n\nclass Cat:\n    def speak(self): ...\n\n\n"
                      "class Dog:\n    def speak(self): ...\n\n\ndef main():\n    same(Dog()).speak()\n", "Dog()", "Dog.speak"),
    "TypeScript 7": ("pets.ts", "function same<T>(one: T): T {\n  return one;\n}\nclass Cat {\n  speak() {}\n}\nclass Dog {\n  speak() {}\n}\n"
                                "export function main() {\n  same(new Dog()).speak();\n}\n", "new Dog()", "Dog.speak"),
}


def inferred(name, binary, root, path, sandbox):
    """If the text leaves a call open, the server's answer is in the graph soon after its indexing, until the file changes."""
    file, text, mark, method = INFERRED[name]
    (root / file).write_text(text)
    if name == "TypeScript 7":
        (root / "tsconfig.json").write_text('{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}}\n')
    talk = Talk(binary, root, path, sandbox, "opencode", "zblade")

    def callers():
        bad, words = talk.say("symbol_graph", path=file, qualified_name=method)
        return [(edge["how"], edge["sure"]) for edge in json.loads(words)["incoming"]] if not bad else words

    try:
        before = callers()
        check(f"{name}: before, the call is a possible caller", before == [("same_name", "possible")], before)
        talk.until(name, "definition", file, mark)
        end = time.monotonic() + LONG
        while (found := callers()) != [("server", "proved")] and time.monotonic() < end:
            time.sleep(0.2)
        check(f"{name}: the server's answer about the call is in the graph", found == [("server", "proved")], found)
        (root / file).write_text(text + "\n")
        found = callers()
        check(f"{name}: the answer is dropped when the file changes", found == [("same_name", "possible")], found)
    finally:
        talk.end()


def implemented(binary, base, path, sandbox):
    """If the text leaves open which class implements an interface, the server's answer is in the graph."""
    root = base / "implemented"
    root.mkdir()
    (root / "tsconfig.json").write_text('{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}}\n')
    (root / "shapes.ts").write_text(
        "export interface Shape {\n  area(): number;\n}\ntype Same<T> = T;\nexport class Square implements Same<Shape> {\n"
        "  area() {\n    return 4;\n  }\n}\nexport function use(shape: Shape) {\n  return shape.area();\n}\n")
    talk = Talk(binary, root, path, sandbox, "opencode", "zblade")

    def callers():
        bad, words = talk.say("symbol_graph", path="shapes.ts", qualified_name="Square.area")
        return [(edge["how"], edge["sure"]) for edge in json.loads(words)["incoming"]] if not bad else words

    try:
        before = callers()
        check("TypeScript 7: before, no caller is known", before == [], before)
        talk.until("TypeScript 7", "definition", "shapes.ts", "Shape {")
        end = time.monotonic() + LONG
        while (found := callers()) != [("dispatch", "inferred")] and time.monotonic() < end:
            time.sleep(0.2)
        check("TypeScript 7: a call through an interface is an inferred caller of the implementation", found == [("dispatch", "inferred")], found)
    finally:
        talk.end()


def alone(binary, base, path, sandbox):
    """Without a project file, no answer is called complete."""
    root = base / "alone"
    root.mkdir()
    for name, language in (("TypeScript 7", "ts"), ("clangd", "c")):
        (root / f"a.{language}").write_text({"ts": "export function total() { return 1; }\n", "c": "int total(void) { return 1; }\n"}[language])
        talk = Talk(binary, root, path, sandbox)
        words = talk.lsp("references", f"a.{language}", "total")[1]
        check(f"{name}: without a project file, no answer is complete", "complete: yes" not in words and places(words) == [f"a.{language}:1"], words)
        talk.end()


def apart(binary, base, path, sandbox):
    """A use outside the server's project is found in the syntax tree, and the answer is not called complete."""
    root = base / "apart"
    for name, text in {
        "tsconfig.json": '{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}\n',
        "src/a.ts": "export function total() { return 1; }\n",
        "src/b.ts": 'import { total } from "./a";\ntotal();\n',
        "tests/c.ts": 'import { total } from "../src/a";\ntotal();\n',
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    talk = Talk(binary, root, path, sandbox)
    words = talk.lsp("references", "src/a.ts", "total")[1]
    check("uses outside the server's project are found", "answered by TypeScript 7; complete: no" in words
          and places(words) == ["src/a.ts:1", "src/b.ts:1", "src/b.ts:2"] and by_tree(words) == ["tests/c.ts:1", "tests/c.ts:2"], words)
    talk.end()


def brought(binary, base, sandbox):
    """A server program in the workspace is not started, and the reply names the reason."""
    root = base / "brought"
    (root / "bin").mkdir(parents=True)
    (root / "bin/ty").write_text(f"#!/bin/sh\ntouch {root}/started\n")
    (root / "bin/ty").chmod(0o755)
    (root / "a.py").write_text("def f(): pass\n")
    talk = Talk(binary, root, f"{root}/bin:/usr/bin:/bin", sandbox)
    words = talk.lsp("references", "a.py", "f()")[1]
    check("a server program in the workspace is not started", not (root / "started").exists() and "is in the workspace" in words
          and places(words) == ["a.py:1"], words)
    talk.end()


def main(binary, python, node, *names):
    doctor = subprocess.run([binary, "doctor", "--json"], capture_output=True, text=True).stdout
    if "no sandbox is available" in doctor:
        print("no sandbox is available here, so no language server is started")
        return 77
    sandbox = "on"
    path = f"{python}:{node}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as base:
        base = pathlib.Path(base).resolve()
        for name, language in LANGUAGES.items():
            if names and name not in names:
                continue
            root = base / re.sub(r"\W", "", name) / "project"
            root.mkdir(parents=True)
            project(language, root)
            talk = Talk(binary, root, path, sandbox)
            try:
                questions(name, language, talk)
                edits(name, language, talk)
                killed(name, talk, language)
            finally:
                talk.end()
            root = base / re.sub(r"\W", "", name) / "many"
            root.mkdir()
            for part in ("src", "shop"):
                (root / part).mkdir()
            talk = Talk(binary, root, path, sandbox)
            try:
                many(name, talk)
            finally:
                talk.end()
            if name in INFERRED:
                root = base / re.sub(r"\W", "", name) / "inferred"
                root.mkdir()
                inferred(name, binary, root, path, sandbox)
        if not names or "TypeScript 7" in names:
            implemented(binary, base, path, sandbox)
        alone(binary, base, path, sandbox)
        apart(binary, base, path, sandbox)
        brought(binary, base, sandbox)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
