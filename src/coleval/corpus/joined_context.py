"""The context columns of several gold files as one table, behind their dataset and part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.grid import DATASET, NUMBERED, PART, Size
from coleval.corpus.items import NOT_IN_GOLD, NOT_IN_TEXT, Items
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    # A dataset, a part and the name of a document.
    Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Piece:
    """The items of one gold file, and where it belongs."""

    dataset: str
    part: str
    items: Items

    @property
    def size(self) -> Size:
        """Return how much of the whole table these are."""
        items = self.items
        return Size(len(items), groups(items), items.empty_is_answer)


def groups(items: Items) -> int:
    """Return how many sentences or instances there are, by the highest number if it is unknown."""
    if items.group_count or items.group not in items.context.columns or not len(items):
        return items.group_count
    return int(items.context[items.group].to_numpy().max()) + 1


def context_of(pieces: Sequence[Piece]) -> pl.DataFrame:
    """Return the columns of all pieces, behind the dataset and the part."""
    frames, before = [], 0
    names = _names_of_documents(pieces)
    for piece in pieces:
        _no_name_taken(piece.items.context)
        frames.append(pl.DataFrame([*_place(piece, names), *_numbered(piece.items, before)]))
        before += piece.size.groups
    # What is a number in one file may be text in another.
    alike = [frame.with_columns(_as_text(frame)) for frame in frames]
    whole = pl.concat(alike, how="diagonal_relaxed")
    return whole.with_columns(_coded(whole, frames))


def _place(piece: Piece, names: Mapping[Key, str]) -> list[pl.Series]:
    """Return where the items of a piece belong: dataset, part, document."""
    places = {DATASET: piece.dataset, PART: piece.part}
    rows = len(piece.items)
    said = [pl.repeat(v, rows, eager=True).alias(name) for name, v in places.items() if v]
    return [*said, *_document(piece, names)]


def _numbered(items: Items, before: int) -> list[pl.Series]:
    """Return the other columns; sentences go on where those before end."""
    return [
        (column + before).cast(pl.UInt32) if column.name in NUMBERED else column
        for column in items.context.get_columns()
        if column.name != "document"
    ]


def _no_name_taken(context: pl.DataFrame) -> None:
    for name in (DATASET, PART):
        if name in context.columns:
            raise UsageError(
                f"a column cannot be called `{name}` in files that are named by a template",
                where=name,
                remedy="give the column another name, or leave it out of --columns",
            )


def _names_of_documents(pieces: Sequence[Piece]) -> dict[Key, str]:
    """Return other names for documents whose names several files have: with the file's before."""
    homes: dict[str, set[tuple[str, str]]] = {}
    for piece in pieces:
        for name in _documents(piece.items):
            homes.setdefault(name, set()).add((piece.dataset, piece.part))
    return {
        (dataset, part, name): _path(dataset, part, name)
        for name, places in homes.items()
        if len(places) > 1
        for dataset, part in places
    }


def _path(*names: str) -> str:
    return "/".join(filter(None, names))


def _documents(items: Items) -> list[str]:
    if "document" not in items.context.columns:
        return []
    names = items.context["document"].cast(pl.String).unique(maintain_order=True)
    return [name for name in names.to_list() if name]


def _document(piece: Piece, names: Mapping[Key, str]) -> list[pl.Series]:
    """Return the document of each item: its own, else the part, which is one if it is text."""
    context = piece.items.context
    if "document" in context.columns:
        own = context["document"].cast(pl.String)
        new = {name: names[key] for name in _documents(piece.items)
               if (key := (piece.dataset, piece.part, name)) in names}  # fmt: skip
        return [own.replace(new) if new else own]
    if not piece.part or "sentence" not in context.columns:
        return []
    name = _path(piece.dataset, piece.part)
    return [pl.repeat(name, len(context), eager=True).alias("document")]


def _as_text(frame: pl.DataFrame) -> list[pl.Expr]:
    """Return dictionary columns as text, so that those of all pieces are of one kind."""
    return [
        pl.col(name).cast(pl.String)
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.Enum | pl.Categorical)
    ]


def _coded(whole: pl.DataFrame, frames: Sequence[pl.DataFrame]) -> list[pl.Expr]:
    """Return columns of few names as dictionary columns again, and true-or-false without nulls."""
    kinds = {name: kind for frame in frames for name, kind in frame.schema.items()}
    names = [n for n, k in kinds.items() if isinstance(k, pl.Enum | pl.Categorical)]
    names += [name for name in (DATASET, PART, "document") if name in whole.columns]
    found = [
        pl.col(name).cast(pl.Enum(whole[name].drop_nulls().unique(maintain_order=True)))
        for name in dict.fromkeys(names)
    ]
    flags = [name for name in (NOT_IN_GOLD, NOT_IN_TEXT) if name in whole.columns]
    return [*found, *(pl.col(name).fill_null(value=False) for name in flags)]


@dataclass(frozen=True, slots=True)
class Stretches:
    """The rows of each gold file in a table that was made of all at once.

    ``first`` is the number of each file's first document; ``told`` says which files tell them.
    """

    places: Sequence[tuple[str, str]]
    rows: NDArray[np.integer]
    first: NDArray[np.integer] | None
    told: NDArray[np.bool_]


def in_places(context: pl.DataFrame, files: Stretches) -> pl.DataFrame:
    """Return the columns of such a table behind dataset, part and document, as ``context_of``."""
    _no_name_taken(context)
    number = np.repeat(np.arange(len(files.rows), dtype=np.int64), files.rows)
    said = [
        _names(name, [place[at] for place in files.places], number)
        for at, name in enumerate((DATASET, PART))
        if all(place[at] for place in files.places)
    ]
    own = context.drop("document", strict=False)
    parts = all(part for _, part in files.places) and "sentence" in own.columns
    if not parts and not files.told.any():
        return pl.DataFrame([*said, *own.get_columns()])
    document = _documents_of(context, files, number)
    # The columns of the first file go first.
    if parts or files.told[0]:
        return pl.DataFrame([*said, document, *own.get_columns()])
    return pl.DataFrame([*said, *own.get_columns(), document])


def _names(name: str, values: Sequence[str | None], number: NDArray[np.integer]) -> pl.Series:
    """Return the name that each row has, as a dictionary column of those that there are."""
    column = pl.Series(name, values, dtype=pl.String).gather(pl.Series(number))
    return column.cast(pl.Enum(column.drop_nulls().unique(maintain_order=True)))


def _documents_of(
    context: pl.DataFrame, files: Stretches, number: NDArray[np.integer]
) -> pl.Series:
    """Return the documents: those that files tell, with the file's name if several have one."""
    own = np.full(len(number), -1, np.int64)
    if files.first is not None:
        document = context["document"].to_physical().to_numpy().astype(np.int64)
        own = np.where(files.told[number], document - files.first[number], own)
    other = np.ones(len(number), np.bool_)
    other[1:] = (number[1:] != number[:-1]) | (own[1:] != own[:-1])
    pairs = list(zip(number[other].tolist(), own[other].tolist(), strict=True))
    homes = Counter(at for _, at in pairs)
    names = [_document_name(files.places[file], at, homes[at]) for file, at in pairs]
    return _names("document", names, np.cumsum(other) - 1)


def _document_name(place: tuple[str, str], own: int, homes: int) -> str | None:
    if own < 0:
        return _path(*place) if place[1] else None
    name = str(own + 1)
    return _path(*place, name) if homes > 1 else name
