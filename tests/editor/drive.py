"""Uses a real Neovim through the built binary, while this script acts as its user.

usage: drive.py BINARY
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pipe import Pipe, refused, text_of  # noqa: E402

#: Time limit of a step in seconds, longer than any step takes.
LONG = 60.0
passed, failed = 0, 0


def check(what, holds, seen=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {str(seen)[:800]}", flush=True)


def equal(what, seen, wanted):
    check(what, seen == wanted, f"{seen!r}, wanted {wanted!r}")


class User:
    """A Neovim without a screen, and the user who works in it."""

    def __init__(self, base, name):
        self.socket = str(base / f"{name}.sock")
        environment = {"HOME": str(base / "home"), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(base)}
        command = ["nvim", "--clean", "-n", "-i", "NONE", "--headless", "--listen", self.socket]
        self.process = subprocess.Popen(command, cwd=base / "ws", env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        until = time.monotonic() + LONG
        while not os.path.exists(self.socket) and time.monotonic() < until:
            time.sleep(0.05)

    def remote(self, *arguments):
        done = subprocess.run(["nvim", "--server", self.socket, *arguments], capture_output=True, timeout=LONG, text=True)
        return done.stdout + done.stderr

    def sees(self, expression):
        """Evaluates an expression in Neovim."""
        return json.loads(self.remote("--remote-expr", f"json_encode({expression})"))

    def types(self, keys):
        """Types keys, and waits until Neovim has processed them."""
        self.remote("--remote-send", keys)
        time.sleep(0.2)

    def does(self, command):
        """Runs a command in Neovim, in any mode."""
        self.remote("--remote-expr", "execute('" + command.replace("'", "''") + "')")

    def lines(self):
        return self.sees("getline(1, '$')")

    def end(self):
        os.killpg(self.process.pid, signal.SIGCONT)
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Client:
    """The binary, attached to an editor."""

    def __init__(self, binary, base, *options, environment=None):
        self.base = base
        command = [binary, "serve", "--dialect", "zblade", "--root", str(base / "ws"), *options]
        home = {"HOME": str(base / "home"), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(base)}
        self.pipe = Pipe(command, env={**home, **(environment or {})})
        self.pipe.initialize(seconds=LONG)

    def says(self, tool, **arguments):
        answer = self.pipe.call(tool, arguments, LONG)
        return refused(answer), text_of(answer)

    def data(self, tool, **arguments):
        failure, words = self.says(tool, **arguments)
        try:
            return json.loads(words.split("\n[toolpost:")[0]) if not failure else {"failure": words}
        except ValueError:
            return {"failure": words}

    def end(self):
        self.pipe.kill()


TEXT = "eins\nzwölf → 👩 ende\n\tvier\nfünf\n"


def furnish(base):
    for folder in ("ws/src", "home", "out"):
        (base / folder).mkdir(parents=True)
    (base / "ws/a.txt").write_text(TEXT)
    (base / "ws/crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (base / "ws/.env").write_text("KEY=1\n")
    (base / "ws/src/b | !touch made.txt").write_text("b\n" * 9)
    (base / "out/secret.txt").write_text("secret\n")


def opens_and_moves(client, user):
    done = client.data("open_file", path="a.txt", line=2)
    equal("open_file is done", (done.get("done"), done.get("path"), done.get("line"), done.get("action")), ("open_file", "a.txt", 2, None))
    equal("the editor shows the file", user.sees("[expand('%:t'), line('.')]"), ["a.txt", 2])
    done = client.data("goto_line", line=2, column=9)
    equal("a column is a character", user.sees("[line('.'), matchstr(getline('.'), '.', col('.') - 1)]"), [2, "👩"])
    state = client.data("get_editor_state")
    equal("the reported state is that of the editor", (state.get("active_file"), state.get("cursor_line"), state.get("cursor_column"), state.get("selection_start_line")),
          ("a.txt", 2, 9, None))
    failure, words = client.says("goto_line", line=99)
    equal("a line after the end means the last line", user.sees("line('.')"), 4)
    check("the reply notes the missing line", "there is no line 99" in words and not failure, words)
    odd = "src/b | !touch made.txt"
    done = client.data("open_file", path=odd, line=3)
    equal("a file name is not run as a command", (user.sees("[expand('%:t'), line('.')]"), done.get("path")), (["b | !touch made.txt", 3], odd))
    check("nothing was run", not list(client.base.rglob("made.txt")), "")
    equal("both are open", client.data("get_editor_state").get("open_files"), ["a.txt", odd])
    failure, words = client.says("open_file", path="none.txt")
    check("a missing file is not created", failure and "not found" in words and user.sees("bufnr('none.txt')") == -1, words)
    client.data("open_file", path="crlf.txt")
    user.types("<C-o>")
    equal("the user gets back to where they were", user.sees("expand('%:t')"), "b | !touch made.txt")
    client.data("open_file", path="a.txt", line=1)


def selects(client, user):
    equal("nothing is selected", client.data("get_selection").get("selection"), None)
    rows = [
        ("from one character to another", "2G0v5l", "zwölf ", "characters", [2, 1, 2, 7]),
        ("backwards, over characters of several bytes", "2G$bbvbb", None, "characters", None),
        ("with the break at its end", "1Gwv$", None, "characters", None),
        ("over lines", "1G2lvj0", "ns\nz", "characters", [1, 3, 2, 2]),
        ("a character of four bytes", "2G08lv", "👩", "characters", [2, 9, 2, 10]),
        ("lines", "2GVj", "zwölf → 👩 ende\n\tvier\n", "lines", [2, 1, 4, 1]),
        ("a block", "1G0<C-v>jl", "ei\nzw", "block", None),
        ("a block up to the ends", "1G02l<C-v>j$", "ns\nölf → 👩 ende", "block", None),
        ("a block behind a tab", "2G08l<C-v>jl", None, "block", None),
    ]
    for what, keys, text, kind, place in rows:
        user.types("<Esc>" + keys)
        seen = user.sees("mode()")
        selection = client.data("get_selection").get("selection") or {}
        equal(f"{what}: kind and highlighting", (selection.get("kind"), selection.get("highlighted"), seen in "vV\x16"), (kind, True, True))
        if text is not None:
            equal(f"{what}: text", selection.get("text"), text)
        if place is not None:
            equal(f"{what}: position", [selection.get(key) for key in ("start_line", "start_column", "end_line", "end_column")], place)
        # The expected text is the one that the editor itself copies.
        user.types("y")
        copied = user.sees("getreg('\"')")
        equal(f"{what}: the text that the editor copies", selection.get("text"), copied)
    user.types("<Esc>2G0v5l<Esc>")
    selection = client.data("get_selection").get("selection") or {}
    equal("the last selection is reported", (selection.get("text"), selection.get("highlighted")), ("zwölf ", False))


def writes(client, user):
    on_disk = client.base / "ws/a.txt"
    rows = [
        ("characters", "2G0v4l", "Zwölf", ["eins", "Zwölf → 👩 ende", "\tvier", "fünf"]),
        ("several lines", "2G08lv", "1\r\n2", ["eins", "zwölf → 1", "2 ende", "\tvier", "fünf"]),
        ("whole lines", "2GVj", "neu\n", ["eins", "neu", "fünf"]),
        ("lines without a break at the end", "2GVj", "neu", ["eins", "neu", "fünf"]),
        ("lines by nothing", "2GVj", "", ["eins", "fünf"]),
        ("the break, too", "1G0v$", "x", ["xzwölf → 👩 ende", "\tvier", "fünf"]),
    ]
    for what, keys, content, wanted in rows:
        user.types("<Esc>" + keys)
        client.data("get_selection")
        done = client.data("replace_selection", content=content)
        equal(f"replaced {what}", user.lines(), wanted)
        equal(f"replaced {what}: reported", (done.get("done"), done.get("applied"), done.get("saved")), ("replace_selection", True, False))
        equal(f"replaced {what}: nothing is selected any more", user.sees("mode()"), "n")
        user.types("u")
        equal(f"replaced {what}: one undo reverts it", user.lines(), TEXT.splitlines())
    user.types("<Esc>2G08l")
    client.data("get_editor_state")
    done = client.data("insert_at_cursor", content="ä\nb")
    equal("inserted", user.lines(), ["eins", "zwölf → ä", "b👩 ende", "\tvier", "fünf"])
    equal("inserted: the position", (done.get("line"), done.get("column")), (2, 9))
    equal("the cursor is after the inserted text", user.sees("[line('.'), col('.')]"), [3, 2])
    check("the file is not saved", client.data("get_editor_state").get("unsaved_files") == ["a.txt"] and on_disk.read_text() == TEXT)
    user.types("u")
    equal("one undo removes the inserted text", user.lines(), TEXT.splitlines())
    user.does(f"edit {client.base}/ws/empty.txt")
    client.data("get_editor_state")
    for content in ("eins", "zwei\n", "drei", "ä"):
        client.data("insert_at_cursor", content=content)
    equal("each text is inserted after the previous one", user.lines(), ["einszwei", "dreiä"])
    client.data("goto_line", line=1, column=9)
    client.data("insert_at_cursor", content="!")
    equal("a text is inserted after the end of a line", user.lines(), ["einszwei!", "dreiä"])
    user.types("h")
    client.data("get_editor_state")
    client.data("insert_at_cursor", content="?")
    equal("a text is inserted at the cursor after the user has moved it", user.lines(), ["einszwe?i!", "dreiä"])
    user.does("edit! a.txt")
    odd = "'); call system('touch made.txt') | \" \\ <Esc>:q!<CR>"
    user.types("1G0")
    client.data("get_editor_state")
    client.data("insert_at_cursor", content=odd)
    equal("an inserted text is not run as a command", user.lines()[0], odd + "eins")
    user.types("u")
    long = "x" * 300_000
    client.data("get_editor_state")
    client.data("insert_at_cursor", content=long)
    equal("a long text", user.sees("len(getline(1))"), len(long) + 4)
    user.types("u")


def stays_careful(client, user):
    user.types("<Esc>2G0v4l")
    client.data("get_selection")
    user.types("l")
    failure, words = client.says("replace_selection", content="x")
    check("a selection that moved is not replaced", failure and "has changed since this session last saw it" in words, words)
    equal("and nothing was written", user.lines(), TEXT.splitlines())
    user.types("<Esc>1G0")
    client.data("get_editor_state")
    user.does("call setline(4, 'anders')")
    failure, words = client.says("insert_at_cursor", content="x")
    check("nothing is inserted into a buffer that has changed", failure and "has changed since this session last saw it" in words, words)
    failure, words = client.says("insert_at_cursor", content="x")
    check("the insertion works once the session has seen the change", not failure and user.lines()[0] == "xeins", words)
    user.does("edit!")
    user.types("<Esc>1G0<C-v>jl")
    client.data("get_selection")
    failure, words = client.says("replace_selection", content="x")
    check("a block is not replaced", failure and "block of columns" in words, words)
    user.types("<Esc>")
    user.does(f"edit {client.base}/out/secret.txt")
    user.types("V")
    state, selection = client.data("get_editor_state"), client.data("get_selection")
    check("a file outside is named", str(state.get("active_file")).endswith("/out/secret.txt") and "secret.txt" in str(state.get("outside_of_workspace")), state)
    picked = selection.get("selection") or {}
    check("the text of a file outside is withheld", "text" in picked and picked["text"] is None and "outside" in str(picked.get("withheld")), selection)
    for tool, arguments in (("insert_at_cursor", {"content": "x"}), ("replace_selection", {"content": "x"}), ("goto_line", {"line": 1})):
        failure, words = client.says(tool, **arguments)
        check(f"{tool} leaves a file outside alone", failure and "outside the workspace" in words, words)
    user.types("<Esc>")
    user.does(f"edit {client.base}/ws/.env")
    user.types("V")
    picked = client.data("get_selection").get("selection") or {}
    check("the text of a file that rules protect is withheld", picked.get("text") is None and "rules" in str(picked.get("withheld")), picked)
    failure, words = client.says("insert_at_cursor", content="x")
    check("nothing is inserted into a file that rules protect", failure and "rules do not allow" in words, words)
    user.types("<Esc>")
    user.does(f"edit {client.base}/ws/crlf.txt")
    user.types("<Esc>2G0")
    client.data("get_editor_state")
    client.data("insert_at_cursor", content="a\r\nb\r\n")
    user.does("write")
    equal("CRLF stays CRLF", (client.base / "ws/crlf.txt").read_bytes(), b"one\r\na\r\nb\r\ntwo\r\n")
    user.does("setlocal nomodifiable")
    client.data("get_editor_state")
    failure, words = client.says("insert_at_cursor", content="x")
    check("an unmodifiable buffer is an error", failure and "modifiable" in words, words)
    user.does("setlocal modifiable")


def minds_unsaved_text(client, user):
    """Other tools work on the disk: a read names unsaved changes, and a write is refused until they are saved or discarded."""
    def reads(path="a.txt"):
        return client.says("read_file", path=path)

    edits = (
        ("edit_file", {"path": "a.txt", "old_content": "eins", "new_content": "EINS"}),
        ("write_file", {"path": "a.txt", "content": "new\n"}),
        ("delete_file", {"path": "a.txt"}),
        ("move_file", {"source": "a.txt", "destination": "moved.txt"}),
    )
    file = client.base / "ws/a.txt"
    file.write_text(TEXT)
    user.does(f"edit! {client.base}/ws/a.txt")
    failure, words = reads()
    check("a saved buffer needs no note", not failure and "unsaved" not in words, words)
    user.does("call setline(4, 'unsaved text')")
    failure, words = reads()
    check("a read notes unsaved changes", not failure and "a.txt has unsaved changes in Neovim" in words and "unsaved text" not in words, words)
    failure, words = reads("src/b | !touch made.txt")
    check("a read of another file does not", not failure and "has unsaved changes" not in words, words)
    for tool, arguments in edits:
        failure, words = client.says(tool, **arguments)
        check(f"{tool} refuses", failure and "a.txt has unsaved changes in Neovim" in words and "Nothing was changed" in words, words)
        check(f"{tool} changes nothing", file.read_text() == TEXT and not (client.base / "ws/moved.txt").exists())
    equal("the buffer is as it was", user.lines()[3], "unsaved text")
    user.does("edit!")
    failure, words = client.says(*edits[0][:1], **edits[0][1])
    check("an edit works once the changes are discarded", not failure and file.read_text() == TEXT.replace("eins", "EINS"), words)
    file.write_text(TEXT)
    user.does("edit! a.txt")
    user.does("edit! crlf.txt")


def speaks_of_trouble(client, user):
    # The command `f` waits for a character.
    user.types("f")
    failure, words = client.says("get_editor_state")
    check("an editor that waits for its user is an error", failure and "is waiting for the user" in words, words)
    user.types("<Esc>")
    user.types("<Esc><Esc>1G0")
    before = user.lines()
    client.data("get_editor_state")
    os.kill(user.process.pid, signal.SIGSTOP)
    failure, words = client.says("insert_at_cursor", content="late")
    check("an editor that hangs is an error", failure and "did not answer within" in words, words)
    failure, words = client.says("read_file", path="a.txt")
    check("a read works, with a note that the editor does not answer", not failure and "did not answer, so files may have unsaved changes" in words, words)
    failure, words = client.says("read_file", path="a.txt")
    check("the note appears once", not failure and "did not answer" not in words, words)
    os.kill(user.process.pid, signal.SIGCONT)
    time.sleep(1)
    equal("the editor does not carry out the late request", user.lines(), before)
    check("the editor is asked again after it answers", client.data("get_editor_state").get("active_file") == "crlf.txt")
    user.end()
    failure, words = client.says("get_editor_state")
    check("an editor that has exited is an error", failure and "cannot be reached" in words, words)


def stands_beside_a_terminal(binary, base):
    """The editor in whose terminal the server runs is found, and the file next to the terminal is the active file."""
    user = User(base, "beside")
    try:
        user.does(f"edit {base}/ws/a.txt")
        user.types("3G0")
        user.does("split | terminal cat")
        equal("the terminal is the current window", user.sees("&buftype"), "terminal")
        client = Client(binary, base, environment={"NVIM": user.socket})
        state = client.data("get_editor_state")
        equal("the file next to the terminal is active", (state.get("active_file"), state.get("cursor_line")), ("a.txt", 3))
        client.data("open_file", path="crlf.txt", line=2)
        equal("the terminal stays", user.sees("[&buftype, len(win_findbuf(bufnr('crlf.txt')))]"), ["terminal", 1])
        client.end()
        client = Client(binary, base, "--editor", "off", environment={"NVIM": user.socket})
        equal("`--editor off` attaches no editor", client.data("get_editor_state").get("editor"), None)
        client.end()
        client = Client(binary, base, "--read-only", environment={"NVIM": user.socket})
        tools = {tool["name"] for tool in client.pipe.request("tools/list", {})["result"]["tools"]}
        equal("read-only keeps the tools that only read", {"get_selection", "goto_line"} <= tools and not {"insert_at_cursor", "replace_selection"} & tools, True)
        client.end()
    finally:
        user.end()


def stands_alone(binary, base):
    """Without an editor, the setting `editor_apply` writes into files, and the history records the changes."""
    environment = {"HOME": str(base / "home"), "PATH": os.environ["PATH"]}

    def run(*arguments, **more):
        return subprocess.run([binary, *arguments, "--root", str(base / "ws")], env={**environment, **more.pop("env", {})},
                              capture_output=True, text=True, timeout=LONG, **more)

    file = base / "ws/crlf.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    script = "\n".join(json.dumps({"tool": tool, "arguments": arguments}) for tool, arguments in (
        ("open_file", {"path": "crlf.txt", "line": 2}), ("insert_at_cursor", {"content": "und\n"})))
    done = run("call", "--dialect", "zblade", "--editor-apply", "on", "--script", "-", input=script)
    equal("the text is in the file", file.read_bytes(), b"one\r\nund\r\ntwo\r\n")
    undone = run("undo")
    equal("an undo reverts the insertion", (undone.returncode, file.read_bytes()), (0, b"one\r\ntwo\r\n"))
    done = run("call", "--dialect", "zblade", "--script", "-", input=script)
    equal("without the setting nothing is written", file.read_bytes(), b"one\r\ntwo\r\n")
    check("the reply reports that nothing was applied", '\\"applied\\":false' in done.stdout, done.stdout)
    for wrong in ("vim", "nvim:relative", "nvim:"):
        done = run("doctor", "--editor", wrong)
        check(f"{wrong} is refused as an editor", done.returncode == 2 and "is not an editor" in done.stderr, done.stderr)
    done = run("doctor", env={"TOOLPOST_EDITOR": "nvim:/nowhere/x", "TOOLPOST_EDITOR_APPLY": "on"})
    for line in ("editor = nvim:/nowhere/x (environment, TOOLPOST_EDITOR)", "editor_apply = on (environment, TOOLPOST_EDITOR_APPLY)",
                 "editor  Neovim at /nowhere/x cannot be reached"):
        check(f"doctor says: {line}", line in done.stdout, done.stdout)
    done = run("doctor", env={"PATH": "/nowhere", "NVIM": "/nowhere/x"})
    check("doctor reports the missing program", "the program nvim is not in the PATH" in done.stdout, done.stdout)
    done = run("doctor")
    check("doctor reports that no editor is attached", "editor  no editor is attached (Toolpost does not run in an editor's terminal)" in done.stdout, done.stdout)


def main(binary):
    with tempfile.TemporaryDirectory(prefix="toolpost-editor-") as folder:
        base = pathlib.Path(folder).resolve()
        furnish(base)
        user = User(base, "user")
        client = Client(binary, base, "--editor", f"nvim:{user.socket}")
        try:
            for part in (opens_and_moves, selects, writes, stays_careful, minds_unsaved_text, speaks_of_trouble):
                part(client, user)
        finally:
            client.end()
            if user.process.poll() is None:
                user.end()
        stands_beside_a_terminal(binary, base)
        stands_alone(binary, base)
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main(sys.argv[1])
