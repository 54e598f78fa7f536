"""What sessions over notes of the standard library are for: twenty that were trained, sixty about other things."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TRAININGS", "UNRELATED", "Training"]


class Training(NamedTuple):
    """What was trained for which objective, and how others would say that objective."""

    objective: str
    atoms: tuple[str, ...]
    related: tuple[str, str, str]


TRAININGS = (
    Training(
        "read the sales spreadsheet that came as a csv export",
        ("csv.Sniffer.sniff", "csv.excel_tab", "locale.atof"),
        (
            "load last month's sales from the csv export",
            "import a spreadsheet of revenue figures",
            "open the csv file with the sales numbers",
        ),
    ),
    Training(
        "compress the nightly log archive",
        ("bz2.BZ2File", "tarfile.TarFile.add", "shutil.disk_usage"),
        ("make last night's logs smaller", "pack the log archive of this night", "compress old logs in an archive"),
    ),
    Training(
        "send the weekly report by e-mail",
        ("smtplib.SMTP.sendmail", "smtplib.SMTP.starttls", "string.Template"),
        (
            "mail the report of this week to the team",
            "e-mail the weekly summary",
            "deliver our weekly report through the mail server",
        ),
    ),
    Training(
        "back up the customer database",
        ("sqlite3.Connection.backup", "shutil.copy2", "secrets.token_hex"),
        (
            "make a safe copy of the customers database",
            "save a backup of client data",
            "duplicate the customer records for safety",
        ),
    ),
    Training(
        "summarise the measurements of the lab",
        ("statistics.NormalDist.from_samples", "statistics.quantiles", "fractions.Fraction.limit_denominator"),
        (
            "describe the lab measurements in a few numbers",
            "give a summary of the laboratory data",
            "mean and spread of what the lab measured",
        ),
    ),
    Training(
        "compare two versions of a contract",
        ("difflib.HtmlDiff.make_file", "difflib.get_close_matches", "textwrap.fill"),
        (
            "what changed between both contract versions",
            "show the differences of two agreements",
            "compare the old and the new contract",
        ),
    ),
    Training(
        "which addresses may reach the office network",
        ("ipaddress.IPv4Address.is_private", "ipaddress.summarize_address_range", "sched.scheduler.enter"),
        (
            "allow addresses into the network of the office",
            "check who can access the office network",
            "list the permitted ip addresses of our office",
        ),
    ),
    Training(
        "plan the holidays of the team",
        ("calendar.Calendar.monthdatescalendar", "calendar.monthrange", "heapq.nsmallest"),
        ("who of the team is on vacation when", "make the holiday plan", "schedule the vacations of my colleagues"),
    ),
    Training(
        "clean up the shared inbox",
        ("imaplib.IMAP4.expunge", "imaplib.IMAP4.fetch", "mailbox.Maildir.clean"),
        (
            "delete old messages in the shared inbox",
            "tidy the mailbox that we all use",
            "remove what nobody needs from the common inbox",
        ),
    ),
    Training(
        "find out why the service grows in memory",
        ("tracemalloc.Snapshot.compare_to", "tracemalloc.take_snapshot", "pstats.Stats"),
        (
            "memory leak of the service",
            "the service uses more and more memory",
            "look for what eats the memory of our service",
        ),
    ),
    Training(
        "log in customers with a cookie",
        ("http.cookies.SimpleCookie", "hmac.digest", "secrets.token_urlsafe"),
        ("customer login by cookie", "keep a client signed in", "remember the customer's login in the browser"),
    ),
    Training(
        "translate the interface for the French office",
        ("gettext.GNUTranslations._parse", "locale.format_string", "locale.currency"),
        (
            "French texts of the interface",
            "localise the user interface for France",
            "interface translation for our colleagues in Paris",
        ),
    ),
    Training(
        "draw winners of the raffle",
        ("random.Random.choices", "secrets.randbelow", "heapq.nlargest"),
        ("pick the raffle winners", "who wins the lottery of the summer party", "choose winners of the draw at random"),
    ),
    Training(
        "fetch the supplier's price list",
        ("ftplib.FTP.login", "ftplib.FTP.dir", "decimal.Decimal.compare"),
        ("download prices of the supplier", "get the latest price list from our vendor", "update the supplier prices"),
    ),
    Training(
        "rotate the audit logs",
        ("logging.handlers.BaseRotatingHandler.rotate", "logging.handlers.MemoryHandler", "zipfile.Path"),
        ("audit log rotation", "start a new audit log every day", "keep the logs of the auditors from growing"),
    ),
    Training(
        "crawl the partner's catalogue politely",
        ("urllib.robotparser.RobotFileParser.can_fetch", "urllib.robotparser.RequestRate", "queue.PriorityQueue"),
        (
            "scrape the catalogue of our partner",
            "read the partner's product pages without too many requests",
            "crawler for the catalogue",
        ),
    ),
    Training(
        "test the payment module without a bank",
        ("unittest.mock.MagicMock", "unittest.mock.NonCallableMagicMock", "decimal.Decimal.as_tuple"),
        (
            "payment tests with a fake bank",
            "check payments offline",
            "unit tests for the payment code that call no bank",
        ),
    ),
    Training(
        "let the operators type commands with completion",
        ("readline.parse_and_bind", "readline.get_completer", "curses.textpad.Textbox.edit"),
        (
            "command completion for operators",
            "a console in which the operators can press tab",
            "prompt with history for the operations team",
        ),
    ),
    Training(
        "serve many sensors over one port",
        ("selectors.BaseSelector.register", "selectors.BaseSelector.select", "telnetlib.Telnet.expect"),
        (
            "read many sensors at once",
            "one server for all sensor connections",
            "handle the sensors' sockets in one process",
        ),
    ),
    Training(
        "inspect a suspicious script before it runs",
        ("ast.Call", "dis.findlinestarts", "pdb.Pdb.do_condition"),
        (
            "is this script dangerous",
            "analyse the suspicious code without running it",
            "review an unknown script for bad calls",
        ),
    ),
)

UNRELATED = (
    "convert a colour from RGB to HSV",
    "hyperbolic tangent of a complex number",
    "walk a directory tree and list its files",
    "parse command line arguments with sub-commands",
    "pickle an object to bytes",
    "build an XML document",
    "run a coroutine with a timeout",
    "the working directory of a process",
    "wait for a child process to end",
    "signal handlers in the main thread",
    "decode base64 text",
    "copy an object deeply",
    "cache the results of a function",
    "format a traceback as text",
    "import a module by its path",
    "weak references to objects",
    "abstract methods of a class",
    "data classes with default values",
    "enumerations with unique members",
    "time zones and daylight saving",
    "parse an ISO date",
    "sleep until a deadline",
    "bytes to an integer",
    "matrix of pixels in a window",
    "regular expression groups",
    "split text into words",
    "unicode category of a character",
    "encode a URL query",
    "open a web page in the browser",
    "redirect of an HTTP request",
    "chunked transfer of a response",
    "certificate of a TLS connection",
    "hash a password with scrypt",
    "named pipes between processes",
    "shared memory of several processes",
    "a pool of worker threads",
    "lock a file",
    "permissions of a file",
    "symbolic links",
    "temporary folder that deletes itself",
    "memory map of a large file",
    "endianness of packed structures",
    "counting items of a list",
    "ordered dictionary",
    "double-ended queue with a maximal length",
    "permutations and combinations",
    "partial application of a function",
    "greatest common divisor",
    "round a float to an integer",
    "context manager that closes a resource",
    "warnings as errors",
    "garbage collection of cycles",
    "documentation of a function as text",
    "tokens of Python source",
    "grammar of annotations and type variables",
    "skip a test on some platform",
    "environment variables of a subprocess",
    "user and group ids",
    "audio sample rate",
    "terminal size in columns",
)
