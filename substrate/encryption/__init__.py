"""Encrypted domains: atoms whose value is ciphertext on disk, and text in the memory of who has the passphrase.

domains     which domains are encrypted: the rows of their keys
unlocked    the domains that this process has unlocked, and the tables of what was decrypted
vectors     the vectors of what was decrypted, in memory
unlock      the verbs unlock and lock
union       a snapshot of the store in which these tables are laid over those on disk
"""
