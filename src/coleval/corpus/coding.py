"""Labels as small numbers: 0 is "nothing here", k is the k-th label.

Files are coded as they are read, in whatever order their labels come; ``canonical`` then sorts
the labels, so that codes do not depend on who was read first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coleval.corpus.schemes import OUTSIDE, parse_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Reading


Codes = NDArray[np.unsignedinteger]
_SAMPLE = 20_000
# So many categories are asked for one by one.
_FEW = 100
_NO_END = 1 << 62
# What Polars calls the types of codes.
PLACES = {np.uint8: pl.UInt8, np.uint16: pl.UInt16, np.uint32: pl.UInt32}


@dataclass(frozen=True, slots=True)
class Spelled:
    """The distinct labels of a column, sorted, and each row's place among them, behind for null."""

    labels: list[str]
    place: NDArray[np.integer]


def spelled(column: pl.Series) -> Spelled:
    """Return a column as its labels and places among them.

    Its first rows nearly always have all labels: what they lack is looked for only if it is there.
    """
    if isinstance(column.dtype, pl.Enum):
        return _spelled_enum(column)
    labels = _distinct(column.head(_SAMPLE))
    known = column.cast(pl.Enum(labels), strict=False)
    if known.null_count() > column.null_count():
        labels = sorted({*labels, *_distinct(column.filter(known.is_null()))})
        known = column.cast(pl.Enum(labels))
    place = known.to_physical()
    if place.null_count():
        place = place.cast(pl.UInt32).fill_null(len(labels))
    return Spelled(labels, place.to_numpy())


def _spelled_enum(column: pl.Series) -> Spelled:
    """Return a column of places among categories, of which no text is made."""
    place, used, categories = _used(column)
    labels = [categories[k] for k in used]
    order = np.argsort(np.array(labels, dtype=object), kind="stable")
    table = np.zeros(len(categories), width(len(categories)))
    table[used[order]] = np.arange(len(used))
    return Spelled([labels[k] for k in order], np.take(table, place))


def _used(column: pl.Series) -> tuple[NDArray[np.integer], NDArray[np.intp], list[str]]:
    """Return the places of a column without nulls, those that occur, and all categories."""
    kind, place = column.dtype, column.to_physical().to_numpy()
    assert isinstance(kind, pl.Enum)  # noqa: S101  - callers have looked
    categories = kind.categories.to_list()
    seen = np.zeros(len(categories), np.bool_)
    seen[place[:_SAMPLE]] = True
    if len(place) > _SAMPLE and len(categories) < _FEW:
        # To ask for those that the sample lacks is faster than to mark them all.
        for code in np.flatnonzero(~seen):
            seen[code] = (place == code).any()
    else:
        seen[place] = True
    return place, np.flatnonzero(seen), categories


def _distinct(column: pl.Series) -> list[str]:
    return sorted(column.unique().drop_nulls().to_list())


@dataclass(slots=True)
class Coder:
    """A growing dictionary of labels; the one thing here that changes, and only by growing.

    ``fold`` returns what labels are compared by, where that is not how they are written: labels
    that are compared alike have one code, or where they are ``written`` codes of their own, so that
    a message can quote them, and ``compared`` says which are alike. Spaces around a label are not
    part of it unless labels are ``exact``.
    """

    labels: list[str] = field(default_factory=list)
    outside: frozenset[str] = frozenset()
    fold: Callable[[str], str] | None = None
    exact: bool = False
    written: bool = False
    _code: dict[str, int] = field(default_factory=dict)
    _place: dict[str, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def encode(self, column: pl.Series) -> Codes:
        """Return the codes of a column of labels, learning those that are new."""
        known = spelled(column)
        with self._lock:
            return self.recode(known)

    def recode(self, spelled: Spelled) -> Codes:
        """Return the codes of a column whose labels are known already."""
        self.learn(spelled.labels)
        table = [*(self._code[label] for label in spelled.labels), 0]
        codes: Codes = np.array(table, dtype=width(len(self.labels)))[spelled.place]
        return codes

    def code(self, label: str) -> int:
        """Return the code of one label, learning it if it is new; threads may ask at once."""
        with self._lock:
            self.learn([label])
            return self._code[label]

    @property
    def names(self) -> list[str]:
        """Return what each label is compared by, in the order of the codes."""
        return [self.fold(label) for label in self.labels] if self.fold else self.labels

    def compared(self) -> tuple[list[str], Codes | None]:
        """Return the labels as they are compared, and their codes by those of the written ones.

        There are no codes where every label is compared as it is written.
        """
        names = self.names
        if names == self.labels:
            return names, None
        place = {name: code for code, name in enumerate(dict.fromkeys(names), 1)}
        table = np.array([0, *(place[name] for name in names)], dtype=width(len(place)))
        return list(place), table

    def learn(self, spellings: Iterable[str]) -> None:
        """Give a code to every spelling that has none; white space and case may make some one."""
        if self.exact and not self.outside and self.fold is None:
            fresh = [one for one in dict.fromkeys(spellings) if one not in self._code]
            self._code.update(zip(fresh, range(len(self.labels) + 1, _NO_END), strict=False))
            self.labels += fresh
            return
        for spelling in spellings:
            if spelling in self._code:
                continue
            bare = spelling if self.exact else spelling.strip(" ")
            label = self.fold(bare) if self.fold and not self.written else bare
            self._code[spelling] = 0 if self._is_outside(bare) else self._number(label)

    def _is_outside(self, label: str) -> bool:
        if label in self.outside:
            return True
        return self.fold is not None and self.fold(label) in map(self.fold, self.outside)

    def _number(self, label: str) -> int:
        if label not in self._place:
            self.labels.append(label)
            self._place[label] = len(self.labels)
        return self._place[label]


def width(labels: int) -> type[np.unsignedinteger]:
    """Return the narrowest unsigned type that holds codes 0 to ``labels``."""
    if labels < 2**8:
        return np.uint8
    return np.uint16 if labels < 2**16 else np.uint32


def canonical(labels: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """Return the labels sorted, and the table that turns old codes into new ones."""
    order = sorted(range(len(labels)), key=labels.__getitem__)
    table = np.zeros(len(labels) + 1, dtype=width(len(labels)))
    table[1:][order] = np.arange(1, len(table), dtype=table.dtype)
    return tuple(map(labels.__getitem__, order)), table


def decoded(codes: Codes, labels: Sequence[str], name: str = "") -> pl.Series:
    """Return codes as a dictionary column of labels, null for 0."""
    place = pl.Series(name, codes)
    if not labels:
        return pl.Series(name, [None] * len(codes), dtype=pl.Enum([]))
    shifted = pl.select(pl.when(place > 0).then(place - 1)).to_series().rename(name)
    return shifted.cat.to(pl.Enum(labels))


def numbered(codes: Codes, labels: Sequence[str], name: str = "") -> pl.Series:
    """Return codes as a column of the numbers that their labels are, null for 0."""
    return pl.Series(name, values_of_labels(labels)[codes], nan_to_null=True)


def values_of_labels(labels: Sequence[str]) -> NDArray[np.float64]:
    """Return the number that each code means, NaN for 0."""
    return np.array([np.nan, *map(float, labels)])


def coded(column: pl.Series, labels: Sequence[str] | pl.Series) -> Codes:
    """Return the codes of a dictionary column whose categories are ``labels``."""
    kind = width(len(labels))
    place = column.to_physical()
    if column.null_count():
        place = place.cast(PLACES[kind]).fill_null(int(np.iinfo(kind).max))
    # The largest number wraps to 0, which is what null is to be.
    return place.to_numpy().astype(kind, copy=False) + kind(1)


def label_fold(reading: Reading) -> Callable[[str], str] | None:
    """Return what labels of tokens are compared by, None where they are as they are written."""
    if reading.task_kind.spans_of_tags:
        outside = frozenset(reading.outside or OUTSIDE)
        return partial(compared_tag, outside=outside, fold=reading.fold, suffix=reading.suffix)
    return str.casefold if reading.fold and reading.task_kind.tagged_text else None


def option_fold(corpus: Corpus, unit: str) -> Callable[[str], str]:
    """Return what a label that an option names is compared by, as those of a unit's items are."""
    if corpus.task_kind.spans_of_tags and unit == "token":
        return label_fold(corpus.reading) or str
    return str.casefold if corpus.reading.fold and corpus.task_kind.own_labels else str


def compared_tag(
    tag: str, *, outside: Collection[str] = OUTSIDE, fold: bool = False, suffix: bool = False
) -> str:
    """Return a tag as it is compared: stacked ones in alphabetical order of their types.

    Tags of one type keep their order, for it says which spans they continue; a part that is
    outside is none of the set, unless there is no other.
    """
    parts = tag.split("|")
    if len(parts) > 1:
        tags = [part for part in parts if part not in outside]
        parts = sorted(tags or parts, key=partial(_by_type, fold=fold, suffix=suffix))
    return fold_tag("|".join(parts), suffix=suffix) if fold else "|".join(parts)


def _by_type(tag: str, *, fold: bool, suffix: bool) -> tuple[bool, str]:
    parsed = parse_tag(tag, suffix=suffix)
    kind = tag if parsed is None else parsed[1]
    return parsed is None, kind.casefold() if fold else kind


def fold_tag(tag: str, *, suffix: bool = False) -> str:
    """Return a tag with its types in lower case; letters that mean positions stay as they are."""
    return "|".join(_folded(part, suffix=suffix) for part in tag.split("|"))


def _folded(tag: str, *, suffix: bool) -> str:
    parsed = parse_tag(tag, suffix=suffix)
    if parsed is None:
        return tag.casefold()
    letter, kind = parsed
    if tag == letter:
        return tag
    return f"{kind.casefold()}-{letter}" if suffix else f"{letter}-{kind.casefold()}"
