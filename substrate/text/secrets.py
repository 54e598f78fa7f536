"""Credentials in a text, by kind and position. Pure but for one file of rules that ships with it; nothing is kept.

Three sets of rules, in this order: credentials known by their form; those of services, a kept set (service_rules.py);
credentials known by what stands before them.

What must stay true when a rule is added:

1. Linear time. A pattern starts with a literal or a set of characters, its runs are possessive, and what may fail after
   an unbounded run cannot be tried from many starts within that run. The tests repeat every trigger at length.
2. A rule runs only if one of its triggers occurs, so a text without any costs a few microseconds.
3. The credential is the last group of the pattern, or the whole match. No Finding, nor anything else, keeps it.
4. Rules stand from the specific to the general; where two overlap, the earlier one names the finding.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Final

from substrate.text.service_rules import ServiceRule, entropy, service_rules

__all__ = ["KINDS", "Finding", "find_secrets"]

_Row = tuple[str, str, str, Callable[["re.Match[str]"], bool]]  # kind, triggers with | between, pattern, check
_Span = tuple[int, int]
_Ready = tuple[str, "re.Pattern[str]", Callable[["re.Match[str]"], bool]]  # kind, compiled, check


@dataclass(frozen=True, slots=True)
class Finding:
    """A credential of `kind` at text[start:end], counted in characters. The value itself is not kept."""

    kind: str
    start: int
    end: int


KINDS: Final[Mapping[str, str]] = {
    "gcp_service_account": "private key in the JSON of a Google Cloud service account",
    "private_key": "PEM private key (RSA, EC, PKCS#8, OpenSSH, PGP), also when base64-encoded once more",
    "substrate_key": "signing key of a Substrate store, `PRIVATE+KEY+`",
    "age_key": "age identity, `AGE-SECRET-KEY-1`",
    "aws_access_key_id": "AWS access key id, `AKIA` or `ASIA`",
    "aws_secret_access_key": "AWS secret access key, named so or beside an access key id",
    "google_api_key": "Google API key, `AIza`",
    "google_oauth_secret": "Google OAuth client secret, `GOCSPX-`",
    "google_oauth_token": "Google OAuth access token, `ya29.`",
    "azure_storage_key": "Azure account key or shared access key, as in a connection string",
    "azure_sas": "signature of an Azure shared access URL, `sig=`",
    "azure_client_secret": "client secret of an Azure application",
    "github_token": "GitHub token: `ghp_`, `gho_`, `ghu_`, `ghs_`, `ghr_`, `github_pat_`",
    "gitlab_token": "GitLab token: `glpat-` and its relatives",
    "slack_token": "Slack token: `xoxb-`, `xoxp-`, `xapp-` and relatives",
    "slack_webhook": "Slack incoming webhook URL",
    "discord_token": "Discord bot token",
    "discord_webhook": "Discord webhook URL",
    "telegram_token": "Telegram bot token",
    "stripe_key": "Stripe secret or restricted key, live or test, and webhook secret",
    "anthropic_key": "Anthropic key, `sk-ant-`",
    "openai_key": "OpenAI key, `sk-`, `sk-proj-`, and the services that share its form",
    "huggingface_token": "Hugging Face token, `hf_`",
    "twilio_key": "Twilio API key, or an account id with its auth token",
    "sendgrid_key": "SendGrid key, `SG.`",
    "mailgun_key": "Mailgun key, `key-`",
    "npm_token": "npm token, `npm_`",
    "pypi_token": "PyPI token, `pypi-AgE`",
    "docker_token": "Docker Hub token, `dckr_pat_`",
    "digitalocean_token": "DigitalOcean token, `dop_v1_`",
    "vault_token": "HashiCorp Vault token, `hvs.`",
    "terraform_token": "Terraform Cloud token, `.atlasv1.`",
    "databricks_token": "Databricks token, `dapi`",
    "shopify_token": "Shopify token, `shpat_` and relatives",
    "atlassian_token": "Atlassian token, `ATATT3`",
    "grafana_token": "Grafana token, `glsa_`",
    "pinecone_key": "Pinecone key, `pcsk_`",
    "langsmith_key": "LangSmith key, `lsv2_`",
    "jwt": "signed JSON Web Token",
    "prefixed_token": "long random token behind a short prefix, as most services make them: `abc_`, `sk-`, `pat_`",
    "basic_auth": "HTTP `Basic` credentials, also as `auth` of Docker and npm",
    "bearer_token": "HTTP `Bearer` token, or another one behind `Authorization:`",
    "client_argument": "random value handed to a client or a login: `Client('...')`, `cargo login ...`",
    "pgpass_password": "password in a line of `.pgpass`",
    "netrc_password": "password in a netrc line",
    "command_password": "password or token in a command line: `--password`, `--token`, `-u user:`, `mysql -p`",
    "url_password": "password or token in a URL, `scheme://user:password@host`",
    "password": "value behind `password=`, `pwd:`, `the password is`",
    "secret": "value given to a secret, a token or an API key, if it looks random",
}

# Placeholders and examples: what documentation writes where a credential would stand.

_EXAMPLE_WORDS = (
    "example placeholder redacted changeme change_me dummy sample insert replace your fake xxxx qwerty abcdefg"
)
_EXAMPLE = re.compile(
    "|".join(spelt for word in _EXAMPLE_WORDS.split() for spelt in (word, word.upper(), word.capitalize()))
    + r"|\*\*\*|\.\.\.|…|•|●|0123456|1234567|000000|111111|aaaaaa|AAAAAA|ffffff"
    r"|Eby8vdM02xNOcqF|4eC39HqLyjWDarj|BQokikJOvBiI2Hl|eyJzdWIiOiIxMjM0NTY3ODkwIi"  # Azurite, Stripe twice, jwt.io
    r"|geheim\$parole"  # urllib.request
)
_STOCK = re.compile(
    r"(?>passphrase|passw(?:or[dt]|d)?|pass|pwd?|p[a@][s$5]{2}w[o0]rd|secrets?|s3cr[3e]t|tokens?|keys?|api|access|auth"
    r"|admin|root|user(?:name)?|guest|postgres|mysql|redis|mongo|rabbitmq|login|credentials?|default|none|null|undefined"
    r"|true|false|empty|unset|hidden|required|optional|string|value|super|strong|secure|very|top|test(?:ing)?|foo|bar|baz"
    r"|an?(?=[-_. ])|my|the|new|old|some|any|db|app|here|goes|in|from|env|client|[0-9]{1,4}|[-_. !]){1,30}+"
)
_BRACKET = re.compile(r"[$%<{\[(?]")
_TEMPLATE = re.compile(
    r"\$\{|\{\{|%\(\w+\)|<%|[#%]\{|\$\([a-z]|\{[A-Za-z_][\w.]{2,}\}|<[A-Za-z][\w -]+>|%[A-Z_]{3,}%"
    r"|\w\[[:@/,][a-z_]{2,16}\]"  # host[:port]: how an address is written
    r"|^(?:\[.*\]|\(.*\)|<.*|\{.*\}|%[sdv]|\?+|\$[A-Za-z_]\w*)$"
)
_HEAD = 80  # characters of a value that are looked at for this


def _value(match: re.Match[str]) -> str:
    return match[match.lastindex or 0]


def _real(match: re.Match[str]) -> bool:
    return not _EXAMPLE.search(_value(match)[:_HEAD])


def _is_stand_in(value: str) -> bool:
    value = value[:_HEAD]
    template = _BRACKET.search(value) and _TEMPLATE.search(value)
    return bool(template or _EXAMPLE.search(value) or _STOCK.fullmatch(value.lower()))


# Values behind `password =` and the like, where the form of the value must carry the decision.

_SHORTEST_PASSWORD, _SAFE_PASSWORD, _LONGEST_PASSWORD = 6, 8, 128
_SHORTEST_SECRET, _LONG_SECRET, _LONGER_SECRET = 10, 16, 20
_LONG_BODY, _LONGER_BODY = 30, 40  # identifiers of things (`msg_`, `chatcmpl-`) are shorter
_HEXADECIMAL = 4.0  # bits a character; digests have no more
_LEAST_ENTROPY = 3.2  # bits a character; 24 random hexadecimal digits have more
_MASK, _VARIED, _MANY = (
    4,
    6,
    20,
)  # different characters: fewer than the one is ----- or x-x-x, and a random value has the other
_MANY_WORDS = 3  # hyphens in a passphrase of plain words
_MIXED, _ALL_CLASSES = 3, 4  # of lower case, upper case, digits, symbols

_SEGMENT = (
    "(?:(?:[A-Z]?[a-zß-ÿ]{2,}+|[A-Z]{2,}+|[A-Za-z](?![A-Za-z]))++[0-9]{0,5}+"
    "|[0-9]{1,4}(?:x[0-9]{1,3})?[A-Za-z]{1,2}(?![A-Za-z0-9])|[0-9]*+)"  # 4o, 70b, 8x7B: sizes in the names of models
)
_WORDY = re.compile(rf"{_SEGMENT}(?:[-_./:+@,|\\]++{_SEGMENT})*+")
_REFERENCE = re.compile(
    r"(?i)(?:https?|op|sm|vault|arn|env|file|ref|data|keyring|secretref|sha(?:1|256|384|512)|md5|projects|ENC)[:/+\[-]"
    r"|\$[0-9a-z]{1,12}\$|\{[a-z0-9]+\}|0x[0-9a-fA-F]{40}$|[^+\s]+\+[0-9a-f]{8}\+A"  # the last: a verifier key
)
_STEP = r"(?:\.|->|::|\?\.)[A-Za-z_]\w*"
_CODE = re.compile(
    rf"[&*@!:$(]{{0,2}}(?P<callee>[A-Za-z_]\w*+(?:{_STEP})*+)[(\[](?P<rest>.*)"
    rf"|[&*@!:$(]{{0,2}}(?P<path>[A-Za-z_]\w+)(?:{_STEP})+[,;)-]*$|[&*@!:%]{{1,2}}(?P<sigil>[A-Za-z_]+)$"
)
_METHODS = "md5 sha bcrypt scrypt argon pbkdf scram base utf ascii oauth totp hmac aes rsa rfc iso 1password keepass"
_SPACE, _LETTER, _DIGIT = re.compile(r"\s"), re.compile("[A-Za-zÀ-ÿ]"), re.compile("[0-9]")
_JOINT = re.compile("[_-]")


def _is_wordy(value: str) -> bool:
    """Whether it reads as words, perhaps with numbers: `db-credentials-v2`, `getUserToken`, `hunter2`."""
    return _WORDY.fullmatch(value) is not None


def _is_code(value: str) -> bool:
    match = _CODE.match(value)
    if match is None:
        return False
    if match["callee"]:  # random passwords contain brackets too, but seldom a pair behind an identifier
        return not match["rest"] or match["rest"][-1] in ")]" or _is_wordy(match["callee"])
    return bool(match["sigil"]) or _is_wordy(match["path"])


def _is_plain(value: str, *, quoted: bool) -> bool:
    """Whether it is a placeholder, a reference to where the secret is kept, code, or prose: anything but a secret."""
    return (
        len(set(value)) < _MASK
        or bool(_SPACE.search(value))
        or _is_stand_in(value)
        or bool(_REFERENCE.match(value))
        or (not quoted and _is_code(value))
    )


def _classes(value: str) -> int:
    return (value != value.upper()) + (value != value.lower()) + bool(_DIGIT.search(value)) + (not value.isalnum())


def _looks_like_password(value: str, *, quoted: bool) -> bool:
    value = value.rstrip(".,;:")
    fits = _SHORTEST_PASSWORD <= len(value) <= _LONGEST_PASSWORD
    if not fits or value.lower().startswith(_METHOD) or _is_plain(value, quoted=quoted):
        return False
    has_digit = bool(_DIGIT.search(value))
    if not _LETTER.search(value):
        return value.isdigit()
    if _is_wordy(value):  # hunter2 and Berlin-2024, but not db-credentials-v2
        return (value.isalnum() and has_digit) or (value[0].isalnum() and _classes(value) == _ALL_CLASSES)
    return _classes(value) >= (1 if has_digit else 2 if len(value) >= _SAFE_PASSWORD else _MIXED)


def _looks_random(value: str, *, quoted: bool) -> bool:
    value = value.rstrip(".,;:")
    if len(value) < _SHORTEST_SECRET or len(set(value)) < _VARIED:
        return False
    if _is_wordy(value) or _is_plain(value, quoted=quoted):
        return False
    if _DIGIT.search(value) and _LETTER.search(value):
        return len(value) >= _LONG_SECRET or _classes(value) >= _MIXED
    return len(value) >= _LONGER_SECRET and value not in {value.lower(), value.upper()}


# What else must hold where a pattern matched.

_KEY_WORDS = (
    "api access secret private auth encrypt encryption signing master account storage service client webhook app shared"
    " session deploy admin hmac jwt aes crypto consumer subscription function server license personal project bot"
)
_OTHER_WORDS = (
    "next page prev previous continuation sync cursor resume bos eos pad unk cls sep mask special stop start end first"
    " last per max min input output num change delta scroll skip public"
)
_ACCOUNT_WORDS = (
    "db database user admin root login account wifi wlan sudo smtp imap mail email ftp sftp ssh vpn mysql postgres"
    " redis mongo server router app service the my and with"
)
_LAST_WORD, _ACCOUNTS = re.compile(r"([^\W\d_]+) $"), frozenset(_ACCOUNT_WORDS.split())
_KEY_OF, _OTHER_TOKENS, _METHOD = (tuple(words.split()) for words in (_KEY_WORDS, _OTHER_WORDS, _METHODS))


def _assigned_password(match: re.Match[str]) -> bool:
    value, word, start = _value(match), match["word"].lower(), match.start()
    if word in {"pass", "passe", "pw"}:
        before = match.string[start - 1 : start]
        if value.isdigit() or match["prose"] or (before.isalnum() and not (before.islower() and match[0][0].isupper())):
            return False  # `pass: 4096`, pass `x=1`, `compass: ...`; but dbPass
        if value == value.upper() or (_is_wordy(value) and _other_pass(match.string[max(0, start - 16) : start])):
            return False  # boarding pass: LH1234, ski pass: zermatt2026
    phrase = word == "passphrase" and value.count("-") >= _MANY_WORDS and bool(_DIGIT.search(value))
    return (phrase and not _is_stand_in(value)) or _looks_like_password(value, quoted=bool(match["q"]))


def _other_pass(before: str) -> bool:
    word = _LAST_WORD.search(before)
    return word is not None and word[1].lower() not in _ACCOUNTS


def _assigned_secret(match: re.Match[str]) -> bool:
    word, start = match["word"].lower(), match.start()
    before = match.string[max(0, start - 16) : start].rstrip("_ .-").lower()
    other = (word == "key" and not before.endswith(_KEY_OF)) or (word == "token" and before.endswith(_OTHER_TOKENS))
    return not other and _looks_random(_value(match), quoted=bool(match["q"])) and not _is_of_badge(match)


_BADGE = re.compile(r"://(?:app\.)?codecov\.io/[\w./%~-]{1,200}+(?<=/badge\.svg)\?(?:[\w.%=-]{1,40}+&){0,3}\Z")
_BADGE_TOKEN = re.compile("[A-Za-z0-9]{8,12}[).,]{0,3}")
_PARAMETER = re.compile(r"[?&][\w.-]{0,32}\Z")


def _is_of_badge(match: re.Match[str]) -> bool:
    """Whether it is the token of a Codecov badge: it shows the badge alone, and stands in public pages."""
    start = match.start()
    return (
        _BADGE_TOKEN.fullmatch(_value(match)) is not None
        and _BADGE.search(match.string, max(0, start - 400), start) is not None
    )


def _end(match: re.Match[str]) -> int:
    """Where the credential ends; of a parameter in an address, before the brackets around the address."""
    start, end = match.span(match.lastindex or 0)
    text, begin = match.string, match.start()
    if text[end - 1] in ")]" and text[start - 1] == "=" and _PARAMETER.search(text, max(0, begin - 40), begin):
        return start + len(text[start:end].rstrip(")]"))
    return end


def _basic(match: re.Match[str]) -> bool:
    try:
        decoded = binascii.a2b_base64(match[1] + "=" * (-len(match[1]) % 4)).decode()
    except ValueError:
        return False
    user, _, password = decoded.partition(":")
    stock = password in {"", user, "open sesame", "gX1fBat3bV"} or _is_stand_in(password)  # two examples of RFCs
    return decoded.isprintable() and not stock


_RESERVED = re.compile(
    r"(?i:(?:[a-z0-9_-]{1,63}\.){0,8}(?:example(?:\.(?:com|net|org))?|invalid|(?P<local>test|localhost)))(?![\w-]|\.\w)"
)
"""Hosts that RFC 2606 and 6761 keep for documentation and tests. On those that are `local` something may run."""
_TIGER = 6
"""Letters of a password that is shown with such a host: `scott:tiger@localhost`. A longer one may be in use."""


def _is_shown(match: re.Match[str]) -> bool:
    """Whether a URL shows where a password would stand: a plain word, and a host that nobody can own."""
    value = _value(match)
    host = _RESERVED.match(match.string, match.end()) if _is_wordy(value) and not _DIGIT.search(value) else None
    return host is not None and (host["local"] is None or len(value) <= _TIGER)


def _prefixed(match: re.Match[str]) -> bool:
    token, body = match[0], match["body"]
    bits = entropy(body)
    if bits <= _LEAST_ENTROPY or not _real(match) or _is_wordy(token) or _REFERENCE.match(token):
        return False
    if match["secret"]:
        return _looks_random(body, quoted=True)
    if len(body) < (_LONGER_BODY if match["dotted"] else _LONG_BODY):
        return False
    run = max(_JOINT.split(body), key=len)  # names of tests and constants are long too, but of words
    if len(run) < _LONG_SECRET or not _DIGIT.search(run) or _is_wordy(run):
        return False
    return run not in {run.lower(), run.upper()} or (len(run) >= _LONGER_BODY and bits > _HEXADECIMAL)


def _of_service(rule: ServiceRule) -> Callable[[re.Match[str]], bool]:
    def check(match: re.Match[str]) -> bool:
        value = _value(match)
        return entropy(value) > rule.entropy and _real(match) and (not rule.named or _looks_random(value, quoted=True))

    return check


def _near(match: re.Match[str], word: str) -> bool:
    return word in match.string[max(0, match.start() - 300) : match.end() + 300].lower()


# The patterns.


def _any_case(word: str) -> str:
    return "".join(f"[{c.upper()}{c}]" if c.isalpha() else c for c in word)


def _token(prefix: str, body: str, not_after: str = "A-Za-z0-9") -> str:
    """`prefix` and `body`, where no word leads into the prefix; but a written-out newline or %3D may."""
    # The literal comes first and is looked back upon: only so can the search skip from literal to literal.
    return rf"{prefix}(?:(?<![{not_after}]{prefix})|(?<=\\[nrt]{prefix})|(?<=%[0-9A-F][0-9A-F]{prefix})){body}"


def _assigned(word: str, more: str = "") -> str:
    """`word`, a sign of assignment, and a value, as .env, JSON, YAML, XML, code and prose write it."""
    return (
        rf"(?P<word>{word})(?:[_-]?(?:base|value|prod|dev|live|staging|[0-9]{{1,2}}{more}))?+[\\\"'`\])*]{{0,4}}+"
        r"(?:[ \t]?:[ \t]?&?[A-Za-z.]{1,16}+(?=[ \t]?=[ \t]?[^\s=]))?+"  # a type
        r"(?:[ \t](?:for|of|to|on|in|für|vom|von|der|des|pour|du|de|del|para)[ \t][\w .@/'-]{1,40}?"
        r"(?=[ \t]?[:=][ \t]?\S|[ \t](?:is|ist|lautet|est|es)[ \t]))?"  # whose it is
        r"(?:(?<=[\"'])(?:[ \t]?,[ \t]?|[ \t](?:value|content)=)(?=[\"'])"
        r"|[ \t]{0,4}+(?:=>|={1,3}|:=|::?|->|\uff1a|>(?=[^<>\s]{1,512}+</))[ \t]{0,8}+"
        r"|(?P<prose>[ \t]{1,2}(?=[\"'`]|[A-Za-z0-9+/_-]{24})"
        r"|[ \t]{1,2}(?:is|was|ist|lautet|est|es):?[ \t]{1,2}|[ \t]?(?:は|是|为|為)[ \t:\uff1a]{0,2}))"
        r"(?:[A-Za-z]{0,2}\\{0,3}(?P<q>[\"'`])((?:(?!\\{0,3}(?P=q))[^\n]){4,512}+)"
        r"|((?:[!#-%(*+\--:=?-\[\]-_a-~À-ÿ]|\)(?!\]\()|\\(?![nrt\"'])|[&;,](?!\s|$|[A-Za-z_ ]{1,30}+=)){4,512}+))"
    )


_MORE = "|(?<=_)(?!(?:ID|HASH|SHA[0-9]*|DIGEST|FINGERPRINT|FILE|PATH|URL|URI|ARN|NAME)[^A-Z])[A-Z0-9]{2,16}"
"""More of a name behind the word: TOKEN_BEDROCK."""
_URL64 = "[A-Za-z0-9_-]"
_PEM = (
    r"-----BEGIN (?:[A-Z0-9]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s\"'>#+,|]|\\++[nrt]|[A-Z][A-Za-z-]{3,15}+: [^\n\\]{1,100}+)*+[A-Za-z0-9+/=]{40}"
    r"(?:[A-Za-z0-9+/=\s\"'>#,|]|\\++[nrt])*+(?:-----END [A-Z0-9 ]{3,40}+-----)?"
)
_ARGUMENT = (
    r"-(?:-(?:password|passwd|passphrase|pass|token|api-?key|secret)[ \t]{1,4}+"
    r"|-?u(?:ser)?[ =]{1,2}[\"']?[^\s:\"'/]{1,64}+:|p(?<=sshpass -p) ?)[\"']?([^\s\"']{6,128}+)"
)
_PROGRAMS = {
    r"(?:mysql[a-z]*|mariadb[a-z-]*|mycli|7za?)": "-p",
    r"(?:(?:docker|podman|buildah|az|oc|registry) login|mongo[a-z]*|influx|clickhouse-client|cqlsh)": r"-p[ =]{1,2}",
    r"(?:redis-cli|keydb-cli|valkey-cli)": r"-a[ =]{1,2}",
    r"(?:sqlcmd|bcp|zip|unzip|mosquitto_[a-z]+|isql)": "-P ?",
    r"(?:ldap[a-z]+)": "-w ?",
    r"(?:plink|pscp|psftp)": "-pw ",
    r"(?:smbclient|rpcclient|smbmap)": r"-U ?[\"']?[^\s%\"']{1,64}+%",
    r"(?:openssl)": r"-pass(?:in|out)? pass:",
}
_OF_PROGRAM = (
    "(?<![A-Za-z0-9_-])(?:"
    + "|".join(rf"{program}\b(?=[ \t])[^\n|;&]{{0,120}}?[ \t]{option}" for program, option in _PROGRAMS.items())
    + r")[\"']?([^\s\"']{5,128}+)"
)
_PREFIX = (
    r"(?<![A-Za-z0-9_/.@-])(?=[A-Za-z0-9]{1,12}+[_.-])("
    r"(?:(?P<secret>(?:[a-z]{1,8}+[_-])?(?:sk|rk|pat|tok|token|secret)[_-]|[A-Z]{0,6}(?:SEC|KEY|AK)K?[_-])"
    r"|(?!pk|pub)(?:[a-z][a-z0-9]{1,11}+[_-]|(?P<dotted>(?:[a-z]{2,4}\.){1,3}+)))"
    r"(?P<body>[A-Za-z0-9_-]{24,400}+))"
)
_HANDED = (
    r"(?:(?:[Cc]lient|[Ll]og_?[Ii]n|[Aa]uth(?:enticate|orize)?|[Ss]ession|A[Pp][Ii])\([ \t]{0,2}[\"']"
    r"|(?:login|auth)[ \t]{1,2}+)"
)
_HANDED_OVER = _HANDED + r"([A-Za-z0-9._~+/=-]{20,400}+)(?![ \t]{0,2}[(=:])"
_SECRET = f"{_any_case('secret')}(?:[_ -]?{_any_case('access')})?(?:[_ -]?{_any_case('key')})?"
_ENDINGS = "|".join(map(_any_case, ("word", "wort", "phrase", "wd", "code", "e")))
_PASSWORD = f"[Pp](?:{_any_case('ass')}(?:{_ENDINGS})?|[Ww][Dd]?)"
_DIGITS64 = "[MNO][DTjz][AEIMQUYcgk][wxyz0-5]"  # three digits in base64
_FOREIGN = "kennwort|contraseña|identified by|пароль|密码|密碼|パスワード|비밀번호"

# fmt: off
_BY_LITERAL: tuple[_Row, ...] = (
    ("gcp_service_account", "private_key", rf"private_key\\*+\"\s?:\s?\\*+\"({_PEM})", lambda _: True),
    ("private_key", "-----BEGIN", _PEM, lambda _: True),
    ("private_key", "LS0tLS1CRUdJTi", r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{66,}+=*",
     lambda m: b"PRIVATE KEY" in binascii.a2b_base64(m[0][:64])),
    ("substrate_key", "PRIVATE+KEY+", r"PRIVATE\+KEY\+[^\s+]{1,200}+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{40,}+=*", _real),
    ("age_key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{50,}+", _real),
    ("aws_access_key_id", "AKIA|ASIA", _token("A[KS]IA", "[A-Z0-9]{16}(?![A-Za-z0-9])"), _real),
    ("aws_secret_access_key", "AKIA|ASIA",
     r"A[KS]IA[A-Z0-9]{16}[\s,:;|\"']{1,4}+([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])", _real),
    ("google_api_key", "AIza", _token("AIza", f"{_URL64}{{35}}(?!{_URL64})"), _real),
    ("google_oauth_secret", "GOCSPX-", _token("GOCSPX-", f"{_URL64}{{20,}}+"), _real),
    ("google_oauth_token", "ya29.", _token(r"ya29\.", f"{_URL64}{{30,}}+"), _real),
    ("azure_client_secret", "Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}+", _real),
    ("azure_storage_key", "AccessKey=", r"AccessKey=([A-Za-z0-9+/]{43}=)", _real),
    ("azure_sas", "sig=", r"sig=([A-Za-z0-9%+/]{40,100}+=?)", lambda m: _near(m, "sv=") and _real(m)),
    ("github_token", "ghp_|gho_|ghu_|ghs_|ghr_", _token("gh[opusr]_", "[A-Za-z0-9]{36,}+"), _real),
    ("github_token", "github_pat_", _token("github_pat_", "[A-Za-z0-9_]{36,}+"), _real),
    ("gitlab_token", "glpat-|gldt-|glrt-",
     _token("glpat-", f"{_URL64}{{20,}}+|") + _token("gl[dr]t-", f"{_URL64}{{20,}}+"), _real),
    ("slack_token", "xox", _token("xox[abceoprs]", f"[.-](?=[0-9a-z]*[0-9]){_URL64}{{20,}}+"), _real),
    ("slack_token", "xapp-", _token("xapp-", f"[0-9]-{_URL64}{{20,}}+"), _real),
    ("slack_webhook", "hooks.slack.com/",
     r"hooks\.slack\.com/(?:services|triggers)/([A-Za-z0-9]{8,}+/[A-Za-z0-9]{8,}+/[A-Za-z0-9]{16,}+)", _real),
    ("discord_webhook", "/api/webhooks/", rf"/api/webhooks/[0-9]{{16,20}}+/({_URL64}{{50,}}+)", _real),
    ("telegram_token", ":AA", rf"(?<![0-9])[0-9]{{8,10}}+:AA{_URL64}{{33}}(?!{_URL64})", _real),
    ("stripe_key", "k_live_|k_test_", _token("[rs]k_[lt][ie][vs][et]_", "[A-Za-z0-9]{16,}+"), _real),
    ("stripe_key", "whsec_", _token("whsec_", "[A-Za-z0-9+/]{24,}+"), _real),
    ("anthropic_key", "sk-ant-", _token("sk-ant-", f"{_URL64}{{24,}}+"), _real),
    ("openai_key", "sk-",
     _token("sk-", f"(?:(?:proj|svcacct|admin|or-v1)-{_URL64}{{32,}}+|[A-Za-z0-9]{{32,}}+)"), _real),
    ("huggingface_token", "hf_", _token("hf_", "[A-Za-z0-9]{30,}+"), _real),
    ("twilio_key", "SK", _token("SK", "[0-9a-f]{32}(?![A-Za-z0-9])"), _real),
    ("twilio_key", "AC", _token("AC", r"[0-9a-f]{32}[\s:,;\"']{1,4}+([0-9a-f]{32})(?![A-Za-z0-9])"), _real),
    ("sendgrid_key", "SG.", _token(r"SG\.", rf"{_URL64}{{16,}}+\.{_URL64}{{16,}}+"), _real),
    ("mailgun_key", "key-", r"key-(?:(?<![A-Za-z0-9_./:-]key-)|(?<=api:key-))[0-9a-f]{32}(?![A-Za-z0-9-])", _real),
    ("npm_token", "npm_", _token("npm_", "[A-Za-z0-9]{36,}+"), _real),
    ("pypi_token", "pypi-AgE", _token("pypi-AgE", f"{_URL64}{{50,}}+"), _real),
    ("docker_token", "dckr_pat_", _token("dckr_pat_", f"{_URL64}{{20,}}+"), _real),
    ("digitalocean_token", "dop_v1_|doo_v1_|dor_v1_", _token("do[opr]_v1_", "[0-9a-f]{64}"), _real),
    ("vault_token", "hvs.|hvb.", _token(r"hv[bs]\.", f"{_URL64}{{24,}}+"), _real),
    ("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}+", _real),
    ("databricks_token", "dapi", _token("dapi", "[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"), _real),
    ("shopify_token", "shpat_|shpca_|shppa_|shpss_", _token("shp[acps][ast]_", "[0-9a-fA-F]{32}"), _real),
    ("atlassian_token", "ATATT3", _token("ATATT3", "[A-Za-z0-9_=-]{60,}+"), _real),
    ("atlassian_token", "ATBB", _token("ATBB", "[A-Za-z0-9]{28,}+"), _real),
    ("google_oauth_token", ":APA91b", rf"[A-Za-z0-9_-]{{6,20}}:APA91b{_URL64}{{60,}}+", lambda _: True),
    ("bearer_token", "AAAAAAAAAAAAAAAAAAAAA", r"(?<![A-Za-z0-9])A{20,24}[A-Za-z0-9%]{60,200}+",
     lambda m: len(set(m[0])) > _MANY),
    ("grafana_token", "glsa_", _token("glsa_", "[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"), _real),
    ("private_key", "Private-Lines: ",
     r"Private-Lines: [0-9]{1,3}\s{1,2}([A-Za-z0-9+/=]{40}[A-Za-z0-9+/=\s]*+)", _real),
    ("pinecone_key", "pcsk_", _token("pcsk_", "[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}+"), _real),
    ("langsmith_key", "lsv2_", _token("lsv2_", "(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"), _real),
    ("jwt", "eyJ", _token("eyJ", rf"{_URL64}{{8,}}+\.eyJ{_URL64}{{8,}}+\.{_URL64}{{16,}}+", "A-Za-z0-9_-"), _real),
)
_WITH_RUN: tuple[_Row, ...] = (
    ("discord_token", "",
     rf"{_DIGITS64}(?:{_DIGITS64}){{4,5}}[A-Za-z0-9]{{0,3}}\.{_URL64}{{6}}\.{_URL64}{{27,40}}+", _real),
    ("prefixed_token", "", _PREFIX, _prefixed),
)
_BY_CONTEXT: tuple[_Row, ...] = (
    ("aws_secret_access_key", "secret",
     _SECRET + r"[\\\"'\])]{0,4}+[ \t]{0,4}+(?:=>|=|:|>|is)[\\\"' \t]{0,8}+([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
     lambda m: ("access" in m[0].lower() or _near(m, "aws")) and _real(m)),
    ("azure_storage_key", "key", _any_case("key") + r"[\\\"' \t]{0,3}+[:=][\\\"' ]{0,4}+([A-Za-z0-9+/]{86}==)", _real),
    ("basic_auth", "basic ", _any_case("basic") + r" {1,2}([A-Za-z0-9+/]{8,}+={0,2})", _basic),
    ("bearer_token", "bearer", _any_case("bearer") + r"[:=]? {1,2}([A-Za-z0-9._~+/-]{16,}+=*)",
     lambda m: _looks_random(m[1], quoted=True)),
    ("basic_auth", "auth",
     r"[Aa][Uu][Tt][Hh][\\\"']{0,3}+[ \t]{0,3}+[:=][ \t]{0,3}+\\{0,2}[\"']?([A-Za-z0-9+/]{8,}+={0,2})", _basic),
    ("bearer_token", "authorization",
     _any_case("authorization") + r"[\\\"']{0,3}+[ \t]{0,3}+[:=][ \t]{0,3}+[\"']?(?![Bb]asic)"
     r"(?:[A-Za-z-]{2,24}[ =]{1,2})?([A-Za-z0-9._~+/=-]{16,}+)", lambda m: _looks_random(m[1], quoted=True)),
    ("client_argument", "client(|login(|login |auth(|auth |authenticate(|authorize(|session(|api(|log_in(",
     _HANDED_OVER, lambda m: _looks_random(m[1], quoted=True)),
    ("pgpass_password", ":5432:|:6543:|:*:|pgpass",
     r"(?<![\w.*-])[\w.*-]{1,100}+:(?:[0-9]{4,5}+|\*):[\w.*-]{1,64}+:[\w.*@-]{1,64}+:([^\s:\"']{4,128}+)",
     lambda m: not _is_stand_in(m[1]) and not m[1].isdigit()),
    ("netrc_password", "login", r"login\s{1,8}+\S{1,128}+\s{1,8}+password\s{1,8}+(\S{4,128}+)",
     lambda m: not _is_stand_in(m[1])),
    ("command_password", "--|-u|-p", _ARGUMENT,
     lambda m: not m[1].isdigit() and _looks_like_password(m[1], quoted=False)),
    ("command_password", " -p| -a| -w| -u|pass:", _OF_PROGRAM, lambda m: _looks_like_password(m[1], quoted=False)),
    ("url_password", "://", r"://([A-Za-z0-9_~-]{20,200}+)(?::x-oauth-basic)?@(?=[A-Za-z0-9])",
     lambda m: _looks_random(m[1], quoted=True)),
    ("url_password", "://",
     r"://([^\s:/@?#\"'<>`\\()\[\]*|]{0,128}+):(?![0-9]{1,5}[/,?])((?:[^\s/\"'<>`\\]|/(?!/)){3,256})@(?=[A-Za-z0-9\[_.%-])",
     lambda m: m[1] != m[2] and not _is_stand_in(m[2].replace("%20", " ")) and not _is_shown(m)),
    ("password", "pass|pw", _assigned(_PASSWORD), _assigned_password),
    ("password", _FOREIGN, _assigned(f"(?i:{_FOREIGN})"), _assigned_password),
    ("secret", "secret", _assigned(_SECRET, _MORE), _assigned_secret),
    ("secret", "token", _assigned(_any_case("token"), _MORE), _assigned_secret),
    ("secret", "key", _assigned(_any_case("key"), _MORE), _assigned_secret),
)
# fmt: on

_FIRST_WORDS: Mapping[str, tuple[str, ...]] = {
    _assigned(_PASSWORD): ("pass", "pw"),
    _assigned(f"(?i:{_FOREIGN})"): ("kennwort", "identified by"),  # in a text of ASCII
    _HANDED_OVER: ("client(", "login", "log_in(", "auth", "session(", "api("),
}
"""What every match of a pattern begins with, where the pattern does not show it."""

_SHORT, _RAREST = (
    1024,
    "~+*@(_/=-:.0123456789JQXZKGVWYUCPINTSRLOMDEAjqxzkvbwpygfmcuhd",
)  # below that one regex is cheaper than many


_ANYWHERE = frozenset(
    ("private_key", "-----BEGIN", "PRIVATE+KEY+", "Private-Lines: ", "Q~", "sig=", ".atlasv1.", "ATATT3")
)
"""Triggers of `_BY_LITERAL` whose credentials need not have a run. All others stand in one, or right before it."""


class _Rules:
    """Rows made ready. `gate` finds any trigger by its rarest character: prose has few of those to stop at."""

    def __init__(self, rows: Sequence[_Row], *, gated: bool = True, but: Collection[str] = ()) -> None:
        self.rows, self.gated = rows, gated
        self.triggers: dict[str, list[int]] = {}
        for number, (_, triggers, _, _) in enumerate(rows):
            for trigger in triggers.split("|"):
                if trigger not in but:
                    self.triggers.setdefault(trigger, []).append(number)
        self.ascii = {trigger: numbers for trigger, numbers in self.triggers.items() if trigger.isascii()}

    @cached_property
    def gate(self) -> re.Pattern[str]:
        stops: dict[str, list[str]] = {}
        for trigger in filter(None, self.triggers):
            at = min(range(len(trigger)), key=[(_RAREST + trigger).index(c) for c in trigger].__getitem__)
            around = f"(?<={re.escape(trigger[: at + 1])})(?={re.escape(trigger[at + 1 :])})"
            stops.setdefault(trigger[at], []).append(around)
        ways = "|".join(f"{re.escape(stop)}(?:{'|'.join(ways)})" for stop, ways in stops.items())
        return re.compile(ways or "(?!)")

    def wanted(self, text: str) -> list[_Ready]:
        """The rules of which a trigger is in the text, and those that have none."""
        numbers = self.numbers(text)
        return self.always if numbers is None else self.ready(numbers)

    def numbers(self, text: str) -> set[int] | None:
        """The numbers of these rules; None: of no rule but those that have none."""
        if self.gated and len(text) <= _SHORT and not self.gate.search(text):
            return None
        known = self.ascii if text.isascii() else self.triggers
        return {number for trigger, numbers in known.items() if trigger in text for number in numbers}

    @cached_property
    def by_place(self) -> tuple[_Rules, _Rules]:
        """The same rules by triggers that may stand anywhere, and by those that a run follows or holds."""
        near = _Rules(self.rows, but=_ANYWHERE)
        return _Rules(self.rows, but=near.triggers), near

    @cached_property
    def always(self) -> list[_Ready]:
        return self.ready(self.triggers.get("", ()))

    def ready(self, numbers: Iterable[int]) -> list[_Ready]:
        """Rules by their numbers, in their order."""
        rows = [self.rows[number] for number in sorted(numbers)]
        return [(kind, _compiled(pattern), check) for kind, _, pattern, check in rows]


@lru_cache(maxsize=1024)  # more than there are rules
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_LITERAL, _CONTEXT = _Rules(_BY_LITERAL), _Rules(_BY_CONTEXT)
_RUN = re.compile(r"(?:[A-Za-z0-9_+/-]{0,15}+[^A-Za-z0-9_+/-]++)*+([A-Za-z0-9_+/-]{16,}+)")
"""What comes before the next run, and the run: so every character is passed once. There is a run in every credential
but a few, and one with a digit in every one of a service. Prose seldom has one."""
_RIGHT_BEFORE = 24  # characters before a run in which its trigger begins
_LED_BY = 40  # characters of a match of `_WITH_RUN` before the run in which it ends
_ENDING_IN_RUN = frozenset(pattern for _, _, pattern, _ in _WITH_RUN)
_GIVEN_RUN = re.compile(r"[=>:|,][`'\"\s=]{0,5}+(?=[A-Za-z_+/-]*+[0-9])[A-Za-z0-9_+/-]{12,}+")
"""What a rule wants that knows a credential by the name of its service: a sign of assignment before the run."""
_SPAN_OF: Final[Callable[[re.Match[str]], _Span]] = re.Match.span
_BEFORE = 120  # characters before a run in which the name of its service stands


@cache
def _services() -> tuple[_Rules, _Rules]:
    """The rules for services: by form, and by a name with a sign of assignment."""
    by_form, by_name = list[_Row](_WITH_RUN), list[_Row]()
    for rule in service_rules():
        row = (rule.kind, "|".join(rule.keywords), rule.pattern, _of_service(rule))
        (by_name if rule.assigned else by_form).append(row)
    return _Rules(by_form), _Rules(by_name, gated=False)  # names of services have no rare characters


def _runs(text: str) -> Iterator[_Span]:
    """From where to where each run goes."""
    at = 0
    while (run := _RUN.match(text, at)) is not None:
        yield run.span(1)
        at = run.end()


def _before(runs: Iterable[_Span], text: str, before: int = _BEFORE) -> str:
    """The runs, each with what comes before it: the keyword of a service must stand there."""
    return "\n".join([text[max(0, start - before) : end] for start, end in runs])


_FIRST_WORD = re.compile(r"(?:\(\?P<word>)?((?:\[[A-Z][a-z]\]){3,})(?![?*{+])")
"""How a pattern begins that begins with a word in any case."""


@lru_cache(maxsize=1024)
def _first_words(pattern: str) -> tuple[str, ...]:
    """Words, of which every match begins with one, in small letters; none if they are not known."""
    begin = _FIRST_WORD.match(pattern)
    return _FIRST_WORDS.get(pattern, ()) if begin is None else (begin[1][2::4],)


def _matches(pattern: re.Pattern[str], text: str, lowered: str, runs: Iterable[_Span]) -> Iterator[re.Match[str]]:
    """Every match, as `finditer` has them; found faster where each begins with a word, or ends in a run."""
    if pattern.pattern in _ENDING_IN_RUN:
        yield from _matches_in(pattern, text, runs)
        return
    words = _first_words(pattern.pattern)
    # Where a small letter takes more room, places are others. Words of other scripts have more than one small letter.
    if not words or len(lowered) != len(text) or not (text.isascii() or len(words) == 1):
        yield from pattern.finditer(text)
        return
    places = [lowered.find(word) for word in words]
    while (at := min([place for place in places if place >= 0], default=-1)) >= 0:
        match = pattern.match(text, at)
        if match is not None:
            yield match
        upto = at + 1 if match is None else match.end()
        places = [
            lowered.find(word, upto) if 0 <= place < upto else place for word, place in zip(words, places, strict=True)
        ]


def _matches_in(pattern: re.Pattern[str], text: str, runs: Iterable[_Span]) -> Iterator[re.Match[str]]:
    """Every match of a pattern of which the last part, and the longest, lies in a run."""
    at = 0
    for start, end in runs:
        at = max(at, start - _LED_BY)
        while (match := pattern.search(text, at, end)) is not None:
            yield match
            at = match.end()


def find_secrets(text: str) -> list[Finding]:
    """The credentials in `text`, by position, none overlapping. Never raises. What it misses: docs/secrets.md."""
    lowered = text.lower()
    rules = _CONTEXT.wanted(lowered)
    anywhere, near = _LITERAL.by_place
    literal = anywhere.numbers(text) or set()
    if runs := list(_runs(text)):
        if with_digit := [run for run in runs if _DIGIT.search(text, *run)]:
            by_form, by_name = _services()
            if given := _before(map(_SPAN_OF, _GIVEN_RUN.finditer(text)), text):
                rules = by_name.wanted(given.lower()) + rules
            rules = by_form.wanted(_before(with_digit, text).lower()) + rules
        literal |= near.numbers(_before(runs, text, _RIGHT_BEFORE)) or set()
    if literal:
        rules = _LITERAL.ready(literal) + rules
    if not rules:
        return []
    found, taken = list[Finding](), bytearray()
    for kind, pattern, check in rules:
        for match in _matches(pattern, text, lowered, runs):
            start, end = match.span(match.lastindex or 0)
            if taken.find(1, start, end) < 0 and check(match):
                end = _end(match)
                taken = taken or bytearray(len(text))
                taken[start:end] = b"\1" * (end - start)
                found.append(Finding(kind, start, end))
    return sorted(found, key=lambda finding: finding.start)
