"""The items that numbers of a page count, compressed: all of them while there is room."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from html import escape, unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coleval.corpus.report import ItemBlock, ItemSource, Report

# A page has so many bytes of items; how many these are is estimated from some of them, each of
# which takes more than each of many, whose words and sentences recur.
ROOM, _SAMPLE, _DENSER = 5_000_000, 50_000, 2
# A folder has room for 2 million items of 24 systems, several times over.
FOLDER_ROOM, FOLDER_FILE = 200_000_000, "items.bin"
_LEADS = re.compile(r'data-where="([^"]*)"')


def items_of(report: Report, contents: str, *, apart: bool = False) -> tuple[str, bytes]:
    """Return the items that the numbers of a page lead to, nothing where none does.

    They are markup in the page, or markup that names a file ``apart``, and its bytes.
    """
    conditions = set(map(unescape, _LEADS.findall(contents)))
    if report.items is None or not conditions:
        return "", b""
    data, block = _fitting(report, report.items, conditions, FOLDER_ROOM if apart else ROOM)
    # Of a crowd of systems a page names those that are shown.
    names = list(block.systems) if report.shown is None else list(report.shown.systems)
    systems = escape(json.dumps(names))
    place = f'data-file="{FOLDER_FILE}"' if apart else f'data-items="{b64encode(data).decode()}"'
    return f'<template class="items" data-systems="{systems}" {place}></template>\n', data


def _fitting(
    report: Report, items: ItemSource, conditions: set[str], room: int
) -> tuple[bytes, ItemBlock]:
    """Return the items as bytes: all, or those that tables name and others while there is room."""
    named = [
        number
        for name in report.tables
        if name not in report.excerpts and "item" in report.table(name).columns
        for number in report.table(name)["item"].drop_nulls().to_list()
    ]
    most = len(items)
    if most > _SAMPLE:
        sample = packed_items(items.block(conditions, items.some(_SAMPLE, ())))
        # What many items take is less for each than what few take: forms and sentences recur.
        most = min(most, int(_SAMPLE * room / len(sample) * _DENSER))
    while True:
        rows = None if most >= len(items) else items.some(most, named)
        block = items.block(conditions, rows)
        data = packed_items(block)
        if len(data) <= room or not block.items:
            return data, block
        most = int(block.items * room / len(data) * 0.9)


def packed_items(block: ItemBlock) -> bytes:
    """Return a head as JSON after its length, and the columns of codes, compressed."""
    head = {
        "items": block.items,
        "of": block.of,
        "unit": block.unit,
        "systems": list(block.systems.items()),
        "labels": block.labels,
        "where": block.condition,
        "versus": dict(block.versus),
        "columns": [
            {"name": c.name, "size": c.size, "values": c.values, "whole": c.whole}
            for c in block.columns
        ],
        "sentences": {
            number: "\n".join(word.replace("\n", " ") for word in words)
            for number, words in block.sentences.items()
        },
    }
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    codes = b"".join(column.codes for column in block.columns)
    return zlib.compress(len(text).to_bytes(4, "little") + text + codes)
