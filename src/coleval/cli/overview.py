"""The list of commands: what each answers, and which options it takes.

Nothing is imported for it but what analyses declare, so that ``coleval --help`` costs little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coleval.analyses.registry import ANALYSES
from coleval.declare.counting import TreeCounting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.declare.analysis import Analysis

_FILES = "GOLD SYSTEM… | STORE | MERGED… --merged | MATRIX --task matrix"


@dataclass(eq=False, repr=False)
class Command:
    """A command: what it answers, how its sources are named, its declared options, and others.

    ``reading`` ones read files; ``groups`` are functions of ``arguments`` by name; ``examples`` are
    what its help shows, ``words`` what follows a command that has no sources.
    """

    name: str
    about: str
    sources: str = ""
    options: type | None = None
    groups: tuple[str, ...] = ()
    reading: bool = True
    least: str = "+"
    examples: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def _of_analysis(one: Analysis[..., Any]) -> Command:
    if one.name == "sql":
        groups = ("profile", "queries", "output", "general")
        sources = f'({_FILES}) ["QUERY" | FILE.sql | -]'
        return Command(
            "sql", one.about, sources, one.options, groups, least="*", examples=one.examples
        )
    groups = ("profile", "output", "memory", "general")
    least = "*" if one.name == "buckets" else "+"
    return Command(
        one.name, one.about, _FILES, one.options, groups, least=least, examples=one.examples
    )


class _Commands(Mapping[str, Command]):
    """Our commands, and those of analyses that other packages add."""

    def __getitem__(self, name: str) -> Command:
        return _OWN[name] if name in _OWN else _of_analysis(ANALYSES.added[name])

    def __iter__(self) -> Iterator[str]:
        return iter((*_OWN, *(name for name in ANALYSES.added if name not in _OWN)))

    def __len__(self) -> int:
        return len(list(iter(self)))


_OWN = {
    command.name: command
    for command in (
        *map(_of_analysis, ANALYSES.own.values()),
        Command("validate", "check the files: every problem with file:line", _FILES,
                groups=("profile", "validation", "output", "general"),
                examples=("coleval validate gold.conll systems/*.conll",
                          "coleval validate gold.conll systems/*.conll --for crf -o note.md",
                          "coleval validate gold.conll systems/*.conll --as github")),
        Command("load", "read files once and write a store for the other commands", _FILES,
                groups=("profile", "training", "store", "memory", "general"),
                examples=("coleval load gold.conll systems/*.conll -o corpus/",)),
        Command("init", "write coleval.toml for a folder: gold, systems, task and scheme",
                groups=("folders",), reading=False, words=("[DIR]",),
                examples=("coleval init --fresh",)),
        Command("board", "all at once, as often as you like: validate, load, score, compare, pages",
                _FILES, groups=("profile", "training", "memory", "pages", "general"),
                examples=("coleval board gold.conll systems/*.conll -o board/",)),
        Command("adapt", "a bundle for codabench, tira or evalai: program, leaderboard, gold",
                f"PLATFORM [{_FILES}]", groups=("profile", "bundle", "general"), least="*",
                examples=("coleval adapt codabench gold.conll systems/*.conll -o bundle/",)),
        Command("bench", "measure the speed of coleval and other programs on this machine",
                f"no source | {_FILES}", TreeCounting, ("profile", "bench", "output", "general"),
                least="*", examples=("coleval bench --tokens 2000 --systems 2 --rounds 1",)),
        Command("demo", "generate a shared task and print its report",
                groups=("generated", "output", "general"), reading=False,
                examples=("coleval demo --tokens 2000 --systems 3 --keep task",)),
        Command("formats", "input formats", groups=("output",), reading=False,
                examples=("coleval formats",)),
        Command("attributes", "attributes of items, for `buckets`", groups=("output",),
                reading=False, examples=("coleval attributes --as csv",)),
        Command("profiles", "profiles: count as another program does", groups=("output",),
                reading=False, examples=("coleval profiles",)),
        Command("completion", "completion of commands, options and tables for a shell",
                groups=("shells",), reading=False, words=("SHELL",),
                examples=("source <(coleval completion bash)",
                          "coleval completion fish > ~/.config/fish/completions/coleval.fish")),
        Command("schema", "commands, options, tables and columns as JSON Schema",
                groups=("called",), reading=False, words=("[COMMAND]",),
                examples=("coleval schema bins",)),
        Command("help", "what a command, a table, an option or a name means",
                groups=("topics",), reading=False, words=("[TOPIC]",),
                examples=("coleval help bins", "coleval help overall",
                          "coleval help --where", "coleval help conlleval")),
    )
}  # fmt: skip
COMMANDS = _Commands()


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
            "`coleval COMMAND --help` explains a command, `coleval help NAME` anything else.",
            "example: coleval score gold.conll systems/*.conll",
        )
    )
