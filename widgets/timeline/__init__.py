"""Timeline: heads over time."""
