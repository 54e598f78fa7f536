"""A surface with a tool that `toy` has too, if dots are taken for underscores."""
