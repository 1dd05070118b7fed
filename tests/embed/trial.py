"""Builds the dialect and the MCP server of docs/embed.md in a new crate, and calls its tools over a pipe.
Usage: trial.py REPOSITORY TARGET"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Sections whose blocks are parts of other items, or tests.
FRAGMENTS = ("### Your own errors", "### Test the tools")


def blocks(text, kind):
    """Returns the code blocks of one language, each with the heading above it. Code can have lines that look like headings."""
    heading, found = "", []
    for part in re.split(r"^(```\w+\n.*?^```$)", text, flags=re.M | re.S):
        if part.startswith(f"```{kind}\n"):
            found.append((heading, part.split("\n", 1)[1].rsplit("```", 1)[0]))
        elif not part.startswith("```"):
            heading = ([heading] + re.findall(r"^##+ .*$", part, re.M))[-1]
    return found


def program(page, example):
    """Returns the manifest and the program: the blocks of the page, and the two tools that it leaves to the example."""
    sections = page.split("## Write a dialect\n", 1)[1].split("\n## Answer approvals\n", 1)[0]
    code = [block for heading, block in blocks(sections, "rust") if heading not in FRAGMENTS]
    others = example[example.index("#[derive(Deserialize, JsonSchema)]\nstruct Pattern") : example.index("\nfn main()")]
    return blocks(sections, "toml")[0][1], "\n".join([*code, others])


def build(top, target, folder):
    """Builds the program in a directory outside the workspace. Returns its path, or None."""
    page, example = (top / "docs/embed.md").read_text(), (top / "crates/toolpost/examples/own_dialect.rs").read_text()
    dependencies, code = program(page, example)
    (folder / "src").mkdir()
    (folder / "src/main.rs").write_text(code)
    package = '[package]\nname = "shelf"\nversion = "0.1.0"\nedition = "2024"\n\n'
    (folder / "Cargo.toml").write_text(package + dependencies.replace('"../toolpost/', f'"{top}/'))
    # The versions of the dependencies are those that this repository tests.
    shutil.copy(top / "Cargo.lock", folder / "Cargo.lock")
    variables = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    done = subprocess.run(["cargo", "build", "--quiet"], cwd=folder, env=variables)
    return target / "debug/shelf" if done.returncode == 0 else None


def replies(binary, root, home):
    """Serves a directory to a client that asks for the tools and calls each of them. Returns the results by number."""
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "stranger", "version": "1"}}
    calls = [("about", {"path": "a.md"}), ("files", {"pattern": "**/*.md"}), ("add_shelf", {"path": "new"}), ("about", {"path": "b.md"})]
    requests = [("initialize", info), ("tools/list", {})]
    requests += [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls]
    lines = [json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params}) for at, (method, params) in enumerate(requests)]
    lines.insert(1, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    served = subprocess.Popen(
        [binary, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )
    found = {}
    for line in lines:
        served.stdin.write(line + "\n")
        served.stdin.flush()
        wanted = json.loads(line).get("id")
        while wanted is not None and wanted not in found:
            answer = served.stdout.readline()
            if not answer:
                raise SystemExit(f"the server exited before it answered {line}")
            message = json.loads(answer)
            if "id" in message and "method" not in message:
                found[message["id"]] = message.get("result", message)
    served.stdin.close()
    return found, served.wait(timeout=60)


def main():
    top, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for part in ("shelf", "books", "home"):
            (folder / part).mkdir()
        binary = build(top, target, folder / "shelf")
        if binary is None:
            print("the program of docs/embed.md does not compile outside the workspace")
            return 1
        (folder / "books/a.md").write_text("text")
        found, status = replies(binary, folder / "books", folder / "home")
        text = {at: result["content"][0]["text"] for at, result in found.items() if "content" in result}
        checks = {
            "the server has the name of the program": found[0].get("serverInfo", {}).get("name") == "shelf",
            "the tools are listed": [tool["name"] for tool in found[1].get("tools", [])] == ["about", "files", "add_shelf"],
            "about replies": text.get(2, "").startswith("a.md: 4 bytes, mode "),
            "files replies": text.get(3, "").startswith("a.md\n"),
            "add_shelf replies": text.get(4) == "new: created" and (folder / "books/new").is_dir(),
            "a failure has the dialect's words": text.get(5, "").startswith("The shelf lacks it."),
            "the server exits when its client does": status == 0,
        }
    failed = [name for name, passed in checks.items() if not passed]
    for name in failed:
        print(f"FAILED: {name}: {json.dumps(found)}")
    print(f"{len(checks) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
