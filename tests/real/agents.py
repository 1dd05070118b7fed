"""Third-party agents: how each is configured for the model and for Toolpost's server, started, and parsed."""
import json
import os
import pathlib
import subprocess

KEY = "key-of-the-test"
#: Time limit of a task, in seconds.
LONG = 300


class World:
    """An empty home directory, a workspace, and the directory of the agents' programs."""

    def __init__(self, base, programs, address):
        self.base, self.address = base, address
        self.home, self.root, self.events, self.words = base / "home", base / "work", base / "events.jsonl", base / "words"
        self.environment = {"HOME": str(self.home), "LANG": "C.UTF-8", "PATH": os.pathsep.join([str(programs), os.environ["PATH"]])}

    def run(self, *command, **more):
        environment = {**self.environment, **more}
        return subprocess.run(command, cwd=self.root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LONG, check=False)

    def write(self, name, text):
        place = self.home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


class Agent:
    """Base class of the agents."""

    #: True if requests lack tools until the model searches for them by name.
    searches = False
    #: The dialect that is most similar to the agent's own tools.
    dialect = "claude"
    #: Environment variables with which the agent starts Toolpost's server.
    settings = {}
    #: True if the agent truncates long replies itself, and reports where the rest is.
    cuts = False

    def version(self, world):
        return world.run(self.program, "--version").stdout.split("\n")[0].strip()


class Claude(Agent):
    name, program, searches = "Claude Code", "claude", True

    def tool(self, name):
        return f"mcp__toolpost__{name}"

    def set_up(self, world, server):
        return world.run("claude", "mcp", "add", "--scope", "user", "toolpost", "--", *server)

    def do(self, world, task):
        done = world.run("claude", "-p", task, "--output-format", "json", "--allowedTools", "mcp__toolpost",
                         ANTHROPIC_BASE_URL=world.address, ANTHROPIC_API_KEY=KEY, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")
        return done, json.loads(done.stdout).get("result") if done.stdout.startswith("{") else done.stdout

    def search(self, names):
        return {"tool": "ToolSearch", "arguments": {"query": "select:" + ",".join(names), "max_results": 20}, "id": "search"}

    def definitions(self, body):
        return {tool["name"]: (tool.get("description", ""), tool.get("input_schema")) for tool in body.get("tools") or []}

    def results(self, body):
        blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
        return {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}

    def said(self, result):
        content = result["content"]
        return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


class Codex(Agent):
    name, program, dialect = "Codex", "codex", "trae"
    # Codex removes the middle of replies of more than 10 000 bytes. A reply that Toolpost truncates says how to read the rest.
    settings = {"TOOLPOST_REPLY_BYTES": "9500"}

    def tool(self, name):
        return f"mcp__toolpost/{name}"

    def set_up(self, world, server):
        world.write(".codex/config.toml", f"""model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{world.address}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
""")
        settings = [word for name, value in self.settings.items() for word in ("--env", f"{name}={value}")]
        added = world.run("codex", "mcp", "add", "toolpost", *settings, "--", *server)
        config = world.home / ".codex/config.toml"
        table = "[mcp_servers.toolpost]\n"
        # Without a user to prompt, Codex refuses calls of tools that change something, unless this mode approves the server.
        config.write_text(config.read_text().replace(table, table + 'default_tools_approval_mode = "approve"\n'))
        return added

    def do(self, world, task):
        done = world.run("codex", "exec", "--skip-git-repo-check", "--output-last-message", str(world.words), task, SCRIPTED_KEY=KEY)
        return done, world.words.read_text() if world.words.exists() else None

    def definitions(self, body, space=""):
        found = {}
        for tool in body.get("tools") or []:
            if tool["type"] == "namespace":
                found |= self.definitions(tool, f"{tool['name']}/")
            elif tool["type"] == "function":
                found[space + tool["name"]] = (tool.get("description", ""), tool.get("parameters"))
        return found

    def results(self, body):
        return {item["call_id"]: item for item in body["input"] if item.get("type") == "function_call_output"}

    def said(self, result):
        output = result["output"]
        return output if isinstance(output, str) else "\n".join(part.get("text", "") for part in output)


class OpenCode(Agent):
    name, program, dialect = "opencode", "opencode", "opencode"
    cuts = True

    def tool(self, name):
        return f"toolpost_{name}"

    def set_up(self, world, server):
        model = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": f"{world.address}/v1", "apiKey": KEY},
                 "models": {"scripted": {"name": "scripted"}}}
        world.write(".config/opencode/opencode.json", json.dumps({
            "$schema": "https://opencode.ai/config.json", "model": "scripted/scripted", "small_model": "scripted/scripted",
            "autoupdate": False, "share": "disabled", "provider": {"scripted": model},
            "mcp": {"toolpost": {"type": "local", "command": server, "enabled": True}}}))
        return subprocess.CompletedProcess([], 0)

    def do(self, world, task):
        done = world.run("opencode", "run", "--format", "json", task)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        words = [event["part"]["text"] for event in events if event["type"] == "text"]
        return done, words[-1] if words else None

    def definitions(self, body):
        functions = [tool["function"] for tool in body.get("tools") or []]
        return {tool["name"]: (tool.get("description", ""), tool.get("parameters")) for tool in functions}

    def results(self, body):
        return {message["tool_call_id"]: message for message in body["messages"] if message["role"] == "tool"}

    def said(self, result):
        content = result["content"]
        return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


AGENTS = [Claude(), Codex(), OpenCode()]
