"""What is to be looked at again, as users hold it.

stale   atoms whose dependencies changed
fading  how far atoms have faded, what was touched, swept and promoted
"""

__all__: list[str] = []
