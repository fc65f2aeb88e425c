"""Reading a system against gold's lines: only those that differ are parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.columns import parse
from coleval.loading.readers.compared import Columns, Lines
from coleval.loading.readers.layout import ColumnLayout, layout_of
from coleval.loading.readers.lines import blank
from coleval.native.dictionary import Dictionary
from coleval.native.library import library

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source

# Above this share of other lines (CRLF, another separator) reading in full is faster.
_MOSTLY_OTHER = 0.5


@dataclass(frozen=True, slots=True)
class Guide:
    """Gold's lines as they are, and how to parse those lines of a system that differ."""

    lines: Lines
    layout: ColumnLayout
    selection: Selection
    gold: TokenFile
    separator: str
    known: Dictionary | None = None

    @classmethod
    def of(cls, source: Source, selection: Selection, gold: TokenFile) -> Guide:
        """Return the guide that a gold file is."""
        layout = layout_of(source, selection, "gold")
        separator = "\t" if b"\t" in source.text else " "
        loops = library()
        known = None if loops is None or layout.from_end else Dictionary(loops)
        return cls(Lines.of(source), layout, selection, gold, separator, known)

    def unlike(self, source: Source) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the tokens on lines that are not gold's with their labels, None if unsure.

        Unsure is anything but other labels on the same tokens; it is read in full then.
        """
        if not self._laid_out(source):
            return None
        lines, most = Lines.of(source), int(len(self.gold) * _MOSTLY_OTHER)
        if self.known is not None:
            at = self.layout
            columns = Columns(at.width, at.form, at.picks["gold"], self.separator.encode())
            sure = lines.unlike_labels(self.lines, columns, self.gold.line, self.known, most)
            if sure is not None:
                return sure
        found = lines.unlike(self.lines, most)
        return None if found is None else self._labels(found.text(), found.rows, source.path)

    def _laid_out(self, source: Source) -> bool:
        ours = self.layout
        theirs = layout_of(source, self.selection, "system")
        same = (ours.width, ours.header, ours.form, ours.picks["gold"])
        return same == (theirs.width, theirs.header, theirs.form, theirs.picks["system"])

    def _labels(
        self, lines: pl.Series, rows: NDArray[np.uint32], path: str
    ) -> tuple[NDArray[np.intp], pl.Series] | None:
        line = rows + np.uint32(1)
        token = np.searchsorted(self.gold.line, line)
        inside = np.minimum(token, len(self.gold) - 1)
        if (self.gold.line[inside] != line).any():
            return None
        if len(lines) == 0:
            return token, lines
        form = self.gold.form.gather(token)
        labels = self._behind(lines, form)
        return (token, labels) if labels is not None else self._parsed(lines, line, token, path)

    def _behind(self, lines: pl.Series, form: pl.Series) -> pl.Series | None:
        """Return what stands behind gold's token on each line, None if that is not a label."""
        if self.layout.width != 2 or self.layout.form != 0:
            return None
        start = form + self.separator
        frame = pl.DataFrame({"line": lines, "start": start})
        labels = frame.select(pl.col("line").str.strip_prefix(pl.col("start"))).to_series()
        odd = labels.unique().str.contains(r"^$|[ \t\r]").fill_null(value=True)
        same = (labels.str.len_bytes() + start.str.len_bytes()) == lines.str.len_bytes()
        return None if odd.any() or not same.all() else labels

    def _parsed(
        self, lines: pl.Series, line: NDArray[np.uint32], token: NDArray[np.intp], path: str
    ) -> tuple[NDArray[np.intp], pl.Series] | None:
        if blank(lines).any():
            return None
        fields = parse(lines, line, self.layout, path)
        if (fields["form"] != self.gold.form.gather(token)).any():
            return None
        return token, fields["gold"]
