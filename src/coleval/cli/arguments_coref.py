"""The options of coreference: which mentions there are, and how chains are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def mentions(parser: argparse.ArgumentParser) -> None:
    """Add what decides which mentions are read, and which of them are nominal."""
    group = parser.add_argument_group("coreference: mentions")
    add = group.add_argument
    add("--min-words", type=int, metavar="N", help="leave out mentions of fewer than N words")
    add(
        "--duplicate-mentions",
        choices=("error", "first"),
        help="a mention in two chains: error (default), or keep it in the first chain",
    )
    add(
        "--nominal",
        metavar="TAGS",
        help=(
            "tags of single words that are nominal; several words always are (default "
            "NN,NNS,NNP,NNPS)"
        ),
    )


def singletons(parser: argparse.ArgumentParser) -> None:
    """Add what decides which chains are scored."""
    group = parser.add_argument_group("coreference: chains")
    group.add_argument(
        "--singletons", choices=("keep", "drop"), help="chains of a single mention (default keep)"
    )


def keys(parser: argparse.ArgumentParser) -> None:
    """Add which systems take the place of the key."""
    group = parser.add_argument_group("coreference: keys")
    group.add_argument(
        "--key", metavar="NAME", help="also use this system as key, or all: every system"
    )
