"""The error rate of a leaderboard: by hand, where accuracy is undefined, where it is shown."""

from __future__ import annotations

import io

import polars as pl
import pytest

import coleval
from coleval.render import show


def load(separator="", **columns):
    picks = ",".join(["gold=gold", *(f"system={name}" for name in columns if name != "gold")])
    frame = pl.DataFrame({name: list(text) for name, text in columns.items()})
    return coleval.load(frame, task="label", columns=picks, separator=separator)


def test_three_of_four_right_is_a_quarter_wrong_and_the_column_is_the_last():
    overall = load(gold="ABAB", s="ABAA", t="BABA").score().table("overall")
    assert overall.columns[-1] == "error_rate"
    assert overall.select("system", "error_rate").rows() == [("s", 0.25), ("t", 1.0)]


def test_it_is_there_with_intervals_and_for_several_labels_and_a_matrix(write):
    corpus = load(gold="ABAB", s="ABAA", t="BABA")
    assert corpus.score(intervals=True, replicates=20).table("overall")["error_rate"][0] == 0.25
    sets = load(gold=["A|B", "A"], s=["A", "A"], t=["A", "B"], separator="|")
    several = sets.score().table("overall")
    assert several["samples_f1"].null_count() == 0
    assert several.select("accuracy", "error_rate").rows() == [(0.5, 0.5), (0.0, 1.0)]
    matrix = write("matrix.csv", "id,s,t\n1,1,0\n2,0,0\n3,1,0\n")
    overall = coleval.load(matrix, task="matrix").score().table("overall")
    assert overall["error_rate"].to_list() == pytest.approx([1 / 3, 1.0])


def test_it_is_null_where_accuracy_is_and_not_on_the_screen(write):
    paths = [write(name, "w B-A\n") for name in ("gold", "a", "b")]
    report = coleval.load(paths[0], {"a": paths[1], "b": paths[2]}, task="span").score()
    assert report.table("overall")["error_rate"].to_list() == [None, None]
    stream = io.StringIO()
    show(load(gold="ABAB", s="ABAA", t="BABA").score(), stream=stream, width=120, color=False)
    assert "error" not in stream.getvalue()
