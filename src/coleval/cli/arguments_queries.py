"""The options of what asks anything: ``sql``, ``pivot``, ``show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def queries(parser: argparse.ArgumentParser) -> None:
    """Add what a query may do and use."""
    group = parser.add_argument_group("query")
    add = group.add_argument
    add(
        "--list",
        action="store_true",
        help="list the queries that come with coleval, and the tables",
    )
    add(
        "--unsafe",
        action="store_true",
        help="allow queries to read and write files and to load extensions",
    )
    add("--memory", metavar="SIZE", help="memory limit, for example 4GB")


def pivot(parser: argparse.ArgumentParser) -> None:
    """Add what is counted against what."""
    group = parser.add_argument_group("pivot")
    add = group.add_argument
    add(
        "--rows",
        metavar="SQL",
        help="rows of the table: a column or SQL expression, such as difficulty or upper(form[1])",
    )
    add(
        "--cols",
        metavar="SQL",
        help="columns of the table, such as outcome_NAME or error_gold_NAME",
    )
    add("--third", metavar="SQL", help="one such table for each value of this column")
    add(
        "--value",
        metavar="WHAT",
        help=(
            "content of the cells: n (default), share (of the row), accuracy[:SYSTEM], f1[:SYSTEM]"
        ),
    )
    add(
        "--wide", action="store_const", const=True, help="write one column for each value of --cols"
    )
    add(
        "--find",
        metavar="SYSTEM",
        nargs="+",
        help=(
            "find the slices in which this system is worst (with two systems: in which the second "
            "is worse than the first), by one or two attributes"
        ),
    )
    add("--attributes", metavar="LIST", help="attributes and columns for --find to try")
    add("--least", type=int, metavar="N", help="smallest slice for --find, in items (default 20)")


def show(parser: argparse.ArgumentParser) -> None:
    """Add which items are shown, and in what order."""
    group = parser.add_argument_group("items")
    add = group.add_argument
    add("--limit", type=int, metavar="N", help="number of items (default 20)")
    add("--sample", type=int, metavar="N", help="draw N items at random")
    add("--order", metavar="SQL", help='order of the items: "difficulty, length(form) desc"')
    add("--seed", type=int, metavar="N", help="seed of the sample (default 0)")


def story(parser: argparse.ArgumentParser) -> None:
    """Add what the report is told from."""
    group = parser.add_argument_group("report")
    group.add_argument(
        "--baseline", metavar="NAME", help="show changes from this system (default: the runner-up)"
    )
