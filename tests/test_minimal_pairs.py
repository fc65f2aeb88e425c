"""Originals and what was made from them: by hand, in plain loops, what is refused."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import DataError, UsageError


def load(gold, s, made_from, separator="", **more):
    ids = [str(at) for at in range(len(gold))]
    frame = pl.DataFrame(
        {"id": ids, "gold": list(gold), "s": list(s), "t": list(gold), "from": made_from, **more},
        schema_overrides={"from": pl.String},
    )
    columns = "id=id,gold=gold,system=s,system=t"
    return coleval.load(frame, task="label", columns=columns, separator=separator)


def row(report):
    return report.table("minimal_pairs").row(0, named=True)


def test_three_pairs_by_hand():
    """Item 0 is + for all; 1 (+) and 2 (-) are made from it, 4 (-) from 3 (-).

    The system says + for 0 and 1, + for 2, where gold flips; - for 3 and + for 4, needlessly.
    """
    found = row(load("++---", "+++-+", [None, "0", "0", None, "3"]).measure(minimal_pairs="from"))
    assert found == {
        "system": "s", "pairs": 3, "gold_flips": 1, "flips": 1, "needless_flips": 1,
        "missed_flips": 1, "right_originals": 3, "right_perturbed": 1, "both_right": 1,
        "consistency": pytest.approx(1 / 3),
    }  # fmt: skip


ROWS = st.lists(st.tuples(st.sampled_from("+-"), st.sampled_from("+-"),
                          st.integers(-2, 11)), min_size=1, max_size=12)  # fmt: skip


@given(ROWS)
def test_everything_is_as_in_plain_loops(rows):
    made = [str(at) if 0 <= at < len(rows) else None for _, _, at in rows]
    gold, s = ("".join(r[side] for r in rows) for side in (0, 1))
    found = row(load(gold, s, made).measure(minimal_pairs="from"))
    pairs = [(int(a), b) for b, a in enumerate(made) if a is not None and int(a) != b]
    assert found["pairs"] == len(pairs)
    assert found["flips"] == sum(s[a] != s[b] for a, b in pairs)
    assert found["gold_flips"] == sum(gold[a] != gold[b] for a, b in pairs)
    flips = found["gold_flips"] + found["needless_flips"] - found["missed_flips"]
    assert found["flips"] == flips
    assert found["needless_flips"] == sum(s[a] != s[b] and gold[a] == gold[b] for a, b in pairs)
    assert found["right_originals"] == sum(s[a] == gold[a] for a, _ in pairs)
    assert found["right_perturbed"] == sum(s[b] == gold[b] for _, b in pairs)
    both = sum(s[a] == gold[a] and s[b] == gold[b] for a, b in pairs)
    assert found["both_right"] == both
    assert found["consistency"] == (pytest.approx(both / len(pairs)) if pairs else None)


def test_a_filter_chooses_among_made_items_and_keeps_their_originals():
    corpus = load("++--", "++--", [None, "0", None, "2"], kind=[None, "typo", None, "name"])
    report = corpus.measure(minimal_pairs="from", where="kind = 'typo'")
    assert (row(report)["pairs"], row(report)["both_right"], report.warnings) == (1, 1, ())
    nothing = corpus.measure(minimal_pairs="from", where="kind is null")
    assert row(nothing)["pairs"] == 0
    assert any("there is no minimal pair" in text for text in nothing.warnings)


def test_groups_are_those_of_the_made_items():
    corpus = load("++-+", "++--", [None, "0", None, "0"], kind=[None, "typo", None, "name"])
    table = corpus.measure(minimal_pairs="from", by="kind").table("by")
    rows = table.filter(pl.col("system") == "s", pl.col("pairs") > 0)
    assert rows.select("by", "pairs", "consistency").rows() == [("typo", 1, 1.0), ("name", 1, 0.0)]
    with pytest.raises(UsageError, match="measure groups minimal pairs alone"):
        corpus.measure(by="kind")


def test_originals_that_are_none_and_items_that_cannot_have_any_are_refused(write):
    corpus = load("++", "++", [None, "7"])
    with pytest.raises(DataError, match="no item has the id `7`"):
        corpus.measure(minimal_pairs="from")
    with pytest.raises(UsageError, match="no column"):
        corpus.measure(minimal_pairs="fron")
    several = load(["a|b", "a"], ["a", "a"], [None, "0"], separator="|")
    with pytest.raises(UsageError, match="several labels"):
        several.measure(minimal_pairs="from")
    path = write("gold", "w B-A\n")
    with pytest.raises(UsageError, match="no ids"):
        coleval.load(path, {"a": path, "b": path}, task="span").measure(minimal_pairs="from")
