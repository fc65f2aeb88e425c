"""Versions of a system: the gain of each over the one before, in every bucket."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError

GOLD = "xxxxyyyy"


def load(**systems):
    frame = pl.DataFrame({"gold": list(GOLD), **{n: list(text) for n, text in systems.items()}})
    return coleval.load(frame, task="label", columns={"gold": "gold", "system": list(systems)})


def series(corpus, versions, **more):
    report = corpus.buckets(attributes="label", by="recall", versions=versions, **more)
    return report.table("versions")


def test_three_versions_by_hand():
    """Of four x the versions have 1, 3 and 2, of four y 4, 4 and 1."""
    corpus = load(v1="xyyyyyyy", v2="xxxyyyyy", v3="xxyyyxxx")
    table = series(corpus, ["v1", "v2", "v3"])
    found = {(r["bucket"], r["system"]): (r["before"], r["recall"], r["delta"], r["gold"])
             for r in table.to_dicts()}  # fmt: skip
    assert found == {
        ("x", "v1"): (None, 0.25, None, 4), ("x", "v2"): ("v1", 0.75, 0.5, 4),
        ("x", "v3"): ("v2", 0.5, -0.25, 4), ("y", "v1"): (None, 1.0, None, 4),
        ("y", "v2"): ("v1", 1.0, 0.0, 4), ("y", "v3"): ("v2", 0.25, -0.75, 4),
    }  # fmt: skip


ANSWERS = st.text("xy", min_size=8, max_size=8)


@given(ANSWERS, ANSWERS, ANSWERS)
def test_gains_are_the_differences_of_pairs_and_add_up_to_the_whole_way(a, b, c):
    versions = ["p", "q", "r"]
    corpus = load(p=a, q=b, r=c)
    gains = {(r["bucket"], r["before"], r["system"]): r["delta"]
             for r in series(corpus, versions).to_dicts()}  # fmt: skip
    pairs = [*pairwise(versions), ("p", "r")]
    told = corpus.buckets(attributes="label", by="recall", pairs=pairs).table("differences")
    for row in told.to_dicts():
        key = (row["bucket"], row["before"], row["after"])
        if key[1:] == ("p", "r"):
            parts = [gains[key[0], *step] for step in pairwise(versions)]
            assert sum(parts) == pytest.approx(row["delta"])
        else:
            assert gains[key] == row["delta"]


def test_a_score_that_is_undefined_has_no_gain_on_either_side(write):
    gold = write("gold", "a B-X\nb B-Y\n")
    none, one = write("none", "a O\nb O\n"), write("one", "a B-X\nb O\n")
    corpus = coleval.load(gold, {"none": none, "one": one, "all": gold}, task="span")
    table = corpus.buckets(attributes="label", by="precision", versions="none,one,all")
    deltas = table.table("versions").filter(pl.col("bucket") == "X")["delta"].to_list()
    assert deltas == [None, None, 0.0]


def test_a_screen_has_a_column_for_each_gain_and_the_size_of_each_bucket_once(write, capsys):
    rows = zip(GOLD, "xyyyyyyy", "xxxyyyyy", "xxyyyxxx", strict=True)
    path = write("v.csv", "gold,v1,v2,v3\n" + "".join(",".join(row) + "\n" for row in rows))
    main(["buckets", str(path), "--task", "label", "--columns", "gold=gold,system=v*",
          "--attributes", "label", "--by", "recall", "--versions", "v1,v2,v3",
          "--table", "versions"])  # fmt: skip
    out = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["bucket", "gold", "v2", "v3"] in out
    assert ["x", "4", "+50.00", "-25.00"] in out


def test_conll_s_two_taggers_gain_what_their_heat_map_shows(data):
    folder = data("interpreteval/conll03/results")
    first, *others = sorted(folder.glob("*.txt"))
    corpus = coleval.load(first, others, merged=True, columns="form=1,gold=2,system=3")
    chosen = ["eLen", "label"]
    names = corpus.systems
    gains = corpus.buckets(attributes=chosen, versions=names).table("versions").drop_nulls("before")
    shown = corpus.buckets(attributes=chosen, pair=tuple(names)).table("heat_map")
    assert gains["delta"].to_list() == shown["delta"].to_list()
    assert len(gains) == 8


def test_versions_that_are_none_are_refused():
    corpus = load(v1="xxxxyyyy", v2="xxxxyyyy")
    with pytest.raises(UsageError, match="no system is called `v3`"):
        series(corpus, "v1,v3")
    with pytest.raises(UsageError, match="one version has none before it"):
        series(corpus, "v1")
    with pytest.raises(UsageError, match="`v1` is named twice"):
        series(corpus, "v1,v2,v1")
