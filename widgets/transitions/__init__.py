"""Transitions: what is needed after what.

widget   the class
answers  what it tells the page
"""
