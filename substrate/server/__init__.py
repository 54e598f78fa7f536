"""The MCP server: one store, served to agents, over standard input and output or over HTTP on this machine.

launch         what a server was started with: all that decides what a client may do
selection      which tools of which surfaces a launch serves, and by what names
compose        a server out of its surfaces, resources, prompts and completion
clients        the one open store, and who calls
tools          a tool of a surface as a tool of the SDK: scopes, and errors as replies
schemas        schemas as they are published
metering       how often tools are called, and how long they take
resources      the guide, the head, and what surfaces let be read by address
completion     what someone may be about to type, as surfaces say it
wire           what stands between a client and the server over standard input and output
lines          lines out of chunks of bytes
stdio          serving over standard input and output
http/          serving over HTTP
logs           standard error, never more of it than someone can read; errors that nobody foresaw
client_config  what clients are told to use a server
client_hooks   hooks in a client's settings, added and taken out
document       docs/tools.md, written from the server
"""
