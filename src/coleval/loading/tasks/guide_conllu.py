"""Reading CoNLL-U of a system against gold's lines: only words whose lines differ are parsed.

Comments may differ. Whatever else does (a word, a token, a break, a line that is wrong) is for
the reader of whole files, which also knows what to say about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.compared import Lines
from coleval.loading.readers.conllu import picked
from coleval.loading.readers.conllu_edges import all_inside
from coleval.loading.readers.conllu_lines import COLUMNS
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source

# Above this share of other lines reading in full is faster.
_MOSTLY_OTHER = 0.5


@dataclass(frozen=True, slots=True)
class ConlluGuide:
    """Gold's lines as they are, its words, and the columns chosen for forms and answers."""

    lines: Lines
    gold: TokenFile
    form: str
    answer: str

    @classmethod
    def of(cls, source: Source, selection: Selection, gold: TokenFile) -> ConlluGuide | None:
        """Return the guide that a gold file is, None where columns go by each other's names."""
        picks = picked(selection, source.path)
        if not set(COLUMNS).isdisjoint(picks.keys() - {"form"}):
            return None
        form, answer = picks.get("form", "form"), picks.get("system", "upos")
        lines = Lines.of(source)
        return cls(lines, gold, form, answer)

    def unlike(self, source: Source) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the words on lines that are not gold's with their answers, None if unsure."""
        found = self.words(source)
        return None if found is None else (found[0], found[1][self.answer])

    def like(self, lines: Lines, file: TokenFile) -> ConlluGuide:
        """Return the guide that another file is, whose columns are these."""
        return ConlluGuide(lines, file, self.form, self.answer)

    def words(self, source: Source) -> tuple[NDArray[np.intp], pl.DataFrame] | None:
        """Return the words on lines that are not gold's with all columns, None if unsure.

        Unsure is anything but other columns of the same words.
        """
        return self.words_on(Lines.of(source))

    def words_on(self, lines: Lines) -> tuple[NDArray[np.intp], pl.DataFrame] | None:
        """Return the same of lines at hand."""
        if lines.count != self.lines.count:
            return None
        rows = lines.unlike(self.lines)
        if rows is None or len(rows) > len(self.gold) * _MOSTLY_OTHER:
            return None
        line = rows + np.uint32(1)
        token = np.searchsorted(self.gold.line, line)
        inside = self.gold.line[np.minimum(token, len(self.gold) - 1)] == line
        if not self._comments(lines, rows[~inside]):
            return None
        token = token[inside]
        fields = _fields(lines.text(rows[inside]))
        return (token, fields) if self._sound(fields, token) else None

    def _comments(self, lines: Lines, rows: NDArray[np.uint32]) -> bool:
        """Tell whether some lines are comments on both sides."""
        sides = (side.text(rows).str.starts_with("#") for side in (lines, self.lines))
        return not len(rows) or all(side.all() for side in sides)

    def _sound(self, fields: pl.DataFrame, token: NDArray[np.intp]) -> bool:
        """Tell whether lines are gold's words, with all heads words of their sentences."""
        if not len(fields):
            return True
        starts = np.append(np.flatnonzero(steps(self.gold.sentence)), len(self.gold))
        sentence = self.gold.sentence[token]
        number = pl.Series(token - starts[sentence] + 1)
        length = pl.Series(starts[sentence + 1] - starts[sentence])
        checked = fields.select(
            number=pl.col("id").cast(pl.Int32, strict=False) == number,
            same=pl.col(self.form) == self.gold.form.gather(pl.Series(token)),
            head=_inside(length),
            whole=pl.all_horizontal(pl.col(COLUMNS) != "") & pl.col("more").is_null(),
        )
        sound = checked.select(pl.all_horizontal(pl.all().fill_null(value=False).all())).item()
        return bool(sound) and all_inside(fields["deps"], length)


def _fields(lines: pl.Series) -> pl.DataFrame:
    """Return ten columns and what stands behind them."""
    width = len(COLUMNS) + 1
    split = lines.str.splitn("\t", width).struct.unnest()
    split.columns = [*COLUMNS, "more"]
    return split


def _inside(length: pl.Series) -> pl.Expr:
    """Tell which heads are words of sentences of some length, or said not to be there."""
    head = pl.col("head").cast(pl.Int32, strict=False)
    return (head.is_between(0, length)).fill_null(value=False) | (pl.col("head") == "_")
