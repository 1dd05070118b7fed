"""A scripted session with the official Python client on a real repository, which checks the replies and the bytes on the disk.

usage: session.py BINARY PACKED auto|legacy|2026-07-28
"""
import asyncio
import base64
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import corpus  # noqa: E402
from checks import check, end, equal  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.types import ElicitResult  # noqa: E402

#: A search that takes long in a large repository.
SLOW = {"pattern": r"(\w{1,3}\W?){10,40}[xq]\W[xq]\W[xq]", "output_mode": "count", "multiline": True}
TOOLS = ["Read", "Edit", "Write", "Glob", "Grep"]


class Talk:
    """The session of one client."""

    def __init__(self, client):
        self.client = client

    async def say(self, tool, **arguments):
        """Calls a tool; returns whether the call failed, the text of the reply, and all its parts."""
        result = await self.client.call_tool(tool, {key.replace("dash_", "-"): value for key, value in arguments.items()})
        return bool(result.is_error), "\n".join(part.text for part in result.content if part.type == "text"), result.content

    async def good(self, what, tool, *wanted, **arguments):
        failed, words, content = await self.say(tool, **arguments)
        check(what, not failed and all(part in words for part in wanted), words)
        return words, content

    async def bad(self, what, tool, *wanted, **arguments):
        failed, words, _ = await self.say(tool, **arguments)
        check(what, failed and len(words) > 20 and "CANARY" not in words and all(part in words for part in wanted), (failed, words))


async def tools(talk):
    listed = (await talk.client.list_tools()).tools
    equal("the tools", [tool.name for tool in listed], TOOLS)
    hints = {tool.name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in listed}
    equal("hints of the reading tools", [hints[name][0] for name in ("Read", "Glob", "Grep")], [True, True, True])
    equal("hints of the writing tools", [hints[name] for name in ("Edit", "Write")], [(False, True), (False, True)])
    check("every schema is an object and every tool is described", all(
        tool.input_schema["type"] == "object" and len(tool.description) > 40 for tool in listed), listed)


async def reading(talk, root):
    path = "django/utils/text.py"
    lines = (root / path).read_text().split("\n")
    words, _ = await talk.good("Read from the beginning", "Read", file_path=path, limit=4)
    equal("the lines are numbered and exact", words.split("\n")[:4], [f"{number:6}\t{line}" for number, line in enumerate(lines[:4], 1)])
    at = lines.index("def slugify(value, allow_unicode=False):") + 1
    words, _ = await talk.good("Read in the middle, by an absolute path", "Read", file_path=str(root / path), offset=at, limit=1)
    equal("the line in the middle", words.split("\n")[0], f"{at:6}\tdef slugify(value, allow_unicode=False):")
    wanted = [f"{name}:{number}" for name, number in grepped(root, "def slugify(")]
    words, _ = await talk.good("Grep for lines", "Grep", pattern=r"def slugify\(", output_mode="content", path="django")
    equal("the same lines as a plain search", sorted(line.rsplit(":", 1)[0] if line.count(":") < 2 else ":".join(line.split(":")[:2])
                                                    for line in words.split("\n") if ".py:" in line), sorted(wanted))
    words, _ = await talk.good("Grep for files", "Grep", pattern=r"class \w+\(Exception\)", type="py")
    found = sorted(line for line in words.split("\n") if line.endswith(".py"))
    equal("the same files as a plain search", found, sorted({name for name, _ in grepped(root, None)}))
    words, _ = await talk.good("Glob", "Glob", pattern="django/utils/*.py")
    equal("the same names as the disk", sorted(line for line in words.split("\n") if line.endswith(".py")),
          sorted(str(file.relative_to(root)) for file in (root / "django/utils").glob("*.py")))
    await talk.good("Glob reports the total number of matches", "Glob", f"{len(list(root.rglob('*.py')))} files", pattern="**/*.py")


def grepped(root, text):
    """Yields the results of a plain search in Python: lines with a text, or lines that define an exception."""
    import re
    for file in sorted(root.rglob("*.py")):
        for number, line in enumerate(file.read_text(errors="replace").split("\n"), 1):
            if text in line if text else re.search(r"class \w+\(Exception\)", line):
                yield str(file.relative_to(root)), number


async def changing(talk, root):
    path = root / "django/utils/text.py"
    before, beside = path.read_bytes(), sorted(os.listdir(path.parent))
    mode = path.stat().st_mode
    await talk.good("Edit", "Edit", "+def slugify(value, allow_unicode=True):", file_path="django/utils/text.py",
                    old_string="def slugify(value, allow_unicode=False):", new_string="def slugify(value, allow_unicode=True):")
    after = before.replace(b"def slugify(value, allow_unicode=False):", b"def slugify(value, allow_unicode=True):")
    equal("the bytes after an edit", path.read_bytes(), after)
    equal("the mode after an edit", path.stat().st_mode, mode)
    words, _ = await talk.good("Read again", "Grep", "allow_unicode=True", pattern="def slugify", path="django/utils/text.py", output_mode="content")
    await talk.bad("Edit of an ambiguous text", "Edit", file_path="django/utils/text.py", old_string="return", new_string="yield")
    equal("a refused edit changes nothing", path.read_bytes(), after)
    await talk.good("Edit of every occurrence", "Edit", file_path="django/utils/text.py", old_string="capfirst", new_string="capitalise_first", replace_all=True)
    equal("the bytes after the edit of every occurrence", path.read_bytes(), after.replace(b"capfirst", b"capitalise_first"))
    await talk.good("Write of a new file in a new directory", "Write", "Created", file_path="notes/deep/today.md", content="# Today\n\n\tétude\n")
    equal("the bytes of the new file", (root / "notes/deep/today.md").read_bytes(), "# Today\n\n\tétude\n".encode())
    await talk.good("Write again", "Write", file_path="notes/deep/today.md", content="# Done\n")
    equal("the bytes of the file written again", (root / "notes/deep/today.md").read_bytes(), b"# Done\n")
    await talk.good("Read of a file with CRLF and a byte order mark", "Read", "CRLF", file_path="crlf.txt")
    await talk.good("Edit over CRLF lines", "Edit", file_path="crlf.txt", old_string="one\ntwo", new_string="one\n2")
    equal("CRLF and the byte order mark are kept", (root / "crlf.txt").read_bytes(), b"\xef\xbb\xbfone\r\n2\r\nthree\r\n")
    await talk.bad("Write over a file that was not read", "Write", "Read it first", file_path="django/utils/html.py", content="x")
    await talk.bad("Edit of a file that was not read", "Edit", "Read it first", file_path="django/utils/html.py", old_string="import", new_string="x")
    equal("no temporary files are left", sorted(os.listdir(path.parent)), beside)


async def refusing(talk, root):
    rows = [
        ("a path outside", "Read", {"file_path": "../outside.txt"}), ("an absolute path outside", "Read", {"file_path": str(root.parent / "outside.txt")}),
        ("a directory", "Read", {"file_path": "django"}), ("a FIFO", "Read", {"file_path": "pipe"}), ("a socket", "Read", {"file_path": "socket"}),
        ("a link to /dev/zero", "Read", {"file_path": "zero"}), ("/dev/zero", "Read", {"file_path": "/dev/zero"}), ("a loop of links", "Read", {"file_path": "loop-a"}),
        ("a missing field", "Read", {}), ("a field of a wrong type", "Read", {"file_path": ["a", {"b": 1}]}), ("a limit that is a word", "Read", {"file_path": "pipe", "limit": "many"}),
        ("a file that is not there", "Read", {"file_path": "django/utils/txet.py"}),
        ("a wrong expression", "Grep", {"pattern": "timeout("}), ("a path that is not there", "Grep", {"pattern": "x", "path": "nope"}),
        ("an output mode that does not exist", "Grep", {"pattern": "x", "output_mode": "all"}), ("a type that does not exist", "Grep", {"pattern": "x", "type": "nosuch"}),
        ("a base that is not there", "Glob", {"pattern": "*", "path": "nope"}), ("a base outside", "Glob", {"pattern": "*", "path": ".."}),
        ("a write outside", "Write", {"file_path": "../new.txt", "content": "x"}), ("a write to a directory", "Write", {"file_path": "django", "content": "x"}),
        ("a write without content", "Write", {"file_path": "a.txt"}), ("a write to a FIFO", "Write", {"file_path": "pipe", "content": "x"}),
        ("an edit of nothing", "Edit", {"file_path": "crlf.txt", "old_string": "", "new_string": "x"}),
        ("an edit without the new text", "Edit", {"file_path": "crlf.txt", "old_string": "one"}),
        ("a write to .git", "Write", {"file_path": ".git/config", "content": "x"}),
    ]
    for what, tool, arguments in rows:
        await talk.bad(what, tool, **arguments)
    await talk.bad("a near miss is suggested", "Read", "django/utils/text.py", file_path="django/utils/txet.py")
    failed, words, _ = await talk.say("Read", file_path="sparse", limit=1)
    check("a sparse file of 10 GB gives a short reply", len(words) < 200_000, words[:200])
    await talk.good("a name that is not UTF-8 is listed", "Glob", "name-", pattern="name-*")
    equal("nothing was written outside", sorted(os.listdir(root.parent)), ["home", "outside.txt", "repository"])


async def showing(talk):
    _, content = await talk.good("Read of an image", "Read", file_path="blue.png")
    images = [part for part in content if part.type == "image"]
    check("an image is returned as an image", len(images) == 1 and images[0].mime_type in ("image/png", "image/webp", "image/jpeg")
          and len(base64.b64decode(images[0].data)) > 50, content)
    await talk.good("Read of a PDF", "Read", "Forty-two words", "page 1", file_path="words.pdf")
    await talk.good("Read of a notebook", "Read", "print(6 * 7)", "42", file_path="cells.ipynb")


async def asking(talk, root, asked):
    await talk.good("Write that needs approval", "Write", file_path=".vscode/tasks.json", content="{}\n")
    check("the user was prompted, and the prompt names the file", len(asked) == 1 and ".vscode/tasks.json" in asked[0], asked)
    equal("the bytes after the approval", (root / ".vscode/tasks.json").read_bytes() if (root / ".vscode/tasks.json").exists() else None, b"{}\n")


async def progress(talk):
    seen = []

    async def note(value, total, message):
        seen.append(value)

    await talk.client.call_tool("Grep", SLOW, progress_callback=note)
    check("a long search reports progress, which only grows", seen and seen == sorted(set(seen)), seen)


async def cancelling(talk):
    task = asyncio.create_task(talk.say("Grep", **SLOW))
    await asyncio.sleep(0.05)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    await talk.good("the session goes on after a cancelled call", "Read", file_path="crlf.txt")


def declining(asked):
    async def answer(context, params):
        asked.append(params.message)
        return ElicitResult(action="decline")
    return answer


def accepting(asked):
    async def answer(context, params):
        asked.append(params.message)
        schema = getattr(params, "requested_schema", None) or {}
        fields = schema.get("properties", {})
        return ElicitResult(action="accept", content={name: True for name, field in fields.items() if field.get("type") == "boolean"})
    return answer


async def session(binary, packed, mode):
    with tempfile.TemporaryDirectory(prefix="toolpost-session-") as base:
        root = pathlib.Path(base).resolve() / "repository"
        check("the repository has 500 files or more", corpus.unpack(packed, root) >= corpus.LEAST)
        os.mkdir(root.parent / "home")
        corpus.trouble(root)
        environment = {"HOME": str(root.parent / "home"), "PATH": "/usr/bin:/bin"}
        server = StdioServerParameters(command=binary, args=["serve", "--root", str(root)], env=environment, cwd=str(root))
        asked = []
        async with Client(server, mode=mode, elicitation_callback=accepting(asked)) as client:
            if mode != "auto":
                equal("the era", client.protocol_version == "2026-07-28", mode == "2026-07-28")
            talk = Talk(client)
            await tools(talk)
            await reading(talk, root)
            await changing(talk, root)
            await refusing(talk, root)
            await showing(talk)
            await asking(talk, root, asked)
            await progress(talk)
            await cancelling(talk)
        refused = []
        async with Client(server, mode=mode, elicitation_callback=declining(refused)) as client:
            await Talk(client).bad("a declined prompt", "Write", file_path=".idea/workspace.xml", content="x")
            check("the user was prompted, and nothing was written", len(refused) == 1 and not (root / ".idea").exists(), refused)
        async with Client(server, mode=mode) as client:
            await Talk(client).bad("a client that cannot prompt", "Write", file_path=".idea/workspace.xml", content="x")
            check("nothing was written without approval", not (root / ".idea").exists())


if __name__ == "__main__":
    asyncio.run(session(*sys.argv[1:4]))
    end()
