"""``score``: the leaderboard, overall and by label."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.counted import counted_patterns, scored_items
from coleval.analyses.errors.tables import strict_by_label
from coleval.analyses.ordering import GIVEN, in_order, ranked_by, with_rank
from coleval.analyses.score.naming import strangers
from coleval.corpus.coverage import LEAVE_OUT
from coleval.counts.groups import label_overlaps, wrong_groups
from coleval.counts.systems import confusion_counts
from coleval.declare.analysis import Result
from coleval.statistics.prf import accuracy, averages, label_counts, micro, ratios, samples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.analyses.score.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

OVERALL = (
    "system", "items", "correct", "accuracy", "tp", "fp", "fn", "precision", "recall", "f1",
    "macro_precision", "macro_recall", "macro_f1",
    "weighted_precision", "weighted_recall", "weighted_f1",
    "sentences", "sentences_correct", "repairs",
)  # fmt: skip
LABELLED = OVERALL[4:16]
LABELS = ("system", "label", "tp", "fp", "fn", "precision", "recall", "f1", "support")
SAMPLES = (
    "hamming_loss", "samples_precision", "samples_recall", "samples_f1", "samples_jaccard",
)  # fmt: skip


def score(corpus: Corpus, options: Options) -> Result:
    """Return the leaderboard, with intervals if they are asked for, and what it covers."""
    if corpus.scoring.missing == LEAVE_OUT:
        from coleval.analyses.score.covering import of_each

        made = _placed(corpus, covered(corpus, of_each(corpus, lambda part: _score(part, options))))
    else:
        made = _placed(corpus, covered(corpus, _score(corpus, options)))
    result = made if isinstance(made, Result) else Result(made)
    result = replace(result, warnings=(*result.warnings, *strangers(result.tables)))
    if not options.leaderboard:
        return result
    from coleval.analyses.score.board import with_board

    return with_board(corpus, result, options)


def _score(corpus: Corpus, options: Options) -> Mapping[str, pl.DataFrame] | Result:
    if options.intervals:
        from coleval.analyses.score.intervals import scored

        made = scored(corpus, options)
        return replace(made, tables=_ordered(made.tables, corpus, options))
    return _ordered(board(corpus), corpus, options)


def board(corpus: Corpus) -> Mapping[str, pl.DataFrame]:
    """Return the leaderboard of a task, or that of the metric asked for."""
    from coleval.analyses.score.numbers import is_of_metric, of_metric

    return of_metric(corpus) if is_of_metric(corpus) else corpus.task_kind.leaderboard(corpus)


def covered(
    corpus: Corpus, made: Mapping[str, pl.DataFrame] | Result
) -> Mapping[str, pl.DataFrame] | Result:
    """Return the leaderboard with the share of the items that systems answered, if not all did."""
    if corpus.grid is None and not corpus.task_kind.of_tables:
        return made
    from coleval.analyses.score.calibration import with_calibration
    from coleval.analyses.score.covering import with_coverage

    made = with_coverage(corpus, made)
    labels = corpus.task_kind.of_tables and not corpus.task_kind.numeric
    return with_calibration(corpus, made) if labels and corpus.spread is None else made


def _placed(
    corpus: Corpus, made: Mapping[str, pl.DataFrame] | Result
) -> Mapping[str, pl.DataFrame] | Result:
    """Return the leaderboard with what became of entities without places, if systems list some."""
    if not any(entry.places for entry in corpus.entries):
        return made
    from coleval.analyses.score.placing import with_places

    return with_places(corpus, made)


def _ordered(
    tables: Mapping[str, pl.DataFrame], corpus: Corpus, options: Options
) -> Mapping[str, pl.DataFrame]:
    """Return the tables with the best system first, or with systems as they were given."""
    if options.order != GIVEN:
        return tables
    from coleval.analyses.score.spec import TABLES

    overall = tables["overall"]
    ranked = with_rank(overall, ranked_by(TABLES, "overall", overall))
    return {name: in_order(frame, corpus.systems)
            for name, frame in {**tables, "overall": ranked}.items()}  # fmt: skip


def leaderboard(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall``, the best system first, and ``labels`` in the same order.

    A matrix knows right and wrong alone: it has no labels.
    """
    items = scored_items(corpus)
    counts = confusion_counts(counted_patterns(corpus, items), items.labels)
    systems, zero_division = items.systems, corpus.scoring.zero_division
    if corpus.scoring.taxonomy != "fair" and items.of_spans:
        by_label = strict_by_label(corpus)
    else:
        by_label = label_counts(counts, systems)
    labels = ratios(by_label, zero_division)
    means = averages(labels, corpus.scoring.average, systems, zero_division)
    overall = (
        _whole(corpus, items, counts)
        .join(micro(labels, systems, zero_division), on="system", how="left", maintain_order="left")
        .join(means, on="system", how="left", maintain_order="left")
        .join(_sentences(items), on="system", how="left", maintain_order="left")
        .join(_repairs(corpus), on="system", how="left", maintain_order="left")
    )
    if items.unit == "row":
        return {"overall": _ranked(overall.with_columns(pl.lit(None).alias(n) for n in LABELLED))}
    ranked = _ranked(overall)
    order = ranked.select("system").with_row_index("rank")
    labels = labels.join(order, on="system").sort("rank", "label").select(LABELS)
    return {"overall": ranked, "labels": labels}


def _ranked(overall: pl.DataFrame) -> pl.DataFrame:
    """Return the systems by their headline: accuracy where each item has one answer, else F1."""
    extra = [name for name in SAMPLES if name in overall.columns]
    headline = "accuracy" if not extra and _sharing(overall) else "f1"
    best = overall.sort(headline, "system", descending=[True, False], nulls_last=True)
    return best.select(*OVERALL, *extra, error_rate=1 - pl.col("accuracy"))


def _sharing(overall: pl.DataFrame) -> bool:
    return overall["accuracy"].null_count() < len(overall)


def _whole(corpus: Corpus, items: Items, counts: pl.DataFrame) -> pl.DataFrame:
    """Return how many items are right as a whole: instances with all their labels, or each item."""
    scoring = corpus.scoring
    if items.group == "instance":
        overlaps = label_overlaps(items)
        return samples(overlaps, items.systems, len(items.labels), scoring.zero_division)
    return accuracy(
        counts,
        items.systems,
        empty_is_answer=items.empty_is_answer,
        share=not items.of_spans,
        zero_division=scoring.zero_division,
    )


def _sentences(items: Items) -> pl.DataFrame:
    total = items.group_count if items.group == "sentence" else 0
    wrong = wrong_groups(items) if total else {}
    rows = [(name, total, total - wrong.get(name, 0)) for name in items.answers]
    if not total:
        rows = [(name, None, None) for name in items.answers]  # type: ignore[misc]
    kinds = {"system": pl.String, "sentences": pl.Int64, "sentences_correct": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _repairs(corpus: Corpus) -> pl.DataFrame:
    rows = [(entry.name, entry.repairs) for entry in corpus.entries]
    return pl.DataFrame(rows, schema={"system": pl.String, "repairs": pl.Int64}, orient="row")
