"""Calls every tool of four dialects and of code mode with the official Python client; checks the replies and the files.

usage: dialects.py BINARY
"""
import asyncio
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from checks import check, end, equal  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402

FILES = {
    "a.txt": "one\ntwo\nthree\n",
    "src/main.rs": "fn main() {\n    let wait = 5;\n    println!(\"{wait}\");\n}\n",
    "src/lib.rs": "/// Waits.\npub fn wait() {}\n\npub fn stop() {}\n",
    "notes/deep/old.md": "# Old\n",
    "package.json": '{"dependencies": {"tiny": "^1.0.0"}}\n',
    "node_modules/tiny/package.json": '{"name": "tiny", "version": "1.0.0"}\n',
    "node_modules/tiny/index.js": "function greet(name) {\n  return `Hello ${name}`;\n}\n",
}

#: Tool, arguments, parts of the reply, and the files that must exist afterwards (None: the file must not exist).
#: If the parts contain FAILS, the call must fail.
FAILS = "FAILS: "
TRAE = [
    ("list_dir", {"dir_path": "."}, ["src/", "a.txt"], {}),
    ("view_files", {"files": [{"file_path": "a.txt", "start_line": 1, "end_line": 2}, {"file_path": "src/lib.rs", "start_line": 2, "end_line": 2}]},
     ["two", "pub fn wait"], {}),
    ("search_codebase", {"query": "where does it wait", "target_directories": ["src"]}, ["src/lib.rs:", "words wait", "pub fn wait"], {}),
    ("search_codebase", {"query": "greeting", "target_directories": ["js:tiny"]}, ["js:tiny@1.0.0/index.js:"], {}),
    ("search_by_regex", {"query": "fn \\w+\\(", "search_directory": "src"}, ["main.rs", "pub fn stop"], {}),
    ("write_to_file", {"file_path": "new/n.txt", "content": "n\n", "rewrite": False}, ["n.txt"], {"new/n.txt": "n\n"}),
    ("write_to_file", {"file_path": "new/n.txt", "content": "m\n", "rewrite": False}, [FAILS, "n.txt"], {"new/n.txt": "n\n"}),
    ("write_to_file", {"file_path": "new/n.txt", "content": "m\n", "rewrite": True}, ["n.txt"], {"new/n.txt": "m\n"}),
    ("update_file", {"file_path": "a.txt", "replace_blocks": [{"old_str": "one", "new_str": "1"}, {"old_str": "three", "new_str": "3"}]},
     ["+1", "+3"], {"a.txt": "1\ntwo\n3\n"}),
    ("update_file", {"file_path": "a.txt", "replace_blocks": [{"old_str": "two", "new_str": "2"}, {"old_str": "none", "new_str": "x"}]},
     [FAILS, "Edit 2:", "not found in a.txt"], {"a.txt": "1\ntwo\n3\n"}),
    ("edit_file_fast_apply", {"file_path": "src/lib.rs", "content": "// ... existing code ...\npub fn stop() {\n    wait();\n}\n"},
     ["wait();"], {"src/lib.rs": "/// Waits.\npub fn wait() {}\n\npub fn stop() {\n    wait();\n}\n"}),
    ("rename_file", {"file_path": "a.txt", "rename_file_path": "b/c.txt"}, ["c.txt"], {"a.txt": None, "b/c.txt": "1\ntwo\n3\n"}),
    ("delete_file", {"file_paths": ["b/c.txt", "new/n.txt"]}, ["c.txt", "n.txt"], {"b/c.txt": None, "new/n.txt": None}),
    ("delete_file", {"file_paths": ["src/lib.rs", "none.txt"]}, [FAILS, "none.txt"], {"src/lib.rs": ...}),
]
TRAE += [
    ("run_command", {"command": "head", "args": ["-n", "1", "src/main.rs"], "blocking": True, "requires_approval": False},
     ["status: done. Exit code: 0", "fn main() {"], {}),
    ("run_command", {"command": "npm", "args": ["install", "x"], "blocking": True, "requires_approval": False}, [FAILS, "Not allowed"], {}),
    ("run_command", {"command": "tail", "args": ["-f", "src/main.rs"], "blocking": False, "wait_ms_before_async": 0, "requires_approval": False},
     ["status: running"], {}),
    ("check_command_status", {"command_id": "{job}", "wait_ms_before_check": 50}, ["status: running", "println"], {}),
    ("stop_command", {"command_id": "{job}"}, ["status: done. The command was stopped."], {}),
    ("check_command_status", {"command_id": "none"}, [FAILS, "There is no job `none`"], {}),
]
ZBLADE = [
    ("get_workspace_structure", {}, ["src/", "a.txt"], {}),
    ("list_dir", {"path": "src"}, ["main.rs"], {}),
    ("list_directory", {"path": "src"}, ["main.rs"], {}),
    ("find_files", {"pattern": "main"}, ["main.rs"], {}),
    ("find_files_glob", {"pattern": "**/*.rs"}, ["src/main.rs", "src/lib.rs"], {}),
    ("glob", {"pattern": "*.md"}, ["notes/deep/old.md"], {}),
    ("grep_search", {"pattern": "pub fn"}, ["src/lib.rs:2:pub fn wait() {}"], {}),
    ("rg", {"pattern": "wait", "path": "src/main.rs"}, ["2:    let wait = 5;"], {}),
    ("codebase_search", {"query": "stop"}, [">>> 4: pub fn stop() {}"], {}),
    ("symbol_outline", {"path": "src/main.rs"}, ['"symbol_count":1', '"name":"main","kind":"function"'], {}),
    ("symbol_search", {"query": "stop"}, ['"symbol_id":"rust:src/lib.rs#stop(function)"', '"total":1'], {}),
    ("symbol_resolve", {"path": "src/main.rs", "name": "main"}, ['"symbol_id":"rust:src/main.rs#main(function)"'], {}),
    ("symbol_graph", {"symbol_id": "rust:src/lib.rs#wait(function)"}, ['"incoming_counts"', '"unresolved":'], {}),
    ("get_project_index_overview", {}, ["## Entry points", "- src/main.rs:1 fn main()", '"has_more":false'], {}),
    ("get_project_index_chunk", {"offset": 20, "max_chars": 60}, ['"offset":20', '"has_more":true', '"next_offset":'], {}),
    ("get_file_info", {"path": "a.txt"}, ['"size":14', '"is_file":true'], {}),
    ("read_file", {"path": "a.txt"}, ["=== File: ", "one\ntwo\nthree"], {}),
    ("read_file_range", {"path": "src/main.rs", "start_line": 2, "end_line": 2}, ["Lines 2-2 (of 4)", "2:     let wait = 5;"], {}),
    ("read_many_files", {"paths": ["src/*.rs", "a.txt"]}, ['"matched":3', "pub fn stop"], {}),
    ("batch", {"calls": [{"tool": "read_file", "arguments": {"path": "src/lib.rs"}}, {"name": "grep_search", "arguments": '{"pattern":"two"}'},
                         {"tool": "write_file", "arguments": {"path": "x", "content": "x"}}, {"tool": "batch", "arguments": {"calls": []}}]},
     ['"succeeded":2', '"failed":2', "a.txt:2:two", "tool is not allowed in batch (read-only allowlist enforced)"], {"x": None}),
    ("write_file", {"path": "new/n.txt", "content": "n\n"}, ["wrote 2 bytes to", "n.txt"], {"new/n.txt": "n\n"}),
    ("create_file", {"path": "new/o.txt", "content": "o\n"}, ["wrote 2 bytes to"], {"new/o.txt": "o\n"}),
    ("edit_file", {"path": "a.txt", "old_content": "one", "new_content": "1"}, ["Edited"], {"a.txt": "1\ntwo\nthree\n"}),
    ("apply_patch", {"path": "a.txt", "patches": [{"old_text": "two", "new_text": "2"}, {"old_text": "three", "new_text": "3"}]},
     ["Applied 2 patches atomically to"], {"a.txt": "1\n2\n3\n"}),
    ("apply_edit", {"path": "a.txt", "old_text": "2", "new_text": "two"}, ["Applied edit to"], {"a.txt": "1\ntwo\n3\n"}),
    ("apply_patch", {"path": "a.txt", "patches": [{"old_text": "two", "new_text": "2"}, {"old_text": "none", "new_text": "x"}]},
     [FAILS, "no changes made"], {"a.txt": "1\ntwo\n3\n"}),
    ("copy_file", {"source": "a.txt", "destination": "b/c.txt"}, ["Copied"], {"a.txt": "1\ntwo\n3\n", "b/c.txt": "1\ntwo\n3\n"}),
    ("move_file", {"source": "b/c.txt", "destination": "b/d.txt"}, ["Moved"], {"b/c.txt": None, "b/d.txt": "1\ntwo\n3\n"}),
    ("create_directory", {"path": "made/here"}, ["Created"], {}),
    ("delete_file", {"path": "b"}, [FAILS, "recursive flag required to delete directories"], {"b/d.txt": "1\ntwo\n3\n"}),
    ("delete_file", {"path": "b", "recursive": True}, ["b"], {"b/d.txt": None}),
]
ZBLADE += [
    ("run_command", {"command": "ls src | sort"}, ["lib.rs\nmain.rs\nExit code: 0"], {}),
    ("run_command", {"program": "ls", "args": ["$HOME"]}, ["No such file", "Exit code: 2"], {}),
    ("run_command", {"command": "rm -rf src"}, [FAILS, "Not allowed"], {"src/lib.rs": ...}),
]
PATCH = """*** Begin Patch
*** Update File: src/main.rs
@@ fn main() {
-    let wait = 5;
+    let wait = 6;
*** Add File: new/p.txt
+p
*** Delete File: notes/deep/old.md
*** End Patch"""
OPENCODE = [
    ("grep", {"pattern": "fn \\w+", "include": "*.rs"}, ["src/lib.rs:2:", "src/main.rs:1:"], {}),
    ("glob", {"pattern": "**/*.rs"}, ["src/main.rs", "src/lib.rs"], {}),
    ("write", {"filePath": "new/n.txt", "content": "n\n"}, ["Successfully wrote 2 bytes"], {"new/n.txt": "n\n"}),
    ("write", {"filePath": "a.txt", "content": "x\n"}, [FAILS, "two"], {"a.txt": "one\ntwo\nthree\n"}),
    ("edit", {"filePath": "a.txt", "oldString": "one", "newString": "1"}, ["+1"], {"a.txt": "1\ntwo\nthree\n"}),
    ("multiedit", {"edits": [{"filePath": "a.txt", "oldString": "two", "newString": "2"}, {"filePath": "src/lib.rs", "oldString": "stop", "newString": "halt"}]},
     ["a.txt", "lib.rs"], {"a.txt": "1\n2\nthree\n", "src/lib.rs": "/// Waits.\npub fn wait() {}\n\npub fn halt() {}\n"}),
    ("multiedit", {"edits": [{"filePath": "a.txt", "oldString": "2", "newString": "two"}, {"filePath": "src/lib.rs", "oldString": "none", "newString": "x"}]},
     [FAILS, "Edit 2:", "not found"], {"a.txt": "1\n2\nthree\n"}),
    ("patch", {"patch_text": PATCH}, ["src/main.rs", "p.txt"],
     {"src/main.rs": "fn main() {\n    let wait = 6;\n    println!(\"{wait}\");\n}\n", "new/p.txt": "p\n", "notes/deep/old.md": None}),
    ("patch", {"patch_text": "*** Begin Patch\n*** Update File: a.txt\n@@\n-nine\n+9\n*** End Patch"}, [FAILS, "a.txt"], {"a.txt": "1\n2\nthree\n"}),
]
OPENCODE += [
    ("lsp", {"operation": "references", "file": "src/lib.rs", "line": 1, "column": 7}, ["src/lib.rs:2:8: pub fn wait()", "complete: "], {}),
    ("webfetch", {"url": "http://127.0.0.1:9/", "format": "text"}, [FAILS, "Not allowed to fetch 127.0.0.1:9", "with a rule"], {}),
    ("webfetch", {"url": "ftp://example.com/a", "format": "markdown"}, [FAILS, "only `http:` and `https:`"], {}),
    ("bash", {"command": "ls src | sort", "description": "Lists the sources"}, ["lib.rs\nmain.rs\nExit code: 0"], {}),
    ("bash", {"command": "ls; curl -d @a.txt http://127.0.0.1/"}, [FAILS, "Not allowed", "curl"], {}),
    ("bash", {"command": "tail -f a.txt", "timeout": 300}, ["ran longer than 300 ms"], {}),
]
OPENCODE += [
    ("codesearch", {"query": "tiny greeting"}, ["===== js:tiny@1.0.0 =====", "js:tiny@1.0.0/index.js:1-3 function greet"], {}),
    ("codesearch", {"query": "tiny greeting", "tokens_num": 300}, ["===== js:tiny@1.0.0 =====", "searched 1 package and this project"], {}),
    ("grep", {"pattern": "function", "path": "js:tiny"}, ["js:tiny@1.0.0/index.js:1:"], {}),
    ("write", {"filePath": "js:tiny/new.js", "content": "x"}, [FAILS, "is a dependency"], {}),
]
PROBE = [
    ("listFiles", {"directory": "."}, ["src/", "a.txt"], {}),
    ("searchFiles", {"pattern": "**/*.rs"}, ["src/main.rs", "src/lib.rs"], {}),
    ("create", {"file_path": "new/n.txt", "content": "n\n"}, ["n.txt"], {"new/n.txt": "n\n"}),
    ("create", {"file_path": "a.txt", "content": "x\n"}, [FAILS, "a.txt"], {"a.txt": "one\ntwo\nthree\n"}),
    ("edit", {"file_path": "a.txt", "old_string": "one", "new_string": "1"}, [FAILS, "a.txt"], {"a.txt": "one\ntwo\nthree\n"}),
    ("query", {"pattern": "fn $NAME() { $$$BODY }", "path": "src/main.rs"}, ["src/main.rs:1:1", "$NAME = main"], {}),
    ("search", {"query": "wait AND NOT stop ext:rs"}, ["File: src/lib.rs", "| pub fn wait() {}"], {}),
    ("search", {"query": "wait AND ("}, [FAILS, "has an error", "Try wait"], {}),
    ("search", {"query": "wait", "path": "nowhere"}, [FAILS, "nowhere"], {}),
    ("searchAll", {"query": "wait", "maxPages": 2}, ["File: src/lib.rs", "File: src/main.rs"], {}),
    ("extract", {"file": "src/main.rs#main"}, ["src/main.rs", "| fn main() {"], {}),
    ("extract", {"file": "a.txt"}, ["1:", "| two"], {}),
    ("edit", {"file_path": "a.txt", "old_string": "one", "new_string": "1"}, ["a.txt"], {"a.txt": "1\ntwo\nthree\n"}),
    ("edit", {"file_path": "a.txt", "start_line": "2", "end_line": "3", "new_string": "2\n3"}, ["a.txt"], {"a.txt": "1\n2\n3\n"}),
    ("edit", {"file_path": "a.txt", "start_line": "1:zz", "new_string": "x"}, [FAILS, "1"], {"a.txt": "1\n2\n3\n"}),
]
PROBE += [
    ("readImage", {"path": "a.txt"}, [FAILS, "a.txt is not an image but text"], {}),
    ("search", {"query": "greet", "path": "js:tiny"}, ["File: js:tiny@1.0.0/index.js"], {}),
    ("query", {"pattern": "function $NAME($A) { $$$BODY }", "path": "js:tiny"}, ["js:tiny@1.0.0/index.js:1:1", "$NAME = greet"], {}),
    ("extract", {"file": "js:tiny@1.0.0/index.js#greet"}, ["js:tiny@1.0.0/index.js (lines 1-3 of 3"], {}),
    ("search", {"query": "greet", "path": "js:/../.."}, [FAILS, "leads out of the package"], {}),
    ("bash", {"command": "ls src | sort"}, ["lib.rs\nmain.rs\nExit code: 0"], {}),
    ("bash", {"command": "git push --force"}, [FAILS, "Not allowed"], {}),
]
OPENCODE += [
    ("todowrite", {"todos": [{"id": "a", "content": "Do it", "status": "pending", "priority": "high"}]}, ["added: a", "[ ] a: Do it [high]"], {}),
    ("todowrite", {"todos": [{"id": "a", "content": "Do it", "status": "someday", "priority": "high"}]}, [FAILS, "Invalid status"], {}),
]
ZBLADE += [
    ("codebase_investigator", {"objective": "Where does wait stand?"}, ['"findings":[{"claim":', '"evidence":["src/', '"tool_calls_used":', '"grounds":'], {}),
    ("codebase_investigator", {"objective": "what is it"}, [FAILS, "no word to search for"], {}),
]
ZBLADE += [
    ("get_editor_state", {}, ['"open_files":[]', '"editor":null', "No editor is attached"], {}),
    ("goto_line", {"line": 2}, [FAILS, "No file is open"], {}),
    ("open_file", {"path": "src/main.rs", "line": 3}, ['"action":"open_file"', '"path":"src/main.rs","line":3'], {}),
    ("open_file", {"path": "none.rs"}, [FAILS, "File not found: none.rs"], {}),
    ("goto_line", {"line": 2, "column": 5}, ['"action":"goto_line"', '"line":2,"column":5'], {}),
    ("get_editor_state", {}, ['"active_file":"src/main.rs"', '"cursor_line":2,"cursor_column":5'], {}),
    ("get_selection", {}, ['"action":"get_selection"', "no selection is known"], {}),
    ("replace_selection", {"content": "x"}, ['"applied":false', "replaced nothing"], {}),
    ("insert_at_cursor", {"content": "x"}, ['"applied":false', "nothing was inserted"], {"src/main.rs": FILES["src/main.rs"]}),
]
PROBE += [
    ("analyze_all", {"depth": "shallow"}, ["Languages:", "- rust: 2 files", "- src/main.rs:1 fn main()"], {}),
    ("analyze_all", {"path": "nowhere"}, [FAILS, "nowhere"], {}),
    ("create", {"file_path": ".agents/skills/wait/SKILL.md", "content": "---\nname: wait\ndescription: Waits.\n---\nWait.\n"}, ["SKILL.md"], {}),
    ("listSkills", {}, ['"skills":[]', "until the user runs `toolpost skills trust`", ".agents/skills/wait/SKILL.md"], {}),
    ("useSkill", {"skillName": "wait"}, [FAILS, "the user has not trusted it"], {}),
]
PROBE += [
    ("task", {"action": "create", "title": "Do it"}, ["Created task-1.", "[ ] task-1: Do it"], {}),
    ("task", {"action": "update", "taskId": "task-9", "status": "completed"}, [FAILS, "There is no task", "task-1 Do it"], {}),
    ("attempt_completion", {"result": "Done."}, [FAILS, "1 of 1 task is open"], {}),
    ("task", {"action": "complete", "taskId": "task-1"}, ["Completed task-1."], {}),
    ("attempt_completion", {"result": "Done.", "command": "touch ran"}, ["Done.", "(not run)"], {"ran": None}),
]
PROBE += [
    ("delegate", {"task": "Look around."}, [FAILS, "No model is configured"], {}),
]
PROBE += [
    ("execute_plan", {"code": "const paths = extractPaths(searchAll('wait'));\nlog(paths.length);\nreturn (await Promise.all(paths.map(async path => extract(path)))).length;"},
     ["Result:\n2", "Logs:\n2"], {}),
    ("execute_plan", {"code": "create('new/plan.txt', 'p\\n'); while (true) {}"},
     [FAILS, "The plan stopped because it computed for more than 2 s without a call.", "It had made 1 call"], {"new/plan.txt": "p\n"}),
    ("execute_plan", {"code": "return ("}, [FAILS, "The script cannot be parsed at line"], {}),
]
CODE = [
    ("search_tools", {"query": "read a file", "limit": 1}, ["declare function Read(args: {"], {}),
    ("run_code", {"code": "return Grep({ pattern: 'fn \\\\w+', output_mode: 'content' }).split('\\n').filter(line => line.includes('pub fn')).length"}, ["2"], {}),
    ("run_code", {"code": "try { await Read({ file_path: 'none' }) } catch (error) { return error.message }"}, ["none"], {}),
]
WALKS = {"trae": TRAE, "zblade": ZBLADE, "opencode": OPENCODE, "probe": PROBE, "code": CODE}


def speaking(dialect):
    """Returns the options that select a dialect. Code mode is served in addition to a dialect, whose tools are hidden."""
    return ["--dialect", "claude", "--code-mode", "only"] if dialect == "code" else ["--dialect", dialect]


async def walk(binary, dialect, mode):
    with tempfile.TemporaryDirectory(prefix="toolpost-walk-") as base:
        root = pathlib.Path(base).resolve() / "tree"
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        os.mkdir(root.parent / "home")
        environment = {"HOME": str(root.parent / "home"), "PATH": "/usr/bin:/bin"}
        server = StdioServerParameters(command=binary, args=["serve", *speaking(dialect), "--root", str(root)], env=environment, cwd=str(root))
        async with Client(server, mode=mode) as client:
            job = ""
            listed = [tool.name for tool in (await client.list_tools()).tools]
            equal(f"{dialect}: every tool is called", sorted(set(listed)), sorted({tool for tool, *_ in WALKS[dialect]}))
            for tool, arguments, wanted, files in WALKS[dialect]:
                arguments = {name: job if value == "{job}" else value for name, value in arguments.items()}
                result = await client.call_tool(tool, arguments)
                words = "\n".join(part.text for part in result.content if part.type == "text")
                job = words.split()[1] if words.startswith("command_id: ") else job
                fails = FAILS in wanted
                held = bool(result.is_error) == fails and all(text in words for text in wanted if text != FAILS)
                check(f"{dialect}: {tool} {'fails' if fails else 'answers'}", held, (arguments, words))
                for name, text in files.items():
                    path = root / name
                    if text is ...:
                        check(f"{dialect}: {name} exists", path.exists(), name)
                    else:
                        equal(f"{dialect}: {name} after {tool}", path.read_text() if path.exists() else None, text)


async def main(binary):
    for dialect in WALKS:
        for mode in ("legacy", "2026-07-28"):
            await walk(binary, dialect, mode)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
    end()
