"""Completion for bash, zsh and fish, made from what commands declare.

A script is one list of words for each place: commands, the options of each, the values of those
that have a fixed number of them, and the tables of each command. Files are completed elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS
from coleval.declare.kinds import Form, Format, Repair, Scheme, Task
from coleval.declare.options import options_of

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterable, Mapping

    from coleval.cli.arguments import Parser

# What options take that are no choices for the parser, because other names may be added.
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "--task": get_args(Task), "--format": get_args(Format), "--scheme": get_args(Scheme),
    "--repair": get_args(Repair), "--as": get_args(Form), "--unit": ("token", "span"),
}  # fmt: skip


def completion(shell: str) -> str:
    """Return the script of a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def words_of(command: str) -> dict[str, tuple[str, ...]]:
    """Return the options of a command, each with the values that can be listed."""
    parser = parser_of(COMMANDS[command])
    return {
        flag: _values(command, flag, action)
        for action in parser.options
        for flag in action.option_strings
    }


def _values(command: str, flag: str, action: Action) -> tuple[str, ...]:
    if flag == "--table":
        tables = ANALYSES[command].tables if command in ANALYSES else TABLES.get(command, ())
        return tuple(dict.fromkeys(table.name for table in tables))
    if flag == "--profile":
        from coleval.corpus.profiles import PROFILES

        return tuple(PROFILES)
    if action.choices:
        return tuple(map(str, action.choices))
    declared = options_of(ANALYSES[command].options) if command in ANALYSES else {}
    about = declared[action.dest].about if action.dest in declared else None
    return (about.values if about else ()) or _KNOWN.get(flag, ())


def _topics(command: str) -> tuple[str, ...]:
    """Return the words that follow a command that has no sources."""
    if command == "help":
        from coleval.analyses.table_help import declared_tables

        return (*COMMANDS, *declared_tables())
    actions = parser_of(COMMANDS[command])._actions  # noqa: SLF001
    return tuple(str(c) for a in actions if not a.option_strings for c in a.choices or ())


def _cases() -> Iterable[tuple[str, tuple[str, ...]]]:
    """Return ``command option`` with its values, for options that have some."""
    for command in COMMANDS:
        for flag, values in words_of(command).items():
            if values:
                yield f"{command} {flag}", values


_BASH = """\
# Completion of coleval for bash:  source <(coleval completion bash)
_coleval() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands}" -- "$cur"))
    return
  fi
  case "${{COMP_WORDS[1]}} $prev" in
{values}
  esac
  if [ -z "$words" ]; then
    case "${{COMP_WORDS[1]}} $cur" in
{options}
    esac
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _coleval coleval"""


def _bash() -> str:
    values = [f'    "{case}") words="{" ".join(words)}" ;;' for case, words in _cases()]
    options = [f'      "{name} -"*) words="{" ".join(words_of(name))}" ;;' for name in COMMANDS]
    options += [f'      "{name} "*) words="{" ".join(_topics(name))}" ;;'
                for name in COMMANDS if _topics(name)]  # fmt: skip
    return _BASH.format(
        commands=" ".join(COMMANDS), values="\n".join(values), options="\n".join(options)
    )


_ZSH = """\
#compdef coleval
# Completion of coleval for zsh:  coleval completion zsh > ~/.zfunc/_coleval
_coleval() {{
  if (( CURRENT == 2 )); then
    local -a commands=(
{commands}
    )
    _describe command commands
    return
  fi
  case "${{words[2]}} ${{words[CURRENT-1]}}" in
{values}
  esac
  case "${{words[2]}} ${{words[CURRENT]}}" in
{options}
  esac
  _files
}}
if [ "$funcstack[1]" = "_coleval" ]; then _coleval "$@"; else compdef _coleval coleval; fi"""


def _zsh() -> str:
    commands = [f"      '{c.name}:{_quoted(c.about)}'" for c in COMMANDS.values()]
    values = [f"    '{case}') compadd -- {' '.join(words)}; return ;;" for case, words in _cases()]
    options = [
        f"    '{name} -'*) compadd -- {' '.join(words_of(name))}; return ;;" for name in COMMANDS
    ]
    options += [f"    '{name} '*) compadd -- {' '.join(_topics(name))}; return ;;"
                for name in COMMANDS if _topics(name)]  # fmt: skip
    return _ZSH.format(
        commands="\n".join(commands), values="\n".join(values), options="\n".join(options)
    )


def _fish() -> str:
    lines = [
        "# Completion of coleval for fish:",
        "#   coleval completion fish > ~/.config/fish/completions/coleval.fish",
        *(f"complete -c coleval -n __fish_use_subcommand -f -a {c.name} -d '{_quoted(c.about)}'"
          for c in COMMANDS.values()),
        *(line for name in COMMANDS for line in _fish_lines(name, parser_of(COMMANDS[name]))),
    ]  # fmt: skip
    return "\n".join(lines)


def _fish_lines(name: str, parser: Parser) -> Iterable[str]:
    here = f"complete -c coleval -n '__fish_seen_subcommand_from {name}'"
    if _topics(name):
        yield f"{here} -f -a '{' '.join(_topics(name))}'"
    for action in parser.options:
        for flag in action.option_strings:
            kind = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
            values = _values(name, flag, action)
            given = f" -x -a '{' '.join(values)}'" if values else " -r" if action.nargs != 0 else ""
            about = _quoted((action.help or "").replace("%%", "%").partition(";")[0])
            yield f"{here} {kind}{given} -d '{about}'"


def _quoted(text: str) -> str:
    return text.replace("'", "’").replace(":", " –")
