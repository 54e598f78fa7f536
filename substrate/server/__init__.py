"""The MCP server: one store, served to agents, over standard input and output or over HTTP on this machine.

launch         what a server was started with: all that decides what a client may do
compose        a server out of its surfaces, resources, prompts and completion
clients        the one open store, and who calls
tools          a tool of a surface as a tool of the SDK: scopes, and errors as replies
schemas        schemas as they are published
resources      atoms, the head and the guide by address
completion     keys and domains, while someone types
wire           what stands between a client and the server over standard input and output
lines          lines out of chunks of bytes
stdio          serving over standard input and output
http           serving over HTTP
connections    how many connections over HTTP there are, and for how long they may keep the server waiting
sessions       how many sessions over HTTP there are, and which one ends
logs           standard error, never more of it than someone can read; errors that nobody foresaw
tokens         the token of HTTP
client_config  what clients are told to use a server
document       docs/tools.md, written from the server
"""
