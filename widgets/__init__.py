"""Notebook widgets of Substrate. None yet."""

__all__: list[str] = []
