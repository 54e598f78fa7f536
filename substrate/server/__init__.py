"""The MCP server: one store, served to agents, over standard input and output or over HTTP on this machine."""
