"""The options of the command line, declared once; each command takes those that mean something."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from coleval.arguments_attributes import attributes, training, views
from coleval.arguments_bench import bench
from coleval.arguments_coref import keys, mentions, singletons
from coleval.arguments_queries import pivot, queries, show, story
from coleval.arguments_statistics import agree, compare, intervals, measure, resampling
from coleval.arguments_trees import trees

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
    add("--task", metavar="TASK", help="tag, span, dep, coref, label, matrix (default: by format)")
    add("--format", metavar="NAME", help="input format; `coleval formats` lists them")
    add("--normalise", metavar="FORM", help="Unicode form of all tokens: nfc, nfd, nfkc, nfkd")
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
    add("--fold", action="store_const", const=True, help="compare labels without case")
    add("--within", choices=("sentence", "document", "corpus"), help="what no span reaches over")
    add("--multiset", action="store_const", const=True, help="a span given twice counts twice")
    mentions(parser)


def scoring(parser: argparse.ArgumentParser) -> None:
    """Add what decides how items are counted."""
    group = parser.add_argument_group("counting")
    add = group.add_argument
    add("--systems", metavar="PATTERN", help="only these systems: names or globs, with commas")
    add("--unit", metavar="UNIT", help="token or span; of coreference any or nominal")
    add(
        "--labels",
        metavar="LIST",
        help="only these labels; or what the macro average is over: union (default), gold, all",
    )
    add("--exclude", metavar="LIST", help="labels that are read as nothing")
    add("--where", metavar="SQL", help='only items for which this holds: "sentence < 100"')
    add(
        "--bins-from",
        metavar="PATTERN",
        help="difficulty is how many of these systems are right (default: of all)",
    )
    add("--undefined", choices=("null", "0", "1"), help="what stands for 0/0 (default null)")
    singletons(parser)


def bins(parser: argparse.ArgumentParser) -> None:
    """Add what is told of difficulty bins beside how many items they hold."""
    group = parser.add_argument_group("bins")
    add = group.add_argument
    add("--percent", action="store_const", const=True, help="show shares of a bin, not counts")
    add("--words", metavar="LIST", help="how these forms spread over the bins")
    add("--words-top", type=int, metavar="K", help="the K forms that spread most")
    add(
        "--profile-bins",
        action="store_const",
        const=True,
        help="what the items of a bin have in common: digits, hapaxes, length, neighbours …",
    )
    add(
        "--items",
        action="store_const",
        const=True,
        help="every item with its bin and the words around it",
    )
    add(
        "--pair",
        nargs=2,
        action="append",
        metavar=("A", "B"),
        help="two systems bin by bin; may be repeated",
    )


def span_errors(parser: argparse.ArgumentParser) -> None:
    """Add how span errors are named, booked and weighed."""
    group = parser.add_argument_group("span errors")
    add = group.add_argument
    add(
        "--focus",
        metavar="SIDE",
        help="book wrong labels under gold's (target, default) or under the system's (system)",
    )
    add(
        "--weights",
        metavar="FORMULA",
        help='what errors cost: "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"',
    )
    add("--taxonomy", metavar="NAME", help="fair (default), nervaluate, hipe")
    add("--ignore-punct", metavar="COLUMN", help="parts of speech; punctuation is in no span")
    add("--items", action="store_const", const=True, help="every error with the words around it")
    add(
        "--pair",
        nargs=2,
        action="append",
        metavar=("A", "B"),
        help="which kinds of error make B differ from A; may be repeated",
    )


def changes(parser: argparse.ArgumentParser) -> None:
    """Add which systems are compared and what of their changes is told."""
    group = parser.add_argument_group("changes")
    add = group.add_argument
    add(
        "--pair",
        nargs=2,
        action="append",
        metavar=("A", "B"),
        help="from A to B; may be repeated (default: all pairs)",
    )
    add("--baseline", metavar="NAME", help="from this system to every other")
    add(
        "--gate",
        metavar="LIMITS",
        help="exit with 1 if passed: max_new_errors=20,max_drop=0.5pp,max_diff=5%%",
    )
    add("--items", action="store_const", const=True, help="the items that changed, in context")
    add("--kind", metavar="KIND", help="only those: correction, new-error or changed-error")
    add("--from", dest="label_before", metavar="LABEL", help="only items from this label")
    add("--to", dest="label_after", metavar="LABEL", help="only items to this label (_: nothing)")


def output(parser: argparse.ArgumentParser) -> None:
    """Add where results go and in what form."""
    group = parser.add_argument_group("output")
    add = group.add_argument
    add(
        "--as",
        dest="form",
        metavar="FORM",
        help="table, json, csv, tsv, markdown, latex, html, parquet (default: table, or by -o)",
    )
    add("-o", "--output", metavar="FILE", help="write to FILE, or DIR/ for a file a table")
    add("--table", metavar="NAME", help="only this table (csv, tsv, parquet take one)")


def general(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    group = parser.add_argument_group("general")
    group.add_argument("--quiet", action="store_true", help="no progress, no warnings")
    group.add_argument("--threads", type=int, metavar="N", help="how many threads (default: all)")


def memory(parser: argparse.ArgumentParser) -> None:
    """Add how much memory there is for a corpus that may be larger."""
    group = parser.add_argument_group("memory")
    group.add_argument(
        "--memory",
        dest="memory_limit",
        metavar="SIZE",
        help="at most so much: 2GB; answers are kept in the directory for temporary files",
    )


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
                (reading, scoring, trees, keys, intervals, resampling, output, memory, general)),
        Command("confusion", "who is taken for whom", _FILES,
                (reading, scoring, trees, output, memory, general)),
        Command("agree", "kappa and alpha: systems and gold as raters", _FILES,
                (reading, scoring, trees, agree, output, memory, general)),
        Command("measure", "classic measures: correlation, purity, RSA, perplexity …", _FILES,
                (reading, scoring, trees, measure, output, memory, general)),
        Command("compare", "is the difference real? tests, intervals, ranks", _FILES,
                (reading, scoring, compare, resampling, output, memory, general)),
        Command("bins", "difficulty: items by how many systems solve them", _FILES,
                (reading, scoring, trees, bins, output, memory, general)),
        Command("buckets", "scores by attributes of the items: where systems are good and bad",
                _FILES, (reading, scoring, trees, training, attributes, views, intervals,
                         resampling, output, memory, general), least="*"),
        Command("errors", "fair span errors: each counted once and named", _FILES,
                (reading, scoring, span_errors, output, memory, general)),
        Command("changes", "what changed from A to B: corrections, new errors, label by label",
                _FILES, (reading, scoring, trees, changes, output, memory, general)),
        Command("oracle", "what could a combination reach? upper bounds, votes, who adds what",
                _FILES, (reading, scoring, trees, output, memory, general)),
        Command("pivot", "any column against any other: counts, scores, surprises; --find slices",
                _FILES, (reading, scoring, trees, pivot, output, memory, general)),
        Command("show", "the items themselves, in their sentences", _FILES,
                (reading, scoring, trees, show, output, memory, general)),
        Command("sql", "anything: DuckDB over the items; a prompt without a query",
                f'({_FILES}) ["QUERY" | FILE.sql | -]',
                (reading, scoring, trees, queries, output, general), least="*"),
        Command("report", "all analyses that apply, in an order that tells a story", _FILES,
                (reading, scoring, trees, story, resampling, output, memory, general)),
        Command("validate", "can this be scored? every problem with file:line", _FILES,
                (reading, output, general)),
        Command("load", "read once, keep: write a store that the other commands open", _FILES,
                (reading, training, store, memory, general)),
        Command("bench", "how fast is this machine, step by step, beside other programs",
                f"nothing | {_FILES}", (reading, scoring, trees, bench, output, general),
                least="*"),
        Command("demo", "a generated shared task, through `report`", "",
                (generated, output, general)),
        Command("formats", "input formats", "", (output,)),
        Command("attributes", "what items can be told apart by in buckets", "", (output,)),
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
            nargs=command.least,
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
