"""What a person sees of a comparison: any number of systems, a hundred columns, no colour."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.analyses.compare.matrix import mark
from coleval.analyses.compare.ranks import bar
from coleval.cli.main import main
from coleval.render import show


def corpus(systems, items=400):
    rng = np.random.default_rng(0)
    columns = {f"system-{k:02d}": np.where(rng.random(items) < 0.5 + 0.45 * k / systems, "y", "n")
               for k in range(systems)}  # fmt: skip
    picks = ",".join(["gold=gold", *(f"system={name}" for name in columns)])
    return coleval.load(
        pl.DataFrame({"gold": ["y"] * items, **columns}), task="label", columns=picks
    )


def text_of(report, width=100, *, color=False):
    stream = io.StringIO()
    show(report, stream=stream, width=width, color=color)
    return stream.getvalue()


@pytest.mark.parametrize("systems", [2, 3, 8, 23, 50])
def test_any_number_of_systems_fits_a_hundred_columns(systems):
    report = corpus(systems).compare(replicates=200)
    text = text_of(report)
    assert max(map(len, text.splitlines())) <= 100
    assert "not shown" not in text
    triangle = text.split("\nranks")[0]
    if systems > 2:
        marks = sum(triangle.split("adjusted p")[0].count(m) for m in "●◐○·?")
        assert marks == systems * (systems - 1) // 2


def test_marks_are_shapes_and_are_explained():
    assert [mark(p) for p in (0.0001, 0.005, 0.03, 0.05, 1.0, None)] == [
        "●",
        "◐",
        "○",
        "·",
        "·",
        "–",
    ]
    assert "● < .001" in text_of(corpus(4).compare(replicates=200))


def test_a_bar_reaches_from_low_to_high_with_a_dot_at_the_score():
    row = {"low": 0.2, "value": 0.5, "high": 0.8}
    assert bar(row, (0.0, 1.0), 11) == "  ───●───"
    assert bar({"low": None, "value": 0.5, "high": None}, (0.5, 0.5), 11) == "●"
    assert bar({"low": None, "value": None, "high": None}, (0.5, 0.5), 11) == ""


def test_reasons_are_told_below_the_table(write):
    gold, a, b = (write(n, f"w {t}\n") for n, t in (("gold", "O"), ("a", "B-A"), ("b", "O")))
    report = coleval.load(gold, {"a": a, "b": b}, task="span").compare(metric="recall")
    assert "recall is undefined: nothing to divide by" in text_of(report)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_screen(width):
    report = corpus(9).compare(replicates=100, group="system-(.)")
    assert max(map(len, text_of(report, width).splitlines())) <= width


@pytest.mark.parametrize(
    "arguments",
    [("compare", "--replicates", "50"), ("compare", "--test", "mcnemar-midp", "--correct", "bh"),
     ("compare", "--baseline", "a", "--metric", "macro_f1", "--replicates", "50"),
     ("compare", "--group", "(.)", "--replicates", "50", "--seed", "3"),
     ("score", "--intervals", "--replicates", "50"), ("agree", "--chance", "pooled"),
     ("measure", "--beta", "2", "--correlate", "a", "b")],
)  # fmt: skip
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_command_has_every_form(tmp_path, capsys, arguments, form):
    path = tmp_path / "all.csv"
    path.write_text("id,gold,a,b,c\n" + "".join(f"{k},{'xy'[k % 2]},x,{'xy'[k % 3 > 0]},y\n"
                                                for k in range(12)))  # fmt: skip
    command, *options = arguments
    picks = "id=id,gold=gold,system=a,system=b,system=c"
    code = main([command, str(path), "--task", "label", "--columns", picks, "--as", form, *options])
    assert code == 0
    out = capsys.readouterr().out
    assert out
    assert "nan" not in out.lower().replace("unan", "")
