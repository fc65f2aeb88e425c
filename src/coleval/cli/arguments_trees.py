"""Arguments of dependency trees: which part of an answer counts, which words, which relations."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from typing import TYPE_CHECKING

from coleval.corpus.options import METRICS

if TYPE_CHECKING:
    from argparse import ArgumentParser, _ArgumentGroup


def trees(parser: ArgumentParser) -> None:
    """Add what decides which answers of --task dep are equal."""
    group = parser.add_argument_group("dependencies")
    others = ", ".join(METRICS[1:])
    group.add_argument(
        "--metric", choices=METRICS, metavar="NAME", help=f"score: las (default), {others}"
    )
    conventions(group)


def conventions(group: _ArgumentGroup) -> None:
    """Add which words of trees count, and whether relations have subtypes."""
    add = group.add_argument
    add("--punct", action=BooleanOptionalAction,
        help="count words with the gold relation punct "
        "(default, except in changes and oracle)")  # fmt: skip
    add("--subtypes", action=BooleanOptionalAction,
        help="compare subtypes, so that nmod:poss is not nmod "
        "(default only in changes and oracle)")  # fmt: skip
    add("--functional", metavar="LIST",
        help="relations of function words, left out of clas, mlas and blex")  # fmt: skip
