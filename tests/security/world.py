"""The environment of a row: its directories, its user and its server, and the end of all its processes."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from canaries import Canaries  # noqa: E402
from pipe import Gone, Pipe, Silent  # noqa: E402

PRODUCT = "toolpost"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
NAMES = ("BASE", "WS", "OUT", "HOME", "TOOLS", "HOSTNAME", "PRODUCT", "PORT", "PORT2", "PORT_TLS")
REPEAT = re.compile(r"\{(REPEAT|REPEATLINE):((?:[^{}:]|:(?!\d+\}))*):(\d+)\}", re.DOTALL)


class Setting:
    """The settings that all rows share: the binary, the base directory, the user."""

    def __init__(self, binary, place, identity, scale):
        self.binary, self.place, self.identity, self.scale = binary, place, identity, scale
        self.tools = os.path.join(place, "tools")

    @property
    def root(self):
        return bool(self.identity)

    def chown(self, path):
        if self.identity:
            os.chown(path, self.identity["user"], self.identity["group"])


class World:
    """A fresh folder for one row, owned by the unprivileged user."""

    def __init__(self, setting, row, served):
        self.setting, self.row, self.served = setting, row, served
        self.base = tempfile.mkdtemp(prefix=f"{row['id']}-", dir=setting.place)
        self.ws, self.out, self.home, self.tmp = (os.path.join(self.base, name) for name in ("ws", "out", "home", "tmp"))
        for folder in (self.ws, self.out, self.home, self.tmp):
            os.mkdir(folder)
            setting.chown(folder)
        os.chmod(self.base, 0o755)
        setting.chown(self.base)
        self.errors = os.path.join(self.base, "server.err")
        self.trace = os.path.join(self.base, "strace.log")
        fetches = row["area"].startswith("fetch")
        self.mounted, self.servers, self.listeners = False, [], Canaries() if fetches else Listeners()

    def names(self):
        values = (self.base, self.ws, self.out, self.home, self.setting.tools, socket.gethostname(), PRODUCT,
                  str(self.listeners.port), str(self.listeners.port2), str(self.listeners.port_tls))
        return dict(zip(NAMES, values, strict=True))

    def fill(self, value):
        """Replaces the row's placeholders in a value; other text in braces stays unchanged."""
        if isinstance(value, dict):
            return {key: self.fill(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if not isinstance(value, str):
            return value
        for name, text in self.names().items():
            value = value.replace("{" + name + "}", text)
        end = {"REPEAT": "", "REPEATLINE": "\n"}
        return REPEAT.sub(lambda found: (found[2] + end[found[1]]) * int(found[3]), value)

    def environment(self):
        more = self.fill(self.row.get("env", {}))
        own = {name: self.names()[name] for name in ("BASE", "WS", "OUT", "HOME", "TOOLS")}
        return {"PATH": SYSTEM_PATH, "LANG": "C.UTF-8", "TMPDIR": self.tmp, "TOOLPOST_ROW": self.base, **own, **more}

    def shell(self, command, *, seconds=60, as_root=False):
        """Runs a shell command as the user and returns its exit status and output."""
        identity = {} if as_root else self.setting.identity
        cwd = self.base if as_root or not os.path.isdir(self.ws) else self.ws
        try:
            done = subprocess.run(["bash", "-c", command], cwd=cwd, env=self.environment(), timeout=seconds, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **identity)
        except subprocess.TimeoutExpired:
            return 124, f"did not end within {seconds} s"
        return done.returncode, done.stdout.decode("utf8", "replace").strip()

    def run(self, command):
        """Runs a program as the user, in the workspace and with the server's environment."""
        return subprocess.run(command, cwd=self.ws, env=self.environment(), timeout=60, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, **self.setting.identity)

    def build(self):
        """Runs the row's setup; mounts over the workspace come before it, mounts inside it after."""
        mount = self.row.get("setup_root")
        steps = [(self.row["setup"].replace("{PRODUCT}", PRODUCT), False)]
        if mount:
            over = re.search(r"\$WS\"?\s*$", mount)
            steps.insert(0 if over else 1, (mount, True))
        for command, as_root in steps:
            self.mounted = self.mounted or as_root
            status, said = self.shell(command, as_root=as_root)
            if status:
                raise RuntimeError(f"the setup failed with {status}: {said[-300:]}")
            if as_root and self.setting.identity and "mkdir" in command:
                self.setting.chown(self.ws)

    def command(self):
        """Returns the server's command line, with the row's policy as flags and files of the operator."""
        policy = self.fill(self.row.get("policy", {}))
        command = [self.setting.binary, "serve"]
        for dialect in self.served:
            command += ["--dialect", dialect]
        roots = policy.get("roots", [self.ws])
        for root in roots:
            command += ["--root", root]
        if not roots:
            self.config("config.toml", "root = []\n")
        if policy.get("ask") == "never" or policy.get("mode") == "read-only":
            command += ["--ask", "deny"]
        elif self.row["area"] in ("exec", "exec-policy", "trust-config", "secrets-logs"):
            # Every prompt is approved, because the row tests what is denied nevertheless.
            command += ["--ask", "allow"]
        if policy.get("mode") == "read-only":
            command.append("--read-only")
        rules = rules_of(policy)
        if rules:
            command += ["--policy", self.config("row-policy.toml", rules)]
        return wrapped(command, policy, self)

    def config(self, name, text):
        folder = os.path.join(self.home, ".config", PRODUCT)
        os.makedirs(folder, exist_ok=True)
        for made in (os.path.dirname(folder), folder):
            self.setting.chown(made)
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o644)
        return path

    def start(self, command=None, cwd=None):
        """Starts a server process of the row."""
        environment = self.environment()
        library = self.row.get("policy", {}).get("ld_preload")
        if library:
            environment["LD_PRELOAD"] = os.path.join(self.setting.tools, library)
        with open(self.errors, "ab") as errors:
            server = Pipe(command or self.command(), cwd=cwd or self.ws, env=environment, identity=self.setting.identity, errors=errors)
        self.servers.append(server)
        try:
            with open(f"/proc/{server.process.pid}/oom_score_adj", "w") as score:
                score.write("900")
        except OSError:
            pass
        return server

    def said_errors(self):
        with open(self.errors, "rb") as file:
            return file.read().decode("utf8", "replace")

    def end(self):
        """Ends every process of the row, found by its mark, then removes the folder."""
        for server in self.servers:
            server.kill()
        self.listeners.close()
        mark = f"TOOLPOST_ROW={self.base}".encode()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    marked = mark in file.read().split(b"\0")
                if marked:
                    os.kill(int(name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                pass
        if self.mounted and self.row.get("cleanup_root"):
            self.shell(self.row["cleanup_root"], as_root=True)
        subprocess.run(["chmod", "-R", "u+rwX", self.base], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["rm", "-rf", self.base], check=False)


def rules_of(policy):
    """Returns the row's policy as the text of a policy file."""
    rules = []
    if policy.get("deny_read"):
        rules.append(("read", policy["deny_read"]))
    if policy.get("mode") == "read-only":
        rules.append(("write", ["**"]))
    more = [("allow", policy.get("allow_commands")), ("deny", policy.get("deny_commands"))]
    said = '[[rule]]\ntouch = ["execute"]\ncommands = {}\ndecide = "{}"\nwhy = "The row says so."\n'
    commands = "".join(said.format(json.dumps(names), decision) for decision, names in more if names)
    form = '[[rule]]\ntouch = ["{}"]\npaths = {}\ndecide = "deny"\nwhy = "The row forbids it."\n'
    hosts = policy.get("fetch_allow", [])
    reach = '[[rule]]\ntouch = ["fetch"]\nhosts = {}\ndecide = "allow"\nwhy = "The row says so."\n'
    fetched = reach.format(json.dumps(hosts)) if hosts else ""
    return "".join(form.format(touch, json.dumps(paths)) for touch, paths in rules) + commands + fetched


class Listeners:
    """Servers with a secret on the loopback of the host, which no row may reach."""

    def __init__(self):
        self.paths = []
        self.stream, self.datagrams = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        for one in (self.stream, self.datagrams):
            one.bind(("127.0.0.1", 0))
        self.stream.listen()
        self.port, self.port2 = self.stream.getsockname()[1], self.datagrams.getsockname()[1]
        self.port_tls = 0
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        while True:
            try:
                peer, _ = self.stream.accept()
                peer.settimeout(2)
                line = peer.recv(4096).decode("latin-1").split(" ")
                self.paths.append(line[1] if len(line) > 1 else "")
                peer.sendall(b"HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic\r\n\r\nCANARY-7f3a9\n")
                peer.close()
            except (OSError, ValueError):
                if self.stream.fileno() < 0:
                    return

    def hit(self, path):
        return any(said.startswith(path) for said in self.paths)

    def close(self):
        self.stream.shutdown(socket.SHUT_RDWR)
        self.stream.close()
        self.datagrams.close()


def wrapped(command, policy, world):
    """Wraps the command in strace or a limit, if the policy or an assertion needs one."""
    inject = policy.get("strace_inject")
    traced = any(text.startswith(("strace:", "connect")) for key in ("must", "must_not") for text in world.row.get(key, []))
    if inject:
        calls, _, fault = inject.partition(":")
        calls = ",".join(f"?{name}" for name in calls.split(","))
        command = ["strace", "-D", "-f", "-qq", "-o", world.trace, "-e", f"trace={calls}", "-e", f"inject={calls}:{fault}", *command]
    elif traced or world.row["operation"] == "strace_net":
        command = ["strace", "-D", "-f", "-qq", "-o", world.trace, *command]
    if "file_size_kib" in policy:
        command = ["bash", "-c", f'ulimit -f {policy["file_size_kib"]} && exec "$@"', "limited", *command]
    if "umask" in policy:
        command = ["bash", "-c", f'umask {policy["umask"]} && exec "$@"', "masked", *command]
    return simulated(command, world) if "dns-sim" in world.row.get("needs", []) else command


def simulated(command, world):
    """Wraps the command so that the host names of the rows resolve, with a separate hosts file."""
    hosts = os.path.join(world.base, "hosts")
    with open(hosts, "w") as file:
        file.write("127.0.0.1 localhost loop.test\n10.1.2.3 private.test\n169.254.169.254 metadata.test\n::1 loop6.test\n")
    os.chmod(hosts, 0o644)
    bind = 'mount --bind "$0" /etc/hosts && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", bind, hosts, *command]
