"""Says the abstract operations in the words of the opencode dialect."""
import re

import adapter_claude
from adapters import OWN_SHELL, renamed

DIALECT = "opencode"
#: What the server speaks.
SERVED = ("opencode", "claude")

#: The words of a refusal that asks for a read.
NOT_SEEN = re.compile("has not seen what is in it|has not been (read|shown)|Only a part of ")
#: What must have been seen before.
SEEN_FIRST = {"write"}
#: The longest line that a read shows whole.
LONGEST = 2000


def write(args):
    return [("write", renamed(args, path="filePath", content="content"))]


def multi_edit(args):
    return [("multiedit", {"edits": [{"filePath": args["path"], **renamed(one, old="oldString", new="newString")} for one in args["edits"]]})]


def fetch(args):
    """The tool sends no headers of its own, so a row that has some shows that nothing of the kind is ever sent."""
    seconds = {"timeout": args["timeout_ms"] / 1000} if "timeout_ms" in args else {}
    return [("webfetch", {"url": args["url"], "format": args.get("format", "markdown"), **seconds})]


#: Rows that this dialect answers otherwise, with the reason.
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


#: There is no tool to read with: what must be seen is seen with the tools of another dialect, in the same session.
shown, read_on = adapter_claude.shown, adapter_claude.read_on
