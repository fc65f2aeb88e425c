"""The options of the command line, declared once; each command takes those that mean something."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

Add = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it answers, how its sources are named, and which groups of options it has."""

    name: str
    about: str
    sources: str
    groups: tuple[Add, ...]


def reading(parser: argparse.ArgumentParser) -> None:
    """Add what decides how files become items."""
    group = parser.add_argument_group("reading")
    add = group.add_argument
    add("--task", metavar="TASK", help="tag, span, label or matrix (default: by format and labels)")
    add("--format", metavar="NAME", help="input format; `coleval formats` lists them")
    add(
        "--columns",
        metavar="MAP",
        help="form=1,gold=2,system=-1: numbers or header names; other names become context columns",
    )
    add(
        "--merged",
        action="store_const",
        const=True,
        help="files hold token, gold and prediction(s) side by side",
    )
    add("--encoding", metavar="NAME", help="how text is written (default utf-8)")
    add("--separator", metavar="CHAR", help="several labels an instance, separated by CHAR")
    add("--profile", metavar="NAME", help="count as another program does; see `coleval profiles`")
    tags = parser.add_argument_group("tags")
    add = tags.add_argument
    add("--scheme", metavar="NAME", help="iob2 (default), iob1, io, bioes, bilou, bmes, any")
    add(
        "--repair",
        metavar="POLICY",
        help="broken sequences: begin a span (default), discard, extend, error",
    )
    add("--outside", metavar="LABELS", help="labels that mean nothing is there (default O)")
    add("--suffix", action="store_const", const=True, help="the letter comes last: PER-B")
    add("--fold", action="store_const", const=True, help="labels in lower case")
    add("--within", choices=("sentence", "document"), help="what no span reaches over")


def scoring(parser: argparse.ArgumentParser) -> None:
    """Add what decides how items are counted."""
    group = parser.add_argument_group("counting")
    add = group.add_argument
    add("--systems", metavar="PATTERN", help="only these systems: names or globs, with commas")
    add("--unit", metavar="UNIT", help="token or span, where a corpus has both")
    add(
        "--labels",
        metavar="LIST",
        help="only these labels; or what the macro average is over: union (default), gold, all",
    )
    add("--exclude", metavar="LIST", help="labels that are read as nothing")
    add("--where", metavar="SQL", help='only items for which this holds: "sentence < 100"')
    add("--undefined", choices=("null", "0", "1"), help="what stands for 0/0 (default null)")


def output(parser: argparse.ArgumentParser) -> None:
    """Add where results go and in what form."""
    group = parser.add_argument_group("output")
    add = group.add_argument
    add(
        "--as",
        dest="form",
        metavar="FORM",
        help="table, json, csv, tsv, markdown, latex, parquet (default: table, or by -o)",
    )
    add("-o", "--output", metavar="FILE", help="write to FILE, or DIR/ for a file a table")
    add("--table", metavar="NAME", help="only this table (csv, tsv, parquet take one)")


def general(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    group = parser.add_argument_group("general")
    group.add_argument("--quiet", action="store_true", help="no progress, no warnings")
    group.add_argument("--threads", type=int, metavar="N", help="how many threads (default: all)")


def store(parser: argparse.ArgumentParser) -> None:
    """Add where a store goes."""
    group = parser.add_argument_group("store")
    group.add_argument("-o", "--store", metavar="DIR", required=True, help="the store to write")
    group.add_argument(
        "--fresh",
        action="store_true",
        help="begin anew; without it systems are added to a store that is there",
    )
    group.add_argument("--as", dest="form", metavar="FORM", help="form of the table of systems")


def generated(parser: argparse.ArgumentParser) -> None:
    """Add what a generated corpus is like."""
    group = parser.add_argument_group("corpus")
    add = group.add_argument
    add("--tokens", type=int, default=100_000, metavar="N", help="tokens (default 100,000)")
    add("--systems", dest="n_systems", type=int, default=8, metavar="S", help="systems (default 8)")
    add("--task", choices=("span", "tag"), default="span", help="entities or tags (default span)")
    add("--seed", type=int, default=0, metavar="K", help="the same seed, the same corpus")
    add("--keep", metavar="DIR", help="keep the generated files in DIR")


_FILES = "GOLD SYSTEM… | STORE | MERGED… --merged | MATRIX --task matrix"
COMMANDS = {
    command.name: command
    for command in (
        Command("score", "the leaderboard: accuracy, precision, recall, F1, by label", _FILES,
                (reading, scoring, output, general)),
        Command("confusion", "who is taken for whom", _FILES,
                (reading, scoring, output, general)),
        Command("validate", "can this be scored? every problem with file:line", _FILES,
                (reading, output, general)),
        Command("load", "read once, keep: write a store that the other commands open", _FILES,
                (reading, store, general)),
        Command("demo", "a generated shared task, scored", "", (generated, output, general)),
        Command("formats", "input formats", "", (output,)),
        Command("profiles", "other programs whose way of counting can be chosen", "", (output,)),
    )
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints read like all other errors."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise instead of printing the usage and leaving."""
        from coleval.errors import UsageError

        raise UsageError(message, remedy=f"see `{self.prog} --help`")


def parser_of(command: Command) -> argparse.ArgumentParser:
    """Return the parser of one command; only the one that is called is ever built."""
    parser = Parser(
        prog=f"coleval {command.name}", description=command.about + ".", allow_abbrev=False
    )
    if command.sources:
        parser.add_argument(
            "source",
            nargs="+",
            metavar="SOURCE",
            help=f"{command.sources}; a system is PATH or NAME=PATH; globs and "
            "directories expand; - is standard input",
        )
    for group in command.groups:
        group(parser)
    return parser


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
            "`coleval COMMAND --help` tells the options of a command.",
            "example: coleval score gold.conll systems/*.conll",
        )
    )
