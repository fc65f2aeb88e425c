"""The options of ``bench``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def bench(parser: argparse.ArgumentParser) -> None:
    """Add what is made up where no source is given, and how it is timed."""
    group = parser.add_argument_group(
        "bench",
        "Without SOURCE files are made up: --tokens N (default 400,000), --systems S (default 12), "
        "--task span or tag.",
    )
    add = group.add_argument
    add("--tokens", type=int, metavar="N", help="tokens that are made up")
    add("--rounds", type=int, default=3, metavar="N", help="turns of each side (default 3)")
    add(
        "--sample",
        type=int,
        default=50_000,
        metavar="N",
        help="tokens that peers are measured on, of one system (default 50,000)",
    )
