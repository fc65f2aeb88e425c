"""``coleval.toml``: defaults for options, from the folder one works in or its repository.

A key is an option without its dashes (``replicates = 5000``); one in a table named after a command
(``[compare]``) is for that command. What is given on the command line goes before. The signature
names the file where it has had an effect.
"""

from __future__ import annotations

import os
import re
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from coleval.cli.arguments import Parser
    from coleval.corpus.report import Report

NAME = "coleval.toml"
# What commands evaluate when no SOURCE is given.
SOURCES = "sources"
# Options that say what a single call is for, not how one likes to work.
_OF_A_CALL = {
    "output", "store", "fresh", "table", "list", "param", "tables", "help", "help_all", "no_config",
    "keep", "save_edges", "team",
}  # fmt: skip
_LINE_OF_ERROR = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One line of the file: the command it is for (none: all), the option, its value."""

    command: str
    name: str
    value: Any
    where: str


def with_settings(
    command: str, parser: Parser, arguments: argparse.Namespace
) -> argparse.Namespace:
    """Return the arguments, those that are not given taken from the file if there is one."""
    unread = COMMANDS[command].words or getattr(arguments, "no_config", False)
    path = None if unread else _found(Path.cwd())
    if path is None:
        return arguments
    if COMMANDS[command].sources:
        return _applied(path, command, parser, arguments)
    try:
        return _applied(path, command, parser, arguments)
    except UsageError as error:
        from coleval.cli.console import warn

        # Lists and the demo say what the file could hold; help, too, which has no options to set.
        if not getattr(arguments, "quiet", False):
            warn((f"{error.on_command_line()}\n  the file was not read",))
        return arguments


def _applied(
    path: Path, command: str, parser: Parser, arguments: argparse.Namespace
) -> argparse.Namespace:
    """Return the arguments with what the file says; raise for a line that cannot be read."""
    # What is for all is for commands that evaluate something.
    meant = (command, "") if COMMANDS[command].sources else (command,)
    chosen = {}
    for one in _settings(path):
        if (one.command, one.name) == ("", SOURCES):
            continue
        action = _action(parser, one.name) if one.command in meant else None
        if action is None:
            _check_name(one)
        else:
            chosen[action.dest] = one  # that of the command comes later, and goes before
    arguments = copy(arguments)
    if hasattr(arguments, "source") and not arguments.source:
        arguments.source = sources_of(path)
    used = [one for dest, one in chosen.items() if _is_free(parser, arguments, dest)]
    for one in used:
        _set(command, parser, arguments, one)
    # What is for all commands need not have an effect on each.
    arguments.free = {dest for dest, one in chosen.items() if one in used and not one.command}
    if used:
        arguments.config = path.name
        _say(path, used, arguments)
    return arguments


def sources_of(path: Path) -> list[str]:
    """Return the sources that a file names, which are paths from its folder."""
    values = [one for one in _settings(path) if (one.command, one.name) == ("", SOURCES)]
    if not values:
        return []
    texts = values[0].value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        remedy = 'write sources = ["GOLD", "SYSTEM", …]'
        raise UsageError("`sources` is a list of texts", where=values[0].where, remedy=remedy)
    named = [("", text) if text.partition("=")[1] == "" else text.split("=", 1) for text in texts]
    return [f"{name}={path.parent / text}" if name else str(path.parent / text)
            for name, text in named]  # fmt: skip


def sources_here() -> list[str]:
    """Return the sources that the file of this folder or repository names; raise without any."""
    path = _found(Path.cwd())
    sources = [] if path is None else sources_of(path)
    if not sources:
        raise UsageError("SOURCE is missing", remedy="write coleval.toml: coleval init")
    return sources


def with_config(report: Report, arguments: argparse.Namespace) -> Report:
    """Return a report whose signature names the file of settings, if that has had an effect."""
    name = getattr(arguments, "config", "")
    if not name or not report.signature:
        return report
    return replace(report, signature=f"{report.signature}|config:{name}")


def _found(folder: Path) -> Path | None:
    """Return the file of a folder, or of those above it in one repository."""
    above = [folder, *folder.parents]
    root = next((place for place in above if (place / ".git").exists()), folder)
    places = above[: above.index(root) + 1]
    found = next((place / NAME for place in places if (place / NAME).is_file()), None)
    return None if found is None else Path(os.path.relpath(found, folder))


def _settings(path: Path) -> Iterator[ConfigEntry]:
    """Return all lines of the file, those for all commands first."""
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE_OF_ERROR.search(str(error))
        where = f"{path}:{line[1]}" if line else str(path)
        problem = _LINE_OF_ERROR.sub("", str(error)).strip()
        raise UsageError(problem, where=where, remedy="write option = value") from None
    except (OSError, UnicodeDecodeError) as error:
        remedy = "mend the file, or leave it out: --no-config"
        raise UsageError(f"cannot be read: {error}", where=str(path), remedy=remedy) from None
    lines = _lines(text)
    tables = {name: value for name, value in values.items() if isinstance(value, dict)}
    for name, value in values.items():
        if name not in tables:
            yield ConfigEntry("", name, value, f"{path}:{lines.get(('', name), 1)}")
    for table, entries in tables.items():
        where = f"{path}:{lines.get((table, ''), 1)}"
        if table not in COMMANDS:
            raise unknown("command", table, COMMANDS, where=where)
        for name, value in entries.items():
            yield ConfigEntry(table, name, value, f"{path}:{lines.get((table, name), 1)}")


def _lines(text: str) -> Mapping[tuple[str, str], int]:
    """Return the line of each table and key, which the parser of Python does not keep."""
    found, table = {}, ""
    for number, line in enumerate(text.splitlines(), 1):
        if head := re.match(r"\s*\[\s*\"?([\w-]+)\"?\s*\]", line):
            table = head[1]
            found[table, ""] = number
        elif key := re.match(r"\s*[\"']?([\w-]+)[\"']?\s*=", line):
            found.setdefault((table, key[1]), number)
    return found


def _check_name(one: ConfigEntry) -> None:
    """Raise for a key that is no option: of the command, or of any; parsers take time to build."""
    names = [one.command] if one.command else [n for n, c in COMMANDS.items() if c.sources]
    if any(_action(parser_of(COMMANDS[name]), one.name) for name in names):
        return
    parsers = [parser_of(COMMANDS[name]) for name in names]
    flags = {flag.removeprefix("--") for parser in parsers for action in parser.options
             if action.dest not in _OF_A_CALL for flag in action.option_strings
             if flag.startswith("--")}  # fmt: skip
    kind = f"option of {one.command}" if one.command else "option"
    raise unknown(kind, one.name, flags, where=one.where)


def _action(parser: Parser, name: str) -> argparse.Action | None:
    """Return the option of a key, None if the command has none or it is not one to be set."""
    flag = f"--{name.replace('_', '-')}"
    found = (a for a in parser.options if flag in a.option_strings)
    return next((action for action in found if action.dest not in _OF_A_CALL), None)


def _is_free(parser: Parser, arguments: argparse.Namespace, dest: str) -> bool:
    """Return whether nothing was given; a store was read already, whatever the file says."""
    from coleval.corpus.options import Reading
    from coleval.store.manifest import FILE

    given = getattr(arguments, dest, None) != parser.get_default(dest)
    stored = any((Path(source) / FILE).is_file() for source in getattr(arguments, "source", ()))
    return not given and not (stored and hasattr(Reading, dest))


def _set(command: str, parser: Parser, arguments: argparse.Namespace, one: ConfigEntry) -> None:
    """Set one option as the command line would, with the errors of its line."""
    action = _action(parser, one.name)
    alone = parser_of(replace(COMMANDS[command], sources=""))
    if action is None:
        return
    try:
        read = alone.parse_args(_words(action, one))
        value = getattr(read, action.dest)
        _check(command, action.dest, value)
    except UsageError as error:
        raise UsageError(error.problem, where=one.where, remedy=error.remedy) from None
    setattr(arguments, action.dest, value)


def _check(command: str, dest: str, value: Any) -> None:
    from coleval.analyses.registry import ANALYSES

    declared = ANALYSES[command].declared.get(dest) if command in ANALYSES else None
    if declared is not None and declared.about.reads is None:
        declared.check(value)


def _words(action: argparse.Action, one: ConfigEntry) -> list[str]:
    """Return what one would write on the command line."""
    flag, value = action.option_strings[0], one.value
    if isinstance(value, bool):
        return _switch(action, value=value)
    if isinstance(value, dict):
        raise UsageError(f"`{one.name}` needs one value", remedy=f"write {one.name} = value")
    if not isinstance(value, list):
        return [f"{flag}={value}"] if action.nargs is None else [flag, str(value)]
    if action.nargs == 2:
        pairs = value if value and isinstance(value[0], list) else [value]
        return [word for pair in pairs for word in (flag, *map(str, pair))]
    if type(action).__name__ == "_AppendAction":
        return [f"{flag}={part}" for part in value]
    return [f"{flag}={','.join(map(str, value))}"]


def _switch(action: argparse.Action, *, value: bool) -> list[str]:
    if action.nargs != 0:
        raise UsageError(f"`{str(value).lower()}` is not a value of it", remedy="write a text")
    other = [flag for flag in action.option_strings if flag.startswith("--no-")]
    return [action.option_strings[0]] if value else other[:1]


def _say(path: Path, used: list[ConfigEntry], arguments: argparse.Namespace) -> None:
    from coleval.cli.console import say

    if not getattr(arguments, "quiet", False):
        shown = ", ".join(f"{one.name} = {_plain(one.value)}" for one in used)
        say(f"{path.name}: {shown}")


def _plain(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
