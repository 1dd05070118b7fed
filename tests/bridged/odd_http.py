"""An MCP server over HTTP that violates the protocol on request."""
import contextlib
import http.server
import json
import socket
import struct
import threading
import time

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
NAMES = ["say", "stream", "slow", "huge", "flood", "error", "unavailable", "redirect", "page", "nonsense", "cut", "cutstream", "silent", "echo"]
#: More bytes than the limit of a message.
HUGE = 64 * 1024 * 1024


def words(text):
    return {"content": [{"type": "text", "text": text}]}


class Answers(http.server.BaseHTTPRequestHandler):
    """Handles requests; each tool has its own fault."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.server.open.append(self.connection)

    def whole(self, code, data, kind="application/json", **headers):
        data = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(code)
        for name, value in {"content-type": kind, "content-length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def events(self, *parts, length=None):
        """Sends a stream of events; without a length, it ends with the connection."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        if length is not None:
            self.send_header("content-length", str(length))
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()

    def reset(self):
        """Resets the connection."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RDWR)

    def note(self, message=None):
        said = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, said, message))

    def do_GET(self):
        self.note()
        self.whole(405, b"")

    def do_DELETE(self):
        self.note()
        self.whole(200, b"")

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.note(message)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.answer(message)

    def answer(self, message):
        server, method = self.server, message.get("method")
        if server.refuses:
            return self.whole(401, {"error": f"the header {self.headers.get('authorization')} is wrong"}, **server.refuses)
        if method == "initialize":
            server.session += 1
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}
            return self.whole(200, {"jsonrpc": "2.0", "id": message["id"], "result": result}, mcp_session_id=server.session_id())
        if self.headers.get("mcp-session-id") != server.session_id():
            return self.whole(404, {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "Session not found"}})
        if "id" not in message:
            return self.whole(202, b"")
        if method == "tools/list":
            return self.result(message, {"tools": [{"name": name, "description": "Does it.", "inputSchema": TEXT} for name in NAMES]})
        if method == "tools/call":
            return getattr(self, f"tool_{message['params']['name']}")(message)
        return self.result(message, {})

    def result(self, message, result):
        self.whole(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    def event(self, message, text):
        return f"event: message\ndata: {json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': words(text)})}\n\n".encode()

    def tool_say(self, message):
        self.result(message, words(f"{message['params'].get('arguments', {}).get('text', '')} in session {self.server.session}"))

    def tool_stream(self, message):
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "on the way"}}
        self.events(b": a comment\n\n", f"data: {json.dumps(note)}\n\n".encode(), self.event(message, "streamed"))

    def tool_slow(self, _message):
        time.sleep(40)

    def tool_silent(self, _message):
        self.events(b": nothing comes\n\n")
        time.sleep(40)

    def tool_huge(self, message):
        self.result(message, words("x" * HUGE))

    def tool_flood(self, _message):
        self.events(b"data: ")
        for _ in range(HUGE >> 20):
            self.wfile.write(b"x" * (1 << 20))

    def tool_error(self, message):
        self.whole(200, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": "there is no such branch"}})

    def tool_unavailable(self, _message):
        self.whole(503, b"busy", kind="text/plain", retry_after="7")

    def tool_redirect(self, _message):
        self.whole(307, b"", location=self.server.elsewhere)

    def tool_page(self, _message):
        self.whole(200, b"<html>please sign in</html>", kind="text/html")

    def tool_nonsense(self, _message):
        self.whole(200, b'{"jsonrpc": "2.0", "id')

    def tool_cut(self, message):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"jsonrpc": "2.0", ')
        self.wfile.flush()
        self.reset()

    def tool_cutstream(self, message):
        self.events(self.event(message, "half")[:40])
        self.reset()

    def tool_echo(self, message):
        self.whole(200, {"jsonrpc": "2.0", "id": message["id"],
                         "error": {"code": -32000, "message": f"the header {self.headers.get('authorization')} is wrong"}})


class Server(http.server.ThreadingHTTPServer):
    """A server with the recorded requests, the number of its session, and the target of its redirects."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self, port=0, elsewhere=""):
        super().__init__(("127.0.0.1", port), Answers)
        self.seen, self.session, self.refuses, self.elsewhere = [], 0, None, elsewhere
        self.born, self.open = time.monotonic_ns(), []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass

    def session_id(self):
        return f"{self.born}-{self.session}"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def asked(self, method):
        return sum(1 for _, _, _, message in self.seen if message and message.get("method") == method)

    def close(self):
        """Stops the server with all its connections, as the exit of a process does."""
        self.shutdown()
        self.server_close()
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
