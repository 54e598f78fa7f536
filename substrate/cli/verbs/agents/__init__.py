"""The verbs for those who let agents work with a store.

serve     mcp, mcp-config, surfaces
tokens    token, quota
hooks     hooks, hook, transcript
proposed  proposed
"""
