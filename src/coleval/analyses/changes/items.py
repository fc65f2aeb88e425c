"""The items behind a cell of the changes: where they are, their text, and what stands around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.text import after, before, text_of
from coleval.corpus.coding import decoded, option_fold
from coleval.counts.pairs import change_kinds
from coleval.errors import UsageError, unknown
from coleval.statistics.change import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

NOTHING = "_"
WORDS = 8


@dataclass(frozen=True, slots=True)
class Filter:
    """Which changes are listed: of one kind, from a label, to a label (``_`` is nothing)."""

    kind: str | None = None
    label_before: str | None = None
    label_after: str | None = None

    def __bool__(self) -> bool:
        """Tell whether anything is asked for."""
        return any((self.kind, self.label_before, self.label_after))

    def checked(self, labels: Sequence[str], fold: Callable[[str], str] = str) -> Filter:
        """Return the filter with its kind in full and its labels as items have them.

        Raise for names that nothing has.
        """
        before, after = (
            label if label in (None, NOTHING) else fold(label)
            for label in (self.label_before, self.label_after)
        )
        for option, label in (("--from", before), ("--to", after)):
            if label not in (None, NOTHING, *labels):
                raise unknown("label", str(label), labels, where=option)
        kind = None if self.kind is None else _kind(self.kind)
        return Filter(kind, before, after)


def changed_items(
    corpus: Corpus, parts: Judged, pairs: Sequence[tuple[str, str]], only: Filter
) -> pl.DataFrame:
    """Return one row an item and pair: before, after, kind, place, text around it, the answers."""
    if len(pairs) > 1 and len(pairs) * len(parts.items) > _MANY:
        raise UsageError(
            f"the items of {len(pairs)} pairs would be too many to list",
            where="--items",
            remedy="name the pair: --pair A B",
        )
    fold = option_fold(corpus, parts.items.unit)
    wanted = only.checked(parts.shown.labels, fold)
    return pl.concat([_of_pair(corpus, parts.met(pair), pair, wanted) for pair in pairs])


_MANY = 20_000_000


def _of_pair(corpus: Corpus, parts: Judged, pair: tuple[str, str], only: Filter) -> pl.DataFrame:
    kind = change_kinds(parts.items, pair)
    keep = (kind > 0) if only.kind is None else (kind == 1 + KINDS.index(only.kind))
    for system, label in zip(pair, (only.label_before, only.label_after), strict=True):
        if label is not None:
            keep &= parts.shown.answers[system] == _code(parts.shown, label)
    rows = np.flatnonzero(keep)
    named = pl.Series("kind", [None, *KINDS], dtype=pl.String).gather(pl.Series(kind[rows]))
    whole = parts.whole.where(rows)
    item = pl.Series("item", whole.numbers, dtype=pl.UInt32)
    names = {
        "gold": whole.gold,
        "label_before": whole.answers[pair[0]],
        "label_after": whole.answers[pair[1]],
    }
    answers = [decoded(codes, whole.labels, name).cast(pl.String) for name, codes in names.items()]
    sides = [pl.Series(side, [name], dtype=pl.String).new_from_index(0, len(rows)) for side, name in
             zip(("before", "after"), pair, strict=True)]  # fmt: skip
    return pl.DataFrame([*sides, named, item, *_around(corpus, whole), *answers])


def _around(corpus: Corpus, items: Items) -> list[pl.Series]:
    """Return where items stand, their text, and the words on either side if there are any."""
    place = [column for column in items.context.get_columns() if column.name != "form"]
    form, text = items.form(), text_of(corpus)
    texts = [] if form is None else [form]
    if text is None or "sentence" not in items.context.columns:
        return [*place, *texts]
    left, right = before(items, text, WORDS), after(items, text, WORDS)
    return [*place, left.rename("left"), *texts, right.rename("right")]


def _code(items: Items, label: str) -> int:
    return 0 if label == NOTHING and label not in items.labels else items.labels.index(label) + 1


def _kind(name: str) -> str:
    plain = name.replace("-", " ").replace("_", " ").removesuffix("s")
    if plain not in KINDS:
        raise unknown("kind of change", name, KINDS, where="--kind")
    return plain
