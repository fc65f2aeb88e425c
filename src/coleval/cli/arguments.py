"""The options of the command line, declared once; each command takes those that mean something."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from coleval.cli.arguments_attributes import attributes, training, views
from coleval.cli.arguments_bench import bench
from coleval.cli.arguments_coref import keys, mentions, singletons
from coleval.cli.arguments_queries import pivot, queries, show, story
from coleval.cli.arguments_statistics import agree, compare, intervals, measure, resampling
from coleval.cli.arguments_trees import trees

Add = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it answers, how its sources are named, and which groups of options it has."""

    name: str
    about: str
    sources: str
    groups: tuple[Add, ...]
    least: str = "+"


def reading(parser: argparse.ArgumentParser) -> None:
    """Add what decides how files become items."""
    group = parser.add_argument_group("reading")
    add = group.add_argument
    add("--task", metavar="TASK",
        help="tag, span, dep, coref, label or matrix (default: by the format)")  # fmt: skip
    add("--format", metavar="NAME", help="input format; `coleval formats` lists them")
    add("--normalise", metavar="FORM", help="Unicode form of all tokens: nfc, nfd, nfkc, nfkd")
    add(
        "--columns",
        metavar="MAP",
        help=(
            "which column is which, by number or header name: form=1,gold=2,system=-1; other "
            "names become context columns"
        ),
    )
    add("--merged", action="store_const", const=True,
        help="the files have token, gold and prediction(s) side by side")  # fmt: skip
    add("--encoding", metavar="NAME", help="character encoding of the files (default utf-8)")
    add("--separator", metavar="CHAR", help="instances may have several labels, separated by CHAR")
    add("--profile", metavar="NAME", help="count as another program does; see `coleval profiles`")
    tags = parser.add_argument_group("tags")
    add = tags.add_argument
    add("--scheme", metavar="NAME",
        help="tag scheme: iob2 (default), iob1, io, bioes, bilou, bmes, any")  # fmt: skip
    add(
        "--repair",
        metavar="POLICY",
        help=(
            "how to read invalid tag sequences: begin (a new span, default), discard, extend, error"
        ),
    )
    add("--outside", metavar="LABELS", help="labels treated as outside (default O)")
    add("--suffix", action="store_const", const=True,
        help="tags end with the position letter: PER-B")  # fmt: skip
    add("--fold", action="store_const", const=True, help="ignore case when comparing labels")
    add("--within", choices=("sentence", "document", "corpus"),
        help="boundary that spans may not cross (default sentence)")  # fmt: skip
    add("--multiset", action="store_const", const=True,
        help="count a span that is given twice as two")  # fmt: skip
    mentions(parser)


def scoring(parser: argparse.ArgumentParser) -> None:
    """Add what decides how items are counted."""
    group = parser.add_argument_group("counting")
    add = group.add_argument
    add("--systems", metavar="PATTERN",
        help="only these systems: names or globs, separated by commas")  # fmt: skip
    add("--unit", metavar="UNIT",
        help="token or span; for coreference (antecedents) any or nominal")  # fmt: skip
    add("--labels", metavar="LIST",
        help="only these labels; or of the macro average: union (default), gold, all")  # fmt: skip
    add("--exclude", metavar="LIST", help="treat these labels as outside")
    add("--where", metavar="SQL", help='only items that satisfy this condition: "sentence < 100"')
    add("--bins-from", metavar="PATTERN",
        help="compute difficulty from these systems (default: all)")  # fmt: skip
    add("--undefined", choices=("null", "0", "1"),
        help="value of undefined scores, 0/0 (default null)")  # fmt: skip
    singletons(parser)


def bins(parser: argparse.ArgumentParser) -> None:
    """Add the tables of difficulty bins beside their sizes."""
    group = parser.add_argument_group("bins")
    add = group.add_argument
    add("--percent", action="store_const", const=True,
        help="show percentages of each bin instead of counts")  # fmt: skip
    add("--words", metavar="LIST", help="show these forms by bin, separated by commas")
    add(
        "--words-top", type=int, metavar="K", help="show the K forms that are spread over most bins"
    )
    add("--profile-bins", action="store_const", const=True,
        help="properties of each bin's items: digits, hapaxes, length, neighbours …")  # fmt: skip
    add("--items", action="store_const", const=True,
        help="list every item with its bin and context")  # fmt: skip
    add("--pair", nargs=2, action="append", metavar=("A", "B"),
        help="compare two systems bin by bin; may be repeated")  # fmt: skip


def span_errors(parser: argparse.ArgumentParser) -> None:
    """Add how span errors are named, booked and weighed."""
    group = parser.add_argument_group("span errors")
    add = group.add_argument
    add(
        "--focus",
        metavar="SIDE",
        help=(
            "count a wrong label under the gold label (target, default) or the predicted one "
            "(system)"
        ),
    )
    add("--weights", metavar="FORMULA",
        help='weights of errors: "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"')  # fmt: skip
    add("--taxonomy", metavar="NAME", help="names of the errors: fair (default), nervaluate, hipe")
    add("--ignore-punct", metavar="COLUMN",
        help="ignore punctuation in spans, by this column of parts of speech")  # fmt: skip
    add("--items", action="store_const", const=True, help="list every error in context")
    add("--pair", nargs=2, action="append", metavar=("A", "B"),
        help="split the difference between A and B by kind of error; may be repeated")  # fmt: skip


def changes(parser: argparse.ArgumentParser) -> None:
    """Add which systems are compared and which changes are listed."""
    group = parser.add_argument_group("changes")
    add = group.add_argument
    add("--pair", nargs=2, action="append", metavar=("A", "B"),
        help="changes from A to B; may be repeated (default: all pairs)")  # fmt: skip
    add("--baseline", metavar="NAME", help="changes from this system to every other")
    add("--gate", metavar="LIMITS",
        help="exit 1 beyond limits: max_new_errors=20,max_drop=0.5pp,max_diff=5%%")  # fmt: skip
    add("--items", action="store_const", const=True, help="list the items that changed, in context")
    add("--kind", metavar="KIND",
        help="only this kind of change: correction, new-error or changed-error")  # fmt: skip
    add("--from", dest="label_before", metavar="LABEL", help="only changes from this label")
    add(
        "--to", dest="label_after", metavar="LABEL", help="only changes to this label (_: no label)"
    )


def output(parser: argparse.ArgumentParser) -> None:
    """Add where results go and in what form."""
    group = parser.add_argument_group("output")
    add = group.add_argument
    add(
        "--as",
        dest="form",
        metavar="FORM",
        help=(
            "form of the output: table, json, csv, tsv, markdown, latex, html, parquet (default: "
            "table, or the suffix of -o)"
        ),
    )
    add("-o", "--output", metavar="FILE", help="write to FILE, or to DIR/ with one file per table")
    add("--table", metavar="NAME", help="print only this table (csv, tsv and parquet hold one)")
    add(
        "--caption",
        metavar="TEXT",
        default="",
        help="caption of the table in LaTeX and Markdown (default: its title)",
    )
    add("--tint", action="store_true", help="LaTeX: tint the cells, as the console does")


def general(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    group = parser.add_argument_group("general")
    group.add_argument("--quiet", action="store_true", help="no progress bars, no warnings")
    group.add_argument("--threads", type=int, metavar="N", help="number of threads (default: all)")


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


_FILES = "GOLD SYSTEM… | STORE | MERGED… --merged | MATRIX --task matrix"
COMMANDS = {
    command.name: command
    for command in (
        Command("score", "leaderboard: accuracy, precision, recall, F1, also by label", _FILES,
                (reading, scoring, trees, keys, intervals, resampling, output, memory, general)),
        Command("confusion", "confusion matrix: which labels are confused", _FILES,
                (reading, scoring, trees, output, memory, general)),
        Command("agree", "agreement of systems and gold: kappa, alpha", _FILES,
                (reading, scoring, trees, agree, output, memory, general)),
        Command("measure", "other measures: correlation, purity, RSA, perplexity, ranking", _FILES,
                (reading, scoring, trees, measure, output, memory, general)),
        Command("compare", "significance of differences: tests, intervals, ranks", _FILES,
                (reading, scoring, compare, resampling, output, memory, general)),
        Command("bins", "difficulty: items by the number of systems that solve them", _FILES,
                (reading, scoring, trees, bins, output, memory, general)),
        Command("buckets", "where systems fail: scores by attributes of the items",
                _FILES, (reading, scoring, trees, training, attributes, views, intervals,
                         resampling, output, memory, general), least="*"),
        Command("errors", "fair span errors: each error counted once, by kind", _FILES,
                (reading, scoring, span_errors, output, memory, general)),
        Command("changes", "what changed from A to B: corrections and new errors, by label",
                _FILES, (reading, scoring, trees, changes, output, memory, general)),
        Command("oracle", "what a combination could reach: upper bounds, votes, contributions",
                _FILES, (reading, scoring, trees, output, memory, general)),
        Command("pivot", "any column by any other: counts and scores; --find weak slices",
                _FILES, (reading, scoring, trees, pivot, output, memory, general)),
        Command("show", "the items in their sentences, with all answers", _FILES,
                (reading, scoring, trees, show, output, memory, general)),
        Command("sql", "any SQL query over the items (DuckDB); a prompt without a query",
                f'({_FILES}) ["QUERY" | FILE.sql | -]',
                (reading, scoring, trees, queries, output, general), least="*"),
        Command("report", "all analyses that apply, with a sentence on each", _FILES,
                (reading, scoring, trees, story, resampling, output, memory, general)),
        Command("validate", "check the files: every problem with file:line", _FILES,
                (reading, output, general)),
        Command("load", "read files once and write a store for the other commands", _FILES,
                (reading, training, store, memory, general)),
        Command("bench", "measure the speed of coleval and other programs on this machine",
                f"no source | {_FILES}", (reading, scoring, trees, bench, output, general),
                least="*"),
        Command("demo", "generate a shared task and print its report", "",
                (generated, output, general)),
        Command("formats", "input formats", "", (output,)),
        Command("attributes", "attributes of items, for `buckets`", "", (output,)),
        Command("profiles", "profiles: count as another program does", "", (output,)),
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
        prog=f"coleval {command.name}", description=_sentence(command.about), allow_abbrev=False
    )
    if command.sources:
        parser.add_argument(
            "source",
            nargs=command.least,
            metavar="SOURCE",
            help=f"{command.sources}; a system is PATH or NAME=PATH; globs and "
            "directories expand; - is standard input",
        )
    for group in command.groups:
        group(parser)
    return parser


def _sentence(about: str) -> str:
    """Return what a command does with a capital and a full stop."""
    return f"{about[0].upper()}{about[1:]}."


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
