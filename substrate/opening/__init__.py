"""The opening context of a session: tokens, evidence, and what fits. Pure."""
