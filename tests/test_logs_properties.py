"""Random long tables with epochs, statuses and holes, against plain loops."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import DataError
from oracle_logs import expected

STATUSES = ["ok", "empty", "unparsed", "refused", "failed", "not run"]
KINDS = {"system": pl.String, "id": pl.String, "gold": pl.String, "answer": pl.String,
         "score": pl.Float64, "status": pl.String, "epoch": pl.Int64}  # fmt: skip


@st.composite
def tables(draw, *, epochs):
    """Return the rows of a long table in some order."""
    systems, instances = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    numbered = draw(st.booleans())
    rows = []
    for system in range(systems):
        for instance in range(instances):
            for epoch in range(draw(st.integers(0, epochs))):
                rows.append({  # noqa: PERF401  - a loop of draws reads better
                    "system": f"s{system}", "id": f"q{instance}",
                    "gold": draw(st.sampled_from(["A", "A", "A", "B"])),
                    "answer": draw(st.sampled_from(["A", "B", "C", None])),
                    "score": draw(st.sampled_from([0.0, 0.5, 1.0, None])),
                    "status": draw(st.sampled_from([None, None, None, *STATUSES[:5]])),
                    "epoch": epoch + 1 if numbered else None,
                })  # fmt: skip
    return draw(st.permutations(rows))


def load(rows, by, **options):
    """Return the corpus of a table that is read as labels or as scores."""
    told = {"task": "label"} if by == "label" else {"task": "matrix", "threshold": 0.75}
    frame = pl.DataFrame(rows, schema=KINDS)
    return coleval.load(frame, status="status", **told, **options)


def answers(corpus, system, by):
    """Return what the items have of a system, a row each as the oracle has it."""
    items = corpus.items
    parts = [items[f"score_{system}"], items[f"status_{system}"].cast(pl.String), items[system]]
    return [
        (None if by == "score" else answer, score, status, answer if by == "score" else None)
        for score, status, answer in zip(*parts, strict=True)
    ]


def plain(cells, by):
    """Return what the oracle found as the items have it."""
    codes = {None: None, False: "0", True: "1"}
    return [
        (None if by == "score" else answer, score, status, codes[right] if by == "score" else None)
        for answer, score, status, right in cells.values()
    ]


@pytest.mark.parametrize("by", ["label", "score"])
@pytest.mark.parametrize("policy", ["", "first", "any", "all", "mean"])
@given(draw=st.data(), conflicting=st.sampled_from(["error", "first", "majority"]))
def test_items_are_those_of_plain_loops(by, policy, draw, conflicting):
    if (by, policy) == ("label", "mean"):
        return
    rows = draw.draw(tables(epochs=3 if policy else 1))
    if not any(row["answer" if by == "label" else "score"] for row in rows):
        return
    found = expected(rows, by=by, policy=policy, conflicting=conflicting, threshold=0.75)
    if found is None:
        with pytest.raises(DataError, match="gold of"):
            load(rows, by, epochs=policy, conflicting=conflicting)
        return
    corpus = load(rows, by, epochs=policy, conflicting=conflicting)
    gold, every = found
    assert corpus.items["id"].to_list() == list(gold)
    for system, cells in every.items():
        assert answers(corpus, system, by) == plain(cells, by)
        check_scores(corpus, system, cells)


def check_scores(corpus, system, cells):
    """Hold the leaderboard under both policies, and the table of statuses, against the cells."""
    alone = corpus.chosen([system])
    right = sum(bool(right) for *_, right in cells.values())
    there = [status for _, _, status, _ in cells.values()].count("ok")
    wrong = alone.score(missing="wrong")
    assert wrong["overall"].select("correct", "items").row(0) == (right, len(cells))
    if there < len(cells):
        counts = dict(wrong["status"].select("status", "n").iter_rows())
        statuses = [status for _, _, status, _ in cells.values()]
        assert counts == {name: statuses.count(name) for name in STATUSES if name in statuses}
        assert wrong["overall"]["coverage"][0] == pytest.approx(there / len(cells))
    if there:
        left = alone.score(missing="leave-out")["overall"]
        assert left.select("correct", "items").row(0) == (right, there)


@given(draw=st.data())
def test_the_order_of_rows_changes_no_score(draw):
    rows = draw.draw(tables(epochs=1))
    if not any(row["score"] for row in rows):
        return
    tables_of = [
        load(some, "score", conflicting="majority").score(missing="wrong")["overall"]
        for some in (rows, sorted(rows, key=lambda row: (row["id"], row["system"])))
    ]
    assert tables_of[0].sort("system").equals(tables_of[1].sort("system"))
