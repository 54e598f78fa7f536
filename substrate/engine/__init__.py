"""The engine: the facade `Memory` and, behind it, one file per verb. Verbs do not import each other."""

__all__: list[str] = []
