"""The context columns of several gold files as one table, behind their dataset and part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.grid import DATASET, NUMBERED, PART, Size
from coleval.corpus.items import NOT_IN_GOLD, Items
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    whole = pl.concat([frame.with_columns(_as_text(frame)) for frame in frames], how="diagonal")
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
    if NOT_IN_GOLD in whole.columns:
        found.append(pl.col(NOT_IN_GOLD).fill_null(value=False))
    return found
