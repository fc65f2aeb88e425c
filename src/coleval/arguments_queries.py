"""The options of what asks anything: ``sql``, ``pivot``, ``show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def queries(parser: argparse.ArgumentParser) -> None:
    """Add what a query may do and use."""
    group = parser.add_argument_group("query")
    add = group.add_argument
    add("--list", action="store_true", help="the queries that come with coleval, and the tables")
    add(
        "--unsafe",
        action="store_true",
        help="let queries read and write files, and load extensions",
    )
    add("--memory", metavar="SIZE", help="at most so much memory: 4GB")


def pivot(parser: argparse.ArgumentParser) -> None:
    """Add what is counted against what."""
    group = parser.add_argument_group("pivot")
    add = group.add_argument
    add("--rows", metavar="SQL", help="a column or an expression: difficulty, upper(form[1])")
    add("--cols", metavar="SQL", help="what it is counted against: outcome_NAME, error_gold_NAME")
    add("--third", metavar="SQL", help="the same, once for each value of this")
    add(
        "--value",
        metavar="WHAT",
        help="n (default), share (of the row), accuracy[:SYSTEM], f1[:SYSTEM]",
    )
    add("--wide", action="store_const", const=True, help="a column for each value of --cols")
    add(
        "--find",
        metavar="SYSTEM",
        nargs="+",
        help="where this system is worst (two: where the second is worse than the first), by one "
        "attribute or two together",
    )
    add("--attributes", metavar="LIST", help="attributes and columns that --find tries")
    add("--least", type=int, metavar="N", help="fewest items of a slice of --find (default 20)")


def show(parser: argparse.ArgumentParser) -> None:
    """Add which items are shown, and in what order."""
    group = parser.add_argument_group("items")
    add = group.add_argument
    add("--limit", type=int, metavar="N", help="at most so many items (default 20)")
    add("--sample", type=int, metavar="N", help="so many items, drawn at random by --seed")
    add("--order", metavar="SQL", help='in this order: "difficulty, length(form) desc"')
    add("--seed", type=int, metavar="N", help="of the sample (default 0)")


def story(parser: argparse.ArgumentParser) -> None:
    """Add what the report is told from."""
    group = parser.add_argument_group("report")
    group.add_argument("--baseline", metavar="NAME", help="changes are told from this system")
