"""What papers print: the tables of the screen in full, their best bold, captions, stars, tints."""

from __future__ import annotations

import re

import polars as pl
import pytest

from coleval.cli.main import main
from coleval.corpus.report import Report
from coleval.render import text

PRINTED = ("latex", "markdown")
READ = ("table", "html", *PRINTED)


def labels(*systems: str, n: int = 2) -> Report:
    """Return the F1 of ``n`` labels by system, the first system the best by a point each."""
    rows = [
        {"system": system, "label": f"L{k}", "f1": 0.9744 - at / 100, "support": 100 - k,
         "precision": 0.5, "recall": 0.5, "tp": 1, "fp": 1, "fn": 1}
        for at, system in enumerate(systems)
        for k in range(n)
    ]  # fmt: skip
    return Report("score", {"labels": pl.DataFrame(rows)}, "coleval:x")


def ranks() -> Report:
    row = {"metric": "f1", "group": 1, "better_than": 1, "worse_than": 0, "note": None,
           "p_best": 0.9}  # fmt: skip
    rows = [
        {"rank": 1, "system": "a", "value": 0.8, "low": 0.75, "high": 0.86, "rank_low": 1,
         "rank_high": 2, **row},
        {"rank": 2, "system": "b", "value": 0.7, "low": None, "high": None, "rank_low": 1,
         "rank_high": 2, **row},
    ]  # fmt: skip
    return Report("compare", {"ranks": pl.DataFrame(rows)}, "coleval:x")


def pairs(*adjusted: float | None) -> Report:
    """Return the pairs of three systems (or one pair alone) with these adjusted p values."""
    names = [("a", "b"), ("a", "c"), ("b", "c")]
    rows = [
        {"a": a, "b": b, "metric": "f1", "value_a": 0.5, "value_b": 0.4, "delta": 0.1 + at / 10,
         "low": 0.05, "high": 0.15, "p": 0.01, "p_adjusted": p, "note": None}
        for at, ((a, b), p) in enumerate(zip(names, adjusted, strict=False))
    ]  # fmt: skip
    return Report("compare", {"pairs": pl.DataFrame(rows)}, "coleval:x")


@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize(
    ("command", "table", "columns"),
    [
        ("score", "overall", {"system": "a", "f1": 0.9744, "tp": 1}),
        ("oracle", "systems", {"label": "X", "system": "a", "items": 1, "accuracy": 0.9744}),
        ("changes", "flips", {"system": "a", "earlier": 1, "share": 0.9744}),
        ("buckets", "differences", {"before": "a", "after": "b", "f1_before": 0.9744}),
        ("score", "something", {"system": "a", "recall_before": 0.9744}),
        ("score", "something", {"system": "a", "coverage": 0.9744}),
    ],
)
def test_a_share_is_in_percent_on_every_form_that_is_read(form, command, table, columns):
    report = Report(command, {table: pl.DataFrame([columns])}, "coleval:x")
    shown = text(report, form, table=table)
    assert "97.44" in shown
    assert "0.97" not in shown
    assert "%" in shown


@pytest.mark.parametrize("form", PRINTED)
def test_paper_has_labels_by_systems_with_the_best_bold(form):
    shown = text(labels("first", "second"), form)
    bold = {"latex": r"\textbf{97.44}", "markdown": "**97.44**"}[form]
    assert shown.count(bold) == 2
    assert "96.44" in shown
    assert "▼" not in shown


@pytest.mark.parametrize("form", PRINTED)
def test_paper_has_every_label_and_every_name_in_full(form):
    names = [f"a-system-with-a-name-of-more-than-forty-letters-{k}" for k in range(30)]
    shown = text(labels(*names, n=70), form)
    assert all(name in shown.replace("-{}-", "--") for name in names)
    assert all(re.search(rf"\bL{k}\b", shown) for k in range(70))
    assert "…" not in shown
    assert "not shown" not in shown


@pytest.mark.parametrize("form", PRINTED)
def test_paper_has_every_row_of_a_list(form):
    rows = [{"label": f"L{k}", "n": 1, "share": 0.01} for k in range(100)]
    shown = text(Report("errors", {"statistics": pl.DataFrame(rows)}, "coleval:x"), form)
    assert all(re.search(rf"\bL{k}\b", shown) for k in range(100))


@pytest.mark.parametrize("form", PRINTED)
def test_paper_has_numbers_where_a_screen_has_bars(form):
    bins = pl.DataFrame({"bin": [0, 1], "items": [30, 10], "share": [0.75, 0.25]})
    shown = text(Report("bins", {"bins": bins}, "coleval:x"), form)
    assert "75.00" in shown
    assert "█" not in shown
    assert "rule{1ex}" not in shown
    profile = pl.DataFrame({"system": "a", "error": ["fn", "le"], "n": [812, 93]})
    shown = text(Report("errors", {"profile": profile}, "coleval:x"), form)
    assert all(part in shown for part in ("812", "93", "missed", "wrong label", "905"))


@pytest.mark.parametrize(("form", "sign"), [("latex", r"$\pm$"), ("markdown", "±")])
def test_ranks_have_half_the_width_of_their_intervals(form, sign):
    shown = text(ranks(), form)
    assert f"80.00 {sign} 5.50" in shown
    assert f"70.00 {sign}" not in shown


def test_pairs_have_stars_by_the_adjusted_p():
    shown = text(pairs(0.0005, 0.005, 0.04), "markdown")
    assert [s for s in (r"10.00\*\*\*", r"20.00\*\*", r"30.00\*") if f" {s} " not in shown] == []
    assert "< .001" in shown.replace("\\", "")
    assert "***" not in text(pairs(0.5, 0.5, None), "markdown").replace(r"\*\*\* \<", "")
    assert r"+10.00{*}{*}" in text(pairs(0.005), "latex")


def test_one_pair_of_changes_is_in_numbers_on_paper():
    row = {"before": "a", "after": "b", "items": 50, "different": 9, "diff": 0.18,
           "corrections": 5, "new_errors": 3, "changed_errors": 1, "accuracy_before": 0.5,
           "accuracy_after": 0.54, "delta": 0.04, "f1_before": None, "f1_after": None,
           "f1_delta": None, "sentences": 0}  # fmt: skip
    shown = text(Report("changes", {"summary": pl.DataFrame([row])}, "coleval:x"), "latex")
    assert all(f" {part} " in shown for part in ("18.00", "5", "3", "50.00", "54.00", "+4.00"))


def test_the_caption_is_the_title_unless_there_is_another():
    assert r"\caption{F1 \% by label (support below)}" in text(labels("a", "b"), "latex")
    shown = text(labels("a", "b"), "latex", caption="Results & 50%")
    assert r"\caption{Results \& 50\%}\label{tab:results-50}" in shown
    assert "### Results \\& 50%\n" in text(labels("a", "b"), "markdown", caption="Results & 50%")


def test_labels_of_tables_are_unlike_each_other():
    two = Report("score", labels("a", "b").tables | ranks().tables, "coleval:x")
    for caption in ("", "Results", "结果"):
        found = re.findall(r"\\label\{(.*?)\}", text(two, "latex", caption=caption))
        assert len(set(found)) == 2
        assert all(re.fullmatch(r"tab:[a-z0-9-]+", label) for label in found)


def test_cells_are_tinted_only_if_that_is_asked_for():
    tinted = text(labels("a", "b"), "latex", tint=True)
    assert r"\cellcolor[HTML]{" in tinted
    assert r"%   \usepackage[table]{xcolor}" in tinted
    assert "color" not in text(labels("a", "b"), "latex")


def test_the_top_of_latex_says_what_its_tables_need():
    def needs(report: Report) -> list[str]:
        return re.findall(r"^%   (\\usepackage.*)", text(report, "latex"), re.MULTILINE)

    assert needs(labels("a", "b")) == [r"\usepackage{booktabs}"]
    assert r"\usepackage[T1]{fontenc}" in needs(labels("Đurđa", "b"))
    assert r"\usepackage{longtable}" in needs(labels("a", "b", n=60))
    assert r"\usepackage{rotating}" in needs(labels(*(f"system-{k}" for k in range(40)), n=20))
    shown = text(labels("结果", "b"), "latex")
    assert "letters: 结果" in shown.splitlines()[3]
    assert "XeLaTeX" in shown.splitlines()[4]


def test_tables_shown_within_others_are_named_where_all_are_printed():
    frames = {
        "overall": pl.DataFrame({"items": [0]}),
        "systems": pl.DataFrame({"label": ["X"], "system": ["a"], "accuracy": [0.5]}),
    }
    report = Report("oracle", frames, "coleval:x")
    for form in PRINTED:
        shown = text(report, form)
        assert "asked for by name: systems" in shown
        assert "50.00" not in shown


@pytest.mark.parametrize("form", PRINTED)
def test_an_empty_table_has_its_heads_and_says_so(form):
    frame = pl.DataFrame(schema={"label": pl.String, "n": pl.Int64, "share": pl.Float64})
    shown = text(Report("errors", {"statistics": frame}, "coleval:x"), form)
    assert "gold spans" in shown
    assert "no rows" in shown


def test_the_command_line_has_caption_and_tint(write, capsys):
    files = [str(write(f"{name}.conll", f"Oslo\tB-{name}\n")) for name in ("LOC", "PER")]
    caption = ["--caption", "All results", "--tint"]
    assert main(["score", *files, "--table", "overall", "--as", "latex", "--quiet", *caption]) == 0
    assert r"\caption{All results}\label{tab:all-results}" in capsys.readouterr().out
    assert main(["score", *files, "--as", "csv", "--quiet", "--caption", "x"]) == 2
    assert "has no caption" in capsys.readouterr().err
    query = ["sql", *files, "select 1 as one", "--quiet", "--caption", "x"]
    assert main([*query, "--as", "csv"]) == 2
    assert main([*query, "--as", "latex"]) == 0
    assert r"\caption{x}" in capsys.readouterr().out
