"""What a search looks through, as columns in memory that follow the log.

documents  every version, and masks over them: what is current, what was, what held when
versions   which version came before which
joins      every edge, and every part of a whole
members    who belongs to which domain, as masks over versions
scopes     masks put together, and how much they hold
objectives what past sessions and trainings were for
authors    which surface wrote each version
ids        ids as arrays
"""

__all__: list[str] = []
