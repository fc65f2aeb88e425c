"""The options of ``buckets``: attributes, training data, how values are cut, what is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def training(parser: argparse.ArgumentParser) -> None:
    """Add what systems were trained on."""
    group = parser.add_argument_group("training data")
    add = group.add_argument
    add("--train", metavar="FILE", help="tagged text that systems were trained on")
    add("--train-columns", metavar="MAP", help="its columns, where labels are not in the last one")


def attributes(parser: argparse.ArgumentParser) -> None:
    """Add which attributes are told of, and how their values are cut into buckets."""
    group = parser.add_argument_group("attributes")
    add = group.add_argument
    add(
        "--attributes",
        action="append",
        metavar="LIST",
        help="names, columns, default (those of the paper, or of trees), all; "
        "`coleval attributes` lists them",
    )
    add(
        "--attribute",
        action="append",
        dest="attributes",
        metavar="NAME=SQL",
        help='any expression over the items: "late=position > 20"; may be repeated',
    )
    add("--vocabulary", metavar="FILE", help="words that count as known in oDen, one a line")
    add(
        "--buckets",
        action="append",
        metavar="NAME=HOW",
        help='"sLen=quantile 6", "eDen=interval 0,0.2,1 apart 0", "label=discrete 5"',
    )
    add("--edges", metavar="FILE", help="cut as in this file")
    add("--save-edges", metavar="FILE", help="write how values were cut")
    add(
        "--bucketing",
        metavar="NAME",
        help="coleval (default) or interpreteval, as its profile has it",
    )


def views(parser: argparse.ArgumentParser) -> None:
    """Add which score is told, and what is compared."""
    group = parser.add_argument_group("comparing")
    add = group.add_argument
    add("--by", metavar="SCORE", help="f1 (default), precision, recall; accuracy for tokens")
    add("--cross", nargs=2, action="append", metavar=("X", "Y"), help="two attributes at once")
    add("--pair", nargs=2, action="append", metavar=("A", "B"), help="where B is better than A, "
        "and where worse; may be repeated")  # fmt: skip
    add("--correct", metavar="HOW", help="p values of many tests: holm (default), bh, none")
    add(
        "--dataset",
        nargs="+",
        action="append",
        metavar="NAME=SOURCE",
        help="one more corpus: NAME=GOLD SYSTEM… (or NAME=STORE), and train=FILE",
    )
