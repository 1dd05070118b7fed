"""Operations that need special code: races, kills, floods and unusual openings."""
import ctypes
import json
import os
import random
import re
import shlex
import subprocess
import threading
import time

from assertions import commands
from session import NoAnswer, Reply
from world import Gone, Silent
from pipe import meta

RENAME_EXCHANGE, AT_FDCWD = 2, -100


def race_read(session, path, swap, n):
    """Reads while a folder is exchanged with a link that leads out."""
    real, evil, place = (name.encode() for name in swap)
    os.rename(real, place)
    libc = ctypes.CDLL(None, use_errno=True)
    stop, exchanged = threading.Event(), [0]

    def exchange():
        while not stop.is_set():
            exchanged[0] += libc.renameat2(AT_FDCWD, place, AT_FDCWD, evil, RENAME_EXCHANGE) == 0

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        texts = {session.call(session.server, *session.one("read", path=path), session.limit()).text for _ in range(n)}
    finally:
        stop.set()
        thread.join()
    if not exchanged[0]:
        raise RuntimeError("nothing was exchanged, so the race was not run")
    return [Reply("\n".join(texts))]


def race_write(session, path, swap, n):
    """Writes new files while a folder is exchanged with a link that leads out."""
    real, evil, place = (name.encode() for name in swap)
    os.rename(real, place)
    libc = ctypes.CDLL(None, use_errno=True)
    stop = threading.Event()

    def exchange():
        while not stop.is_set():
            libc.renameat2(AT_FDCWD, place, AT_FDCWD, evil, RENAME_EXCHANGE)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        for number in range(n):
            session.call(session.server, *session.one("write", path=f"{path}{number}", content="x\n"), session.limit())
    finally:
        stop.set()
        thread.join()
    return [Reply()]


def parallel_edit(session, path, slots, sessions):
    """Edits every slot of one file at the same time, through several servers."""
    servers = [session.server] + [session.open() for _ in range(sessions - 1)]
    for server in servers:
        session.make_known(server, path, "edit")
    asked = []
    for slot in range(slots):
        server = servers[slot % sessions]
        edit = session.one("edit", path=path, old=f"slot{slot:03}=0", new=f"slot{slot:03}=1")
        asked.append((slot, server, server.ask("tools/call", called(edit))))
    acknowledged = []
    for slot, server, id in asked:
        try:
            reply = Reply.of(server.wait(id, session.limit()))
        except (Silent, Gone) as error:
            raise NoAnswer(str(error)) from error
        if not reply.refused:
            acknowledged.append(slot)
    with open(path) as file:
        lines = file.read().splitlines()
    lost = [slot for slot in acknowledged if f"slot{slot:03}=1" not in lines]
    good = not lost and len(lines) == slots and bool(acknowledged)
    return [Reply(f"{len(acknowledged)} of {slots} acknowledged, lost: {lost}, {len(lines)} lines", refused=not good)]


def kill9_write(session, path, content, old_char, n):
    """Kills the server at a random moment of an overwrite, many times."""
    old, torn, killed_late, litter = old_char * len(content), [], 0, []
    for number in range(n):
        fill(path, old)
        server = session.open()
        litter += others_beside(path)
        session.make_known(server, path)
        server.ask("tools/call", called(session.one("write", path=path, content=content)))
        time.sleep(random.uniform(0, 0.06))
        server.kill()
        with open(path) as file:
            found = file.read()
        torn += [number] if found not in (old, content) else []
        killed_late += found == content
    server = session.open()
    litter += others_beside(path)
    session.findings["no_litter"] = not litter
    written_whole(session, server, path, old, content)
    return [Reply(f"torn in rounds {torn}; new in {killed_late} of {n}; left over: {litter[:3]}", refused=bool(torn or litter))]


def kill_points(session, path, content, syscalls, max):
    """Kills the server at the N-th call of each group of syscalls, for every N up to `max`: calls on the file's path only, then any calls."""
    with open(path) as file:
        old = file.read()
    torn, kills, litter = [], 0, []
    for group in syscalls:
        for only_path in (True, False):
            for number in range(1, max + 1):
                fill(path, old)
                server, outcome = session.open(), None
                litter += others_beside(path)
                session.make_known(server, path)
                tracer = attach(session, server, group, number, path if only_path else None)
                try:
                    server.call(*session.one("write", path=path, content=content), 20)
                    outcome = "lived"
                except Gone:
                    kills += 1
                server.kill()
                tracer.wait(timeout=10)
                with open(path) as file:
                    found = file.read()
                torn += [f"{group}:{number}"] if found not in (old, content) else []
                if outcome == "lived":
                    break
    server = session.open()
    litter += others_beside(path)
    session.findings["no_litter"] = not litter
    written_whole(session, server, path, old, content)
    if not kills:
        raise RuntimeError("the server was never killed, so nothing was tested")
    return [Reply(f"{kills} kills, torn: {torn}, left over: {litter[:3]}", refused=bool(torn or litter))]


def written_whole(session, server, path, old, content):
    """Checks that the write works without a kill; otherwise the kills prove nothing."""
    fill(path, old)
    session.make_known(server, path)
    reply = session.call(server, *session.one("write", path=path, content=content), 20)
    with open(path) as file:
        if reply.refused or file.read() != content:
            raise RuntimeError(f"the write without a kill does not work: {reply.text[:200]}")


def attach(session, server, group, number, path):
    """Attaches strace with a kill at the N-th call, and waits until strace is attached."""
    calls = ",".join(f"?{name}" for name in group.split(","))
    command = ["strace", "-f", "-p", str(server.process.pid), "-o", "/dev/null", "-e", f"trace={calls}",
               "-e", f"inject={calls}:signal=SIGKILL:when={number}", *(["-P", path] if path else [])]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=session.world.environment(), **session.world.setting.identity)
    line = tracer.stderr.readline().decode()
    if "attached" not in line:
        raise RuntimeError(f"strace could not attach: {line}")
    threading.Thread(target=tracer.stderr.read, daemon=True).start()
    return tracer


def fill(path, text):
    """Restores the old text in place, so that the file keeps its owner."""
    with open(path, "r+") as file:
        file.truncate(0)
        file.write(text)


def others_beside(path):
    """Lists the other files in the directory of the row's file."""
    folder, name = os.path.split(path)
    return [other for other in os.listdir(folder) if other != name]


def edit_loop_kill(session, path, n, kill_every):
    """Edits a slot many times, and kills the server in between."""
    for number in range(n):
        if number and number % kill_every == 0:
            session.server.kill()
            session.server = session.open()
        if path not in session.read_paths:
            session.make_known(session.server, path, "edit")
            session.read_paths.add(path)
        edit = session.one("edit", path=path, old=f"slot={number}\n", new=f"slot={number + 1}\n")
        reply = session.call(session.server, *edit, session.limit())
        if reply.refused:
            return [reply]
    return [Reply(f"{n} edits")]


def undo(session, path):
    """Undoes the last change on the command line, because no tool does; it must be a change of the path."""
    command, root = shlex.quote(session.world.setting.binary), shlex.quote(session.world.ws)
    status, said = session.world.shell(f"{command} history --root {root} --limit 1 --path {shlex.quote(path)} && {command} undo --root {root}")
    return [Reply(said, refused=status != 0)]


def read_dupkey(session, first, second):
    """Calls the read tool with its path given twice."""
    id, (tool, arguments) = 900, session.one("read", path="FIRST")
    twice = re.sub(r'("\w+": )"FIRST"', lambda found: f"{found[1]}{json.dumps(first)}, {found[1]}{json.dumps(second)}", json.dumps(arguments))
    session.server.raw((f'{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}",'
                        f'"arguments":{twice}}}}}\n').encode())
    try:
        return [Reply.of(session.server.wait(id, session.limit()))]
    except Silent as error:
        if session.server.alive():
            return [Reply("the line was dropped", refused=True)]
        raise NoAnswer(str(error)) from error


def rpc(session, raw, id=None, want_code=None):
    """Sends raw bytes; with an id it waits for the reply, else for the answer to a ping after it."""
    server, data = session.server, expanded(raw)
    writer = threading.Thread(target=lambda: quietly(server.raw, data), daemon=True)
    writer.start()
    try:
        if id is None:
            answer = server.request("ping", seconds=session.limit(), id="after-raw")
        else:
            answer = server.wait(id, session.limit())
    except (Silent, Gone) as error:
        raise NoAnswer(str(error)) from error
    reply = Reply.of(answer)
    if want_code is not None and reply.code != want_code:
        reply.text += f" (wanted code {want_code})"
    return [reply]


def expanded(raw):
    lines = re.fullmatch(r"REPEATLINE:(.*):(\d+)", raw, re.DOTALL)
    if lines:
        return (lines[1].encode() + b"\n") * int(lines[2])
    return re.sub(r"REPEAT:(.):(\d+)", lambda found: found[1] * int(found[2]), raw).encode("utf8", "surrogateescape")


def quietly(act, *values):
    try:
        act(*values)
    except (Gone, OSError, ValueError):
        pass


def pings(session, n):
    """Sends many pings at the same time; each must be answered."""
    server = session.server
    ids = [f"p{number}" for number in range(n)]
    server.raw(b"".join(json.dumps({"jsonrpc": "2.0", "id": id, "method": "ping"}).encode() + b"\n" for id in ids))
    try:
        return [Reply.of(server.wait(id, session.limit())) for id in ids][-1:]
    except (Silent, Gone) as error:
        raise NoAnswer(str(error)) from error


def call_all_wrong_types(session):
    """Every property of every tool, with values of every wrong type."""
    tools = session.server.request("tools/list")["result"]["tools"]
    wrong = [None, 7, [], [1], {}, {"a": 1}, "A" * 1_000_000, True, -1.5]
    for tool in tools:
        schema = tool["inputSchema"]
        usual = {name: "x" for name in schema.get("required", [])}
        for name in schema.get("properties", {}):
            for value in wrong:
                session.call(session.server, tool["name"], {**usual, name: value}, session.limit())
        for arguments in (None, [], "x", 7):
            session.call(session.server, tool["name"], arguments, session.limit())
    return [Reply(f"{len(tools)} tools")]


def backpressure(session, path, n):
    """Sends many reads without reading the answers; afterwards the server must still run."""
    server = session.server
    server.may_read.clear()
    call = called(session.one("read", path=path))
    lines = [json.dumps({"jsonrpc": "2.0", "id": f"b{number}", "method": "tools/call", "params": call}) for number in range(n)]
    writer = threading.Thread(target=lambda: quietly(server.raw, "".join(line + "\n" for line in lines).encode()), daemon=True)
    writer.start()
    writer.join(4)
    time.sleep(1)
    server.may_read.set()
    try:
        server.wait(f"b{n - 1}", session.limit())
    except (Silent, Gone) as error:
        raise NoAnswer(str(error)) from error
    return [Reply()]


def init_version(session, version):
    """Opens with a protocol version that does not exist."""
    session.server.kill()
    session.server = session.world.start()
    return opened(session, version, None)


def opened(session, version, capabilities):
    try:
        return [Reply.of(session.server.initialize(version, capabilities, session.limit()))]
    except (Silent, Gone) as error:
        raise NoAnswer(str(error)) from error


def call_before_init(session, path):
    """A read as the first message of a fresh server."""
    session.server.kill()
    session.server = session.world.start()
    return [session.call(session.server, *session.one("read", path=path), session.limit())]


def read_with_roots(session, roots, path):
    """Offers roots as a client, then reads."""
    session.server.kill()
    session.server = session.world.start()
    session.server.roots = roots
    opened(session, "2025-11-25", {"roots": {"listChanged": True}})
    session.server.notify("notifications/roots/list_changed")
    time.sleep(0.3)
    return [session.call(session.server, *session.one("read", path=path), session.limit())]


def tools_scan(session, forbid):
    """Looks for names that give the model power over the policy, and for characters that hide text."""
    tools = session.server.request("tools/list")["result"]["tools"]
    text = json.dumps(tools, ensure_ascii=False)
    hidden = re.search("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]", text)
    names = [tool["name"] for tool in tools] + [name for tool in tools for name in tool["inputSchema"].get("properties", {})]
    bad = [name for name in names if re.search(forbid, name, re.IGNORECASE)]
    unhinted = [tool["name"] for tool in tools if "readOnlyHint" not in tool.get("annotations", {})]
    session.findings["clean_tools"] = not hidden and not bad and not unhinted and bool(tools)
    return [Reply(f"hidden: {hidden}, names: {bad}, without hints: {unhinted}")]


def start(session, argv_path):
    """Starts with a path that looks like an option."""
    session.server.kill()
    command = [session.world.setting.binary, "serve", "--dialect", session.adapter.DIALECT, "--root", argv_path]
    session.server = session.open(command)
    return [Reply(session.why_not_started, refused=session.server is None)]


def strace_net(session, seconds):
    """Waits while strace records every connection."""
    time.sleep(seconds)
    return [Reply()]


def grep_logs(session, needle):
    """Searches for a text in the files and the error output of the server, and in all command lines."""
    found = [needle in session.world.said_errors()]
    for place in (session.world.home, session.world.tmp):
        for folder, _, files in os.walk(place):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    found.append(needle.encode() in file.read())
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                found.append(needle.encode() in file.read())
        except OSError:
            continue
    session.findings["found"] = any(found)
    return [Reply()]


def stdio26(session, kind, path=None):
    """The protocol era without a handshake: the same read in both eras, or the messages that a server sends without a request."""
    server = session.world.start()
    try:
        if path:
            params = {**called(session.one("read", path=path)), "_meta": meta()}
            replies = [Reply.of(server.request("tools/call", params, session.limit()))]
        else:
            replies = [Reply.of(server.request("tools/list", {"_meta": meta()}, session.limit()))]
    except (Silent, Gone) as error:
        raise NoAnswer(str(error)) from error
    if kind == "both_eras_read":
        replies.append(session.call(session.server, *session.one("read", path=path), session.limit()))
    session.findings["no_server_requests"] = not any("id" in message for message in server.others)
    return replies


def undo(session, path):
    """Undoes the last change that the history lists of a path, from the command line."""
    world, name = session.world, os.path.relpath(path, session.world.ws)
    program = [world.setting.binary, "--root", world.ws]
    listed = world.run([*program, "history", "--json"])
    if listed.returncode:
        return [Reply(listed.stderr, refused=True)]
    changes = [entry for entry in json.loads(listed.stdout) if any(name in (one["path"], one["to"]) for one in entry["changes"])]
    if not changes:
        raise RuntimeError(f"the history lists no change of {name}: {listed.stdout[:300]}")
    done = world.run([*program, "undo", changes[0]["id"]])
    return [Reply(done.stdout + done.stderr, refused=done.returncode != 0)]


def begun(session, command, timeout_ms):
    """Sends a long command, and waits until one of its processes exists; returns the id of the request."""
    server = session.server
    limit = {} if session.adapter.DIALECT in ("trae", "zblade") else {"timeout_ms": timeout_ms}
    id = server.ask("tools/call", called(session.one("exec", command=command, **limit)))
    mark, until = command.split(";")[-1].strip(), time.monotonic() + session.limit()
    while not any(mark in line for line in commands()):
        if time.monotonic() > until or not server.alive():
            raise RuntimeError(f"no process of {mark!r} was started: {session.world.said_errors()[-300:]}")
        time.sleep(0.05)
    return id


def exec_cancel(session, command, timeout_ms):
    """Cancels a command that runs."""
    id = begun(session, command, timeout_ms)
    session.server.notify("notifications/cancelled", {"requestId": id, "reason": "the row"})
    return [Reply()]


def exec_then_kill9(session, command, timeout_ms):
    """Kills the server while a command runs."""
    begun(session, command, timeout_ms)
    session.server.kill()
    return [Reply()]


def exec_then_term(session, command, timeout_ms):
    """Asks the server to end while a command runs."""
    begun(session, command, timeout_ms)
    session.server.process.terminate()
    return [Reply()]


def outside(session, cmd):
    """Runs a shell command as the user, outside the server."""
    status, said = session.world.shell(cmd)
    return [Reply(said, refused=status != 0)]


def sleep(session, ms):
    time.sleep(ms / 1000)
    return [Reply()]


def called(call):
    """Returns the parameters of a `tools/call` request."""
    return {"name": call[0], "arguments": call[1]}


#: The operation with which each special operation makes its calls.
DRIVES = {
    "race_read": "read", "race_write": "write", "parallel_edit": "edit", "kill9_write": "write", "kill_points": "write",
    "edit_loop_kill": "edit", "read_dupkey": "read", "backpressure": "read", "call_before_init": "read", "read_with_roots": "read",
    "stdio26": "read", "exec_cancel": "exec", "exec_then_kill9": "exec", "exec_then_term": "exec",
}

MACHINES = {
    "race_read": race_read, "race_write": race_write, "parallel_edit": parallel_edit, "kill9_write": kill9_write, "kill_points": kill_points,
    "edit_loop_kill": edit_loop_kill, "undo": undo, "read_dupkey": read_dupkey, "rpc": rpc, "pings": pings, "call_all_wrong_types": call_all_wrong_types,
    "backpressure": backpressure, "init_version": init_version, "call_before_init": call_before_init, "read_with_roots": read_with_roots,
    "tools_scan": tools_scan, "start": start, "strace_net": strace_net, "grep_logs": grep_logs, "stdio26": stdio26, "exec_cancel": exec_cancel,
    "exec_then_kill9": exec_then_kill9, "exec_then_term": exec_then_term, "sh": outside, "undo": undo, "sleep": sleep,
}
