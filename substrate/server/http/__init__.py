"""Serving over HTTP, to clients on this machine.

serve        the application, and the socket that it listens on
connections  how many connections there are, and for how long they may keep the server waiting
sessions     how many sessions there are, and which one ends
tokens       the token that clients are asked for
"""
