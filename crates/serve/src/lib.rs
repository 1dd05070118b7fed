//! Protocols: MCP over stdio.
