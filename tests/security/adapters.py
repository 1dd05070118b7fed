"""Shared code of the adapters: the abstract operations, and their translation into calls of a dialect."""
import importlib

DIALECTS = ("claude", "trae", "zblade", "opencode", "probe")

#: All operations that are translated into calls of a dialect's tools.
SAID = {
    "read", "read_many", "write", "edit", "multi_edit", "patch", "fast_apply", "list", "glob", "grep", "stat", "mkdir", "move", "copy",
    "delete", "batch", "call_raw", "checkpoint", "exec", "bg_output", "bg_kill", "fetch",
}

#: Operations for which no dialect has a tool yet.
LATER = {
    "open_file", "git_status", "git_diff", "git_show", "git_add", "lsp", "delegate", "trust_reuse",
    "lsp_then_kill9", "delegate_cancel", "editor_connect", "build_check", "http",
    "http26", "start_http", "http_raw", "http_session", "http_load", "http_shutdown", "http2_abuse", "ws", "oauth",
}

#: Why rows that read the memory of a program's parent do not apply; EX-231 tries the memory of the server.
OWN_SHELL = "the parent of the program is the command's own shell, in the same sandbox; row EX-231 tries the supervisor and the server"

#: Rows that test an operation without an earlier read.
UNREAD = {"DL-013"}


class CannotSay(Exception):
    """The dialect has a tool for the operation, but no parameter that the row needs."""


def named(dialect):
    """Returns the adapter of a dialect."""
    return importlib.import_module(f"adapter_{dialect}")


def calls(adapter, operation, args):
    """Returns the calls of an operation, as (tool, arguments); empty if no call is needed."""
    if operation == "call_raw":
        return [(args["name"], args["arguments"])]
    if operation == "checkpoint":
        return []
    if operation == "read_many" and operation not in adapter.SAYS:
        return [call for path in args["paths"] for call in adapter.SAYS["read"]({"path": path})]
    return adapter.SAYS[operation](args)


def lacks(adapter, operation):
    """Returns whether the dialect has no tool for the operation."""
    if operation in ("call_raw", "checkpoint"):
        return False
    if operation == "read_many":
        return "read" not in adapter.SAYS
    return operation in LATER or operation in SAID and operation not in adapter.SAYS


#: A time limit of this many milliseconds only keeps a row from hanging; a shorter limit is a condition of the row.
GUARD = 8_000


def unlimited(args):
    """Returns the arguments of a command for a dialect whose tool has no time limit."""
    if args.get("timeout_ms", GUARD) < GUARD:
        raise CannotSay("time limit")
    return {key: value for key, value in args.items() if key != "timeout_ms"}


def inner(adapter, args):
    """Yields the calls of a batch as calls of the dialect; an operation without a tool keeps its name."""
    for call in args["calls"]:
        operation, arguments = call.get("tool"), call["arguments"]
        if operation in SAID - {"batch"} and not lacks(adapter, operation):
            for tool, said in calls(adapter, operation, arguments):
                yield {"tool": tool, "arguments": said}
        else:
            yield call


def span(args):
    """Returns the first and the last requested line; None as the last line means the end of the file."""
    first, limit = args.get("offset", 1), args.get("limit")
    if not all(isinstance(number, int | None) for number in (first, limit)):
        raise CannotSay("line numbers that are not integers")
    first = 1 if first is None else first
    return first, None if limit is None else first + limit - 1


def only(args, *known):
    """Returns the arguments, if the dialect has a parameter for each of them."""
    more = set(args) - set(known) - {"exists", "unasked"}
    if more:
        raise CannotSay(", ".join(sorted(more)))
    return args


def renamed(args, **names):
    """Returns the arguments under the dialect's names; arguments without a name here are left out."""
    return {names[key]: value for key, value in only(args, *names).items() if key in names}
