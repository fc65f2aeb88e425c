"""The words of CoNLL-U as numbers, read by the loop in C: a tenth of the time, a few bytes a word.

It reads what is beyond doubt: gold, and files that have gold's characters. All others, and whatever
is wrong, is for ``conllu_lines``.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import cached_property
from mmap import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.late_classes import dataclass
from coleval.loading.readers.lines import one_line_end
from coleval.native.dictionary import Dictionary
from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from io import FileIO

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

    Numbers = NDArray[np.int32]

CODED = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps")
KINDS_OF_ODD_TREES = 3
_COMMENTS = "comments"
_PLAIN = ("plain_low", "plain_high", "plain_word")
# What there is as much of as a count says.
_ARRAYS = {
    "words": ("head", "line", "sentence", "token", "match", "several"),
    "tokens": ("low", "high"),
    "multiwords": ("multi_form", "multi_first", "multi_end"),
    "documents": ("comment", "comment_line"),
}
_EVERY = (*(name for names in _ARRAYS.values() for name in names), "mark")
_COUNTS = ("words", "sentences", "tokens", "multiwords", "edges", "documents")
_STATE = ("first", "until", "place", "lines", "next", "spaced", "empty")
_TYPES: Mapping[str, type[np.generic]] = {
    "line": np.uint32, "comment_line": np.uint32, "several": np.uint8,
}  # fmt: skip
# No row is shorter: ten columns, of which three are not empty.
_SHORTEST = 13
_BLOCK = 1 << 20
# With files of this size what others leave in memory is a third of all.
_LARGE = 1 << 25
_MARK = b"\xef\xbb\xbf"
# A line that is longer is for others.
_LONGEST = 1 << 26
_PLACE, _NUMBER = ctypes.c_void_p, ctypes.c_int64
_MANY = _PLACE * len(CODED)
_ODD = _NUMBER * KINDS_OF_ODD_TREES


class _Conllu(ctypes.Structure):
    """What ``conllu.c`` fills in."""

    _fields_ = (
        ("strings", _MANY),
        (_COMMENTS, _PLACE),
        ("gold", ctypes.c_char_p),
        ("gold_size", _NUMBER),
        ("text", _PLACE),
        ("room", _NUMBER),
        ("text_room", _NUMBER),
        *((name, _PLACE) for name in _PLAIN),
        ("plain", _NUMBER),
        ("code", _MANY),
        *((name, _PLACE) for name in _EVERY),
        *((name, _NUMBER) for name in (*_COUNTS, *_STATE)),
        ("odd", _ODD),
        ("odd_first", _ODD),
    )


@dataclass(frozen=True)
class NumberedWords:
    """The words of a file: numbers of its texts, heads (-1 for none), tokens and sentences.

    ``arrays`` are those of ``conllu.c``; ``edges`` tells whether any word has some, ``spaced``
    whether any token has spaces in it, ``empty`` whether any has nothing else. ``odd`` counts the
    sentences that are no trees, with the first word of the first, of each kind. ``text`` are the
    characters of gold.
    """

    codes: dict[str, Numbers]
    arrays: Mapping[str, NDArray[Any]]
    sentences: int
    edges: bool
    spaced: bool
    empty: bool
    odd: tuple[tuple[int, int], ...]
    text: bytes = b""

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.arrays["head"])


@dataclass(frozen=True)
class NumberReader:
    """What reads gold, or files whose characters are those of ``gold``; threads may read at once.

    ``plain`` are gold's words that are tokens by themselves: where they begin and end, their
    numbers.
    """

    dictionaries: Mapping[str, Dictionary]
    gold: bytes | None = None
    plain: tuple[Numbers, ...] = ()

    @classmethod
    def of_gold(cls) -> NumberReader | None:
        """Return the reader of a gold file, None where there is no library."""
        found = library()
        if found is None:
            return None
        return cls({name: Dictionary(found) for name in (*CODED, _COMMENTS)})

    def of_systems(self, gold: bytes, plain: tuple[Numbers, ...]) -> NumberReader:
        """Return the reader of files with a text, which has the same dictionaries."""
        return replace(self, gold=gold, plain=plain)

    @cached_property
    def _functions(self) -> tuple[Any, Any, Any]:
        found = library()
        assert found is not None  # noqa: S101  - who made this has looked
        read, end = found.coleval_conllu, found.coleval_conllu_end
        read.argtypes, end.argtypes = [_PLACE, ctypes.c_char_p, _NUMBER], [_PLACE]
        return read, end, found.coleval_give_back

    def read(self, source: Source) -> NumberedWords | None:
        """Return the words of a file, None where there is any doubt."""
        read, end, give_back = self._functions
        opened = source.opened()
        if opened is not None and source.state.st_size > _LARGE:
            give_back()
        blocks: Iterable[bytes] = [one_line_end(source.text)] if opened is None else _blocks(opened)
        size = len(source.text) if opened is None else source.state.st_size
        room = size // _SHORTEST + 1
        arrays = {name: _empty(room, _TYPES.get(name, np.int32)) for name in _EVERY}
        # A token begins where the one before it ends: the same numbers are both.
        ends = _empty(room + 1, np.int32)
        arrays["low"], arrays["high"] = ends[:-1], ends[1:]
        codes = {name: _empty(room, np.int32) for name in CODED}
        text = _empty(size if self.gold is None else 0, np.uint8)
        file = self._file(codes, arrays, text)
        file.room, file.text_room = room, len(text)
        place = ctypes.addressof(file)
        if not (all(read(place, block, len(block)) for block in blocks) and end(place)):
            return None
        sizes = {n: getattr(file, count) for count, names in _ARRAYS.items() for n in names}
        return NumberedWords(
            {name: codes[name][: file.words] for name in CODED},
            {name: arrays[name][:count] for name, count in sizes.items()},
            file.sentences,
            bool(file.edges),
            bool(file.spaced),
            bool(file.empty),
            tuple(zip(file.odd, file.odd_first, strict=True)),
            text[: file.place].tobytes() if self.gold is None else self.gold,
        )

    def _file(
        self, codes: Mapping[str, Numbers], arrays: Mapping[str, NDArray[Any]], text: NDArray[Any]
    ) -> _Conllu:
        """Return what the loop reads and writes."""
        file = _Conllu()
        handles = {name: one.handle.value for name, one in self.dictionaries.items()}
        file.strings = _MANY(*(handles[name] for name in CODED))
        file.code = _MANY(*(codes[name].ctypes.data for name in CODED))
        for name, array in (*arrays.items(), *zip(_PLAIN, self.plain, strict=False)):
            setattr(file, name, array.ctypes.data)
        if self.gold is None:
            file.text, file.comments = text.ctypes.data, handles[_COMMENTS]
        else:
            file.gold, file.gold_size, file.plain = self.gold, len(self.gold), len(self.plain[0])
        return file


def _empty(size: int, kind: type[np.generic]) -> NDArray[Any]:
    """Return room, of which memory has only what is written; large ones are given back at once."""
    there = size * np.dtype(kind).itemsize
    return np.empty(size, kind) if there < _BLOCK else np.frombuffer(mmap(-1, there), kind)


def _blocks(file: FileIO) -> Iterator[bytes]:
    """Yield the text of a file, whole lines at a time; a NUL in place of one that is too long."""
    with file:
        rest, first = b"", True
        while block := file.read(_BLOCK):
            while first and block.startswith(_MARK):
                block = block[len(_MARK) :]
            first = False
            cut = block.rfind(b"\n") + 1
            if not cut and len(rest) > _LONGEST:
                yield b"\0"
                return
            yield from [rest + block[:cut]] if cut else []
            rest = block[cut:] if cut else rest + block
        yield rest
