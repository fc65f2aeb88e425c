"""The list of commands: what each answers, and which options it takes.

Nothing is imported for it but what analyses declare, so that ``coleval --help`` costs little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.analyses.registry import ANALYSES
from coleval.declare.counting import TreeCounting

if TYPE_CHECKING:
    from collections.abc import Iterable

_FILES = "GOLD SYSTEM… | STORE | MERGED… --merged | MATRIX --task matrix"


@dataclass(eq=False, repr=False)
class Command:
    """A command: what it answers, how its sources are named, its declared options, and others.

    ``reading`` ones read files; ``groups`` are functions of ``arguments`` by name.
    """

    name: str
    about: str
    sources: str = ""
    options: type | None = None
    groups: tuple[str, ...] = ()
    reading: bool = True
    least: str = "+"


def _analyses() -> Iterable[Command]:
    for one in ANALYSES.values():
        if one.name == "sql":
            groups = ("profile", "queries", "output", "general")
            sources = f'({_FILES}) ["QUERY" | FILE.sql | -]'
            yield Command("sql", one.about, sources, one.options, groups, least="*")
        else:
            groups = ("profile", "output", "memory", "general")
            least = "*" if one.name == "buckets" else "+"
            yield Command(one.name, one.about, _FILES, one.options, groups, least=least)


COMMANDS = {
    command.name: command
    for command in (
        *_analyses(),
        Command("validate", "check the files: every problem with file:line", _FILES,
                groups=("profile", "output", "general")),
        Command("load", "read files once and write a store for the other commands", _FILES,
                groups=("profile", "training", "store", "memory", "general")),
        Command("bench", "measure the speed of coleval and other programs on this machine",
                f"no source | {_FILES}", TreeCounting, ("profile", "bench", "output", "general"),
                least="*"),
        Command("demo", "generate a shared task and print its report",
                groups=("generated", "output", "general"), reading=False),
        Command("formats", "input formats", groups=("output",), reading=False),
        Command("attributes", "attributes of items, for `buckets`", groups=("output",),
                reading=False),
        Command("profiles", "profiles: count as another program does", groups=("output",),
                reading=False),
    )
}  # fmt: skip


def overview() -> str:
    """Return what ``coleval --help`` prints."""
    lines = [f"  {c.name:<11} {c.about}" for c in COMMANDS.values()]
    return "\n".join(
        (
            "usage: coleval COMMAND SOURCE… [options]",
            "",
            "See how NLP systems differ: evaluation of very large shared tasks.",
            "",
            "commands:",
            *lines,
            "",
            "`coleval COMMAND --help` lists the options of a command.",
            "example: coleval score gold.conll systems/*.conll",
        )
    )
