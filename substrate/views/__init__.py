"""Views: tables that follow from the log alone. Written in the append's own transaction, made anew by a replay."""

__all__: list[str] = []
