"""Spurious items by bin and system: who predicts what no gold has, alone or with others."""

from __future__ import annotations

import polars as pl

import coleval
from coleval.render.console import render

NAME = "spurious_systems"
GOLD = "a\tX\nb\tO\nc\tO\nd\tO\n"
# a is right or wrong, never spurious; b is predicted by one, c by one and two, d by all three.
SYSTEMS = {
    "one": "a\tX\nb\tX\nc\tX\nd\tX\n",
    "two": "a\tY\nb\tO\nc\tX\nd\tY\n",
    "three": "a\tO\nb\tO\nc\tO\nd\tX\n",
}


def loaded(write):
    gold = write("gold.conll", GOLD)
    systems = {name: write(f"{name}.conll", text) for name, text in SYSTEMS.items()}
    return coleval.load(gold, systems, task="tag", outside="O")


def counted(report):
    rows = report.table(NAME).select("bin", "system", "spurious").iter_rows()
    return {(bin_, system): n for bin_, system, n in rows if n}


def test_each_system_is_counted_in_the_bins_of_what_it_invents(write):
    rows = loaded(write).bins().table(NAME).rows()
    assert rows == [
        (1, "one", 1, 1, 1.0), (1, "three", 0, 1, 0.0), (1, "two", 0, 1, 0.0),
        (2, "one", 1, 1, 1.0), (2, "three", 0, 1, 0.0), (2, "two", 1, 1, 1.0),
        (3, "one", 1, 1, 1.0), (3, "three", 1, 1, 1.0), (3, "two", 1, 1, 1.0),
    ]  # fmt: skip


def test_what_only_others_than_the_judges_predict_is_in_bin_0(write):
    report = loaded(write).bins(bins_from="two,three")
    assert counted(report) == {
        (0, "one"): 1, (1, "one"): 1, (1, "two"): 1,
        (2, "one"): 1, (2, "two"): 1, (2, "three"): 1,
    }  # fmt: skip


def test_a_screen_has_a_row_a_system_and_the_size_of_each_bin(write):
    lines = render(loaded(write).bins(), NAME).splitlines()
    assert [line.split() for line in lines[1:3]] == [["1", "2", "3"], ["system", "1", "1", "1"]]
    assert lines[4].split() == ["one", "1", "1", "1"]


def test_there_is_nothing_to_invent_where_every_item_has_gold(write):
    gold = write("gold.conll", "a\tX\nb\tY\n")
    report = coleval.load(gold, {"s": write("s.conll", "a\tX\nb\tX\n")}, task="tag").bins()
    assert report.table(NAME).is_empty()
    assert NAME not in render(report)


def test_spurious_entities_of_w_nut_add_up_to_the_false_positives(data):
    root = data("wnut17")
    files = sorted(map(str, (root / "submissions").iterdir()))
    made = coleval.load(str(root / "gold" / "emerging.test.annotated"), files)
    report = made.bins()
    frame = report.table(NAME)
    own = frame.filter(pl.col("system") == "arcada").select("bin", "spurious")
    assert own.rows() == [(1, 117), (2, 48), (3, 51), (4, 25), (5, 11)]
    # A bin of k holds each of its items k times.
    sums = frame.group_by("bin").agg(pl.col("spurious").sum()).sort("bin").rows()
    assert sums == [(k, k * n) for k, n in report.table("spurious").iter_rows()]
