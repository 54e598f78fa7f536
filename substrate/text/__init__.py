"""Texts, without a store.

terms           the words of a text, as search counts them
snippet         the part of a text that answers a question
secrets         what looks like a password or a key
refuse_secrets  refuses what looks like a credential, and says where it stands
visible         a text in which nothing is hidden
quote           a text where something is typed or asked: never syntax
"""
