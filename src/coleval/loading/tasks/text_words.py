"""The words of a text that nobody has cut into tokens: runs of letters and digits, single signs.

They are context: attributes count them and tables show them, and no score depends on them.
Scripts without spaces between words have one word a letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category, name

import numpy as np

from coleval.loading.readers.code_points import NEWLINE
from coleval.loading.readers.model import WordPlaces
from coleval.loading.readers.steps import dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.code_points import CodePoints
    from coleval.loading.readers.model import OffsetFile

    Numbers = NDArray[np.int64]

_SPACE, _LETTER, _SIGN, _MARK = range(4)
_UNSPACED = ("CJK", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def words_of(file: OffsetFile, points: CodePoints) -> WordPlaces:
    """Return the words of all texts, as places among all code points; lines are sentences."""
    given = file.words
    if given is None:
        start, end = _runs(points)
    else:
        by = points.first[given.document]
        start, end = given.start + by, given.end + by
    document = np.searchsorted(points.first, start, side="right") - 1
    if given is not None and given.sentence is not None:
        sentence = given.sentence
    else:
        sentence = dense(np.searchsorted(np.flatnonzero(points.points == NEWLINE), start))
    return WordPlaces(document.astype(np.int32), start, end, sentence)


def _runs(points: CodePoints) -> tuple[Numbers, Numbers]:
    kind = _kinds(points.points)
    opens = kind != _SPACE
    mark = np.flatnonzero(kind == _MARK)
    if len(mark):
        # A mark belongs to what it is on; on nothing, it is a letter.
        others = np.append(np.flatnonzero(kind != _MARK), mark[0])
        below = np.searchsorted(others[:-1], mark) - 1
        under = np.where(below < 0, np.uint8(_SPACE), kind[others[below]])
        held = under != _SPACE
        kind[mark] = np.where(held, under, np.uint8(_LETTER))
        # Of marks in a row on nothing, the first is what the others are on.
        opens[mark[held]] = False
    opens[1:] &= (kind[1:] == _SIGN) | (kind[:-1] != _LETTER)
    start = np.flatnonzero(opens)
    closed = np.flatnonzero(kind == _SPACE)
    blank = np.append(closed, len(kind))[np.searchsorted(closed, start)]
    return start, np.minimum(np.append(start[1:], len(kind)), blank)


def _kinds(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return what each code point is: looked up once for every one that occurs."""
    table = np.zeros(0x110000, np.uint8)
    there = np.flatnonzero(np.bincount(points, minlength=1))
    table[there] = [_kind(chr(point)) for point in there.tolist()]
    return table[points]


def _kind(character: str) -> int:
    group = category(character)
    if character.isspace():
        return _SPACE
    if group[0] == "M" or group == "Cf" or "\U0001f3fb" <= character <= "\U0001f3ff":
        return _MARK
    if group[0] in "LN" or group == "Pc":
        return _SIGN if name(character, "").startswith(_UNSPACED) else _LETTER
    return _SIGN
