"""The command line out of declarations: one parser a command, built when it is called.

The options of an analysis are those it declares; here are those of every command (output, memory)
and of the commands that are no analyses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from coleval.analyses.registry import ANALYSES
from coleval.corpus.options import Loading, Reading
from coleval.declare.kinds import Form
from coleval.declare.options import Option, options_of

if TYPE_CHECKING:
    from coleval.cli.overview import Command

SHELLS = ("bash", "zsh", "fish")
# Groups of options that only one command has, beside those of its own name.
OWN_GROUPS = ("store", "corpus", "bench", "query", "shells")
Add = Callable[[argparse.ArgumentParser], None]


def add_options(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    """Add declared options to a parser, in their groups."""
    for each in options:
        about = each.about
        if not about.shell:
            continue
        add = _group(parser, about.group).add_argument
        add(each.flag, dest=each.name, help=_escaped(about.help), **_how(each))
        for alias in about.aliases:
            add(alias.flag, dest=each.name, action="append", metavar=alias.metavar,
                help=_escaped(alias.help))  # fmt: skip


def _group(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """Return the group of that title, which is made if there is none."""
    there = (group for group in parser._action_groups if group.title == title)  # noqa: SLF001
    return next(there, None) or parser.add_argument_group(title)


def _how(each: Option) -> dict[str, Any]:
    """Return the keywords of an option for argparse; values that are not given are ``None``."""
    about = each.about
    if about.both:
        return {"action": argparse.BooleanOptionalAction, "default": None}
    if each.default is False:
        return {"action": "store_const", "const": True}
    return {
        **({"metavar": about.metavar} if about.metavar else {}),
        **({"action": "append"} if about.repeated else {}),
        **({"nargs": about.words} if about.words else {}),
        **({"choices": about.values} if about.choose else {}),
        **({"type": about.number} if about.number else {}),
    }


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def profile(parser: argparse.ArgumentParser) -> None:
    """Add by which other program's rules items are read and counted."""
    add_options(parser, options_of(Loading).values())


def training(parser: argparse.ArgumentParser) -> None:
    """Add what systems were trained on, which a store keeps."""
    options = options_of(ANALYSES["buckets"].options)
    add_options(parser, (options[name] for name in ("train", "train_columns")))


def queries(parser: argparse.ArgumentParser) -> None:
    """Add what there is to query."""
    _group(parser, "query").add_argument(
        "--list",
        action="store_true",
        help="list the queries that come with coleval with their parameters, and the tables",
    )
    _group(parser, "query").add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE",
        help="value of a parameter of a named query; may be repeated",
    )  # fmt: skip
    _group(parser, "query").add_argument(
        "--with", dest="tables", action="append", default=[], metavar="NAME=FILE",
        help="a further table, read-only, of FILE.csv, .tsv, .parquet, "
        ".json, or the tables of FILE.duckdb as NAME.table; may be repeated",
    )  # fmt: skip


def output(parser: argparse.ArgumentParser) -> None:
    """Add where results go and in what form."""
    group = parser.add_argument_group("output")
    add = group.add_argument
    add(
        "--as",
        dest="form",
        metavar="FORM",
        help=(
            f"form of the output: {', '.join(get_args(Form))} (default: table, or the suffix of -o)"
        ),
    )
    add("-o", "--output", metavar="FILE", help="write to FILE, or to DIR/ with one file per table")
    add("--table", metavar="NAME", help="print only this table (csv, tsv and parquet hold one)")
    add("--whole", action="store_true",
        help="show tables whole: all systems and all pairs (default: of more than 60 systems the "
        "best 20 and the worst 5)")  # fmt: skip
    add(
        "--caption",
        metavar="TEXT",
        default="",
        help="caption of the table in LaTeX and Markdown (default: its title)",
    )
    add(
        "--no-items",
        action="store_true",
        help="html: leave out the items that numbers lead to, and gold and texts with them",
    )
    add("--tint", action="store_true", help="LaTeX: tint the cells, as the console does")


def general(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    group = parser.add_argument_group("general")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress bars, no warnings")
    group.add_argument("--threads", type=int, metavar="N",
        help="threads that read and count (default: one for each core)")  # fmt: skip
    group.add_argument("--strict", action="store_true", help="exit code 1 if there are warnings")
    group.add_argument("--no-config", action="store_true", help="do not read coleval.toml")


def memory(parser: argparse.ArgumentParser) -> None:
    """Add how much memory there is for a corpus that may be larger."""
    group = parser.add_argument_group("memory")
    group.add_argument("--memory", dest="memory_limit", metavar="SIZE",
        help="memory limit, for example 2GB; answers are then kept in temporary files")  # fmt: skip


def store(parser: argparse.ArgumentParser) -> None:
    """Add where a store goes."""
    group = parser.add_argument_group("store")
    group.add_argument("-o", "--store", metavar="DIR", required=True, help="directory of the store")
    group.add_argument("--fresh", action="store_true",
        help="replace an existing store (default: add systems to it)")  # fmt: skip
    group.add_argument("--engine", choices=("polars", "kernels", "spark"),
        default="polars", metavar="NAME",
        help="spark: the workers of a cluster read the files, each some gold files with all "
        "systems")  # fmt: skip
    group.add_argument(
        "--master", metavar="URL", default="",
        help="the cluster of --engine spark: spark://HOST:7077, sc://HOST:15002, local[4]",
    )  # fmt: skip
    group.add_argument(
        "--as", dest="form", metavar="FORM", help="form of the output: table, json, csv, …"
    )


def generated(parser: argparse.ArgumentParser) -> None:
    """Add what a generated corpus is like."""
    group = parser.add_argument_group("corpus")
    add = group.add_argument
    add("--tokens", type=int, default=100_000, metavar="N",
        help="number of tokens (default 100,000)")  # fmt: skip
    add("--systems", dest="n_systems", type=int, default=8, metavar="S",
        help="number of systems (default 8)")  # fmt: skip
    add("--task", choices=("span", "tag"), default="span", help="span (entities, default) or tag")
    add("--seed", type=int, default=0, metavar="K", help="seed of the generator (default 0)")
    add("--keep", metavar="DIR", help="keep the generated files in DIR")
    add("--all", dest="every", action="store_const", const=True,
        help="print all tables (default: findings, scores, ranks, three items)")  # fmt: skip


def validation(parser: argparse.ArgumentParser) -> None:
    """Add who is written to, and what submissions are compared with."""
    add = parser.add_argument_group("validate").add_argument
    add("--for", dest="team", metavar="TEAM", default="",
        help="write a note to this team in Markdown (-o note.md): what to mend, in which lines; "
        "with --as, its part of the report")  # fmt: skip
    add("--earlier", metavar="STORE", default="",
        help="say which files a store has already, as those of another system")  # fmt: skip


def bench(parser: argparse.ArgumentParser) -> None:
    """Add what is made up where no source is given, and how it is timed."""
    group = parser.add_argument_group(
        "bench",
        "Without SOURCE, data are generated: --tokens N (default 400,000), --systems S (default "
        "12), "
        "--task span or tag.",
    )
    add = group.add_argument
    add("--tokens", type=int, metavar="N", help="number of generated tokens")
    add("--rounds", type=int, default=3, metavar="N", help="number of rounds (default 3)")
    add(
        "--sample",
        type=int,
        default=50_000,
        metavar="N",
        help="number of tokens of one system on which other programs are timed (default 50,000)",
    )


def shells(parser: argparse.ArgumentParser) -> None:
    """Add which shell a completion is for."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def folders(parser: argparse.ArgumentParser) -> None:
    """Add the folder of a task."""
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help="folder of the task")
    parser.add_argument("--fresh", action="store_true", help="replace coleval.toml")


def pages(parser: argparse.ArgumentParser) -> None:
    """Add where the pages of a shared task go."""
    parser.add_argument_group("board").add_argument("-o", "--output", metavar="DIR",
        default="board", help="folder of the pages and the store (default board)")  # fmt: skip


def bundle(parser: argparse.ArgumentParser) -> None:
    """Add where the bundle of a platform goes, and what the task is called."""
    add = parser.add_argument_group("adapt").add_argument
    add("-o", "--output", metavar="DIR", default="bundle", help="folder of the bundle")
    add("--title", metavar="TEXT", default="", help="title of the task (default: the folder)")


def topics(parser: argparse.ArgumentParser) -> None:
    """Add what is explained."""
    parser.add_argument(
        "topic",
        metavar="TOPIC",
        nargs="?",
        default="",
        help="a command, a table, an --option; a format, an attribute, a profile, a named query",
    )


def called(parser: argparse.ArgumentParser) -> None:
    """Add which command a schema is of."""
    parser.add_argument(
        "topic", metavar="COMMAND", nargs="?", default="", help="one command (default: all)"
    )


_GROUPS: Mapping[str, Add] = {
    "profile": profile, "training": training, "queries": queries, "output": output,
    "general": general, "memory": memory, "store": store, "generated": generated,
    "validation": validation, "bench": bench, "shells": shells, "topics": topics,
    "called": called,
    "folders": folders, "pages": pages, "bundle": bundle,
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints read like all other errors."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and leaving."""
        from coleval.cli.complaints import complaint

        raise complaint(self, message)

    @property
    def options(self) -> list[argparse.Action]:
        """Return the options, without sources."""
        return [action for action in self._actions if action.option_strings]

    @property
    def groups(self) -> list[argparse._ArgumentGroup]:
        """Return the groups of options."""
        return self._action_groups

    @property
    def flags(self) -> list[str]:
        """Return all options as they are written."""
        return [flag for action in self.options for flag in action.option_strings]

    def format_help(self) -> str:
        """Return the options in full; the usage does not repeat them."""
        return super().format_help().replace("positional arguments:", "sources:")


def parser_of(command: Command) -> Parser:
    """Return the parser of one command; only the one that is called is ever built."""
    parser = Parser(
        prog=f"coleval {command.name}", description=_sentence(command.about), allow_abbrev=False,
        add_help=False,
    )  # fmt: skip
    given = "SOURCE… " if command.sources else "".join(f"{g} " for g in command.words)
    parser.usage = f"coleval {command.name} {given}[options]"
    if command.sources:
        parser.add_argument(
            "source",
            nargs="*",
            metavar="SOURCE",
            help=f"{command.sources}; a system is PATH or NAME=PATH; globs and "
            "directories expand; - is standard input",
        )
    for kind in (Reading if command.reading else None, command.options):
        if kind is not None:
            add_options(parser, options_of(kind).values())
    for group in command.groups:
        _GROUPS[group](parser)
    _help(parser)
    if command.name in ANALYSES:
        names = dict.fromkeys(table.name for table in ANALYSES[command.name].tables)
        parser.epilog = f"Tables (--table NAME): {', '.join(names)}."
    return parser


def _help(parser: Parser) -> None:
    """Add what explains a command: on one screen, or all of it."""
    group = _group(parser, "help")
    group.add_argument("-h", "--help", action="store_true", help="the most important, on a screen")
    group.add_argument("--help-all", action="store_true", help="all options")


def _sentence(about: str) -> str:
    """Return what a command does with a capital and a full stop."""
    return f"{about[0].upper()}{about[1:]}."
