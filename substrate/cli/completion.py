"""Completion scripts for shells, made from the verbs' data. Names of atoms come from the store, by `list --names`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from substrate.cli.options import GLOBAL_OPTIONS
from substrate.commands.command import Command, Option

__all__ = ["script", "value_kinds"]

_ASKED = 200
"""So many names of atoms are offered at most."""

_BASH = r"""
# Completion of substrate for bash. To use it: source <(substrate completion bash)
_substrate_names() {
    # Each name is quoted here, with the quotes that are open or else by backslashes: the shell takes it literally.
    local quote='' rest=$cur plain='' name
    case $cur in
        \'* | \"*) quote=${cur:0:1} rest=${cur:1} ;;
    esac
    while [[ $quote != "'" && $rest == *\\?* ]]; do
        plain+=${rest%%%%\\*} rest=${rest#*\\}
        plain+=${rest:0:1} rest=${rest:1}
    done
    plain+=$rest
    while IFS= read -r name; do
        [[ $name == "$plain"* ]] && _substrate_offer "$quote" "$name"
    done < <("${COMP_WORDS[0]}" list --names --limit %(asked)d "${store[@]}" -- "$plain" 2>/dev/null)
}
_substrate_offer() {
    local quote=$1 name=$2 quoted='' at
    if [[ -z $quote ]]; then
        printf -v quoted %%q "$name"
    else
        for ((at = 0; at < ${#name}; at++)); do
            case $quote${name:at:1} in
                "''") quoted+="'\\''" ;;
                '"!') quoted+='"\!"' ;;
                '""' | '"\' | '"$' | '"`') quoted+=\\${name:at:1} ;;
                *) quoted+=${name:at:1} ;;
            esac
        done
    fi
    COMPREPLY+=("$quoted")
}
_substrate() {
    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb='' at word options kind
    local -a store=()
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ $word == --store ]]; then
            store=(--store "${COMP_WORDS[at+1]}")
            ((at++))
        elif [[ -z $verb && $word != -* && $word != = ]]; then
            verb=$word
        fi
    done
    case $verb in
%(verbs)s
        *) return ;;
    esac
    case $before in
%(values)s
    esac
    [[ $cur == -* && $before != -* ]] && kind=options
    case $kind in
        options) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
        words:*) COMPREPLY=($(compgen -W "${kind#words:}" -- "$cur")) ;;
        file) compopt -o default 2>/dev/null ;;
        folder) compopt -o dirnames 2>/dev/null ;;
        name) _substrate_names ;;
    esac
}
complete -F _substrate substrate
"""

_ZSH = """\
#compdef substrate
# Completion of substrate for zsh. To use it: source <(substrate completion zsh), after compinit.
_substrate_names() {
    local -a names
    names=(${(f)"$(substrate list --names --limit %(asked)d $store -- "${(Q)PREFIX}" 2>/dev/null)"})
    compadd -a names
}
_substrate() {
    local curcontext=$curcontext state line at=${words[(I)--store]}
    local -a shared verbs store
    (( at )) && store=(--store "${(Q)words[at+1]}")
    shared=(
%(shared)s
    )
    verbs=(
%(described)s
    )
    _arguments -C $shared '1: :->verb' '*:: :->rest' && return
    case $state in
        verb) _describe verb verbs ;;
        rest)
            case $words[1] in
%(verbs)s
            esac
            ;;
    esac
}
compdef _substrate substrate
"""

_FISH = """\
# Completion of substrate for fish. To use it: substrate completion fish | source
function __substrate_verb
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --store
                set -e words[1]
            case '-*'
            case '*'
                echo $words[1]
                return 0
        end
        set -e words[1]
    end
    return 1
end
function __substrate_at
    test (__substrate_verb; or echo -) = $argv[1]
end
function __substrate_names
    set -l words (commandline -opc)
    set -l store
    if set -l at (contains -i -- --store $words)
        set store --store $words[(math $at + 1)]
    end
    substrate list --names --limit %(asked)d $store -- (commandline -ct | string unescape) 2>/dev/null
end
complete -c substrate -f
%(lines)s
"""


def script(shell: str, verbs: Sequence[Command]) -> str:
    """The completion script for one of the shells."""
    made = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return made(verbs)


def value_kinds(verbs: Iterable[Command]) -> dict[str, str]:
    """What follows each option that takes a value: a kind of `Option.complete`, `words:...`, or nothing."""
    options = [*GLOBAL_OPTIONS, *(item for verb in verbs for item in verb.options)]
    return {flag: _kind(item) for item in options if item.metavar and not item.by_place for flag in item.flags}


def _kind(item: Option) -> str:
    if item.choices:
        return f"words:{' '.join(item.choices)}"
    return "name" if item.complete == "domain" else item.complete  # a domain is an atom


def _flags(items: Iterable[Option]) -> list[str]:
    return [flag for item in items if not item.by_place for flag in item.flags]


def _place(verb: Command) -> str:
    """What stands by its place in this verb."""
    return next((_kind(item) for item in verb.options if item.by_place), "")


def _bash(verbs: Sequence[Command]) -> str:
    shared = _flags(GLOBAL_OPTIONS)
    names = " ".join(verb.name for verb in verbs)
    more = [*shared, "--help"]
    cases = [f"        '') options='{' '.join([*more, '--version'])}' kind='words:{names}' ;;"]
    cases += [
        f"        {verb.name}) options='{' '.join(_flags(verb.options) + more)}' kind='{_place(verb)}' ;;"
        for verb in verbs
    ]
    values = [f"        {flag}) kind='{kind}' ;;" for flag, kind in sorted(value_kinds(verbs).items())]
    return _BASH.lstrip() % {"verbs": "\n".join(cases), "values": "\n".join(values), "asked": _ASKED}


_ZSH_ACTIONS = {"name": "_substrate_names", "file": "_files", "folder": "_directories", "": " "}


def _zsh(verbs: Sequence[Command]) -> str:
    cases = []
    for verb in verbs:
        specs = [_zsh_spec(item) for item in verb.options]
        cases.append(f"                {verb.name}) _arguments $shared {' '.join(specs)} ;;")
    return _ZSH % {
        "shared": "\n".join(f"        {_zsh_spec(item)}" for item in GLOBAL_OPTIONS),
        "described": "\n".join(f"        {_zsh_quoted(f'{verb.name}:{verb.summary}')}" for verb in verbs),
        "verbs": "\n".join(cases),
        "asked": _ASKED,
    }


def _zsh_spec(item: Option) -> str:
    """An argument in the language of zsh's _arguments."""
    help_ = item.help.replace("[", "(").replace("]", ")").replace(":", " -")
    action = f"({' '.join(item.choices)})" if item.choices else _ZSH_ACTIONS[_kind(item)]
    if item.by_place:
        place = "*" if item.nargs == "*" else "" if item.nargs is None else ":"
        return _zsh_quoted(f"{place}:{item.flags[0]}:{action}" if place != ":" else f"::{item.flags[0]}:{action}")
    value = f":{item.metavar.replace(':', ' ')}:{action}" if item.metavar else ""
    many = "*" if item.repeatable else ""
    return " ".join(_zsh_quoted(f"{many}{flag}[{help_}]{value}") for flag in item.flags)


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish(verbs: Sequence[Command]) -> str:
    lines = [
        f"complete -c substrate -n 'not __substrate_verb >/dev/null' -a {verb.name} -d {_fish_quoted(verb.summary)}"
        for verb in verbs
    ]
    lines += [f"complete -c substrate {_fish_option(item)}" for item in GLOBAL_OPTIONS]
    for verb in verbs:
        here = f"complete -c substrate -n '__substrate_at {verb.name}'"
        lines += [f"{here} {_fish_option(item)}" for item in verb.options if not item.by_place]
        if offered := _fish_value(_place(verb)):
            lines.append(f"{here} {offered}")
    return _FISH % {"lines": "\n".join(lines), "asked": _ASKED}


def _fish_option(item: Option) -> str:
    flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in item.flags)
    value = f" -r {_fish_value(_kind(item))}".rstrip() if item.metavar else ""
    return f"{flags}{value} -d {_fish_quoted(item.help)}"


def _fish_value(kind: str) -> str:
    if kind.startswith("words:"):
        return f"-a '{kind.removeprefix('words:')}'"
    return {"name": "-a '(__substrate_names)'", "file": "-F", "folder": "-a '(__fish_complete_directories)'", "": ""}[
        kind
    ]


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
