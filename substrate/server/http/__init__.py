"""Serving over HTTP, to clients on this machine, or to the tenants of a team behind a proxy.

serve        the application, and the socket that it listens on
connections  how many connections there are, and for how long they may keep the server waiting
sessions     how many sessions there are, and which one ends
tokens       the token that clients of one store are asked for
tenants      several stores behind one server, and whose a call is
tenant_tokens  tokens that name a tenant, scopes, an expiry and a rate
issuer       tokens of a company's own identity provider
admission    who is let in, by token and by rate
rates        how often a token may call
plain_rpc    plain JSON-RPC without a handshake
body         the body of a request, as far as it may go
pages        /health and /metrics
web          the web page for people without Jupyter
"""
