"""The options of statistics: how units are drawn, what is compared and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.arguments_trees import conventions

if TYPE_CHECKING:
    import argparse

_DRAWN = ("replicates", "seed", "alpha", "unit_of_resampling")
_COMPARED = ("test", "correct", "baseline", "group")
_MEASURED = (
    "correlate", "perplexity", "log_base", "rank", "relevant", "at", "query", "beta", "seed",
)  # fmt: skip
# The options that only one command has, and what its method calls them.
OWN = {
    "score": {name: name for name in ("intervals", *_DRAWN)},
    "agree": {"chance": "chance"},
    "measure": {name: name for name in _MEASURED},
    "compare": {"by": "metric"} | {name: name for name in (*_COMPARED, *_DRAWN)},
}


def intervals(parser: argparse.ArgumentParser) -> None:
    """Add whether scores have intervals."""
    group = parser.add_argument_group("intervals")
    group.add_argument(
        "--intervals",
        action="store_const",
        const=True,
        help="the lowest and highest each score may be, by bootstrap",
    )


def resampling(parser: argparse.ArgumentParser) -> None:
    """Add how units are drawn."""
    group = parser.add_argument_group("resampling")
    add = group.add_argument
    add("--replicates", type=int, metavar="N", help="how often units are drawn, "
        "exactly (default 1000; compare draws more where p would stay undecided)")  # fmt: skip
    add("--seed", type=int, metavar="K", help="the same seed, the same numbers (default 0); "
        "units without an id are known by their place in gold")  # fmt: skip
    add("--alpha", type=float, metavar="A", help="level of tests and intervals (default 0.05)")
    add(
        "--unit-of-resampling",
        metavar="UNIT",
        help="document (default if there are several), sentence, item, or another column",
    )


def compare(parser: argparse.ArgumentParser) -> None:
    """Add what is compared, by which test."""
    group = parser.add_argument_group("comparing")
    add = group.add_argument
    add(
        "--metric",
        dest="by",
        metavar="NAME",
        help="accuracy, precision, recall, f1, macro_f1, weighted_f1, f1:LABEL, fair_f1, las …",
    )
    add("--test", metavar="NAME", help="bootstrap (default), randomisation (default below 100 "
        "units), mcnemar, mcnemar-midp, wilcoxon")  # fmt: skip
    add("--correct", metavar="HOW", help="for many tests: holm (default), bh, none")
    add("--baseline", metavar="NAME", help="test every other system against this one only")
    add("--group", metavar="REGEX", help="runs of one system: '(.*)-seed[0-9]+' names the group")
    conventions(group)


def agree(parser: argparse.ArgumentParser) -> None:
    """Add how chance agreement is reckoned."""
    group = parser.add_argument_group("agreement")
    group.add_argument(
        "--chance",
        choices=("separate", "pooled"),
        help="from the answers of each rater (default, Cohen) or of both pooled (Scott)",
    )


def measure(parser: argparse.ArgumentParser) -> None:
    """Add the columns that measures are taken of."""
    group = parser.add_argument_group("measures")
    add = group.add_argument
    add("--correlate", nargs=2, action="append", metavar=("X", "Y"),
        help="two systems or numeric columns; may be repeated (default: all systems)")  # fmt: skip
    add("--perplexity", metavar="COLUMN", help="a column of token probabilities")
    add("--log-base", metavar="B", help="the column holds logarithms to the base e, 2 or 10")
    add("--rank", metavar="COLUMNS", help="columns of scores: precision and recall of the highest")
    add("--relevant", metavar="LABEL", help="gold's label of what --rank looks for")
    add("--at", metavar="LIST", help="how many of the highest (default 1,5,10)")
    add("--query", metavar="COLUMN", help="what sets one ranked list apart from another")
    add("--beta", type=float, metavar="B", help="recall weighs B times as much (default 1)")
    add("--seed", type=int, metavar="K", help="which pairs of items RSA draws (default 0)")
