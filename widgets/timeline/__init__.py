"""Timeline: heads over time.

widget   the class
answers  what it tells the page
"""
