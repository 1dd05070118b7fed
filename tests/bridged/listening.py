"""An MCP server over HTTP, written with the official SDK. It prints its port, and exits when its input ends.

usage: listening.py PORT
"""
import os
import socket
import sys
import threading

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("listening")


@server.tool()
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@server.tool()
def fails() -> str:
    """Fails."""
    raise ToolError("there is no such branch")


@server.tool()
async def steps(ctx: Context) -> str:
    """Reports progress, and ends."""
    for step in range(3):
        await ctx.report_progress(step, 3, "a step")
    return "three steps"


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run(sockets=[listener])
