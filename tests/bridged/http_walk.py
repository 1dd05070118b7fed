"""Servers that listen, bridged: the official SDK's and one that does what a server should not."""
import pathlib
import subprocess
import sys

from odd_http import Server

here = pathlib.Path(__file__).resolve().parent
SECRET = "secret-of-the-test-4711"


def listening(world, check, equal, eventually, say, names):
    """A server of the official SDK, which is ended and started again at the same place."""
    def start(port=0):
        server = subprocess.Popen([sys.executable, str(here / "listening.py"), str(port)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return server, int(server.stdout.readline())

    server, port = start()
    try:
        for era in ("legacy", "modern"):
            world.servers(sdk={"url": f"http://127.0.0.1:{port}/mcp", "era": era})
            pipe = world.serve()
            try:
                eventually(f"http, {era}: the tools are listed", lambda: "mcp__sdk__add" in names(pipe))
                equal(f"http, {era}: a tool is called", say(pipe, "mcp__sdk__add", a=2, b=3), (False, "5"))
                equal(f"http, {era}: progress is no reply", say(pipe, "mcp__sdk__steps"), (False, "three steps"))
                no, words = say(pipe, "mcp__sdk__fails")
                check(f"http, {era}: a failure is passed on", no and "there is no such branch" in words, words)
                server.kill()
                server.wait()
                no, words = say(pipe, "mcp__sdk__add", a=2, b=3)
                check(f"http, {era}: a server that is gone is a failure that says so", no and "`sdk`" in words, words)
                server, _ = start(port)
                eventually(f"http, {era}: it is found again at the same place", lambda: say(pipe, "mcp__sdk__add", a=3, b=4) == (False, "7"))
            finally:
                pipe.close_input()
    finally:
        server.kill()


#: What a tool does that it should not, what the failure says, and how often the tool may be asked for.
FAULTS = [
    ("error", "there is no such branch", 1),
    ("slow", "gave no answer within 8.0 s", 1),
    ("silent", "gave no answer within 8.0 s", 1),
    ("unavailable", "no answer that can be used: it answered HTTP 503.", 1),
    ("redirect", "HTTP 307 Temporary Redirect; redirects are not followed", 1),
    ("page", "text/html, neither", 1),
    ("nonsense", "no answer that can be used: could not parse JSON", 1),
    ("cut", "the connection broke", 1),
    ("cutstream", "the connection ended", 1),
    ("huge", "16777216 bytes", 1),
    ("flood", "the connection ended", 1),
]


def odd(world, check, equal, eventually, say, names, show=False):
    """What a server that listens should not do, and what it costs."""
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
        equal("http: the list is asked for once", server.asked("tools/list"), 1)
        server.session += 1
        equal("http: a session that is lost is opened anew", call("mcp__odd__say", text="again"), (False, "again in session 3"))
        equal("http: and the tool was called once", sum(1 for _, _, _, m in server.seen if m and m.get("params", {}).get("arguments") == {"text": "again"}), 2)
        idle = pipe.resident_mb()
        for tool, why, times in FAULTS:
            before = sum(1 for _, _, _, m in server.seen if m and m.get("params", {}).get("name") == tool)
            no, words = call(f"mcp__odd__{tool}")
            asked = sum(1 for _, _, _, m in server.seen if m and m.get("params", {}).get("name") == tool) - before
            check(f"http: {tool} is a failure that says what happened", no and why in words and "`odd`" in words and "rmcp" not in words, words)
            equal(f"http: {tool} is asked for once", asked, times)
            eventually(f"http: after {tool} the server is asked again", lambda: not call("mcp__odd__say", text="on")[0])
            check(f"http: after {tool} the other goes on", call("mcp__other__say", text="on") == (False, "on in session 1"))
        grown = pipe.peak_mb() - idle
        check("http: no answer costs more than it may", grown < 200, f"{grown:.0f} MB")
        equal("http: no redirect is followed", trap.seen, [])
        no, words = call("mcp__odd__echo")
        check("http: what a server says of its failure is passed on, without what the headers hold", no and "is wrong" in words, words)
        port = server.server_address[1]
        server.close()
        no, words = call("mcp__odd__say", text="gone")
        check("http: a server that is gone is a failure that says so", no and "`odd` gave no answer" in words, words)
        no, words = call("mcp__odd__say", text="gone")
        check("http: and so is each further call", no and "`odd` cannot be reached" in words and "nothing listens at its URL" in words, words)
        server = Server(port, trap.url)
        eventually("http: and it is found again at the same place", lambda: say(pipe, "mcp__odd__say", text="back") == (False, "back in session 1"))
        equal("http: it is listed once more, not twice", server.asked("tools/list"), 1)
    finally:
        pipe.close_input()
    for head, what in (({}, "without a challenge"), ({"www_authenticate": f'Bearer error="{SECRET}"'}, "with a challenge")):
        server.refuses = {"x_none": "", **head}
        doctor = world.run("doctor", BRIDGE_KEY=SECRET)
        said.append(doctor.stdout + doctor.stderr)
        if show:
            print([line for line in doctor.stdout.splitlines() if "`odd`" in line])
        check(f"http: doctor says that the key is refused, {what}", "`odd` cannot be reached" in doctor.stdout and "401" in doctor.stdout, doctor.stdout)
    check("http: the key stands in no words", SECRET not in "".join(said), [words for words in said if SECRET in words][:3])
    for listener in (server, other, trap):
        listener.close()
