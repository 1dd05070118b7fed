"""Upstream HTTP servers: one of the official SDK, and one that violates the protocol on request."""
import pathlib
import subprocess
import sys

from odd_http import Server

here = pathlib.Path(__file__).resolve().parent
SECRET = "secret-of-the-test-4711"


def listening(world, check, equal, eventually, say, names):
    """A server of the official SDK, which is killed and started again on the same port."""
    def start(port=0):
        server = subprocess.Popen([sys.executable, str(here / "listening.py"), str(port)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return server, int(server.stdout.readline())

    server, port = start()
    try:
        for era in ("legacy", "modern"):
            world.servers(sdk={"url": f"http://127.0.0.1:{port}/mcp", "era": era})
            # The server describes its tools differently in each era, which a common state directory would report.
            pipe = world.serve(XDG_STATE_HOME=str(world.base / f"state-{era}"))
            try:
                eventually(f"http, {era}: the tools are listed", lambda: "mcp__sdk__add" in names(pipe))
                equal(f"http, {era}: a tool is called", say(pipe, "mcp__sdk__add", a=2, b=3), (False, "5"))
                equal(f"http, {era}: progress is not mistaken for the reply", say(pipe, "mcp__sdk__steps"), (False, "three steps"))
                no, words = say(pipe, "mcp__sdk__fails")
                check(f"http, {era}: a failure is passed on", no and "there is no such branch" in words, words)
                server.kill()
                server.wait()
                no, words = say(pipe, "mcp__sdk__add", a=2, b=3)
                check(f"http, {era}: a call of a killed server fails and names the server", no and "`sdk`" in words, words)
                server, _ = start(port)
                eventually(f"http, {era}: the restarted server is reached again", lambda: say(pipe, "mcp__sdk__add", a=3, b=4) == (False, "7"))
            finally:
                pipe.close_input()
    finally:
        server.kill()


#: The tool, named after its fault; a part of the failure text; the allowed number of requests.
FAULTS = [
    ("error", "there is no such branch", 1),
    ("slow", "did not answer within 8.0 s", 1),
    ("silent", "did not answer within 8.0 s", 1),
    ("unavailable", "no usable answer: the server answered HTTP 503.", 1),
    ("redirect", "HTTP 307 Temporary Redirect; redirects are not followed", 1),
    ("page", "text/html, which is neither", 1),
    ("nonsense", "no usable answer: could not parse JSON", 1),
    ("cut", "the connection broke", 1),
    ("cutstream", "the connection was closed", 1),
    ("huge", "16777216 bytes", 1),
    ("flood", "the connection was closed", 1),
]


def odd(world, check, equal, eventually, say, names, show=False):
    """Faults of an HTTP server, and their consequences."""
    trap, other = Server(), Server()
    server = Server(elsewhere=trap.url)
    world.servers(odd={"url": f"{server.url}?key=${{BRIDGE_KEY}}", "timeout": 8_000, "headers": {"Authorization": "Bearer ${BRIDGE_KEY}", "X-Plain": "${UNSET:-plain}"}},
                  other={"url": other.url})
    pipe = world.serve(BRIDGE_KEY=SECRET)
    said = []

    def call(tool, **arguments):
        no, words = say(pipe, tool, **arguments)
        said.append(words)
        if show:
            print(f"--- {tool}: {words[:600]}", flush=True)
        return no, words

    try:
        eventually("http: both servers are listed", lambda: {"mcp__odd__say", "mcp__other__say"} <= set(names(pipe)))
        equal("http: an answer as JSON", call("mcp__odd__say", text="hello"), (False, "hello in session 1"))
        equal("http: an answer as a stream", call("mcp__odd__stream"), (False, "streamed"))
        sent = [(head.get("authorization"), head.get("x-plain")) for _, _, head, _ in server.seen]
        equal("http: each request carries the headers", set(sent), {(f"Bearer {SECRET}", "plain")})
        equal("http: the list is requested once", server.asked("tools/list"), 1)
        server.session += 1
        equal("http: a lost session is opened again", call("mcp__odd__say", text="again"), (False, "again in session 3"))
        equal("http: and the tool ran once", sum(1 for _, _, _, m in server.seen if m and m.get("params", {}).get("arguments") == {"text": "again"}), 2)
        idle = pipe.resident_mb()
        for tool, why, times in FAULTS:
            before = sum(1 for _, _, _, m in server.seen if m and m.get("params", {}).get("name") == tool)
            no, words = call(f"mcp__odd__{tool}")
            asked = sum(1 for _, _, _, m in server.seen if m and m.get("params", {}).get("name") == tool) - before
            check(f"http: {tool} is a failure with its reason", no and why in words and "`odd`" in words and "rmcp" not in words, words)
            equal(f"http: {tool} is requested once", asked, times)
            eventually(f"http: after {tool} the server can be called again", lambda: not call("mcp__odd__say", text="on")[0])
            check(f"http: after {tool} the other server still works", call("mcp__other__say", text="on") == (False, "on in session 1"))
        grown = pipe.peak_mb() - idle
        check("http: no answer exceeds the memory limit", grown < 200, f"{grown:.0f} MB")
        equal("http: no redirect is followed", trap.seen, [])
        no, words = call("mcp__odd__echo")
        check("http: the server's error text is passed on, without the values of headers", no and "is wrong" in words, words)
        port = server.server_address[1]
        server.close()
        no, words = call("mcp__odd__say", text="gone")
        check("http: a call of a closed server fails and names the server", no and "`odd` gave no usable answer" in words, words)
        no, words = call("mcp__odd__say", text="gone")
        check("http: and each further call fails as well", no and "`odd` cannot be used" in words and "the server's URL cannot be reached" in words, words)
        server = Server(port, trap.url)
        eventually("http: and a server on the same port is reached again", lambda: say(pipe, "mcp__odd__say", text="back") == (False, "back in session 1"))
        equal("http: its tools are listed once", server.asked("tools/list"), 1)
    finally:
        pipe.close_input()
    for head, what in (({}, "without a challenge"), ({"www_authenticate": f'Bearer error="{SECRET}"'}, "with a challenge")):
        server.refuses = {"x_none": "", **head}
        doctor = world.run("doctor", BRIDGE_KEY=SECRET)
        said.append(doctor.stdout + doctor.stderr)
        if show:
            print([line for line in doctor.stdout.splitlines() if "`odd`" in line])
        check(f"http: doctor says that the key is refused, {what}", "`odd` cannot be used" in doctor.stdout and "401" in doctor.stdout, doctor.stdout)
    check("http: no text contains the key", SECRET not in "".join(said), [words for words in said if SECRET in words][:3])
    for listener in (server, other, trap):
        listener.close()
