"""The graph of a domain's entities: what joins them, what says so, and what a gardener did.

widget   the class
answers  what it tells the page
"""
