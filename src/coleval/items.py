"""The item table: a row per thing that gold and systems can disagree about.

Answers are small codes (0 is "nothing here"); ``frame`` is the same table with labels, the wide
one that users see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.coding import Codes, canonical, decoded
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

RESERVED = (
    "item", "gold", "form", "document", "sentence", "position", "start", "end", "tokens",
    "instance", "label", "system", "answer", "outcome", "difficulty",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Items:
    """Context columns, the gold answer, one answer column per system.

    ``everything`` says that nothing is an answer too, as for tokens: where gold has no label, a
    system without one is right. Among spans it is not an item at all. ``group_count`` counts all
    sentences (or instances), those without items too; 0 is "not known". ``later`` makes the form
    column, which costs more than the rest and is seldom needed.
    """

    unit: str
    context: pl.DataFrame
    labels: tuple[str, ...]
    gold: Codes
    answers: Mapping[str, Codes]
    everything: bool = False
    group: str = "sentence"
    group_count: int = 0
    later: Callable[[], pl.Series] | None = None

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.gold)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems, in the order they were given."""
        return tuple(self.answers)

    @property
    def groups(self) -> NDArray[np.uint32] | None:
        """Return the sentence or instance of each item, None where items stand alone."""
        if self.group not in self.context.columns:
            return None
        return self.context[self.group].to_numpy()

    def frame(self) -> pl.DataFrame:
        """Return the wide table: item, context, form, gold and the systems, with labels."""
        item = pl.Series("item", np.arange(len(self), dtype=np.uint32))
        form = [self.later().rename("form")] if self.later else []
        named = {"gold": self.gold, **self.answers}
        labels = [decoded(codes, self.labels, name) for name, codes in named.items()]
        return pl.DataFrame([item, *self.context.get_columns(), *form, *labels])

    def chosen(self, systems: list[str]) -> Items:
        """Return the items with only these systems."""
        return replace(self, answers={name: self.answers[name] for name in systems})

    def where(self, keep: NDArray[np.bool_] | NDArray[np.integer]) -> Items:
        """Return some of the items, by mask or by number."""
        rows = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep
        index = pl.Series(rows)
        later = self.later
        return replace(
            self,
            context=self.context[index],
            gold=self.gold[rows],
            answers={name: codes[rows] for name, codes in self.answers.items()},
            group_count=0,
            later=None if later is None else lambda: later().gather(index),
        )

    def sorted_labels(self, labels: list[str]) -> Items:
        """Return the items with the names of their codes, which now follow the labels' order."""
        names, table = canonical(labels)
        if list(names) == list(labels):
            return replace(self, labels=names)
        return replace(
            self,
            labels=names,
            gold=table[self.gold],
            answers={name: table[codes] for name, codes in self.answers.items()},
        )


def check_name(name: str, where: str) -> str:
    """Return a system's name if a column may be called so; raise if coleval needs it."""
    if name in RESERVED or not name:
        raise UsageError(
            f"a system cannot be called `{name}`: the item table has a column of that name",
            where=where,
            remedy=f"give it another: {name or 'system'}1={where}",
        )
    return name
