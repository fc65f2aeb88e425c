"""One text and the labels that gold and each system put on its tokens.

Gold is read in full. A system's file is compared with gold's line by line first: the lines that
are the same to the letter, nine in ten or more, need no parsing; where that cannot work (other
columns, other line ends, a lost line) the file is read in full and aligned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.align.position import IDENTICAL, Alignment, align
from coleval.coding import Coder, Codes, width
from coleval.problems import Problem, raise_first
from coleval.readers import columns as column_files
from coleval.readers.formats import Format, need
from coleval.readers.lines import blank, read_lines
from coleval.readers.model import TokenFile
from coleval.schemes import looks_tagged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.options import Reading
    from coleval.readers.selection import Selection
    from coleval.readers.source import Source

_MOSTLY_OTHER = 0.5


@dataclass(frozen=True, slots=True)
class Layer:
    """One system's labels on gold's tokens: codes, the line of each token, how it was aligned."""

    path: str
    codes: Codes
    line: NDArray[np.uint32]
    alignment: Alignment
    gold: bool = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what aligning found."""
        return self.alignment.problems


@dataclass(slots=True)
class Reader:
    """Gold, and what it takes to read systems against it."""

    format: Format
    reading: Reading
    gold: TokenFile
    coder: Coder
    codes: Codes
    guide: Guide | None = None

    def read(self, source: Source) -> Layer:
        """Return a system's layer; problems with its alignment are in it, not raised."""
        layer = self._by_guide(source)
        return self._in_full(source) if layer is None else layer

    def layer(self, system: TokenFile, column: str) -> Layer:
        """Return the layer of a file that was read in full."""
        found = align(self.gold, system)
        codes = self.coder.encode(system.columns[column])
        return Layer(system.path, codes, system.line, found)

    def _in_full(self, source: Source) -> Layer:
        file = form_tokens(self.format, source, self.reading, "system")
        return self.layer(without(file, self.reading.drop), "system")

    def _by_guide(self, source: Source) -> Layer | None:
        if self.guide is None:
            return None
        found = self.guide.unlike(source)
        if found is None:
            return None
        token, fresh = found
        codes = self.codes.copy()
        labels = self.coder.encode(fresh)
        if labels.dtype.itemsize > codes.dtype.itemsize:
            codes = codes.astype(labels.dtype)
        codes[token] = labels
        return Layer(source.path, codes, self.gold.line, IDENTICAL)


def open_gold(source: Source, form: Format, reading: Reading) -> tuple[Reading, Reader]:
    """Return the options with the task settled, and gold with the means to read systems."""
    gold = without(form_tokens(form, source, reading, "gold"), reading.drop)
    settled = settle(reading, gold)
    coder = Coder(outside=frozenset(settled.outside or ()), fold=_folds(settled))
    codes = coder.encode(gold.columns["gold"])
    plain = form.name == "columns" and not reading.drop
    guide = _guide(source, reading.columns, gold) if plain else None
    return settled, Reader(form, settled, gold, coder, codes, guide)


def form_tokens(form: Format, source: Source, reading: Reading, role: str) -> TokenFile:
    """Return the tokens of a file; raise if its format has none."""
    need(form, "tokens", source)
    assert form.tokens is not None  # noqa: S101  - need() has just made sure
    return form.tokens(source, reading.columns, role)


def settle(reading: Reading, gold: TokenFile) -> Reading:
    """Return the options with task and outside labels decided, by gold's labels where not given.

    Tags with positions (B-PER) mean spans, and O is outside; other labels are answers all.
    """
    labels = gold.columns["gold"].unique().drop_nulls().to_list()
    outside = reading.outside or ("O",)
    tagged = looks_tagged(labels, frozenset(outside), suffix=reading.suffix)
    task = reading.task or ("span" if tagged else "tag")
    return replace(reading, task=task, outside=outside if task == "span" else reading.outside or ())


def _folds(reading: Reading) -> bool:
    return reading.fold and reading.task == "tag"


def without(file: TokenFile, start: str) -> TokenFile:
    """Return the file without the tokens that begin with ``start``; all of it for ``""``."""
    keep = ~file.form.str.starts_with(start) if start else None
    if keep is None or keep.all():
        return file
    kept = keep.to_numpy()
    return TokenFile(
        file.path,
        file.form.filter(keep),
        column_files.dense(file.sentence[kept]),
        file.line[kept],
        {name: column.filter(keep) for name, column in file.columns.items()},
        None if file.document is None else file.document[kept],
        file.documents,
    )


@dataclass(frozen=True, slots=True)
class Guide:
    """Gold's lines as they are, and how to parse those lines of a system that differ."""

    lines: pl.Series
    layout: column_files.Layout
    selection: Selection
    gold: TokenFile

    def unlike(self, source: Source) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the tokens on lines that are not gold's with their labels, None if unsure."""
        if self._laid_out(source) is None:
            return None
        lines = read_lines(source)
        if len(lines) != len(self.lines):
            return None
        rows = lines.ne_missing(self.lines).arg_true().to_numpy()
        if len(rows) > len(lines) * _MOSTLY_OTHER:
            return None
        return self._labels(lines.gather(rows), rows, source.path)

    def _laid_out(self, source: Source) -> column_files.Layout | None:
        theirs = column_files.layout_of(source, self.selection, "system")
        ours = self.layout
        same = (ours.width, ours.header, ours.form, ours.picks["gold"])
        return (
            ours
            if same == (theirs.width, theirs.header, theirs.form, theirs.picks["system"])
            else None
        )

    def _labels(
        self, lines: pl.Series, rows: NDArray[np.uint32], path: str
    ) -> tuple[NDArray[np.intp], pl.Series] | None:
        line = (rows + 1).astype(np.uint32)
        token = np.searchsorted(self.gold.line, line)
        inside = np.minimum(token, len(self.gold) - 1)
        if (self.gold.line[inside] != line).any() or blank(lines).any():
            return None
        if len(lines) == 0:
            return token, pl.Series([], dtype=pl.String)
        fields = column_files.parse(lines, line, self.layout, path)
        if (fields["form"] != self.gold.form.gather(token)).any():
            return None
        return token, fields["gold"]


def _guide(source: Source, selection: Selection, gold: TokenFile) -> Guide:
    layout = column_files.layout_of(source, selection, "gold")
    return Guide(read_lines(source), layout, selection, gold)


def read_systems(
    reader: Reader, sources: Mapping[str, Source], progress: Callable[[str], None]
) -> dict[str, Layer]:
    """Return every system's layer; raise for the first that cannot be scored."""
    layers = {}
    for name, source in sources.items():
        progress(name)
        layer = reader.read(source)
        source.forget()
        raise_first(layer.problems)
        layers[name] = layer
    return layers


def same_width(arrays: Mapping[str, Codes], labels: int) -> dict[str, Codes]:
    """Return the code arrays in one type, the narrowest that holds all labels."""
    kind = width(labels)
    return {name: codes.astype(kind, copy=False) for name, codes in arrays.items()}
