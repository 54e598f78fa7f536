"""A surface with one tool, which asks the client's own model."""
