"""What is right: by comparing answers with gold, or by the scores that a log has.

Scores of 1 and 0 say it themselves; of other scores ``--threshold`` says from where on they are
right. An answer whose status is not ``ok`` is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.selection import is_frame
from coleval.corpus.statuses import EMPTY, OK, UNPARSED
from coleval.errors import DataError, UsageError
from coleval.loading.readers.model import SCORE

if TYPE_CHECKING:
    from coleval.corpus.options import Reading
    from coleval.loading.tasks.log_records import LogRecords


FIRST, MEAN, ANY, ALL = POLICIES = ("first", "mean", "any", "all")
_PAIR = ("item", "system")


def one_each(records: LogRecords, rows: pl.DataFrame, policy: str) -> pl.DataFrame:
    """Return one row for each system and instance; ``rows`` say what is ``right`` by now."""
    rows = rows.with_row_index("record")
    size = pl.len().over(_PAIR)
    if rows.select((size > 1).any()).item():
        _check(records, rows, policy)
    elif policy != MEAN:
        return rows.drop("record")
    rows = rows.sort("epoch", "record", nulls_last=True, maintain_order=True)
    if policy == MEAN:
        return _means(rows)
    if policy in (ANY, ALL):
        best = policy == ANY
        # Of several right answers the one with the best score is taken.
        score = pl.col(MAIN) if MAIN in rows.columns else pl.lit(None, pl.Float64)
        rows = rows.sort(
            pl.col("right").cast(pl.Int8).fill_null(0), score,
            descending=best, nulls_last=best, maintain_order=True,
        )  # fmt: skip
    return rows.unique(_PAIR, keep="first", maintain_order=True).sort("record").drop("record")


def _means(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each with the means of its scores, over the answers that are there.

    The status is ``ok`` if that of any is.
    """
    scores = [n for n in rows.columns if n.startswith(SCORE)]
    there = pl.col("status") == OK
    means = rows.group_by(_PAIR).agg(
        *(pl.col(name).filter(there).mean() for name in scores),
        pl.col("right").filter(there).cast(pl.Float64).mean().alias("share"),
        there.any().alias("some"),
    )
    first = rows.unique(_PAIR, keep="first", maintain_order=True).sort("record")
    found = first.drop(*scores).join(means, on=_PAIR, how="left", maintain_order="left")
    status = pl.when("some").then(pl.lit(OK)).otherwise("status")
    return found.with_columns(status.alias("status")).drop("record", "some")


def _check(records: LogRecords, rows: pl.DataFrame, policy: str) -> None:
    """Raise for an epoch that is there twice, or several answers without a policy for them."""
    again = rows.filter(pl.col("epoch").is_not_null() & pl.struct(*_PAIR, "epoch").is_duplicated())
    remedy = "one run has one answer in each epoch; are there two runs in the file?"
    if not len(again) and not policy:
        again = rows.filter(pl.struct(_PAIR).is_duplicated())
        remedy = (
            "if these are several answers to one instance, say which counts: "
            "--epochs first|mean|any|all; of two runs, give each a system of its own"
        )
    if not len(again):
        return
    first = again.row(0, named=True)
    second = again.filter(item=first["item"], system=first["system"]).row(1, named=True)
    n = again.select(pl.struct(_PAIR).n_unique()).item()
    raise DataError(
        f"`{first['system']}` answers `{records.id_of(first['item'])}` more than once, first in "
        f"{records.at(first['record'])} ({n:,} such instances)",
        where=records.at(second["record"]),
        remedy=remedy,
    )


LABEL, MATRIX, NUMBER = "label", "matrix", "score"
# Of more than so many different golds, answers are texts, which are no labels to count by.
_LABELS = 100
MAIN = f"{SCORE}score"


def by_share(rows: pl.DataFrame, reading: Reading, path: str) -> pl.DataFrame:
    """Return rows of means with what is right in the end.

    The mean of the scores says it, or the share of answers that are right; a threshold is one of
    scores, or without them one of that share.
    """
    if MAIN not in rows.columns:
        rows = rows.with_columns(pl.col("share").alias(MAIN))
    value = rows[MAIN]
    if reading.threshold is not None:
        return rows.with_columns(right=value >= reading.threshold)
    if not _binary(value):
        raise _scale(value, path)
    return rows.with_columns(right=value == 1)


def settled(records: LogRecords, reading: Reading, gold: pl.Series) -> tuple[pl.DataFrame, str]:
    """Return records of which ``right`` and ``status`` are known, and the task.

    That is whether labels or scores say what is right, or scores are the answers.
    """
    rows = records.rows.with_columns(gold=gold.gather(records.rows["item"]))
    rows = rows.with_columns(_scored(rows, reading).alias("right"), _equal(reading).alias("equal"))
    if reading.task == NUMBER:
        return _with_scores(records, rows), NUMBER
    averaged = reading.epochs == MEAN
    task = _task(records, reading, rows, gold)
    if task == MATRIX:
        scored = MAIN in rows.columns or rows["right"].null_count() < len(rows)
        if not scored and rows["equal"].null_count() < len(rows):
            rows = rows.with_columns(right="equal")
        elif not averaged:
            _check_scale(records, rows)
    else:
        # A score that is asked for by name is to say what is right, unless labels are.
        if reading.score and reading.task is None and MAIN in rows.columns:
            _check_scale(records, rows)
        rows = rows.with_columns(right="equal")
    return _with_statuses(rows, task, averaged=averaged), task


def _scored(rows: pl.DataFrame, reading: Reading) -> pl.Series:
    """Return what the scores say, null where they say nothing or are on a scale."""
    none = pl.Series([None], dtype=pl.Boolean).new_from_index(0, len(rows))
    score = rows[MAIN] if MAIN in rows.columns else None
    if reading.threshold is not None:
        if score is None or score.null_count() == len(score):
            raise UsageError(
                "there is no score that could reach it",
                where="--threshold",
                remedy="name the score: --score NAME",
            )
        return score >= reading.threshold
    correct = rows["correct"] if "correct" in rows.columns else none
    if score is None or not _binary(score):
        return correct
    return rows.select(pl.coalesce(correct, score == 1)).to_series()


def _check_scale(records: LogRecords, rows: pl.DataFrame) -> None:
    """Raise if some answer has a score that does not say whether it is right."""
    if MAIN not in rows.columns:
        return
    unsaid = rows[MAIN].is_not_null() & rows["right"].is_null()
    for row in unsaid.arg_true()[:1]:
        raise _scale(rows[MAIN].filter(unsaid), records.at(int(row)))


def _binary(score: pl.Series) -> bool:
    return bool(score.drop_nulls().is_in([0.0, 1.0]).all())


def _equal(reading: Reading) -> pl.Expr:
    """Return whether answers are gold, as labels are compared."""
    ours, theirs = (pl.col(name).str.strip_chars(" ") for name in ("answer", "gold"))
    if reading.fold:
        return ours.str.to_lowercase() == theirs.str.to_lowercase()
    return ours == theirs


def _task(records: LogRecords, reading: Reading, rows: pl.DataFrame, gold: pl.Series) -> str:
    """Return whether instances have labels, or are right and wrong alone."""
    scored = rows["right"].null_count() < len(rows) or MAIN in rows.columns
    labelled = gold.null_count() == 0 and rows["answer"].null_count() < len(rows)
    if reading.task == LABEL and reading.epochs != MEAN:
        return LABEL
    if reading.task == LABEL:
        raise UsageError(
            "labels have no mean",
            where="--epochs mean",
            remedy="count what is right instead: --task matrix; or --epochs first|any|all",
        )
    if reading.task == MATRIX or reading.threshold is not None or reading.epochs == MEAN:
        return MATRIX
    if not records.judged:
        return LABEL if labelled or not scored else MATRIX
    if labelled and gold.n_unique() <= _LABELS and _are_labels(rows, gold):
        return LABEL
    return MATRIX


def _are_labels(rows: pl.DataFrame, gold: pl.Series) -> bool:
    """Tell whether comparing answers with gold says what the scores say of every answer.

    Answers that are always wrong, and are gold of no other instance either, are texts.
    """
    said = rows.filter(pl.col("status").fill_null(OK) == OK, pl.col("right").is_not_null())
    if not said["right"].any() or not said["right"].eq_missing(said["equal"]).all():
        return False
    wrong = said.filter(~pl.col("right"))["answer"].str.strip_chars(" ")
    known = wrong.is_in(gold.str.strip_chars(" ").unique().to_list())
    return 2 * int(known.sum()) >= len(wrong)


def _scale(score: pl.Series, path: str) -> UsageError:
    known = score.drop_nulls().to_numpy()
    low, high = float(known.min()), float(known.max())
    option = "threshold=0.5" if is_frame(path) else "--threshold 0.5"
    return UsageError(
        f"the scores go from {low:g} to {high:g}: they do not say what is right and wrong",
        where=path,
        remedy=f"say from where on an answer is right: {option}; or compare answers with gold "
        "(--task label): the scores themselves are columns then, and `coleval measure --means "
        "'score_*'` compares their means",
    )


def _with_statuses(rows: pl.DataFrame, task: str, *, averaged: bool) -> pl.DataFrame:
    """Return the rows with a status each; those that are not ``ok`` have no answer."""
    there = pl.col("answer" if task == LABEL else "right").is_not_null()
    if averaged and MAIN in rows.columns:
        there = there | pl.col(MAIN).is_not_null()
    said = pl.col("status")
    # What a log scores as right is an answer, however it was read.
    found = said.is_in([UNPARSED, EMPTY]) & there & pl.col("right").fill_null(value=False)
    status = (
        pl.when(said.is_not_null() & (said != OK) & ~found).then(said)
        .when(there).then(pl.lit(OK))
        .when(pl.col("answer").is_not_null()).then(pl.lit(UNPARSED))
        .otherwise(pl.lit(EMPTY))
    )  # fmt: skip
    rows = rows.with_columns(status.alias("status"))
    ok = pl.col("status") == OK
    right = pl.when(ok).then("right").alias("right")
    if task != LABEL:
        return rows.with_columns(right)
    return rows.with_columns(right, pl.when(ok).then("answer").alias("answer"))


def _with_scores(records: LogRecords, rows: pl.DataFrame) -> pl.DataFrame:
    """Return records with the status of each, ``ok`` where there is a score, whatever else is said.

    Nothing is ``right``: of several answers that with the highest score is taken for ``any``, that
    with the lowest for ``all``.
    """
    if MAIN not in rows.columns:
        raise UsageError(
            "has no scores", where=records.files[0].path,
            remedy="name the column of scores: --score NAME, or --columns score=NAME",
        )  # fmt: skip
    said = pl.col("status")
    status = (
        pl.when(pl.col(MAIN).is_not_null()).then(pl.lit(OK))
        .when(said.is_not_null() & (said != OK)).then(said)
        .when(pl.col("answer").is_not_null()).then(pl.lit(UNPARSED))
        .otherwise(pl.lit(EMPTY))
    )  # fmt: skip
    return rows.with_columns(right=pl.lit(None, pl.Boolean), status=status)
