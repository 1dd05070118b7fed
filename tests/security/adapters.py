"""What the adapters of all dialects share: the abstract operations, and which of them a dialect can say."""
import importlib

DIALECTS = ("claude", "trae", "zblade", "opencode", "probe")

#: Every operation that becomes calls of a dialect's tools.
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

#: Why a row that looks into the memory of a program's parent is no matter here; EX-231 looks into the server's.
OWN_SHELL = "the parent of the program is the command's own shell, in the same sandbox; row EX-231 tries the supervisor and the server"

#: Given rows whose point is that nothing was read before.
UNREAD = {"DL-013"}


class CannotSay(Exception):
    """The dialect has a tool for the operation, but no argument for what the row asks of it."""


def named(dialect):
    """The adapter of a dialect."""
    return importlib.import_module(f"adapter_{dialect}")


def calls(adapter, operation, args):
    """The calls that an operation becomes, as (tool, arguments); nothing where no call is needed."""
    if operation == "call_raw":
        return [(args["name"], args["arguments"])]
    if operation == "checkpoint":
        return []
    if operation == "read_many" and operation not in adapter.SAYS:
        return [call for path in args["paths"] for call in adapter.SAYS["read"]({"path": path})]
    return adapter.SAYS[operation](args)


def lacks(adapter, operation):
    """Whether the dialect has no tool for the operation."""
    if operation in ("call_raw", "checkpoint"):
        return False
    if operation == "read_many":
        return "read" not in adapter.SAYS
    return operation in LATER or operation in SAID and operation not in adapter.SAYS


#: A time of this many milliseconds only keeps a row from hanging; one that is shorter is the row's point.
GUARD = 8_000


def unlimited(args):
    """The arguments of a command for a dialect whose tool takes no time limit."""
    if args.get("timeout_ms", GUARD) < GUARD:
        raise CannotSay("time limit")
    return {key: value for key, value in args.items() if key != "timeout_ms"}


def inner(adapter, args):
    """The calls of a batch in the dialect's words; what it has no tool for keeps its name."""
    for call in args["calls"]:
        operation, arguments = call.get("tool"), call["arguments"]
        if operation in SAID - {"batch"} and not lacks(adapter, operation):
            for tool, said in calls(adapter, operation, arguments):
                yield {"tool": tool, "arguments": said}
        else:
            yield call


def span(args):
    """The first and the last line that are asked for; the last is none where all are meant."""
    first, limit = args.get("offset", 1), args.get("limit")
    if not all(isinstance(number, int | None) for number in (first, limit)):
        raise CannotSay("lines that are counted by what is no number")
    first = 1 if first is None else first
    return first, None if limit is None else first + limit - 1


def only(args, *known):
    """The arguments, if the dialect can say all of them."""
    more = set(args) - set(known) - {"exists", "unasked"}
    if more:
        raise CannotSay(", ".join(sorted(more)))
    return args


def renamed(args, **names):
    """Arguments under the dialect's names; those that are not named here are left out."""
    return {names[key]: value for key, value in only(args, *names).items() if key in names}
