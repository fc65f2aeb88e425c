"""The item table: a row per thing that gold and systems can disagree about.

Answers are small codes (0 is "nothing here"); ``frame`` is the same table with labels, the wide
one that users see.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus import disk
from coleval.corpus.coding import Codes, canonical, decoded, numbered, width
from coleval.corpus.lazy import LazyColumn, Memo
from coleval.corpus.plain_names import complaint, visible_name
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.far import FarPlace

# The units whose items are spans: by words, by characters where files place them so, and by their
# strings alone where files list these.
CHARACTER, STRING = "character", "string"
SPANS = ("span", CHARACTER, STRING)
# The column that tells words that only systems have.
NOT_IN_GOLD = "not_in_gold"
# The column that tells entities whose strings are not in the text.
NOT_IN_TEXT = "not_in_text"
RESERVED = (
    "item", "gold", "form", "document", "sentence", "position", "start", "end", "tokens",
    "instance", "label", "system", "answer", "outcome", "difficulty", "spurious", "left", "right",
    "cut_at", "char_start", "char_end", "fragments", NOT_IN_GOLD, NOT_IN_TEXT,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Items:
    """Context columns, the gold answer, one answer column per system.

    ``empty_is_answer``: no label is an answer too, as for tokens: where gold has none, a system
    without one is right. Among spans that is not an item at all. ``group_count`` counts all
    sentences (or instances), those without items too; 0 is "not known". ``lazy_form`` is the
    form column, which costs more than the rest and is seldom needed. ``judges`` are the systems
    that difficulty counts, where they are not the systems; ``rows`` the numbers of the items that
    are left of a larger table. ``far`` says where items are that are counted in parts, and then
    there are none here. Of ``numeric`` items the labels are numbers, and no answer is none.
    ``memo`` keeps what analyses have counted of these very items.
    """

    unit: str
    context: pl.DataFrame
    labels: tuple[str, ...]
    gold: Codes
    answers: Mapping[str, Codes]
    empty_is_answer: bool = False
    group: str = "sentence"
    group_count: int = 0
    lazy_form: LazyColumn | None = None
    judges: Mapping[str, Codes] | None = None
    rows: NDArray[np.integer] | None = None
    far: FarPlace | None = None
    numeric: bool = False
    memo: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.gold) if self.far is None else self.far.shape.size

    @property
    def of_spans(self) -> bool:
        """Tell whether items are spans, which are there because somebody proposes them."""
        return self.unit in SPANS or self.group == "segment"

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems, in the order they were given."""
        return tuple(self.answers)

    @property
    def groups(self) -> NDArray[np.uint32] | None:
        """Return the sentence or instance of each item, None where items stand alone."""
        if self.group not in self.context.columns:
            return None
        if self.far is not None:
            return self.far.column(self.group)
        return self.context[self.group].to_numpy()

    @property
    def judging(self) -> Mapping[str, Codes]:
        """Return the answers that difficulty counts: the systems' own unless others are judges."""
        return self.answers if self.judges is None else self.judges

    @property
    def numbers(self) -> NDArray[np.integer]:
        """Return the number of each item in the table that these are of."""
        if self.far is not None:
            return self.far.column("item")
        return np.arange(len(self), dtype=np.uint32) if self.rows is None else self.rows

    @property
    def has_form(self) -> bool:
        """Tell whether items have texts, without making any."""
        if self.far is not None:
            return self.far.shape.has_form
        return self.lazy_form is not None or "form" in self.context.columns

    def form(self) -> pl.Series | None:
        """Return the text of each item, None where items have none."""
        if self.far is not None:
            return self.far.column("form") if self.has_form else None
        if self.lazy_form:
            return text_column(self.memo.get("form", self.lazy_form).rename("form"))
        return text_column(self.context["form"]) if "form" in self.context.columns else None

    def frame(self, annotations: Iterable[str] | None = None) -> pl.DataFrame:
        """Return the wide table: item, context, form, gold and the systems, with labels.

        Behind them stand the ``annotations`` named, all there are by default.
        """
        from coleval.annotate import annotated

        item = pl.Series("item", self.numbers.astype(np.uint32, copy=False))
        form = [self.lazy_form().rename("form")] if self.lazy_form else []
        named = {"gold": self.gold, **self.answers}
        labels = [self.column(codes, name) for name, codes in named.items()]
        more = annotated(self, annotations)
        return pl.DataFrame([item, *self.context.get_columns(), *form, *labels, *more])

    def column(self, codes: Codes, name: str = "") -> pl.Series:
        """Return codes as the labels or numbers that they mean, null for 0."""
        return (numbered if self.numeric else decoded)(codes, self.labels, name)

    def chosen(self, systems: list[str]) -> Items:
        """Return the items with only these systems."""
        if systems == list(self.systems):
            return self
        if self.far is not None:
            from coleval.corpus.far import chosen

            return chosen(self, self.far, systems)
        return replace(self, answers=disk.only(self.answers, systems))

    def where(self, keep: NDArray[np.bool_] | NDArray[np.integer]) -> Items:
        """Return some of the items, by mask or by number."""
        rows: NDArray[np.integer] = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep  # type: ignore[assignment]
        index = pl.Series(rows)
        return replace(
            self,
            gold=self.gold[rows],
            answers=disk.picked(self.answers, rows),
            judges=None if self.judges is None else disk.picked(self.judges, rows),
            context=self.context[index] if self.context.width else self.context,
            group_count=0,
            lazy_form=self.lazy_form and self.lazy_form.at(rows),
            rows=rows.astype(np.uint32, copy=False) if self.rows is None else self.rows[rows],
        )

    def renamed(self, names: Sequence[str]) -> Items:
        """Return the items with another name for each label; labels of one name become one."""
        return self.relabelled(renaming(names))

    def relabelled(self, by: Renaming) -> Items:
        """Return the items with the labels of a renaming, which was made for theirs."""
        return replace(self._recoded(by.table), labels=by.labels)

    def sorted_labels(self, labels: list[str]) -> Items:
        """Return the items with the names of their codes, which now follow the labels' order."""
        names, table = canonical(labels)
        if list(names) == list(labels):
            return replace(self, labels=names)
        return replace(self._recoded(table), labels=names)

    def restricted(self, labels: Collection[str], exclude: Collection[str]) -> Items:
        """Return the items with every label outside the list, or excluded, read as nothing."""
        if not labels and not exclude:
            return self
        kept = [(not labels or n in labels) and n not in exclude for n in self.labels]
        if all(kept):
            return self
        place = np.cumsum([0, *kept], dtype=self.gold.dtype)
        table = np.where([False, *kept], place, self.gold.dtype.type(0))
        names = tuple(n for n, there in zip(self.labels, kept, strict=True) if there)
        return replace(self._recoded(table), labels=names)

    def kept(self, keep: NDArray[np.bool_]) -> Items:
        """Return some of the items as a table of its own: numbered anew, no sentence is lost."""
        if keep.all():
            return self
        return replace(self.where(keep), group_count=self.group_count, rows=None)

    def blocks(self) -> Iterator[Items]:
        """Yield runs of whole sentences that may be held; all items at once if they are held.

        Whole numbers that are counted of each add up to those of all (``counts.blocks``).
        """
        if not isinstance(self.answers, disk.DiskCodes):
            yield self
            return
        limit = self.answers.limit
        step = limit.rows(len(self.answers) + len(self.judges or ()))
        for low, high in pairwise(disk.cuts(self.groups, len(self), step)):
            yield self.between(low, high)
            self.answers.release()
            limit.check(f"a block of {high - low:,} {self.unit}s")

    def between(self, low: int, high: int) -> Items:
        """Return a run of items, with their answers in memory and without their texts."""
        numbers = np.arange(low, high, dtype=np.uint32) if self.rows is None else None
        return replace(
            self,
            context=self.context.slice(low, high - low),
            gold=self.gold[low:high],
            answers=disk.between(self.answers, low, high),
            judges=None if self.judges is None else disk.between(self.judges, low, high),
            group_count=0,
            lazy_form=None,
            rows=numbers if self.rows is None else self.rows[low:high],
        )

    def _recoded(self, table: Codes) -> Items:
        """Return the items with gold's and all systems' codes changed in the same way."""
        gold = table[self.gold]
        judges = self.judges
        return replace(
            self,
            gold=gold,
            answers=disk.recoded(self.answers, table, gold),
            judges=None if judges is None else disk.recoded(judges, table, gold),
        )


def text_column(column: pl.Series) -> pl.Series:
    """Return a column as texts; tables may have values of any type where others have words."""
    if column.dtype in (pl.String, pl.Enum, pl.Categorical):
        return column
    if not column.dtype.is_nested():
        return column.cast(pl.String)
    texts = [None if value is None else str(value) for value in column.to_list()]
    return pl.Series(column.name, texts, dtype=pl.String)


@dataclass(frozen=True, slots=True)
class Renaming:
    """Other names for labels, and the new code of each old one."""

    labels: tuple[str, ...]
    table: Codes

    def spread(self, place: NDArray[np.integer]) -> Renaming:
        """Return the renaming of labels that have these names by their places."""
        return replace(self, table=np.append(self.table[:1], self.table[1:][place]))


def renaming(names: Sequence[str]) -> Renaming:
    """Return the renaming of labels to these names, one for each; those of one name become one."""
    known = sorted(set(names))
    place = {name: k for k, name in enumerate(known, 1)}
    table = np.array([0, *(place[name] for name in names)], dtype=width(len(known)))
    return Renaming(tuple(known), table)


def check_name(name: str, where: str, *, column: bool = False) -> str:
    """Return a system's name if a column may be called so; raise if coleval needs it.

    A system that is a ``column`` of a table has that column's name.
    """
    if name in RESERVED or not name:
        raise UsageError(
            f"a system cannot be called `{name}`: the item table has a column of that name",
            where=where,
            remedy="give the column another name"
            if column
            else f"give it another: {name or 'system'}1={where}",
        )
    if problem := complaint(name):
        raise UsageError(
            f"a system cannot be called `{visible_name(name)}`: {problem}",
            where=visible_name(where),
            remedy="give the column another name" if column else "give it another: NAME=PATH",
        )
    return name
