"""The options of ``buckets``: attributes, training data, how values are cut, what is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def training(parser: argparse.ArgumentParser) -> None:
    """Add what systems were trained on."""
    group = parser.add_argument_group("training data")
    add = group.add_argument
    add("--train", metavar="FILE", help="the tagged text that the systems were trained on")
    add(
        "--train-columns",
        metavar="MAP",
        help="columns of the training file, if its labels are not in the last one",
    )


def attributes(parser: argparse.ArgumentParser) -> None:
    """Add which attributes are used, and how their values are cut into buckets."""
    group = parser.add_argument_group("attributes")
    add = group.add_argument
    add(
        "--attributes",
        action="append",
        metavar="LIST",
        help=(
            "attributes or columns, default (those of the paper, or of trees), all; `coleval "
            "attributes` lists them"
        ),
    )
    add(
        "--attribute",
        action="append",
        dest="attributes",
        metavar="NAME=SQL",
        help='any SQL expression over the items: "late=position > 20"; may be repeated',
    )
    add("--vocabulary", metavar="FILE", help="known words for oDen, one per line")
    add(
        "--buckets",
        action="append",
        metavar="NAME=HOW",
        help='how to form buckets: "sLen=quantile 6", "eDen=interval 0,0.2,1 apart 0", '
        '"label=discrete 5"',
    )
    add("--edges", metavar="FILE", help="use the bucket edges of this file")
    add("--save-edges", metavar="FILE", help="write the bucket edges to this file")
    add(
        "--bucketing",
        metavar="NAME",
        help="rule for bucket edges: coleval (default) or interpreteval",
    )


def views(parser: argparse.ArgumentParser) -> None:
    """Add which score is told, and what is compared."""
    group = parser.add_argument_group("comparing")
    add = group.add_argument
    add(
        "--by",
        metavar="SCORE",
        help="score of each bucket: f1 (default), precision, recall; for tokens also accuracy",
    )
    add("--cross", nargs=2, action="append", metavar=("X", "Y"), help="cross two attributes")
    add(
        "--pair",
        nargs=2,
        action="append",
        metavar=("A", "B"),
        help="compare B with A by bucket; may be repeated",
    )
    add("--correct", metavar="HOW", help="correction for multiple tests: holm (default), bh, none")
    add(
        "--dataset",
        nargs="+",
        action="append",
        metavar="NAME=SOURCE",
        help="another corpus: NAME=GOLD SYSTEM… (or NAME=STORE), with train=FILE",
    )
