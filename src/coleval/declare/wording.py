"""From the words of the command line to those of Python: ``--unit token`` is ``unit="token"``.

Errors, remedies and help are written once, with options. Which words are options, and how many
values they have, is read from their declarations.
"""

from __future__ import annotations

import re
import textwrap
from argparse import BooleanOptionalAction
from functools import cache
from typing import TYPE_CHECKING, get_args

if TYPE_CHECKING:
    from argparse import Action

# What an option is called in Python where it cannot have its own name.
RENAMED = {"from": "label_before", "to": "label_after", "attribute": "attributes",
           "dataset": "datasets", "as": "form"}  # fmt: skip
# What Python has instead of an option.
_INSTEAD = {"--fresh": "coleval.load(…).save(…)"}
_VALUE = r"(?:'[^']*'|\"[^\"]*\"|(?!--)[\w…<][^\s]*)"
_OPTION = re.compile(rf"(?<![\w-])(--[a-z]+(?:-[a-z]+)*)(?![\w-])(?: ({_VALUE}))?(?: ({_VALUE}))?")
# What there is on the command line alone.
_OF_THE_SHELL = ("--help", "--list", "--quiet")
_PARTS = re.compile(r"(`[^`]*`)")
_QUOTED = re.compile(r"`(?!coleval )")
_CALL = re.compile(r"coleval (\w+) \x02([^\x03]*)\x03")
_GAP = re.compile(r"\S {2,}\S")
_FRAME = re.compile(r"\s--as\scsv\s--table\s([\w.]+)")
_PLAIN = {"accuracy", "sentences", "token", "any", "nominal", "all"}
_JOINING = {"and", "or"}


def in_python(text: str) -> str:
    """Return a text with options as keywords.

    What is no option of ours stays as it is, and what a user wrote, which is between backticks.
    """
    if "--" not in text:
        return text
    return "".join(
        part if _QUOTED.match(part) else _translated(part) for part in _PARTS.split(text)
    )


def _translated(text: str) -> str:
    marked = _OPTION.sub(_keyword, text).replace("\x03 \x02", ", ")
    return _CALL.sub(r"corpus.\1(\2)", marked).translate({2: None, 3: None})


def notes_in_python(view: str, width: int) -> str:
    """Return what a console shows with its notes in the words of Python; tables stay as they are.

    A note is a line without the gaps that columns have between them.
    """
    lines = _FRAME.sub(_frame, view).split("\n")
    return "\n".join(part for line in lines for part in _note(line, width))


def _frame(match: re.Match[str]) -> str:
    """Return the frame of a table, on the second line where its option was on two."""
    space = "\n" if "\n" in match[0] else " "
    return f'{space}report["{match[1]}"]'


def _note(line: str, width: int) -> list[str]:
    if "--" not in line or _GAP.search(line):
        return [line]
    return textwrap.wrap(in_python(line), width)


def keyword(option: str) -> str:
    """Return what Python calls an option: ``--log-base`` is ``log_base``."""
    name = option.removeprefix("--")
    return RENAMED.get(name, name.replace("-", "_"))


def _keyword(match: re.Match[str]) -> str:
    option, *values = match.groups()
    action = options().get(option)
    if action is None:
        return match[0]
    found = [value for value in values if value is not None]
    taken = found[: _most(action)]
    followed = match.string[match.end() :].startswith(" --") and not set(found) & _JOINING
    if not (followed and len(found) == 1) and not _are_values(action, taken):
        taken = [value for value in taken[:1] if _is_value(value)]
    ends = re.search(r"[,;:).?]*$", taken[-1]) if taken else None
    end = ends[0] if ends else ""
    rest = "".join(f" {value}" for value in found[len(taken) :])
    return f"\x02{_assigned(option, action, taken, end)}\x03{end}{rest}"


def _assigned(option: str, action: Action, values: list[str], end: str) -> str:
    if option in _INSTEAD:
        return _INSTEAD[option]
    plain = [value.removesuffix(end) if end else value for value in values]
    name = keyword(option)
    if isinstance(action, BooleanOptionalAction):
        return f"{keyword(option.replace('--no-', '--'))}={not option.startswith('--no-')}"
    if action.nargs == 0:
        return f"{name}=True"
    shown = [_literal(value) for value in plain]
    return f"{name}={shown[0]}" if len(shown) == 1 else f"{name}={_tuple(shown)}"


def _tuple(shown: list[str]) -> str:
    return f"({', '.join(shown)})" if shown else ""


def _literal(value: str) -> str:
    text = value.strip("'\"")
    number = re.fullmatch(r"-?\d+(\.\d+)?", text) and text == value
    return text if number else f'"{text}"'


def _most(action: Action) -> int:
    return {0: 0, 2: 2, "+": 2}.get(action.nargs or 1, 1)


def _are_values(action: Action, words: list[str]) -> bool:
    return (action.nargs != 2 or len(words) == 2) and all(_is_value(word) for word in words)


def _is_value(text: str) -> bool:
    """Tell a value from the next word of a sentence."""
    word = text.rstrip(",;:).?")
    return word in _names() or re.search(r"[^a-z]", word) is not None


@cache
def options() -> dict[str, Action]:
    """Return the declarations of all options of the command line."""
    from coleval.cli.arguments import parser_of
    from coleval.cli.overview import COMMANDS

    parsers = (parser_of(command) for command in COMMANDS.values())
    every = (action for parser in parsers for action in parser._actions)  # noqa: SLF001
    found = {flag: action for action in every for flag in action.option_strings}
    return {flag: action for flag, action in found.items() if flag not in _OF_THE_SHELL}


@cache
def _names() -> frozenset[str]:
    """Return the words that options take as values."""
    from coleval.declare import kinds

    values = (get_args(kind) for kind in vars(kinds).values())
    return frozenset(v for some in values for v in some if isinstance(v, str)) | _PLAIN
