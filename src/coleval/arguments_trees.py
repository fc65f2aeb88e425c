"""Arguments of dependency trees: which part of an answer counts, which words, which relations."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from typing import TYPE_CHECKING

from coleval.options import METRICS

if TYPE_CHECKING:
    from argparse import ArgumentParser, _ArgumentGroup


def trees(parser: ArgumentParser) -> None:
    """Add what decides which answers of --task dep are equal."""
    group = parser.add_argument_group("dependencies")
    others = ", ".join(METRICS[1:])
    group.add_argument("--metric", choices=METRICS, metavar="NAME", help=f"las (default), {others}")
    conventions(group)


def conventions(group: _ArgumentGroup) -> None:
    """Add which words of trees count, and whether relations have subtypes."""
    add = group.add_argument
    add("--punct", action=BooleanOptionalAction,
        help="count words that gold calls punct (default; not in changes and oracle)")  # fmt: skip
    add("--subtypes", action=BooleanOptionalAction,
        help="nmod:poss is not nmod (default in changes and oracle only)")  # fmt: skip
    add("--functional", metavar="LIST",
        help="relations of function words, which clas, mlas and blex leave out")  # fmt: skip
