"""Care for the store: forget, encrypt, unlock, lock, stats, tier, fsck, rebuild, compact."""

from __future__ import annotations

from argparse import Namespace

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import NAMES, PASSPHRASE_FILE
from substrate.commands.readers import number, seqs
from substrate.errors import InputError
from substrate.policy import TIERS

__all__ = ["COMPACT", "ENCRYPT", "FORGET", "FSCK", "LOCK", "REBUILD", "STATS", "TIER", "UNLOCK", "check_one_selection"]

_DOMAIN = argument("domain", "the domain: v1.domain.x, or x", complete="domain")


def check_one_selection(given: Namespace) -> None:
    """InputError unless what to forget is said in just one way."""
    words = ("whole", "source", "actor", "session", "seqs")
    if bool(given.names) + sum(getattr(given, word) is not None for word in words) != 1:
        raise InputError(
            "name what to forget with exactly one of: NAME ..., --whole, --source, --actor, --session, --seqs"
        )


FORGET = Command(
    "forget",
    "care",
    "Erase atoms for good. A proof can show that they were erased.",
    "A name erases all of an atom: versions, edges, and everything learned from its use. An id erases an edge, "
    "or a damaged entry that fsck names. --source, --actor, --session and --seqs erase the matching versions and "
    "edges. The log still shows that an atom was there and was forgotten. All other proofs stay valid. Older "
    "backups and exports still hold the text.",
    (
        Example('substrate checkpoint "v1.fact.home_address = 1 Main Street" --source form', "saves an atom to forget"),
        Example("substrate forget --source form --dry-run", "counts and erases nothing"),
        Example("substrate forget v1.fact.home_address --yes", "erases it"),
        Example(
            "substrate access v1.fact.home_address --proof forgotten.json",
            "the atom is gone; writes a proof of that",
            exit=5,
        ),
        Example("%memory forget v1.fact.home_address"),
        Example("%memory forget --source form --dry-run"),
    ),
    (
        NAMES,
        option("--whole", metavar="NAME", help="a document with all its chunks, in all versions", complete="name"),
        option("--source", metavar="TEXT", help="everything from this source"),
        option("--actor", metavar="TEXT", help="everything by this author"),
        option("--session", metavar="TEXT", help="everything from this session"),
        option("--objective", metavar="TEXT", help="sessions and trainings with this objective"),
        option("--seqs", metavar="START:STOP", read=seqs, help="the atoms of these entries, without STOP"),
        flag("--dry-run", help="count and erase nothing"),
        flag("--yes", help="erase without asking"),
    ),
    about_cli="Without --yes it counts, and asks if there is a terminal. To take an atom out of use and keep its "
    "history, use checkpoint --tombstone. Exit code 12: forgotten, but open readers blocked the rewrite of the "
    "file; run compact later.",
    about_notebook="It asks first. To take an atom out of use and keep its history, write `%memory checkpoint - NAME`.",
)

ENCRYPT = Command(
    "encrypt",
    "care",
    "Encrypt a domain: without its passphrase nobody can read its atoms.",
    "Atoms that are there as text are recorded again, encrypted, and their text is forgotten. Their older versions, "
    "their proofs and everything learned from their use are lost. Older backups and exports still hold the text. "
    "There is no way back to a lost passphrase. If the command was broken off, type it again with the same passphrase.",
    (
        Example(
            'substrate checkpoint "v1.domain.health = my body" && substrate encrypt health --dry-run',
            "counts and changes nothing",
        ),
        Example("printf 'correct horse battery' > passphrase.txt", "a passphrase in a file; a terminal asks for it"),
        Example("substrate encrypt health --yes --passphrase-file passphrase.txt", "encrypts the domain"),
        Example("%memory encrypt health --dry-run"),
        Example("%memory encrypt health --yes --passphrase-file passphrase.txt"),
    ),
    (
        _DOMAIN,
        flag("--dry-run", help="count and change nothing"),
        flag("--yes", help="encrypt without a question"),
        PASSPHRASE_FILE,
    ),
    about_cli="Without --yes it counts the atoms and asks. The passphrase is typed on the terminal, or comes from "
    "--passphrase-file. To save and read atoms of the domain, give --unlock DOMAIN to any verb.",
    about_notebook="It counts the atoms and asks, then it asks for the passphrase. The domain is unlocked after that.",
)

UNLOCK = Command(
    "unlock",
    "care",
    "Unlock an encrypted domain with its passphrase.",
    "Its atoms are text in the memory of this process, never in a file.",
    (
        Example(
            "substrate unlock health --passphrase-file passphrase.txt", "tests the passphrase and counts the atoms"
        ),
        Example("substrate list --unlock health --passphrase-file passphrase.txt", "any verb can unlock for itself"),
        Example("%memory unlock health --passphrase-file passphrase.txt"),
    ),
    (_DOMAIN, PASSPHRASE_FILE),
    about_cli="A command ends at once, and nothing stays unlocked after it. So this verb only tests the passphrase. "
    "To read or save atoms of the domain, give --unlock DOMAIN to the verb that does it.",
    about_notebook="It asks for the passphrase, and the domain stays unlocked until `%memory lock` or a restart.",
)

LOCK = Command(
    "lock",
    "care",
    "Lock encrypted domains again.",
    "The key and the texts of the domain are dropped from the memory of this kernel. Without a domain, of all domains.",
    (Example("%memory lock health"), Example("%memory lock")),
    (argument("domain", "the domain; none means all", nargs="?", default=None, complete="domain"),),
    only=Face.NOTEBOOK,
)

STATS = Command(
    "stats",
    "care",
    "Show how much the store holds.",
    "Numbers of atoms (in use, out of use, forgotten), edges, entries, bytes, atoms of each type, sessions and "
    "trainings.",
    (Example("substrate stats", "the numbers"), Example("substrate stats --json", "the same for programs")),
    only=Face.CLI,
)

TIER = Command(
    "tier",
    "care",
    "Show the tiers of domains, or set one: public, personal or sensitive.",
    "Agents read public and personal domains. A sensitive domain and its atoms are, for them, as if they were not "
    "there: in every tool, and at every moment of the past. A domain that says no tier is public.",
    (
        Example("substrate tier", "every domain with its tier"),
        Example('substrate checkpoint "v1.domain.health = My health"', "saves a domain"),
        Example("substrate tier health sensitive", "hides it from agents"),
        Example("%memory checkpoint v1.domain.health = My health"),
        Example("%memory tier health sensitive"),
        Example("%memory tier"),
    ),
    (
        argument("domain", "the domain: v1.domain.x, or x", nargs="?", complete="domain"),
        argument("tier", f"one of {', '.join(TIERS)}", nargs="?"),
        option("--max-tokens", metavar="N", read=number, help="set how many tokens of it one recall gives at most"),
    ),
)

FSCK = Command(
    "fsck",
    "care",
    "Check everything in the store against the log and its signatures.",
    "fsck computes every derived table again and compares. It names the first damage and changes nothing. It "
    "cannot detect that the holder of the key rewrote the whole log. A pin detects that.",
    (
        Example("substrate fsck", "exit code 0: no damage; 1: damage"),
        Example("substrate fsck --quiet && echo sound", "for scripts"),
    ),
    only=Face.CLI,
    as_agent=False,
)

REBUILD = Command(
    "rebuild",
    "care",
    "Rebuild the derived tables from the log.",
    "The new tables replace the old ones when they are complete. Other processes can read meanwhile. This "
    "repairs a damaged derived table, even if the store does not open. It does not repair the log.",
    (Example("substrate rebuild", "rebuilds them"), Example("substrate rebuild --json", "the same for programs")),
    only=Face.CLI,
    as_agent=False,
)

COMPACT = Command(
    "compact",
    "care",
    "Rewrite the store's file without its free space.",
    "After this, erased bytes are gone from the file. forget compacts by itself, unless a reader kept the file "
    "open too long.",
    (Example("substrate compact", "rewrites the file"), Example("substrate compact --json", "the same for programs")),
    only=Face.CLI,
    as_agent=False,
)
