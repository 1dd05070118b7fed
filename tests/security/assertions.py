"""Evaluates the assertions of a row, under `must` and `must_not`."""
import os
import re
import time



class Unknown(Exception):
    """The runner does not know this assertion: an error of the runner, never a pass."""


def holds(text, session, replies):
    """Returns whether one assertion holds."""
    kind, _, rest = text.partition(":")
    judge = KINDS.get(kind)
    if judge is None:
        raise Unknown(f"the assertion {text!r} is not known")
    return judge(session.world.fill(rest), session, replies)


def output(text, session, replies):
    return any(text in reply.text for reply in replies)


def output_re(pattern, session, replies):
    return any(re.search(pattern, reply.text) for reply in replies)


def output_line(text, session, replies):
    return any(line.strip() == text.strip() for reply in replies for line in reply.text.split("\n"))


def path_exists(path, session, replies):
    return os.path.lexists(path)


def shell(command, session, replies):
    return session.world.shell(command)[0] == 0


def ok_means(command, session, replies):
    return replies[0].refused or shell(command, session, replies)


def alive(_, session, replies):
    return session.server is not None and session.server.alive()


def alive_fresh(_, session, replies):
    if session.server is None or session.server.process.poll() is not None:
        return False
    session.server.initialize()
    return session.server.alive()


def valid_json(_, session, replies):
    return not any(server.noise for server in session.world.servers)


def bytes_over(limit, session, replies):
    return max((len(reply.text.encode("utf8", "surrogatepass")) for reply in replies), default=0) > int(limit)


def rss_mb_over(limit, session, replies):
    return session.growth_mb() > float(limit)


def rpc_code(code, session, replies):
    return any(reply.code == int(code) for reply in replies)


def traced(pattern, session, replies):
    with open(session.world.trace, encoding="utf8", errors="replace") as file:
        file.seek(session.trace_from)
        return any(re.search(pattern, line) for line in file if "resumed" in line or "(" in line)


def connect(_, session, replies):
    with open(session.world.trace, encoding="utf8", errors="replace") as file:
        tried = [line for line in file if "connect(" in line and "AF_INET" in line]
    return any("127.0.0.1" not in line and '"::1"' not in line for line in tried)


def store_mb_under(limit, session, replies):
    """Returns whether the home and temporary directories together take less than the limit, in MB."""
    total = 0
    for place in (session.world.home, session.world.tmp):
        for folder, _, files in os.walk(place):
            for name in files:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
    return total < float(limit) * 1e6


def processes(session):
    mark = f"TOOLPOST_ROW={session.world.base}".encode()
    servers = {server.process.pid for server in session.world.servers}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                ours = mark in file.read()
            if ours and int(name) not in servers:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    yield file.read().replace(b"\0", b" ").decode("utf8", "replace")
        except OSError:
            continue


def commands(below=None):
    """Yields the command lines of all processes, or of those whose working directory is in the directory `below`.

    The environment of a sandboxed command does not have the row's mark.
    """
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if below and not f"{os.readlink(f'/proc/{name}/cwd')}/".startswith(f"{below}/"):
                continue
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode("utf8", "replace").strip()
        except OSError:
            continue
        if line and int(name) != os.getpid() and "run.py" not in line:
            yield line


def process(pattern, session, replies):
    """Checks for a process of the row. Other rows and suites, which run at the same time, may run the same program."""
    return any(re.search(pattern, line) for line in [*processes(session), *commands(session.world.base)])


def process_anywhere(pattern, session, replies):
    """Checks for a process that may have left the workspace: the pattern must be unique to the row."""
    return any(re.search(pattern, line) for line in [*processes(session), *commands()])


def process_after(seconds):
    """Returns a check for a process that still runs after so many seconds."""
    def judge(pattern, session, replies):
        until = time.monotonic() + seconds * session.world.setting.scale
        while process_anywhere(pattern, session, replies):
            if time.monotonic() > until:
                return True
            time.sleep(0.1)
        return False
    return judge


def procs_over(limit, session, replies):
    return len(list(commands())) > int(limit)


def hit(path, session, replies):
    return session.world.listeners.hit(path)


def second_hit(path, session, replies):
    return session.world.listeners.second.hit(path)


def hit_header(name, session, replies):
    return session.world.listeners.first.hit_header(name)


def second_hit_header(name, session, replies):
    return session.world.listeners.second.hit_header(name)


def finding(name):
    return lambda _, session, replies: bool(session.findings.get(name))


KINDS = {
    "output": output, "output_re": output_re, "output_line": output_line, "path_exists": path_exists, "sh": shell, "ok_means": ok_means,
    "alive": alive, "alive_fresh": alive_fresh, "valid_json": valid_json, "bytes_over": bytes_over, "rss_mb_over": rss_mb_over,
    "rpc_code": rpc_code, "strace": traced, "connect": connect, "store_mb_under": store_mb_under, "proc": process,
    "proc_after_3s": process_after(3), "proc_after_6s": process_after(6), "procs_over": procs_over, "hit": hit,
    "hit2": second_hit, "hit_header": hit_header, "hit2_header": second_hit_header,
    "found": finding("found"), "clean_tools": finding("clean_tools"), "no_server_requests": finding("no_server_requests"),
    "no_litter": finding("no_litter"),
}


def judge(row_part, session, replies):
    """Returns the assertions of a row or step that fail, as texts."""
    wrong = [f"must {text}" for text in row_part.get("must", []) if not holds(text, session, replies)]
    wrong += [f"must not {text}" for text in row_part.get("must_not", []) if holds(text, session, replies)]
    return wrong


def shape(row):
    """Fails on assertions that the runner does not know, before anything runs."""
    for part in (row, *row.get("steps", [])):
        for text in (*part.get("must", []), *part.get("must_not", [])):
            if text.partition(":")[0] not in KINDS:
                raise Unknown(f"{row['id']}: the assertion {text!r} is not known")
