"""Which mentions ``changes`` counts, and which of their nominal antecedents has to be right.

The paper takes the closest antecedent and all mentions. The program of Tuggener (2017) takes the
first, and the total of its mentions are nouns and pronouns alone, while every change counts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.wording import number_of
from coleval.corpus.coding import decoded
from coleval.corpus.far import additive, derived, in_parts
from coleval.corpus.profiles import habits_of
from coleval.corpus.spread import of_parts
from coleval.counts.blocks import frames
from coleval.counts.coref_classes import CHAINS, CRITERIA, coref_units
from coleval.counts.pairs import CORRECTION, NEW_ERROR, change_kinds
from coleval.errors import UsageError
from coleval.statistics.change import KINDS
from coleval.statistics.paired import paired_t

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Flags = NDArray[np.bool_]

_NOMINAL, _FIRST = "nominal", "first"


def by_antecedent(corpus: Corpus, given: str | None) -> Corpus:
    """Return the corpus with mentions judged by the antecedent given, else by the profile's.

    Raise where one is given, but nominal antecedents are not what counts.
    """
    counts = corpus.task_kind.mentions and corpus.scoring.unit == _NOMINAL
    if given is not None and not counts:
        raise UsageError(
            f"`{given}` is about nominal antecedents, which are not counted here",
            where="--antecedent",
            remedy="add --unit nominal" if corpus.task_kind.mentions
            else "it is for coreference, with --unit nominal",
        )  # fmt: skip
    habits = habits_of(corpus.profile, "changes")
    first = (given or habits.get("antecedent")) == _FIRST
    cataphors = habits.get("cataphors", True)
    if not counts or (cataphors and not first):
        return corpus
    if corpus.spread is not None:
        return of_parts(corpus, corpus.spread.changed(partial(by_antecedent, given=given)))
    units = coref_units(lambda: corpus.units[CHAINS], first=first, cataphors=cataphors)
    return replace(corpus, units=units)


def uncounted(corpus: Corpus, items: Items, given: Sequence[str]) -> Items | None:
    """Return the mentions that are neither nouns nor pronouns, None where all mentions count.

    Pronouns are single words with a tag given, or else with one of the profile's.
    """
    if given:
        _check_tags(corpus, items)
    tags = given or habits_of(corpus.profile, "changes").get("pronouns", ())
    if not tags or items.unit not in CRITERIA or TYPE not in items.context.columns:
        return None
    found = _of_others(items, tuple(tags))
    return found if len(found) else None


def _of_others(items: Items, tags: tuple[str, ...]) -> Items:
    if items.far is not None:
        return derived(items, _of_others, tags)
    counted = items.context[TYPE].cast(pl.String).is_in([NOUN, *tags]).fill_null(value=False)
    return items.where((~counted).to_numpy())


def _check_tags(corpus: Corpus, items: Items) -> None:
    if not corpus.task_kind.mentions:
        raise UsageError("pronouns are mentions of coreference", where="--pronouns",
                         remedy="leave it out, or add --task coref")  # fmt: skip
    if TYPE not in items.context.columns:
        raise UsageError("gold has no part-of-speech tags", where="--pronouns",
                         remedy="name their column: --columns pos=5")  # fmt: skip


def left_out(others: Items | None) -> tuple[str, ...]:
    """Return what is to be said of mentions that are in no total."""
    answered = [] if others is None else _answered_kinds(others)
    if not answered:
        return ()
    tags = ", ".join(dict.fromkeys(answered))
    number = number_of(len(answered), "mention")
    note = (
        f"{number}, neither noun nor pronoun ({tags}), left out of the total; changes count, as in "
        "ComparEval's program (--pronouns names tags of pronouns)"
    )
    return (note,)


def _end_to_end(parts: list[list[str]]) -> list[str]:
    return [kind for part in parts for kind in part]


@additive(_end_to_end)
def _answered_kinds(others: Items) -> list[str]:
    """Return the tags of those mentions that gold or some system resolves."""
    kinds = others.context[TYPE].cast(pl.String).fill_null("no tag")
    return kinds.filter(pl.Series(_answered(others))).to_list()


def _answered(items: Items) -> Flags:
    """Return which mentions gold or some system resolves."""
    found = items.gold > 0
    for codes in items.answers.values():
        found = found | (codes > 0)
    return found


TYPE, LEMMA, NOUN = "mention_type", "lemma", "noun"
_SCHEMA = {
    "before": pl.String, "after": pl.String, "split": pl.String, "value": pl.String,
    "kind": pl.String, "label_before": pl.String, "label_after": pl.String, "n": pl.Int64,
}  # fmt: skip
_TESTS = {
    "before": pl.String, "after": pl.String, TYPE: pl.String, LEMMA: pl.String,
    "items": pl.Int64, "different": pl.Int64, "diff": pl.Float64, "corrections": pl.Int64,
    "new_errors": pl.Int64, "t": pl.Float64, "p": pl.Float64,
}  # fmt: skip
_SUMS = ("items", "different", "corrections", "new_errors")
_ORDER = {kind: at for at, kind in enumerate(KINDS)}


def change_splits(parts: Judged, pairs: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """Return how often each transition occurs: by type of mention, and of pronouns by lemma."""
    frames = [_of_pair(parts, pair) for pair in pairs]
    return pl.concat([pl.DataFrame(schema=_SCHEMA), *frames])


def _of_pair(parts: Judged, pair: tuple[str, str]) -> pl.DataFrame:
    views = parts.items, parts.shown, parts.whole
    changed = _changed(*views, pair) if parts.items.far is None else in_parts(
        frames, _changed, *views, pair
    )  # fmt: skip
    pronouns = changed.filter(pl.col(TYPE) != NOUN)
    tables = [_counted(changed, TYPE, pair), _counted(pronouns, LEMMA, pair)]
    return pl.concat(tables)


def _changed(items: Items, shown: Items, whole: Items, pair: tuple[str, str]) -> pl.DataFrame:
    """Return how often each kind and transition occurs for each type of mention and lemma."""
    kinds = change_kinds(items, pair)
    rows = np.flatnonzero(kinds)
    context = whole.context[pl.Series(rows)]
    labels = shown.labels
    changed = pl.DataFrame(
        [
            pl.Series("kind", KINDS).gather(pl.Series(kinds[rows] - 1)),
            *(decoded(shown.answers[system][rows], labels, f"label_{side}").cast(pl.String)
              for side, system in zip(("before", "after"), pair, strict=True)),
            context[TYPE].cast(pl.String),
            context[LEMMA].cast(pl.String),
        ]
    )  # fmt: skip
    return changed.group_by(pl.all(), maintain_order=True).agg(n=pl.len().cast(pl.Int64))


def _counted(changed: pl.DataFrame, split: str, pair: tuple[str, str]) -> pl.DataFrame:
    """Return the transitions of each value of a column, the commonest value first."""
    keys = ["kind", "label_before", "label_after"]
    counted = changed.group_by(pl.col(split).alias("value"), *keys).agg(pl.col("n").sum())
    ranked = counted.with_columns(
        total=pl.col("n").sum().over("value"),
        order=pl.col("kind").replace_strict(_ORDER, return_dtype=pl.Int8),
    ).sort(
        "total", "value", "order", "n", "label_before", "label_after",
        descending=[True, False, False, True, False, False], nulls_last=True,
    )  # fmt: skip
    sides = {"before": pair[0], "after": pair[1], "split": split}
    return ranked.select(*(pl.lit(v).alias(k) for k, v in sides.items()), "value", *keys, "n")


def split_tests(parts: Judged, pairs: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """Return the paired t-test of each type of mention, and of each lemma of a type of pronoun."""
    rows = [row for pair in pairs for row in _tested(parts, pair)]
    return pl.DataFrame(rows, schema=_TESTS, orient="row")


def _tested(parts: Judged, pair: tuple[str, str]) -> Iterator[dict[str, object]]:
    mentions = _mentions(parts, pair)
    lemmas = mentions.filter(pl.col(TYPE) != NOUN, pl.col(LEMMA).is_not_null())
    for kind in _sums(mentions, TYPE).with_columns(pl.lit(None, pl.String).alias(LEMMA)).to_dicts():
        # Null is a type as well: words whose tag is unknown.
        own = lemmas.filter(pl.col(TYPE).eq_missing(pl.lit(kind[TYPE], pl.String)))
        for row in (kind, *_sums(own, TYPE, LEMMA).to_dicts()):
            t, p = paired_t(row["items"], row["corrections"], row["new_errors"])
            diff = row["different"] / row["items"]
            yield row | {"before": pair[0], "after": pair[1], "diff": diff, "t": t, "p": p}


def _mentions(parts: Judged, pair: tuple[str, str]) -> pl.DataFrame:
    if parts.items.far is None:
        return _resolved(parts.items, parts.whole, pair)
    add = partial(frames, sums=_SUMS)
    return in_parts(add, _resolved, parts.items, parts.whole, pair)


def _resolved(items: Items, whole: Items, pair: tuple[str, str]) -> pl.DataFrame:
    """Return how many mentions gold or one of a pair resolves, and how many of them change how."""
    before, after = (items.answers[name] for name in pair)
    rows = np.flatnonzero((items.gold > 0) | (before > 0) | (after > 0))
    kinds = change_kinds(items, pair)[rows]
    each = whole.context[pl.Series(rows)].select(
        pl.col(TYPE, LEMMA).cast(pl.String),
        items=pl.lit(1, pl.Int64),
        different=pl.Series(kinds > 0),
        corrections=pl.Series(kinds == 1 + CORRECTION),
        new_errors=pl.Series(kinds == 1 + NEW_ERROR),
    )
    return each.group_by(TYPE, LEMMA, maintain_order=True).agg(pl.col(_SUMS).sum().cast(pl.Int64))


def _sums(mentions: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Return the counts of all values on which something changes, most changes first."""
    counted = mentions.group_by(keys).agg(pl.col(_SUMS).sum())
    order = [True, *(False for _ in keys)]
    return counted.filter(pl.col("different") > 0).sort(
        "different", *keys, descending=order, nulls_last=True
    )
