"""The options of ``bench``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def bench(parser: argparse.ArgumentParser) -> None:
    """Add what is made up where no source is given, and how it is timed."""
    group = parser.add_argument_group(
        "bench",
        "Without SOURCE, data are generated: --tokens N (default 400,000), --systems S (default "
        "12), "
        "--task span or tag.",
    )
    add = group.add_argument
    add("--tokens", type=int, metavar="N", help="number of generated tokens")
    add("--rounds", type=int, default=3, metavar="N", help="number of rounds (default 3)")
    add(
        "--sample",
        type=int,
        default=50_000,
        metavar="N",
        help="number of tokens of one system on which other programs are timed (default 50,000)",
    )
