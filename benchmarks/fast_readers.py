"""The fastest readers of PERFORMANCE.md §1: what reading the system files costs at least.

Each gives label codes and a check of the tokens against gold; sentence numbers where it has them.
All are compared with plain codes before a time is told.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import polars as pl

import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


SCHEMA = {"token": pl.String, "label": pl.String}
POLARS, STREAMING = "polars, tokens checked", "polars collect_all, no check"


def sides(gold: Path, systems: Sequence[Path]) -> dict[str, Callable[[], object]]:
    """Return every reader over all system files, once their codes are known to be right."""
    labels = _labels([gold, *systems])
    token = _columns(gold, pl.Enum(labels))["token"]
    found: dict[str, Callable[[], object]] = {
        POLARS: lambda: [_checked(path, labels, token) for path in systems],
        STREAMING: lambda: pl.collect_all([_scan(p, labels).select("label") for p in systems]),
    }
    _compare(systems[0], labels, token)
    return found


def _scan(path: Path, labels: pl.Enum | list[str]) -> pl.LazyFrame:
    kind = labels if isinstance(labels, pl.Enum) else pl.Enum(labels)
    return pl.scan_csv(
        path, separator="\t", has_header=False, quote_char=None,
        schema={"token": pl.String, "label": kind}, missing_columns="insert",
    ).filter(pl.col("label").is_not_null() & (pl.col("token") != plain.DOCUMENT))  # fmt: skip


def _columns(path: Path, labels: pl.Enum | list[str]) -> pl.DataFrame:
    return _scan(path, labels).collect(engine="streaming")


def _labels(paths: Sequence[Path]) -> list[str]:
    """Return the labels of all files: the readers are told them, as if gold had them all."""
    frames = [
        pl.scan_csv(path, separator="\t", has_header=False, quote_char=None, schema=SCHEMA,
                    missing_columns="insert").select(pl.col("label").unique())
        for path in paths
    ]  # fmt: skip
    found = pl.concat(pl.collect_all(frames)).to_series().unique().drop_nulls()
    return found.sort().to_list()


def _checked(path: Path, labels: list[str], token: pl.Series) -> pl.Series:
    frame = _columns(path, labels)
    if not (frame["token"] == token).all():
        sys.exit(f"benchmarks: {path} has other tokens than gold")
    return frame["label"]


def _compare(path: Path, labels: list[str], token: pl.Series) -> None:
    known: dict[str, int] = {}
    codes, _ = plain.read_codes(path, known)
    names = list(known)
    expected = [names[code] for code in codes]
    if _checked(path, labels, token).to_list() != expected:
        sys.exit(f"benchmarks: {POLARS} reads other labels than a plain loop")
