"""Files that hold gold and predictions side by side; several must agree on tokens and gold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import spelled
from coleval.corpus.items import check_name
from coleval.corpus.problems import raise_first
from coleval.errors import DataError, UsageError
from coleval.loading.align.position import align
from coleval.loading.readers.formats import Format, need
from coleval.loading.tasks.layers import Reader, TokenLayer, gold_layer, without
from coleval.loading.tasks.settling import settle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source


def read_merged_files(
    sources: Mapping[str, Source], form: Format, reading: Reading
) -> tuple[Reading, Reader, dict[str, TokenLayer]]:
    """Return gold as the first file has it, and a layer for every prediction column."""
    if reading.task_kind.trees:
        raise UsageError(
            "trees are not read from files with gold and predictions side by side",
            where=next(iter(sources.values())).path,
            remedy="give gold and each system a CoNLL-U file of its own, without --merged",
        )
    files = {name: _read(source, form, reading) for name, source in sources.items()}
    first = next(iter(files.values()))
    known = spelled(first.columns["gold"])
    settled, coder = settle(reading, first, known.labels)
    codes = coder.recode(known)
    # Which columns were taken is said of each system.
    gold = replace(first, columns={"gold": first.columns["gold"]}, notes=())
    reader = Reader(form, settled, gold, coder, codes)
    layers = {"": gold_layer(reader)}
    for file in files.values():
        layers |= _layers(reader, file, layers)
    return settled, reader, layers


def _read(source: Source, form: Format, reading: Reading) -> TokenFile:
    need(form, "merged", source)
    assert form.merged is not None  # noqa: S101  - need() has just made sure
    return without(form.merged(source, reading.selection), reading.drop)


def _layers(
    reader: Reader, file: TokenFile, taken: Mapping[str, TokenLayer]
) -> dict[str, TokenLayer]:
    names = [n for n in file.columns if n != "gold"]
    if not names:
        raise UsageError(
            "has a gold column but no column of predictions",
            where=file.path,
            remedy="name the column of predictions: --columns form=1,gold=2,system=3",
        )
    _agree(reader, file)
    for name in names:
        if name in taken:
            raise UsageError(
                f"two systems are called `{name}`",
                where=file.path,
                remedy=f"give this one another name: {name}2={file.path}",
            )
    return {
        check_name(name, file.path, column=len(names) > 1): reader.layer(file, name)
        for name in names
    }


def _agree(reader: Reader, file: TokenFile) -> None:
    """Raise if a file's tokens or gold labels are not those of the first file."""
    raise_first(align(reader.gold, file).problems)
    codes = reader.coder.encode(file.columns["gold"])
    _, table = reader.coder.compared()
    alike = codes == reader.codes if table is None else table[codes] == table[reader.codes]
    differ = np.flatnonzero(~alike)
    if len(differ):
        at = int(differ[0])
        ours, theirs = reader.gold.columns["gold"][at], file.columns["gold"][at]
        raise DataError(
            f"gold is `{theirs}` on `{file.form[at]}`, but `{ours}` in {reader.gold.at(at)}"
            f" ({len(differ):,} of {len(file):,} tokens differ)",
            where=file.at(at),
            remedy="merged files must have the same gold; is a column shifted?",
        )
