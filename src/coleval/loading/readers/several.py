"""Several column files as one text, and where each of them begins in it."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.late_classes import dataclass
from coleval.loading.readers.headers import TOKENS, is_header
from coleval.loading.readers.layout import fields_of
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Blank lines at the beginning may get lost; brackets may be JSON.
_ODD_BEGINNINGS = (b"", b"\n", b" ", b"\t", b"{", b"[")
_FIRST = re.compile(rb"(?:(?:-DOCSTART-[^\n]*|[ \t]*)\n)*([^\n]*)")
_MARK = b"-DOCSTART-"
_MARKS = {
    True: re.compile(rb"(?m)^-DOCSTART-(?:\t[^\n]*)?$"),
    False: re.compile(rb"(?m)^-DOCSTART-(?: [^\n]*)?$"),
}


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
        texts = [_tidy(file, named=self.named) for file in self.files]
        whole = b"\n\n".join(texts) + b"\n"
        if b"\r" in whole:
            raise ApartError
        self.begins[:] = accumulate((len(text) + 2 for text in texts[:-1]), initial=0)
        ends = np.frombuffer(whole, np.uint8) == ord("\n")
        sizes = (int(np.count_nonzero(ends[low:high])) for low, high in pairwise(self.begins))
        self.lines[:] = accumulate(sizes, initial=0)
        return whole

    def marked(self) -> NDArray[np.bool_]:
        """Tell which files mark where documents begin."""
        whole, found = self.text, np.zeros(len(self.files), np.bool_)
        if _MARK in whole:
            places = [mark.start() for mark in _MARKS[b"\t" in whole].finditer(whole)]
            if whole.count(_MARK) != len(places):
                raise ApartError
            found[np.searchsorted(self.begins, places, side="right") - 1] = True
        return found


def _tidy(file: Source, *, named: bool) -> bytes:
    text = file.text.rstrip(b"\n")
    file.forget()
    first = _FIRST.match(text)
    line = b"" if first is None else first[1]
    if text[:1] in _ODD_BEGINNINGS or named or _may_be_header(line):
        raise ApartError
    return text


@lru_cache(maxsize=1 << 14)
def _may_be_header(line: bytes) -> bool:
    said = line.decode("utf-8", "replace").casefold()
    return any(name in said for name in TOKENS) and is_header(fields_of(line))
