"""What ``errors`` counts: the spans asked for, what became of them, and small integer tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.counted import rows_kept
from coleval.annotate.extents import Extents, extents
from coleval.annotate.punctuation import without_punctuation
from coleval.annotate.span_errors import Found, Matcher
from coleval.corpus.coding import option_fold
from coleval.corpus.disk import DiskCodes
from coleval.corpus.far import elsewhere
from coleval.corpus.items import CHARACTER, SPANS
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.spread import Absent, check_by_item, summed
from coleval.counts.active_rows import error_rows
from coleval.counts.blocks import frames
from coleval.errors import UsageError
from coleval.statistics.fair import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

# Labels that say "no span" (FairEval).
NO_SPAN = ("NONE", "EMPTY")
TAXONOMIES = {"fair": "fair", "nervaluate": "label", "hipe": "place"}


@dataclass(frozen=True)
class Fates:
    """The spans asked for, and by system those that are not right; ``kept`` are to be counted.

    ``elsewhere`` is the corpus of spans that are in parts, and which punctuation is ignored.
    """

    items: Items
    found: Mapping[str, Found]
    kept: NDArray[np.bool_] | None
    elsewhere: tuple[Corpus, str] | None = None

    @cached_property
    def counted_items(self) -> Items:
        """Return the items to be counted."""
        return self.items if self.kept is None else self.items.where(self.kept)

    def counted(self, found: Found) -> NDArray[np.bool_]:
        """Tell which spans of one system, or of gold beside it, are to be counted."""
        return np.ones(len(found.item), np.bool_) if self.kept is None else self.kept[found.item]


def fates(corpus: Corpus, ignore_punct: str = "") -> Fates:
    """Return what became of every span; labels left out were never there, ``where`` only counts."""
    if corpus.spread is not None:
        return _fates_elsewhere(corpus, ignore_punct)
    # Labels are those of spans, whatever unit other analyses count.
    if corpus.scoring.unit not in (None, *SPANS):
        corpus = corpus.with_options(unit="span")
    whole, where = _spans(corpus, ignore_punct)
    fold = option_fold(corpus, "span")
    items = whole.restricted((), [fold(label) for label in NO_SPAN])
    matcher = Matcher(where, TAXONOMIES[corpus.scoring.taxonomy])
    makers = {name: partial(_found, matcher, items, name) for name in items.answers}
    found = LazyMapping(makers, keep=not isinstance(items.answers, DiskCodes))
    return Fates(items, found, _kept(corpus, whole))


def _fates_elsewhere(corpus: Corpus, ignore_punct: str) -> Fates:
    _check_spans(corpus)
    check_by_item(corpus.scoring.where, "--where")
    items = elsewhere(corpus, partial(_fate_items, ignore_punct))
    found = LazyMapping({name: partial(_absent, name) for name in items.systems})
    return Fates(items, found, None, (corpus, ignore_punct))


def _absent(_system: str) -> Found:
    absent: Any = Absent("errors one by one")
    return absent


def _fate_items(ignore_punct: str, corpus: Corpus) -> Items:
    return fates(corpus, ignore_punct).items


def in_fates(
    found: Fates, function: Callable[..., pl.DataFrame], *given: Any,
    sums: tuple[str, ...] = ("n",),
) -> pl.DataFrame:  # fmt: skip
    """Return the rows that a function returns of the fates in each part, summed."""
    assert found.elsewhere is not None  # noqa: S101  - the caller has looked
    corpus, ignore_punct = found.elsewhere
    count = partial(_of_part, function, ignore_punct, given)
    return summed(corpus, count, partial(frames, sums=sums))


def _of_part(
    function: Callable[..., pl.DataFrame], ignore_punct: str, given: Any, corpus: Corpus
) -> pl.DataFrame:
    key = ("fates", ignore_punct)
    return function(corpus.memo.get(key, lambda: fates(corpus, ignore_punct)), *given)


def _found(matcher: Matcher, items: Items, system: str) -> Found:
    return matcher.found(items.gold, items.answers[system], error_rows(items, system))


def _check_spans(corpus: Corpus) -> None:
    if "span" not in corpus.units:
        lists = "string" in corpus.units
        there = "gold has strings without places" if lists else f"the task is {corpus.task}"
        raise UsageError(
            f"span errors need spans, and {there}",
            where=corpus.gold.origin.path,
            remedy="read tags such as B-PER with --task span, or give span files",
        )


def _spans(corpus: Corpus, ignore_punct: str) -> tuple[Items, Extents]:
    _check_spans(corpus)
    if ignore_punct:
        return without_punctuation(corpus, ignore_punct)
    items = corpus.at(CHARACTER if corpus.scoring.unit == CHARACTER else "span")
    return items, extents(items, sentence_offsets(corpus, items))


def sentence_offsets(corpus: Corpus, items: Items) -> NDArray[np.int64] | None:
    """Return the first token of each sentence where spans may reach over sentences, else None.

    Spans that are placed by characters may, whatever tags may do.
    """
    inside = corpus.reading.within == "sentence"
    if (inside and "cut_at" not in items.context.columns) or "token" not in corpus.units:
        return None
    sentence = corpus.at("token").context["sentence"].to_numpy()
    first = np.flatnonzero(np.diff(sentence.astype(np.int64), prepend=-1)).astype(np.int64)
    size = np.diff(np.append(first, len(sentence)))
    over = items.context["end"].to_numpy() > size[items.context["sentence"].to_numpy()]
    return None if inside and not over.any() else first


def _kept(corpus: Corpus, items: Items) -> NDArray[np.bool_] | None:
    if not corpus.scoring.where:
        return None
    kept = np.zeros(len(items), np.bool_)
    kept[rows_kept(corpus, items)] = True
    return kept


def sides(fates: Fates) -> pl.DataFrame:
    """Return by system and label: gold's spans (support), and traditional fn and fp."""
    if fates.elsewhere is not None:
        found = in_fates(fates, sides, sums=("support", "fn", "fp"))
        return _by_system(found, fates).sort("owner", "label").drop("owner")
    items = fates.counted_items
    support = np.bincount(items.gold, minlength=len(items.labels) + 1)
    size = len(items.labels) + 1
    missed, invented = (np.zeros((len(items.answers), size), np.int64) for _ in range(2))
    for at, (name, codes) in enumerate(items.answers.items()):
        rows = error_rows(items, name)
        missed[at] = np.bincount(items.gold[rows], minlength=size)
        invented[at] = np.bincount(codes[rows], minlength=size)
    systems, labels = len(fates.found), len(items.labels)
    columns = {
        "system": _repeated(fates.found, labels),
        "label": pl.Series(list(items.labels) * systems, dtype=pl.String),
        "support": np.tile(support[1:], systems),
        "fn": missed[:, 1:].ravel(),
        "fp": invented[:, 1:].ravel(),
    }
    seen = pl.sum_horizontal("support", "fp").sum().over("label") > 0
    return pl.DataFrame(columns, schema_overrides=_SIDES).filter(seen)


def _by_system(frame: pl.DataFrame, fates: Fates) -> pl.DataFrame:
    order = {name: at for at, name in enumerate(fates.found)}
    owner = pl.col("system").replace_strict(order, return_dtype=pl.Int64)
    return frame.with_columns(owner=owner)


def _repeated(systems: Iterable[str], times: int | list[int]) -> pl.Series:
    names = list(systems)
    at = np.repeat(np.arange(len(names)), times)
    return pl.Series(names, dtype=pl.String).gather(pl.Series(at))


def _end_to_end(parts: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *parts])


_SIDES = pl.Schema(
    {"system": pl.String, "label": pl.String, "support": pl.Int64, "fn": pl.Int64, "fp": pl.Int64}
)
_EVENTS = pl.Schema(
    {
        "system": pl.String,
        "gold": pl.String,
        "answer": pl.String,
        "kind": pl.String,
        "n": pl.Int64,
    }
)


def events(fates: Fates) -> pl.DataFrame:
    """Return system, gold, answer, kind, n: every right span and every error once."""
    if fates.elsewhere is not None:
        return _events_elsewhere(fates)
    parts = [_span_events(fates, name) for name in fates.found]
    code = _end_to_end(code for code, _ in parts)
    base = len(fates.items.labels) + 1
    place, kind = np.divmod(code, len(KINDS) + 1)
    gold, answer = np.divmod(place, base)
    label = pl.Series([None, *fates.items.labels], dtype=pl.String)
    columns = {
        "system": _repeated(fates.found, [len(code) for code, _ in parts]),
        "gold": label.gather(pl.Series(gold)),
        "answer": label.gather(pl.Series(answer)),
        "kind": pl.Series(KINDS).gather(pl.Series(kind - 1)),
        "n": _end_to_end(n for _, n in parts),
    }
    return pl.DataFrame(columns, schema_overrides=_EVENTS)


def _events_elsewhere(fates: Fates) -> pl.DataFrame:
    """Return the same of spans in parts, in the order in which spans are counted here."""
    place = {name: at for at, name in enumerate(KINDS)}
    found = _by_system(in_fates(fates, events), fates).with_columns(
        place=pl.col("kind").replace_strict(place, return_dtype=pl.Int64),
        wrong=pl.col("kind") != "tp",
    )
    by = ("owner", "wrong", "gold", "answer", "place")
    return found.sort(by, nulls_last=False).drop("owner", "place", "wrong")


def _span_events(fates: Fates, system: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cells of a system's right spans and of its errors, and how often each occurs.

    A cell is gold × answer × kind; the kind of what is right is 1.
    """
    items, base, kinds = fates.counted_items, len(fates.items.labels) + 1, len(KINDS) + 1
    cells, n = np.unique(_error_cells(fates, system), return_counts=True)
    # Of gold's spans those are right that are not among the errors.
    wrong = items.gold[error_rows(items, system)]
    tp = np.bincount(items.gold, minlength=base) - np.bincount(wrong, minlength=base)
    right = np.flatnonzero(tp[1:]) + 1
    return np.append(right * (base + 1) * kinds + 1, cells), np.append(tp[right], n)


def _error_cells(fates: Fates, system: str) -> NDArray[np.int64]:
    """Return gold × answer × kind of each of one system's errors."""
    items, found = fates.items, fates.found[system]
    row = found.counts if fates.kept is None else found.counts & fates.counted(found)
    gold, answer = labels_of(items, found, system, row)
    return (gold * (len(items.labels) + 1) + answer) * (len(KINDS) + 1) + found.kind[row]


def labels_of(
    items: Items, found: Found, system: str, row: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return gold's and the system's label of some errors, 0 for none."""
    item, side, partner = found.item[row], found.gold[row], found.partner[row]
    gold = np.where(side, item, partner)
    answer = np.where(side, partner, item)
    return _looked_up(items.gold, gold), _looked_up(items.answers[system], answer)


def _looked_up(codes: Codes, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes of some items, 0 for item -1: one that stands behind all others."""
    return np.append(codes, codes.dtype.type(0))[at].astype(np.int64)
