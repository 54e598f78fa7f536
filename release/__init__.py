"""What is published beside the wheel: `make dist`.

mcp   server.json for the registry of MCP servers, and the server as one file (.mcpb)
"""
