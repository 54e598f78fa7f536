r"""service_rules.json, from the configuration of Betterleaks: `python -m substrate.text.convert_rules FILE.toml`.

Their expressions are for RE2, which never goes back; Python's `re` does. What changes, and why:

1. What leads up to a keyword (`[\w.-]{0,50}?`) goes: it is in no finding, and would be tried at every character.
2. What must follow a credential becomes "no further character of one": in prose a comma or a full stop follows.
3. Flags in the middle of an expression get a group of their own; classes and anchors are spelled as Python has them.
   Runs without a bound get one, and are not given back.
4. Left out: identifiers that are public, what only a path tells, expressions without a bound, and what a rule in
   secrets.py finds in more surroundings.

docs/decisions/0014-secrets.md says where the configuration comes from.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["convert"]

_END: Final = r"(?![A-Za-z0-9_/+=-])"
_SPELLED: Final = {
    r"[\w.-]{0,50}?": "",
    r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)""": _END,
    r"""(?:[\x60'"\s;]|\\[nr]|$|\b)""": _END,
    r"(?:.|[\n\r])": r"[\s\S]",
    "([a-z0-9]{4}-)": "(?:[a-z0-9]{4}-)",  # in no case the credential, which is the last group
    "[[:alnum:]]": "[A-Za-z0-9]",
    r"\z": r"\Z",
}
_NAMED: Final = (r"(?:=|>|:{1,3}=|", r"(?:.|[\n\r]){")
"""In expressions that know a credential by the name of its service close before it, and hardly by its form."""
_UNBOUND: Final = re.compile(r"\{([0-9]+),\}")
_ENTROPY: Final = re.compile(r'entropy\(finding\["secret"\]\) *<=? *([0-9.]+)')
_PUBLIC: Final = re.compile(r"-(?:client-id|access-id|key-id|public-key)$")
_OWN: Final = re.compile(
    r"(?:age-secret|anthropic|aws-access|azure-ad|curl-auth|databricks|digitalocean|generic|github|huggingface|jwt|npm|openai"
    r"|private-key|pypi|sendgrid|shopify|stripe|twilio-api|vault)(?:-|$)|gcp-(?:api-key|app|service)|gitlab-(?:pat|deploy|runner)"
    r"|hashicorp-tf|mongodb-connection|sidekiq|slack-(?!config|session)|dockerhub-personal|grafana-service"
)
_VAGUE: Final = {
    "box-api-access-token": "any 32 characters behind `box-`, as in `mailbox-id`",
    "sumologic-access-id": "an identifier",
    "sourcegraph-access-token": "any commit, where Sourcegraph is spoken of",
}


def _grouped(regex: str) -> str:
    """`(?i)` within an expression holds until its group ends: Python wants that written as a group."""
    while match := re.search(r"(?<=.)\(\?i\)", regex):
        depth, at, listed = 0, match.end(), False
        while at < len(regex) and (listed or depth or regex[at] != ")"):
            at += regex[at] == "\\"
            if listed:
                listed = regex[at] != "]" or regex[at - 1] == "\\"
            else:
                listed = regex[at] == "[" and regex[at - 1] != "\\"
                if regex[at - 1] != "\\":
                    depth += (regex[at] == "(") - (regex[at] == ")")
            at += 1
        regex = f"{regex[: match.start()]}(?i:{regex[match.end() : at]}){regex[at:]}"
    return regex


def _python(regex: str) -> str:
    for theirs, ours in _SPELLED.items():
        regex = regex.replace(theirs, ours)
    regex = _UNBOUND.sub(r"{\1,2000}+", _grouped(regex))
    regex = f"(?ai){regex.removeprefix('(?i)')}" if regex.startswith("(?i)") else f"(?a){regex}"
    re.compile(regex)
    return regex


def convert(configuration: Mapping[str, Any]) -> list[dict[str, object]]:
    """The rules that are taken, by id: keywords in lower case, expression, least entropy, whether only a name tells."""
    rows = list[dict[str, object]]()
    for rule in configuration["rules"]:
        name, told = rule["id"], rule.get("filter", "")
        hidden = rule.get("path") or rule.get("skipReport") or "regex" not in rule
        if hidden or _PUBLIC.search(name) or _OWN.match(name) or name in _VAGUE:
            continue
        entropy = _ENTROPY.search(told)
        rows.append(
            {
                "id": name,
                "keywords": sorted(keyword.lower() for keyword in rule["keywords"]),
                "regex": _python(rule["regex"]),
                "entropy": float(entropy[1]) if entropy else 0.0,
                "named": any(sign in rule["regex"] for sign in _NAMED),
            }
        )
    return sorted(rows, key=lambda row: str(row["id"]))


if __name__ == "__main__":
    (given,) = sys.argv[1:]
    made = convert(tomllib.loads(Path(given).read_text(encoding="utf-8")))
    lines = ",\n".join(json.dumps(row) for row in made)
    Path(__file__).with_name("service_rules.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
