"""Transitions: what is needed after what."""
