"""The tables of a page in full precision, compressed, for downloads that need no network."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

from coleval.render.delimited import csv
from coleval.render.exact import chosen
from coleval.render.html_text import anchor

if TYPE_CHECKING:
    from coleval.corpus.report import Report

# A table with more cells is had from the command line; a page takes so many bytes of all others.
_CELLS, _ROOM = 200_000, 40_000


def packed(report: Report, table: str | None = None) -> str:
    """Return the tables as csv, compressed, the smallest first while there is room."""
    texts = {
        anchor(name): csv(report, name)
        for name in chosen(report, table)
        if name not in report.excerpts
        and report.table(name).width
        and report.table(name).height * report.table(name).width <= _CELLS
    }
    kept: dict[str, str] = {}
    for name in sorted(texts, key=lambda name: len(texts[name])):
        if _size({**kept, name: texts[name]}) > _ROOM:
            break
        kept[name] = texts[name]
    if not kept:
        return ""
    # Not run by any browser: a block of data, which the page's script reads.
    data = b64encode(_compressed(kept)).decode()
    names = " ".join(kept)
    return f'<template class="tables" data-names="{names}" data-csv="{data}"></template>\n'


def _size(texts: dict[str, str]) -> int:
    return len(_compressed(texts)) * 4 // 3


def _compressed(texts: dict[str, str]) -> bytes:
    return zlib.compress(json.dumps(texts, ensure_ascii=False).encode(), 9)
