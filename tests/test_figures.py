"""Figures: what each kind draws of some rows, whatever these are called; numbers in tooltips."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from typing import get_args
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.corpus.report import Report
from coleval.declare.figures import Figure, FigureKind
from coleval.declare.tables import Column, count, percent, points, text
from coleval.errors import UsageError
from coleval.render import text as rendered
from coleval.render.chart_parts import scale_of, tick_words
from coleval.render.chart_shapes import spread
from coleval.render.charts import chart
from coleval.render.figures import plots, with_figures
from coleval.render.plots import plotted
from coleval.render.sheet import STEPS, tinted, tinted_by_night, two_sided, two_sided_by_night
from test_renderers_html import contrast

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("<script>alert(1)</script>", 'a"&b', "\u202edrawkcab", "bell\x07", "\ufffe", "عربي", "")
SYSTEM = text("system")


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314


def tooltips(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter(f"{SVG}title")]


def words(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter(f"{SVG}text")]


def scores(*rows: tuple[str, float | None], **more: list[float | None]) -> Report:
    systems, f1 = [name for name, _ in rows], [value for _, value in rows]
    numbers = dict.fromkeys(("precision", "recall"), f1) | {"f1": f1, **more}
    frame = pl.DataFrame(
        {
            "system": pl.Series(systems, dtype=pl.String),
            "items": pl.Series([10] * len(rows), dtype=pl.Int64),
            **{name: pl.Series([4] * len(rows), dtype=pl.Int64) for name in ("tp", "fp", "fn")},
            **{name: pl.Series(values, dtype=pl.Float64) for name, values in numbers.items()},
        }
    )
    return Report("score", {"overall": frame}, "coleval:test")


def drawn(figure: Figure, rows: list[dict[str, object]]) -> str:
    return chart(plotted(figure, pl.DataFrame(rows), "a title"))


def test_tooltips_have_the_numbers_of_the_table():
    report = scores(("a", 0.41864), ("b", 0.3), f1_low=[0.38, None], f1_high=[0.45, None])
    told = tooltips(rendered(report, "svg"))
    # a: P = R = F1 = 0.41864, its interval from 0.38 to 0.45; four each of TP, FP, FN.
    assert told[0] == "a\nF1 %: 41.86 (38.00 to 45.00)\nP %: 41.86\nR %: 41.86\nTP: 4\nFP: 4\nFN: 4"
    assert told[1].startswith("b\nF1 %: 30.00\n")
    shown = re.findall(r"\d+\.\d\d", rendered(report, "markdown"))
    assert {"41.86", "30.00"} <= set(shown)


def test_points_are_the_pairs_of_values_that_rows_have():
    frame = pl.DataFrame({"gold": ["a", "b", "a", "a"], "one": ["a", "b", "b", "a"],
                          "length": [3, 5, 3, 3]})  # fmt: skip
    corpus = coleval.load(frame, task="label", columns={"context": ["length"]})
    report = corpus.measure(correlate=("length", "one"))
    # Of length 3 two are right (1) and one is wrong (0), that of length 5 is right.
    rows = report["points"].select("value_x", "value_y", "n").rows()
    assert rows == [(3.0, 0.0, 1), (3.0, 1.0, 2), (5.0, 1.0, 1)]
    told = tooltips(report.to_svg("points"))
    assert [tip.split("\n")[1:] for tip in told] == [
        [f"x: {x:.4f}", f"y: {y:.4f}", f"n: {n}"] for x, y, n in rows
    ]
    assert "points" not in corpus.measure()


def test_hostile_names_are_shown_and_do_nothing():
    report = scores(*((name, 0.5) for name in HOSTILE))
    svg = rendered(report, "svg")
    assert not re.search(r"<(script|!|\?)|[\x00-\x08\u202e]", svg)
    assert {
        "<script>alert(1)</script>",
        'a"&b',
        "bell\\x07",
        "\\u202edrawkcab",
        "عربي",
        '""',
        "\ufffd",
    } <= set(words(svg))
    assert "<script>alert(1)</script>\nF1 %: 50.00" in tooltips(svg)[0]


def test_titles_with_hostile_values_are_escaped():
    shares = {name: [0.5, 0.25] for name in ("f1", "precision", "recall")}
    rows = {"system": "<&>", "label": ["<b>", "c"], **shares, "support": [1, 2]}
    svg = rendered(Report("score", {"labels": pl.DataFrame(rows)}, ""), "svg")
    assert parsed(svg).get("aria-label") == "<&>: F1 by label, most support first"


@pytest.mark.parametrize("n", [1, 2, 8, 9, 30, 31, 50])
def test_any_number_of_systems_has_a_row_each(n):
    report = scores(*((f"system-{k:02}", k / n) for k in range(n)))
    dots = chart(plots(report, "overall")[0])
    names = [f"system-{k:02}" for k in range(n)]
    assert [word for word in words(dots) if word.startswith("system")] == names
    rows = [float(y) for y in re.findall(r'y="([\d.]+)"[^>]*>system-', dots)]
    assert all(after - before >= 14 for before, after in pairwise(rows))


def test_no_systems_and_no_scores_have_nothing_to_draw():
    for report in (scores(), scores(("a", None))):
        assert with_figures(report) == []
        with pytest.raises(UsageError, match="score has no figure here"):
            rendered(report, "svg")
        assert '<figure class="chart">' not in rendered(report, "html")


def test_fifty_systems_on_lines_are_a_heat_map_and_few_are_lines():
    figure = Figure("lines", "t", text("bucket"), percent("f1", "F1"), SYSTEM)
    many = [{"bucket": b, "system": f"s{k}", "f1": 0.5} for k in range(50) for b in "12"]
    assert "<polyline" not in drawn(figure, many)
    assert drawn(figure, many[:16]).count("<polyline") == 8
    assert 'class="cells"' not in drawn(figure, many)


def test_of_many_series_the_smallest_are_put_together_and_nothing_is_lost():
    figure = Figure("stacked bars", "t", text("bin"), count("n"), text("label"), upright=True)
    rows = [{"bin": b, "label": f"l{k}", "n": k + 1} for b in "01" for k in range(12)]
    told = tooltips(drawn(figure, rows))
    sums = {b: sum(int(tip.rsplit(" ", 1)[1]) for tip in told if tip.startswith(f"{b}\n"))
            for b in "01"}  # fmt: skip
    assert sums == {"0": 78, "1": 78}
    # The seven largest have 12 + 11 + … + 6 = 63 of 78.
    assert "0\nall others (5)\nn: 15" in told


def test_a_pair_read_from_the_other_side_changes_its_sign():
    figure = Figure("heat map", "t", text("a", ""), points("delta"), text("b"), mirrored=True)
    told = tooltips(drawn(figure, [{"a": "x", "b": "y", "delta": 0.125}]))
    assert told == ["x\ny\npoints: +12.50", "y\nx\npoints: -12.50"]


def test_of_a_hundred_labels_a_square_has_the_first_ones_down_and_across():
    labels = [f"l{k:03}" for k in range(100)]
    rows = [("s", one, other, 100 - k) for k, one in enumerate(labels) for other in labels[:40]]
    frame = pl.DataFrame(rows, ["system", "gold", "answer", "n"], orient="row")
    (plot,) = plots(Report("confusion", {"confusion": frame}, ""), "confusion")
    assert plot.names == plot.series
    assert len(plot.names) == 25
    assert plot.notes == ("gold: the first 25 of 100", "answer: the first 25 of 100")


def test_what_has_no_label_comes_last_down_and_across():
    rows = [("x", "y", "new error", None, "B", 9), ("x", "y", "correction", "A", None, 5)]
    columns = ["before", "after", "kind", "label_before", "label_after", "n"]
    report = Report("changes", {"changes": pl.DataFrame(rows, columns, orient="row")}, "")
    (plot,) = plots(report, "changes")
    assert plot.names == plot.series == ("A", "B", "–")


def test_what_is_not_significant_is_pale():
    figure = Figure("heat map", "t", text("a"), points("delta"), text("b"), sure="sure")
    rows = [{"a": "x", "b": "y", "delta": 0.1, "sure": True},
            {"a": "x", "b": "z", "delta": 0.1, "sure": False}]  # fmt: skip
    svg = drawn(figure, rows)
    assert svg.count('class="unsure"') == 2  # the cell, and what says so above
    assert "not significant" in words(svg)


def test_long_names_are_cut_stay_apart_and_are_whole_in_tooltips():
    names = [f"{'long-' * 20}{k}" for k in range(3)]
    svg = rendered(scores(*((name, 0.5) for name in names)), "svg")
    cut = [word for word in words(svg) if word.startswith("long-")]
    assert len(set(cut[:3])) == 3
    assert max(map(len, cut)) <= 47
    assert set(names) <= set(tooltips(svg))


def test_the_bytes_do_not_depend_on_the_run(tmp_path):
    program = tmp_path / "draw.py"
    program.write_text(
        "import polars as pl; from coleval.corpus.report import Report; "
        "from coleval.render import text\n"
        "frame = pl.DataFrame({'by': list('abcdefghij') * 2, 'bin': [0] * 10 + [1] * 10, "
        "'items': [3] * 20, 'share': [0.5] * 20})\n"
        "print(text(Report('bins', {'by': frame}, ''), 'svg'))\n"
    )
    runs = {
        subprocess.run([sys.executable, program], env=os.environ | {"PYTHONHASHSEED": seed},
                       capture_output=True, check=True).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(runs) == 1
    assert b"all others (3)" in runs.pop()


@pytest.fixture
def answers(tmp_path) -> list[str]:
    for name, tags in {"gold": "ABAB", "one": "ABAA", "two": "AAAA"}.items():
        lines = (f"w{k}\t{tag}" for k, tag in enumerate(tags))
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(tmp_path / f"{name}.tsv") for name in ("gold", "one", "two")]


def test_a_report_is_saved_as_a_figure_by_its_suffix(answers, tmp_path):
    report = coleval.load(answers[0], answers[1:]).bins()
    report.save(tmp_path / "bins.svg")
    assert "items by the number of systems" in (tmp_path / "bins.svg").read_text(encoding="utf-8")
    report.save(f"{tmp_path}/all/", form="svg")
    saved = {path.stem for path in (tmp_path / "all").iterdir()}
    assert saved == set(with_figures(report)) == {"bins", "tps", "systems"}


def test_a_table_without_a_figure_is_an_error_that_names_those_with_one(answers):
    report = coleval.load(answers[0], answers[1:]).compare(replicates=20)
    with pytest.raises(UsageError) as caught:
        rendered(report, "svg", table="power")
    assert "`power` has no figure" in str(caught.value)
    assert "tables with figures: pairs, ranks" in str(caught.value)


def test_what_draws_nothing_does_not_load_charts(answers):
    code = (
        "import sys; from coleval.cli.main import main; "
        f"main(['score', *{answers!r}, '--as', 'csv', '--quiet']); "
        "print(sorted(name for name in sys.modules if 'chart_' in name or name.endswith("
        "('render.figures', 'render.svg', 'render.plots'))), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "[]" in done.stderr


KINDS = get_args(FigureKind)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_any_numbers_and_any_names_are_drawn_within_the_picture(kind, data):
    value = st.none() | st.floats(-1e12, 1e12) | st.integers(-3, 3).map(float)
    unit = data.draw(st.sampled_from(["ratio", "points", "decimal", "count"]))
    if kind == "stacked bars" or unit == "count":
        value = st.none() | st.integers(0, 10**9)
    names = st.text(max_size=50)
    row = st.fixed_dictionaries({"name": names, "series": names, "value": value, "x": value,
                                 "low": value, "high": value})  # fmt: skip
    rows = data.draw(st.lists(row, max_size=12))
    figure = Figure(
        kind, "t", text("name"), Column("value", "value", unit), text("series"),
        x=Column("x", "x", unit) if kind in ("points", "curves") else None, low="low", high="high",
        upright=kind == "stacked bars",
    )  # fmt: skip
    types = {"name": pl.String, "series": pl.String} | dict.fromkeys(
        ("value", "x", "low", "high"), pl.Int64 if unit == "count" else pl.Float64
    )
    root = parsed(chart(plotted(figure, pl.DataFrame(rows, types), "t")))
    sizes = [float(root.get("width", 0)), float(root.get("height", 0))]
    for element in root.iter():
        for key, limit in (("x", 0), ("y", 1), ("cx", 0), ("cy", 1)):
            assert -1 <= float(element.get(key, 0)) <= sizes[limit]


def test_of_many_points_of_a_curve_some_are_drawn_and_its_ends():
    n = 1000
    curve = {"column": ["a"] * n + ["b"] * 5, "threshold": [*range(n), *range(5)],
             "selected": [1] * (n + 5), "tp": 1, "fp": 1, "precision": 0.5, "fpr": 0.25,
             "recall": [k / n for k in range(n)] + [k / 4 for k in range(5)]}  # fmt: skip
    scores = {"column": ["a", "b"], "average_precision": [0.5, 0.5]}
    tables = {"scores": pl.DataFrame(scores), "pr_curve": pl.DataFrame(curve)}
    precision, roc = plots(Report("measure", tables, ""), "scores")
    recalls = [mark.x for mark in precision.joined("a")]
    assert (len(recalls), recalls[0], recalls[-1]) == (251, 0.0, 0.999)
    assert len(precision.joined("b")) == 5
    assert precision.notes == roc.notes == ("256 of 1,005 points are drawn",)


def test_what_is_not_finite_is_not_drawn():
    figure = Figure("bars", "t", SYSTEM, percent("f1", "F1"))
    rows: list[dict[str, object]] = [
        {"system": "a", "f1": value} for value in (float("nan"), float("inf"), 0.5)
    ]
    assert drawn(figure, rows).count("<rect") == 1


numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))


@given(st.lists(numbers, min_size=1), st.sampled_from(["count", "decimal", "points", "ratio"]))
def test_an_axis_has_room_for_all_numbers_and_few_round_ticks(values, kind):
    scale = scale_of(values, 0, 100, kind=kind)
    assert all(-1e-6 <= scale.at(value) <= 100 + 1e-6 for value in values)
    assert 1 <= len(scale.ticks) <= 10
    assert all(after > before for before, after in pairwise(scale.ticks))
    assert len(set(tick_words(scale.ticks, kind))) == len(scale.ticks)
    if kind == "count":
        assert all(tick == int(tick) for tick in scale.ticks)


def test_ticks_of_shares_are_percent_between_0_and_100():
    scale = scale_of([0.02, 0.97], 0, 100, kind="ratio")
    assert tick_words(scale.ticks, "ratio") == ["0", "20", "40", "60", "80", "100"]
    assert tick_words((-0.025, 0.0, 0.025), "points") == ["−2.5", "0.0", "+2.5"]


@given(st.lists(st.integers(0, 300), max_size=20).map(sorted))
def test_names_at_the_end_of_lines_keep_their_order_and_their_distance(places):
    moved = spread([float(place) for place in places], 14, 320)
    assert all(after - before >= 14 - 1e-9 for before, after in pairwise(moved))
    assert all(place <= 320 for place in moved)
    if all(after - before >= 14 for before, after in pairwise(places)):
        assert moved == places


@pytest.mark.parametrize("style", [tinted, tinted_by_night, two_sided, two_sided_by_night])
def test_numbers_can_be_read_on_every_cell_of_a_heat_map(style):
    # Pages and papers have these steps alone, a terminal any shade.
    for shade in {at / n for n in (STEPS, 50 if style is tinted else STEPS) for at in range(n + 1)}:
        assert contrast(*style(shade).split(" on ")) >= 4.5, shade  # WCAG 2.1, 1.4.3
