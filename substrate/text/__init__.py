"""Texts, without a store.

terms           the words of a text, as search counts them
dates           times that a text names: yesterday, 2 weeks ago, in October 2025
turns           who speaks in a conversation, and whether a text says, asks or demands anything
snippet         the part of a text that answers a question
secrets         what looks like a password or a key
service_rules   the rules of Betterleaks for credentials of services, as data
convert_rules   makes that data from a configuration of Betterleaks
refuse_secrets  refuses what looks like a credential, and says where it stands
visible         a text in which nothing is hidden
likeness        how like two names are that people give
canonical       the one form of an entity's name
extract         the names in a text: all that the next four find
signs           code spans, titles, addresses, files, identifiers
capitals        names by their capitals
caseless        names in scripts without capitals
no_names        words that begin with a capital and are no names
quote           a text where something is typed or asked: never syntax
"""
