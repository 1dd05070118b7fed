"""Translates the abstract operations into calls of the dialect opencode."""
import re

import adapter_claude
from adapters import OWN_SHELL, renamed

DIALECT = "opencode"
#: The dialects that the server serves.
SERVED = ("opencode", "claude")

#: Texts of refusals that require a read.
NOT_SEEN = re.compile("has not seen its content|has not been (read|shown)|Only a part of ")
#: Operations that require an earlier read of the file.
SEEN_FIRST = {"write"}
#: Maximum length of a line that a read shows completely.
LONGEST = 2000


def write(args):
    return [("write", renamed(args, path="filePath", content="content"))]


def multi_edit(args):
    return [("multiedit", {"edits": [{"filePath": args["path"], **renamed(one, old="oldString", new="newString")} for one in args["edits"]]})]


def fetch(args):
    """The tool has no parameter for headers, so a row with headers shows that they are never sent."""
    seconds = {"timeout": args["timeout_ms"] / 1000} if "timeout_ms" in args else {}
    return [("webfetch", {"url": args["url"], "format": args.get("format", "markdown"), **seconds})]


#: Rows that do not apply to this dialect, with the reason.
OTHERWISE = {"EX-031": OWN_SHELL}

SAYS = {
    "exec": lambda args: [("bash", renamed(args, command="command", cwd="workdir", timeout_ms="timeout", background="run_in_background"))],
    "write": write, "multi_edit": multi_edit, "fetch": fetch,
    "edit": lambda args: [("edit", renamed(args, path="filePath", old="oldString", new="newString"))],
    "patch": lambda args: [("patch", {"patch_text": args["text"]})],
    "list": lambda args: [("glob", {"pattern": "*", "path": args["path"]})],
    "glob": lambda args: [("glob", renamed(args, path="path", pattern="pattern"))],
    "grep": lambda args: [("grep", renamed(args, path="path", pattern="pattern", glob="include"))],
}


#: The dialect has no tool to read, so the tools of another dialect read in the same session.
shown, read_on = adapter_claude.shown, adapter_claude.read_on
