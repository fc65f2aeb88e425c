"""One text and the labels that gold and each system put on its tokens.

Gold is read in full. A system's file is compared with gold's line by line first: the lines that
are the same to the letter, nine in ten or more, need no parsing; where that cannot work (other
columns, other line ends, a lost line) the file is read in full and aligned.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coleval.align.position import IDENTICAL, Alignment, align
from coleval.coding import Coder, Codes, spelled, width
from coleval.errors import DataError
from coleval.problems import Problem, raise_first
from coleval.readers.formats import Format, need
from coleval.readers.model import TokenFile
from coleval.readers.steps import dense
from coleval.schemes import looks_tagged
from coleval.tasks.guide import Guide
from coleval.tasks.trees import as_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from coleval.options import Reading
    from coleval.readers.source import Source

# Files read at once: the CSV reader has threads of its own, more would only cost memory.
AT_ONCE = 2


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
    known = spelled(gold.columns["gold"])
    settled, coder = settle(reading, gold, known.labels)
    codes = coder.recode(known)
    plain = form.name == "columns" and not reading.drop and reading.task != "dep"
    guide = Guide.of(source, reading.columns, gold) if plain else None
    source.forget()
    return settled, Reader(form, settled, gold, coder, codes, guide)


def form_tokens(form: Format, source: Source, reading: Reading, role: str) -> TokenFile:
    """Return the tokens of a file; raise if its format has none."""
    need(form, "tokens", source)
    assert form.tokens is not None  # noqa: S101  - need() has just made sure
    file = form.tokens(source, reading.columns, role)
    return as_trees(file, role) if reading.task == "dep" else file


def settle(reading: Reading, gold: TokenFile, labels: list[str]) -> tuple[Reading, Coder]:
    """Return the options with task and outside labels decided by gold's labels, and a coder.

    Tags with positions (B-PER) mean spans, and O is outside; other labels are answers all.
    """
    outside = reading.outside or ("O",)
    tagged = looks_tagged(labels, frozenset(outside), suffix=reading.suffix)
    if reading.task is None and not tagged:
        _not_mixed(reading, gold, labels, frozenset(outside))
    task = reading.task or ("span" if tagged else "tag")
    outside = outside if task == "span" else reading.outside or ()
    coder = Coder(outside=frozenset(outside), fold=reading.fold and task == "tag")
    return replace(reading, task=task, outside=outside), coder


def _not_mixed(
    reading: Reading, gold: TokenFile, labels: list[str], outside: frozenset[str]
) -> None:
    """Raise if only some of gold's labels are tags: which of the two it is, the user must say."""
    inside = [label for label in labels if label not in outside]
    tags = [label for label in inside if looks_tagged([label], outside, suffix=reading.suffix)]
    if not tags:
        return
    column = gold.columns["gold"]
    others = sorted(set(inside) - set(tags))
    at = int(column.is_in(others).arg_true()[0])
    raise DataError(
        f"gold has tags such as `{min(tags)}`, but `{column[at]}` on `{gold.form[at]}` is none",
        where=gold.at(at),
        remedy="is a column shifted? If labels are whole say --task tag; if this one means that "
        f"nothing is there, --outside O,{column[at]}",
    )


def without(file: TokenFile, start: str) -> TokenFile:
    """Return the file without the tokens that begin with ``start``; all of it for ``""``."""
    keep = ~file.form.str.starts_with(start) if start else None
    if keep is None or keep.all():
        return file
    kept = keep.to_numpy()
    return TokenFile(
        file.path,
        file.form.filter(keep),
        dense(file.sentence[kept]),
        file.line[kept],
        {name: column.filter(keep) for name, column in file.columns.items()},
        None if file.document is None else file.document[kept],
        file.documents,
        {name: column.filter(keep) for name, column in file.context.items()},
    )


def read_systems(
    reader: Reader, sources: Mapping[str, Source], progress: Callable[[str], None]
) -> dict[str, Layer]:
    """Return every system's layer, two files at a time; raise for the first unfit to be scored."""

    def layer(name: str) -> Layer:
        progress(name)
        try:
            return reader.read(sources[name])
        finally:
            sources[name].forget()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        layers = dict(zip(sources, pool.map(layer, sources), strict=True))
    for found in layers.values():
        raise_first(found.problems)
    return layers


def same_width(arrays: Mapping[str, Codes], labels: int) -> dict[str, Codes]:
    """Return the code arrays in one type, the narrowest that holds all labels."""
    kind = width(labels)
    return {name: codes.astype(kind, copy=False) for name, codes in arrays.items()}
