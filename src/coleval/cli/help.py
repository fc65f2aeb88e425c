"""What ``--help`` and ``coleval help`` print: a command on one screen, a table, an option.

The options that only a command has come first, in full; then those that are used often; the names
of the others. ``--help-all`` is argparse's own list of all of them.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from coleval.analyses.registry import ANALYSES
from coleval.cli.arguments import OWN_GROUPS, parser_of
from coleval.cli.overview import COMMANDS, overview
from coleval.errors import unknown

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterable

    from coleval.cli.arguments import Parser
    from coleval.cli.overview import Command

WIDTH, SCREEN = 80, 45
_OFTEN = (
    "task", "columns", "where", "systems", "form", "output", "table", "by", "unit", "metric",
    "intervals", "labels", "profile", "format", "scheme",
)  # fmt: skip
_COLUMN = 24
# A clause that says something has so many letters.
_SHORT = 12


def short_help(command: Command) -> str:
    """Return what a command does, its options and examples, on one screen.

    Where there is too much, options have a line each, and fewer of those used often are explained.
    """
    parser = parser_of(command)
    own, often, others = _parts(command, parser)
    lines = _page(command, parser, _listed(own, cut=False), _listed(often, cut=True), others)
    shown_rows = _listed(own, cut=True)
    while len(lines) > SCREEN and often:
        lines = _page(command, parser, shown_rows, _listed(often, cut=True), others)
        *often, last = often
        others = [last, *others]
    return "\n".join(lines)


def _parts(command: Command, parser: Parser) -> tuple[list[Action], list[Action], list[Action]]:
    """Return the options that only this command has, those that are used often, and the rest."""
    declared = ANALYSES[command.name].options if command.name in ANALYSES else None
    names = set(getattr(declared, "__annotations__", ()))
    titled = {id(action) for group in parser.groups for action in group._group_actions  # noqa: SLF001
              if group.title in (command.name, *OWN_GROUPS)}  # fmt: skip
    every = [action for action in parser.options if not action.dest.startswith("help")]
    own = [one for one in every if one.dest in names or id(one) in titled]
    often = sorted(
        (one for one in every if one not in own and one.dest in _OFTEN),
        key=lambda one: _OFTEN.index(one.dest),
    )
    return own, often, [one for one in every if one not in (*own, *often)]


def _page(
    command: Command, parser: Parser, own: list[str], often: list[str], others: list[Action]
) -> list[str]:
    lines = [f"usage: {parser.usage}", "", *_wrapped(parser.description or "")]
    if command.sources:
        about = (
            "a system is PATH or NAME=PATH; globs and directories expand; - is standard input; "
            "also duckdb:FILE#TABLE, sqlite:, postgres:, https: and s3:"
        )
        lines += ["", *_wrapped(f"SOURCE is {command.sources}; {about}.")]
    lines += ["", *own] if own else []
    lines += ["", *often] if often else []
    if others:
        flags = (one.option_strings[0] for one in others)
        lines += ["", *_wrapped(f"Also: {' '.join(flags)} (--help-all explains them).")]
    if command.name in ANALYSES:
        names = dict.fromkeys(table.name for table in ANALYSES[command.name].tables)
        tables = f"Tables: {' '.join(names)} (`coleval help {command.name}.{next(iter(names))}`)."
        lines += ["", *_wrapped(tables)]
    return [*lines, "", "Example:", *(f"  {example}" for example in command.examples)]


def _listed(actions: Iterable[Action], *, cut: bool) -> list[str]:
    """Return an entry an option, cut to one line each if they have to be."""
    return [line for action in actions for line in _entry(action, cut=cut)]


def _entry(action: Action, *, cut: bool) -> list[str]:
    head = f"  {shown(action)}"
    text = (action.help or "").replace("%%", "%")
    gap = " " * _COLUMN
    if cut:
        head = head if len(head) < 2 * _COLUMN else head.split("|", maxsplit=1)[0] + "|…"
        return [f"{head:<{_COLUMN - 1}} {_clause(text, WIDTH - max(_COLUMN, len(head) + 1))}"]
    first = f"{head:<{_COLUMN - 1}} " if len(head) < _COLUMN else f"{head}\n{gap}"
    lines = textwrap.wrap(text, WIDTH - _COLUMN) or [""]
    return (first + f"\n{gap}".join(lines)).split("\n")


def shown(action: Action) -> str:
    """Return an option with what follows it."""
    flag = action.option_strings[0] if action.option_strings else ""
    if action.nargs == 0:
        return flag
    given = action.metavar or "|".join(map(str, action.choices or ()))
    return f"{flag} {' '.join(given) if isinstance(given, tuple) else given}".rstrip()


def _clause(text: str, width: int) -> str:
    """Return as many clauses of a text as there is room for, else the words of one line."""
    while len(text) > width:
        aside = text.rfind(" (") if text.endswith(")") else -1
        end = max(aside, text.rfind("; "))
        if end < _SHORT:
            return re.sub(r"\W* …$", " …", textwrap.shorten(text, width, placeholder=" …"))
        text = text[:end]
    return text


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)


def about_option(flag: str) -> str:
    """Return what an option does, and the commands that have it."""
    having: dict[str, list[str]] = {}
    for name, command in COMMANDS.items():
        for action in parser_of(command).options:
            if flag in action.option_strings:
                having.setdefault("\n".join(_entry(action, cut=False)), []).append(name)
    if not having:
        flags = {f for command in COMMANDS.values() for f in parser_of(command).flags}
        raise unknown("option", flag, flags, lists="`coleval COMMAND --help-all` lists them")
    parts = (
        "\n".join([entry, *_wrapped(f"Option of: {', '.join(names)}.")])
        for entry, names in having.items()
    )
    return "\n\n".join(parts)


def about_command(name: str) -> str:
    """Return the help of a command, the list of all without a name."""
    return short_help(COMMANDS[name]) if name else overview()
