"""Calls every tool of every dialect with `--structured`: each reply satisfies the published output schema.

The calls are those of dialects.py and of the examples in the tools' pages. The official Python client and the validator `jsonschema`
check them here. With FOLDER, the calls are also written into that directory, for the TypeScript client (structured.mjs).

usage: structured.py BINARY [FOLDER]
"""
import asyncio
import json
import os
import pathlib
import re
import sys
import subprocess
import tempfile

sys.dont_write_bytecode = True
from checks import check, end, equal  # noqa: E402
from dialects import FILES, WALKS, speaking  # noqa: E402
from jsonschema import Draft202012Validator  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402

PAGES = pathlib.Path(__file__).resolve().parents[2] / "crates/dialects/src"
#: Tools that cannot succeed here, and why.
NEVER = {"delegate": "no model is configured", "webfetch": "the tests have no network"}
CLAUDE = [
    ("Read", {"file_path": "a.txt"}), ("Read", {"file_path": "src/main.rs", "offset": 2, "limit": 1}), ("Edit", {"file_path": "a.txt", "old_string": "one", "new_string": "1"}),
    ("Write", {"file_path": "new.txt", "content": "n\n"}), ("Glob", {"pattern": "**/*.rs"}), ("Glob", {"pattern": "none"}),
    ("Grep", {"pattern": "wait"}), ("Grep", {"pattern": "wait", "output_mode": "content", "-C": 1}), ("Grep", {"pattern": "wait", "output_mode": "count"}),
    ("Grep", {"pattern": "none", "output_mode": "content"}), ("Read", {"file_path": "long.txt"}), ("Grep", {"pattern": "x", "path": "long.txt", "output_mode": "content"}),
]
LONG = "\n".join(["x" * 5_000] + [f"line {number}" for number in range(3_000)])


def sections(dialect):
    """Yields the examples of each tool's page: files and calls."""
    for page in sorted((PAGES / dialect).glob("*.md")):
        for section in page.read_text().split("\n## ")[1:]:
            files, calls = {}, []
            for head, body in re.findall(r"^```(file [^\n]*|call)\n(.*?)\n?^```", section, re.M | re.S):
                if head == "call":
                    tool, arguments = body.split(" ", 1)
                    calls.append((tool, json.loads(arguments)))
                else:
                    files[head[5:].strip()] = body + "\n"
            if calls:
                yield files, calls


def scenes(dialect):
    """Yields the scenes of a dialect: files, and the calls in a workspace with them."""
    walk = CLAUDE if dialect == "claude" else [(tool, arguments) for tool, arguments, *_ in WALKS[dialect]]
    # An approved `npm` without a network retries for minutes.
    walk = [(tool, arguments) for tool, arguments in walk if arguments.get("command") != "npm"]
    yield {**FILES, "long.txt": LONG + "\n"}, walk
    yield from sections(dialect)


def put(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def scene(binary, dialect, files, calls, seen):
    with tempfile.TemporaryDirectory(prefix="toolpost-structured-") as base:
        root = pathlib.Path(base).resolve() / "tree"
        root.mkdir()
        put(root, files)
        os.makedirs(root.parent / "home")
        environment = {"HOME": str(root.parent / "home"), "PATH": "/usr/bin:/bin"}
        if any("/skills/" in name for name in files):
            subprocess.run([binary, "skills", "trust", "--root", str(root)], env=environment, check=True, stdout=subprocess.DEVNULL)
        arguments = ["serve", "--structured", "--ask", "allow", *speaking(dialect), "--root", str(root)]
        async with Client(StdioServerParameters(command=binary, args=arguments, env=environment, cwd=str(root)), mode="legacy") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            job = ""
            for tool, given in calls:
                given = json.loads(json.dumps(given).replace("{job}", job).replace("{root}", str(root)))
                try:
                    result = await client.call_tool(tool, given)
                except Exception as error:  # The client raises an exception if the reply violates the schema.
                    check(f"{dialect}: {tool} {given}", False, f"{type(error).__name__}: {error}")
                    continue
                words = "\n".join(part.text for part in result.content if part.type == "text")
                job = words.split()[1] if words.startswith("command_id: ") else job
                name = tool if tool in tools else next((name for name in tools if name.lower() == tool.lower()), None)
                if result.is_error or name is None:
                    continue
                schema = tools[name].output_schema
                check(f"{dialect}: {tool} has structured content", result.structured_content is not None, words)
                if schema is None:
                    continue
                errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in Draft202012Validator(schema).iter_errors(result.structured_content)]
                if check(f"{dialect}: {tool} {given} satisfies its schema", not errors, errors[:5]):
                    seen.add(name)
            return tools


#: Maximum number of bytes that output schemas may add to the list of tools.
ADDED = {"claude": 7_800, "trae": 16_700, "opencode": 15_900, "probe": 29_000, "zblade": 48_500, "code": 1_200}


async def listing(binary, dialect, *options):
    """Returns the size of the list of tools, in bytes, and the tools."""
    with tempfile.TemporaryDirectory() as base:
        root, home = pathlib.Path(base) / "tree", pathlib.Path(base) / "home"
        root.mkdir()
        home.mkdir()
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        server = StdioServerParameters(command=binary, args=["serve", *options, *speaking(dialect), "--root", str(root)], env=environment, cwd=str(root))
        async with Client(server, mode="legacy") as client:
            tools = (await client.list_tools()).tools
            return sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools), tools


async def main(binary, folder):
    rows = []
    for dialect in ["claude", *WALKS]:
        plain, _ = await listing(binary, dialect)
        size, tools = await listing(binary, dialect, "--structured")
        check(f"{dialect}: output schemas add at most {ADDED[dialect]} bytes to the list of tools", size - plain <= ADDED[dialect], (plain, size))
        print(f"{dialect}: tools/list {plain} bytes, with --structured {size}")
        for tool in tools:
            check(f"{dialect}: {tool.name} describes its output", tool.output_schema is not None, tool.name)
            Draft202012Validator.check_schema(tool.output_schema or {})
        seen = set()
        for files, calls in scenes(dialect):
            await scene(binary, dialect, files, calls, seen)
            rows.append({"dialect": dialect, "options": speaking(dialect), "files": files, "calls": calls})
        aliases = {tool.name for tool in tools if any(other.name in seen and other.output_schema == tool.output_schema for other in tools)}
        equal(f"{dialect}: every tool answered with structured content", sorted({tool.name for tool in tools} - seen - aliases - set(NEVER)), [])
    if folder:
        (pathlib.Path(folder) / "calls.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
    end()
