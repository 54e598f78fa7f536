"""What is to be looked at again, as users hold it.

stale   atoms whose dependencies changed
garden  what a gardener did, its runs, edges that look spurious, the graph of entities
pending what waits for a person: corrections, texts without a place, statements
encryption  what encrypting, unlocking and locking a domain answer
fading  how far atoms have faded, what was touched, swept and promoted
"""

__all__: list[str] = []
