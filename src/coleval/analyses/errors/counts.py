"""What ``errors`` counts: the spans asked for, what became of them, and small integer tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.extents import Extents, extents
from coleval.annotate.punctuation import without_punctuation
from coleval.annotate.span_errors import Found, Matcher
from coleval.corpus.disk import DiskCodes
from coleval.corpus.folding import option_fold
from coleval.corpus.items import CHARACTER, SPANS
from coleval.corpus.lazy import LazyMapping
from coleval.engines import local_engine
from coleval.errors import UsageError
from coleval.kernels.active_rows import error_rows
from coleval.query.wide import wide
from coleval.statistics.weights import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

# Labels that say "no span" (FairEval).
NO_SPAN = ("NONE", "EMPTY")
TAXONOMIES = {"fair": "fair", "nervaluate": "label", "hipe": "place"}


@dataclass(frozen=True, slots=True)
class Fates:
    """The spans asked for, and by system those that are not right; ``kept`` are to be counted."""

    items: Items
    found: Mapping[str, Found]
    kept: NDArray[np.bool_] | None

    def counted(self, found: Found) -> NDArray[np.bool_]:
        """Tell which spans of one system, or of gold beside it, are to be counted."""
        return np.ones(len(found.item), np.bool_) if self.kept is None else self.kept[found.item]


def fates(corpus: Corpus, ignore_punct: str = "") -> Fates:
    """Return what became of every span; labels left out were never there, ``where`` only counts."""
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


def _found(matcher: Matcher, items: Items, system: str) -> Found:
    return matcher.found(items.gold, items.answers[system], error_rows(items, system))


def _spans(corpus: Corpus, ignore_punct: str) -> tuple[Items, Extents]:
    if "span" not in corpus.units:
        lists = "string" in corpus.units
        there = "gold has strings without places" if lists else f"the task is {corpus.task}"
        raise UsageError(
            f"span errors need spans, and {there}",
            where=corpus.gold.origin.path,
            remedy="read tags such as B-PER with --task span, or give span files",
        )
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
    kept[local_engine().filtered(items, corpus.scoring.where, wide(corpus, items)).numbers] = True
    return kept


def sides(fates: Fates) -> pl.DataFrame:
    """Return by system and label: gold's spans (support), and traditional fn and fp."""
    items, size = fates.items, len(fates.items.labels) + 1
    support, missed, invented = _support(fates), [], []
    for name in fates.found:
        rows = _wrong(fates, name)
        missed.append(np.bincount(items.gold[rows], minlength=size)[1:])
        invented.append(np.bincount(items.answers[name][rows], minlength=size)[1:])
    systems, labels = len(fates.found), len(items.labels)
    columns = {
        "system": _repeated(fates.found, labels),
        "label": pl.Series(list(items.labels) * systems, dtype=pl.String),
        "support": np.tile(support[1:], systems),
        "fn": _end_to_end(missed),
        "fp": _end_to_end(invented),
    }
    seen = pl.sum_horizontal("support", "fp").sum().over("label") > 0
    return pl.DataFrame(columns, schema_overrides=_SIDES).filter(seen)


def _support(fates: Fates) -> NDArray[np.int64]:
    """Return how many of the spans to be counted gold gives each label, 0 those of others."""
    gold = fates.items.gold if fates.kept is None else fates.items.gold[fates.kept]
    return np.bincount(gold, minlength=len(fates.items.labels) + 1)


def _wrong(fates: Fates, system: str) -> NDArray[np.intp]:
    """Return the items to be counted on which a system is not right."""
    rows = error_rows(fates.items, system)
    return rows if fates.kept is None else rows[fates.kept[rows]]


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
    support = _support(fates)
    parts = [_events(fates, name, support) for name in fates.found]
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


def _events(
    fates: Fates, system: str, support: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return gold × answer × kind of one system's right spans and errors, and how often each is."""
    items, found = fates.items, fates.found[system]
    base = len(items.labels) + 1
    row = found.counts if fates.kept is None else found.counts & fates.counted(found)
    gold, answer = labels_of(items, found, system, row)
    code = (gold * base + answer) * (len(KINDS) + 1) + found.kind[row]
    code, n = _tallied(code, base * base * (len(KINDS) + 1))
    # Of gold's spans those are right that are not among the errors.
    tp = support - np.bincount(items.gold[_wrong(fates, system)], minlength=base)
    right = np.flatnonzero(tp[1:]) + 1
    return np.append(right * (base + 1) * (len(KINDS) + 1) + 1, code), np.append(tp[right], n)


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


def _tallied(code: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes there are and how often, by a table where it is small."""
    if size > 2**20:
        return np.unique(code, return_counts=True)
    n = np.bincount(code, minlength=1)
    there = np.flatnonzero(n)
    return there.astype(np.int64), n[there]
