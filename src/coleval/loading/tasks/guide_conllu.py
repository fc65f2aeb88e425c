"""Reading CoNLL-U of a system against other lines: only words whose lines differ are parsed.

Comments may differ. Whatever else does (a word, a token, a break, a line that is wrong) is for
the reader of whole files, which also knows what to say about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.late_classes import dataclass
from coleval.loading.readers.compared import Lines
from coleval.loading.readers.conllu import picked
from coleval.loading.readers.conllu_edges import all_inside
from coleval.loading.readers.conllu_lines import COLUMNS
from coleval.loading.readers.lines import stray_returns
from coleval.loading.readers.source import is_utf8
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source

# Above this share of other lines reading in full is faster.
_MOSTLY_OTHER = 0.5


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of a file that are no comments, and their numbers in it, from 1."""

    lines: Lines
    number: NDArray[np.uint32]

    @classmethod
    def of(cls, source: Source) -> Body | None:
        """Return the body of a file, None where a comment is inside a sentence.

        Also where any part is no text: who reads all of it names the line.
        """
        lines = Lines.of(source)
        if not is_utf8(lines.data) or stray_returns(lines.data):
            return None
        buffer, begins = np.frombuffer(lines.data, np.uint8), lines.begins
        first = buffer[begins[:-1]]
        comment = first == ord("#")
        if not comment.any():
            return cls(lines, np.arange(1, len(first) + 1, dtype=np.uint32))
        above = comment | (first == ord("\n"))
        if not above[np.flatnonzero(comment[1:])].all():
            return None
        turns = np.flatnonzero(np.diff(comment, prepend=True, append=True))
        runs = begins[turns].reshape(-1, 2).tolist()
        data = b"".join([lines.data[low:high] for low, high in runs])
        return cls(Lines(data, source.path), np.flatnonzero(~comment).astype(np.uint32) + 1)


@dataclass(frozen=True, slots=True)
class ConlluGuide:
    """A file's lines as they are, its words and which line each is, the columns chosen.

    The file is gold, or a system with words of its own.
    """

    body: Body
    gold: TokenFile
    row: NDArray[np.intp]
    form: str
    answer: str

    @classmethod
    def of(cls, source: Source, selection: Selection, gold: TokenFile) -> ConlluGuide | None:
        """Return the guide that a gold file is, None where columns go by each other's names."""
        picks = picked(selection, source.path)
        body = Body.of(source)
        if body is None or not set(COLUMNS).isdisjoint(picks.keys() - {"form"}):
            return None
        row = np.searchsorted(body.number, gold.line)
        return cls(body, gold, row, picks.get("form", "form"), picks.get("system", "upos"))

    def like(self, body: Body, file: TokenFile) -> ConlluGuide:
        """Return the guide that another file is, whose columns are these."""
        row = np.searchsorted(body.number, file.line)
        return ConlluGuide(body, file, row, self.form, self.answer)

    def unlike(self, source: Source) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the words on lines that are not gold's with their answers, None if unsure."""
        body = Body.of(source)
        if body is None or not np.array_equal(body.number, self.body.number):
            return None
        found = self.words(body)
        return None if found is None else (found[0], found[1][self.answer])

    def words(self, body: Body) -> tuple[NDArray[np.intp], pl.DataFrame] | None:
        """Return the words on lines that are not the file's with all columns, None if unsure.

        Unsure is anything but other columns of the same words.
        """
        if len(body.number) != len(self.body.number):
            return None
        most = int(len(self.gold) * _MOSTLY_OTHER)
        found = body.lines.unlike(self.body.lines, most)
        if found is None:
            return None
        token = np.searchsorted(self.row, found.rows)
        if (self.row[np.minimum(token, len(self.row) - 1)] != found.rows).any():
            return None
        fields = _fields(found.text())
        return (token, fields) if self._sound(fields, token) else None

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
