"""Several column files as one text, and where each of them begins in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.headers import TOKENS, is_header
from coleval.loading.readers.layout import fields_of
from coleval.loading.readers.source import MAGIC, Source, decompressed, names_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Blank lines at the beginning may get lost; brackets may be JSON.
_ODD_BEGINNINGS = (b"\n", b" ", b"\t", b"{", b"[")
# Bytes that are no text as they are: packed, behind a mark, or two to a sign.
_NOT_PLAIN = (*MAGIC, b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_FIRST = re.compile(rb"(?:(?:-DOCSTART-[^\n]*|[ \t]*)\n)*([^\n]*)")
_MARK = b"-DOCSTART-"


class ApartError(Exception):
    """Something about the files is unusual: they have to be read one by one."""


@dataclass(frozen=True, eq=False)
class Together(Source):
    """Several files as one text, a blank line between them; where each begins is known then."""

    files: tuple[Source, ...] = ()
    begins: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    named: bool = False

    @cached_property
    def text(self) -> bytes:
        """Return the text of all files; raise if any begins otherwise than with its tokens."""
        if self.named:
            raise ApartError
        texts = [_tidy(file) for file in self.files]
        whole = b"\n".join(texts)
        if b"\r" in whole:
            raise ApartError
        self.begins[:] = accumulate((len(text) + 1 for text in texts[:-1]), initial=0)
        ends = np.frombuffer(whole, np.uint8) == ord("\n")
        sizes = (int(np.count_nonzero(ends[low:high])) for low, high in pairwise(self.begins))
        self.lines[:] = accumulate(sizes, initial=0)
        return whole

    def marked(self) -> NDArray[np.bool_]:
        """Tell which files mark where documents begin."""
        whole, found = self.text, np.zeros(len(self.files), np.bool_)
        ends = b"\n\t" if _MARK in whole and b"\t" in whole else b"\n "
        place, places = whole.find(_MARK), []
        while place >= 0:
            behind = place + len(_MARK)
            if whole[behind] not in ends or whole[max(place - 1, 0) : place] not in (b"", b"\n"):
                raise ApartError
            places.append(place)
            place = whole.find(_MARK, behind)
        found[np.searchsorted(self.begins, places, side="right") - 1] = True
        return found


def _tidy(file: Source) -> bytes:
    """Return the text of a file with one line end at its end, as nearly all have it."""
    text = _once(file)
    if text.endswith(b"\n\n") or not text.endswith(b"\n"):
        text = text.rstrip(b"\n") + b"\n"
    first = _FIRST.match(text)
    if first is None or text.startswith(_ODD_BEGINNINGS) or _may_be_header(first[1]):
        raise ApartError
    return text


def _once(file: Source) -> bytes:
    """Return the text of a file, which keeps nothing of it: most are plain text as they are."""
    if "raw" not in file.__dict__ and names_utf8(file.encoding):
        data = file.stored()
        if not data.startswith(_NOT_PLAIN) and b"\x00" not in data:
            return data
        file.__dict__["raw"] = decompressed(data, file.path)
    text = file.text
    file.forget()
    return text


@lru_cache(maxsize=1 << 14)
def _may_be_header(line: bytes) -> bool:
    said = line.decode("utf-8", "replace").casefold()
    return any(name in said for name in TOKENS) and is_header(fields_of(line))
