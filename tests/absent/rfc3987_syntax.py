"""Stands in for a package that child processes of tests do without, as the tests themselves do (tests/conftest.py).

jsonschema, which the SDK of MCP and JupyterLab import, takes it if it is there, and so builds 38 grammars of addresses
in each process: more than a second, for what nobody here asks.
"""

raise ImportError("left out by the tests, since it takes a second to import")
