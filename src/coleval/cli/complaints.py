"""What is wrong with a command line, said as all other errors are: where, what, what to do.

argparse finds the fault and says it in words of its own; here these become ours, with the near
misses of a misspelt option and the command that has it.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coleval.cli.arguments import Parser

_ARGUMENT = re.compile(r"argument (\S+?)(?:/\S+)?: (.*)", re.DOTALL)
_NAMED = 4
_KINDS = {"int": "a whole number", "float": "a number"}


def complaint(parser: Parser, message: str) -> UsageError:
    """Return the error for what argparse says of a command line."""
    about = _ARGUMENT.fullmatch(message)
    if about:
        return _of_option(parser, about[1], about[2])
    if message.startswith("unrecognized arguments: "):
        return _unrecognised(parser, message.removeprefix("unrecognized arguments: ").split(" "))
    if "arguments are required" in message:
        return _missing(parser, message.rpartition(": ")[2])
    return UsageError(message, remedy=_see(parser))


def _of_option(parser: Parser, flag: str, text: str) -> UsageError:
    """Return the error for an option whose value is missing or of the wrong kind."""
    chosen = re.match(r"invalid choice: '(.*?)' \(choose from (.*)\)", text, re.DOTALL)
    if chosen:
        values = re.split(r", ", chosen[2].replace("'", ""))
        return unknown("value", chosen[1], values, where=flag)
    kind = re.match(r"invalid (\w+) value: '(.*)'", text, re.DOTALL)
    if kind:
        wanted = _KINDS.get(kind[1], kind[1])
        return UsageError(f"`{kind[2]}` is not {wanted}", where=flag, remedy=_see(parser))
    if text.startswith("expected"):
        return UsageError("its value is missing", where=flag, remedy=_see(parser))
    return UsageError(text, where=flag, remedy=_see(parser))


def _unrecognised(parser: Parser, words: list[str]) -> UsageError:
    """Return the error for an option that the command does not have."""
    flag = next((word for word in words if word.startswith("-")), "").partition("=")[0]
    if not flag:
        text = " ".join(words)
        return UsageError(f"`{text}` is more than `{parser.prog}` takes", remedy=_see(parser))
    near = get_close_matches(flag, parser.flags, n=3, cutoff=0.6)
    elsewhere = list(_having(flag))
    if elsewhere:
        named = ", ".join(f"`coleval {name}`" for name in elsewhere[:_NAMED])
        more = len(elsewhere) - _NAMED
        remedy = f"it is an option of {named}" + (f" and {more} more" if more > 0 else "")
    elif near:
        remedy = f"did you mean {' or '.join(f'`{name}`' for name in near)}?"
    else:
        remedy = _see(parser)
    command = parser.prog.removeprefix("coleval ")
    return UsageError(f"no option of `{command}` is called `{flag}`", remedy=remedy)


def _having(flag: str) -> Iterable[str]:
    """Return the commands that have an option; they are built only now that one is looked for."""
    from coleval.cli.arguments import parser_of
    from coleval.cli.overview import COMMANDS

    return (name for name, command in COMMANDS.items() if flag in parser_of(command).flags)


def _missing(parser: Parser, names: str) -> UsageError:
    from coleval.cli.overview import COMMANDS

    command = COMMANDS[parser.prog.removeprefix("coleval ")]
    example = f", for example {command.examples[0]}" if command.examples else ""
    return UsageError(f"{names} is missing{example}", remedy=_see(parser))


def _see(parser: Parser) -> str:
    return f"see `{parser.prog} --help`"
