"""What ``errors`` counts: the spans asked for, what became of them, and small integer tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import check_labels
from coleval.annotate.extents import Extents, extents
from coleval.annotate.punctuation import without_punctuation
from coleval.annotate.span_errors import Found, Matcher
from coleval.annotate.wide import wide
from coleval.engines import local
from coleval.errors import UsageError
from coleval.scores.weights import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from coleval.coding import Codes
    from coleval.corpus import Corpus
    from coleval.items import Items

# Labels that say "no span" (FairEval).
NO_SPAN = ("NONE", "EMPTY")
TAXONOMIES = {"fair": "fair", "nervaluate": "label", "hipe": "place"}


@dataclass(frozen=True, slots=True)
class Fates:
    """The spans asked for, and by system those that are not right; ``kept`` are to be counted."""

    items: Items
    found: dict[str, Found]
    kept: NDArray[np.bool_] | None

    def counted(self, found: Found) -> NDArray[np.bool_]:
        """Tell which spans of one system, or of gold beside it, are to be counted."""
        return np.ones(len(found.item), np.bool_) if self.kept is None else self.kept[found.item]


def fates(corpus: Corpus, ignore_punct: str = "") -> Fates:
    """Return what became of every span; labels left out were never there, ``where`` only counts."""
    whole, where = _spans(corpus, ignore_punct)
    check_labels(corpus, whole)
    scoring = corpus.scoring
    items = whole.restricted(scoring.labels, [*scoring.exclude, *NO_SPAN])
    matcher = Matcher(where, TAXONOMIES[scoring.taxonomy])
    found = {name: matcher.found(items.gold, codes) for name, codes in items.answers.items()}
    return Fates(items, found, _kept(corpus, whole))


def _spans(corpus: Corpus, ignore_punct: str) -> tuple[Items, Extents]:
    if "span" not in corpus.units:
        raise UsageError(
            f"span errors need spans, and the task is {corpus.task}",
            where=corpus.gold.origin.path,
            remedy="read tags such as B-PER with --task span, or give span files",
        )
    if ignore_punct:
        return without_punctuation(corpus, ignore_punct)
    items = corpus.at("span")
    return items, extents(items, sentence_offsets(corpus))


def sentence_offsets(corpus: Corpus) -> NDArray[np.int64] | None:
    """Return the first token of each sentence where spans may reach over sentences, else None."""
    if corpus.reading.within == "sentence" or "token" not in corpus.units:
        return None
    sentence = corpus.at("token").context["sentence"].to_numpy()
    return np.flatnonzero(np.diff(sentence.astype(np.int64), prepend=-1)).astype(np.int64)


def _kept(corpus: Corpus, items: Items) -> NDArray[np.bool_] | None:
    if not corpus.scoring.where:
        return None
    kept = np.zeros(len(items), np.bool_)
    kept[local().filtered(items, corpus.scoring.where, wide(corpus, items)).numbers] = True
    return kept


def sides(fates: Fates) -> pl.DataFrame:
    """Return by system and label: gold's spans (support), and traditional fn and fp."""
    items, size = fates.items, len(fates.items.labels) + 1
    gold = items.gold if fates.kept is None else items.gold[fates.kept]
    support = np.bincount(gold, minlength=size)
    frames = []
    for name, found in fates.found.items():
        kept = fates.counted(found)
        missed, invented = found.item[found.gold & kept], found.item[~found.gold & kept]
        counts = {
            "support": support,
            "fn": np.bincount(items.gold[missed], minlength=size),
            "fp": np.bincount(items.answers[name][invented], minlength=size),
        }
        columns = {c: n[1:].astype(np.int64) for c, n in counts.items()}
        frames.append(pl.DataFrame({"label": list(items.labels), **columns}).with_columns(
            pl.lit(name).alias("system")))  # fmt: skip
    seen = pl.sum_horizontal("support", "fp").sum().over("label") > 0
    return _table(frames, _SIDES).filter(seen)


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
    return _table((_events(fates, name) for name in fates.found), _EVENTS)


def _events(fates: Fates, system: str) -> pl.DataFrame:
    items, found = fates.items, fates.found[system]
    base = len(items.labels) + 1
    row = found.counts & fates.counted(found)
    gold, answer = labels_of(items, found, system, row)
    code = (gold * base + answer) * (len(KINDS) + 1) + found.kind[row]
    code, n = _tallied(code, base * base * (len(KINDS) + 1))
    right, tp = _right(fates, items.answers[system])
    label = pl.Series([None, *items.labels], dtype=pl.String)
    place, kind = np.divmod(code, len(KINDS) + 1)
    gold, answer = np.divmod(place, base)
    return pl.DataFrame(
        {
            "gold": label.gather(pl.Series(np.append(right, gold))),
            "answer": label.gather(pl.Series(np.append(right, answer))),
            "kind": pl.Series(KINDS).gather(pl.Series(np.append(0 * right, kind - 1))),
            "n": np.append(tp, n).astype(np.int64),
        }
    ).with_columns(pl.lit(system).alias("system"))


def labels_of(
    items: Items, found: Found, system: str, row: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return gold's and the system's label of some errors, 0 for none."""
    item, side, partner = found.item[row], found.gold[row], found.partner[row]
    gold = np.where(side, item, partner)
    answer = np.where(side, partner, item)
    return tuple(
        np.where(at >= 0, codes[at], 0).astype(np.int64)
        for at, codes in ((gold, items.gold), (answer, items.answers[system]))
    )  # type: ignore[return-value]


def _tallied(code: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes there are and how often, by a table where it is small."""
    if size > 2**20:
        return np.unique(code, return_counts=True)
    n = np.bincount(code, minlength=1)
    there = np.flatnonzero(n)
    return there.astype(np.int64), n[there]


def _right(fates: Fates, codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    gold = fates.items.gold
    right = (gold == codes) & (gold != 0)
    if fates.kept is not None:
        right &= fates.kept
    n = np.bincount(gold[right], minlength=1)
    there = np.flatnonzero(n)
    return there.astype(np.int64), n[there]


def _table(frames: Iterable[pl.DataFrame], schema: pl.Schema) -> pl.DataFrame:
    every = [frame.select(*schema) for frame in frames]
    return pl.concat([pl.DataFrame(schema=schema), *every], how="vertical_relaxed")
