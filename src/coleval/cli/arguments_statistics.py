"""The options of statistics: how units are drawn, what is compared and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.cli.arguments_trees import conventions

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
        help="show a bootstrap interval for each score",
    )


def resampling(parser: argparse.ArgumentParser) -> None:
    """Add how units are drawn."""
    group = parser.add_argument_group("resampling")
    add = group.add_argument
    add("--replicates", type=int, metavar="N",
        help="number of replicates (default 1000; compare adds more if needed)")  # fmt: skip
    add("--seed", type=int, metavar="K",
        help="seed of the random numbers (default 0); units without an id are identified by "
        "their position in gold")  # fmt: skip
    add(
        "--alpha",
        type=float,
        metavar="A",
        help="significance level; intervals cover 1 − A (default 0.05)",
    )
    add(
        "--unit-of-resampling",
        metavar="UNIT",
        help=(
            "what is resampled: document (default if there are several), sentence, item, or "
            "another column"
        ),
    )


def compare(parser: argparse.ArgumentParser) -> None:
    """Add what is compared, by which test."""
    group = parser.add_argument_group("comparing")
    add = group.add_argument
    add(
        "--metric",
        dest="by",
        metavar="NAME",
        help=(
            "score to compare: accuracy, precision, recall, f1, macro_f1, weighted_f1, f1:LABEL, "
            "fair_f1, las …"
        ),
    )
    add("--test", metavar="NAME",
        help="significance test: bootstrap (default), randomisation (default below 100 units), "
        "mcnemar, mcnemar-midp, wilcoxon")  # fmt: skip
    add("--correct", metavar="HOW", help="correction for multiple tests: holm (default), bh, none")
    add("--baseline", metavar="NAME", help="compare every other system with this one only")
    add(
        "--group",
        metavar="REGEX",
        help="average the runs of a system: '(.*)-seed[0-9]+' captures the name of the group",
    )
    conventions(group)


def agree(parser: argparse.ArgumentParser) -> None:
    """Add how chance agreement is reckoned."""
    group = parser.add_argument_group("agreement")
    group.add_argument(
        "--chance",
        choices=("separate", "pooled"),
        help=(
            "chance agreement from the answers of each rater (default, Cohen) or of both pooled "
            "(Scott)"
        ),
    )


def measure(parser: argparse.ArgumentParser) -> None:
    """Add the columns that measures are taken of."""
    group = parser.add_argument_group("measures")
    add = group.add_argument
    add("--correlate", nargs=2, action="append", metavar=("X", "Y"),
        help="correlate two systems or numeric columns; may be repeated "
        "(default: all systems)")  # fmt: skip
    add("--perplexity", metavar="COLUMN", help="perplexity of a column of token probabilities")
    add("--log-base", metavar="B", help="the column holds logarithms to base e, 2 or 10")
    add("--rank", metavar="COLUMNS", help="precision and recall at k, ranked by these columns")
    add("--relevant", metavar="LABEL", help="the gold label that is relevant for --rank")
    add("--at", metavar="LIST", help="values of k (default 1,5,10)")
    add("--query", metavar="COLUMN", help="column of queries: one ranked list for each value")
    add(
        "--beta",
        type=float,
        metavar="B",
        help="recall counts B times as much as precision (default 1)",
    )
    add("--seed", type=int, metavar="K", help="seed for drawing pairs of items in RSA (default 0)")
