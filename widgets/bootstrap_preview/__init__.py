"""BootstrapPreview: what a session would open with.

widget   the class
answers  what it tells the page
settle   settles a conflict that someone looked at
"""
