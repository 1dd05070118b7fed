"""Says the abstract operations in the words of the claude dialect."""
import os
import re

#: Operations that this dialect has no tool for; a row that needs one is not applicable.
LACKS = {
    "patch", "stat", "mkdir", "move", "delete", "open_file", "exec", "bg_output", "bg_kill", "git_status", "git_diff", "git_show",
    "git_add", "fetch", "lsp", "delegate", "batch", "multi_edit", "trust_reuse", "exec_cancel", "exec_then_term", "exec_then_kill9",
    "lsp_then_kill9", "delegate_cancel", "editor_connect", "build_check", "http", "http26", "start_http", "http_raw", "http_session",
    "http_load", "http_shutdown", "http2_abuse", "ws", "oauth",
}

#: Given rows whose point is that nothing was read before.
UNREAD = {"DL-013"}

#: The longest line that a read shows whole, and the largest file that is read to its end here.
LONGEST, WHOLE = 2000, 4_000_000

#: The words of a refusal that asks for a read.
NOT_SEEN = re.compile("has not been read yet|Only a part of ")

READ_TOOL, PATH_KEY = "Read", "file_path"


def calls(operation, args):
    """The calls that an operation becomes, as (tool, arguments); nothing where no call is needed."""
    if operation == "read":
        return [("Read", renamed(args, path="file_path"))]
    if operation == "read_many":
        return [("Read", {"file_path": path}) for path in args["paths"]]
    if operation == "write":
        return [("Write", renamed(args, path="file_path"))]
    if operation == "edit":
        return [("Edit", renamed(args, path="file_path", old="old_string", new="new_string"))]
    if operation == "list":
        return [("Glob", {"pattern": "*", "path": args["path"]})]
    if operation == "glob":
        return [("Glob", args)]
    if operation == "grep":
        return [("Grep", {"output_mode": "content", **args})]
    if operation == "call_raw":
        return [(args["name"], args["arguments"])]
    if operation == "checkpoint":
        return []
    raise KeyError(operation)


def must_be_known(row, operation, args, already):
    """Whether the session must have seen the whole file first, because the dialect changes only what it has seen."""
    if operation not in ("write", "edit") or row["id"] in UNREAD or row.get("read_first") is False:
        return False
    return args["path"] not in already and os.path.lexists(args["path"])


def readable_whole(path):
    """Whether a read can show the file to its end: lines that are not cut, and not too much in all."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > WHOLE:
            return True
        with open(path, "rb") as file:
            return max(map(len, file.read().split(b"\n"))) <= LONGEST
    except OSError:
        return True


def read_on(path, text):
    """The call that shows what a reply left out, or nothing."""
    found = re.search(r"continue with offset (\d+)", text)
    return ("Read", {"file_path": path, "offset": int(found[1])}) if found else None


def renamed(args, **names):
    return {names.get(key, key): value for key, value in args.items()}
