"""Reports are mappings of frames with a text in every form; a corpus says what it is."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.errors import UsageError


@pytest.fixture
def corpus(write):
    gold = write("gold.conll", "a B-A\nb O\n\nc B-B\n")
    systems = {"<b>x": "a B-A\nb O\n\nc I-B\n", "y": "a O\nb O\n\nc B-B\n"}
    return coleval.load(
        gold, {name: write(f"{k}.conll", text) for k, (name, text) in enumerate(systems.items())}
    )


def test_a_report_is_a_mapping_of_frames(corpus):
    report = corpus.score()
    assert list(report) == list(report.keys()) == ["overall", "labels"]
    assert report["overall"] is report.tables["overall"]
    assert dict(report).keys() == report.tables.keys()
    assert "labels" in report
    assert "label" not in report
    assert isinstance(report["labels"], pl.DataFrame)


def test_a_table_that_is_not_there_is_named_with_its_neighbours(corpus):
    with pytest.raises(UsageError, match="no table is called `overal`\n  did you mean `overall`"):
        corpus.score()["overal"]
    with pytest.raises(UsageError, match="no table is called `overal`"):
        corpus.score().to_latex("overal")


@pytest.mark.parametrize(
    ("method", "form", "mark"),
    [("to_latex", "latex", r"\toprule"), ("to_markdown", "markdown", "|"),
     ("to_html", "html", "<!doctype html>"), ("to_svg", "svg", "<svg")],
)  # fmt: skip
def test_a_report_gives_the_text_that_its_file_has(corpus, tmp_path, method, form, mark):
    report = corpus.score()
    path = tmp_path / "report"
    report.save(path, form=form, table="labels")
    text = getattr(report, method)("labels")
    assert text == path.read_text(encoding="utf-8")
    assert mark in text
    assert text != getattr(report, method)()


def test_a_report_is_shown_as_on_the_console(corpus, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    shown = repr(corpus.score())
    assert max(map(len, shown.splitlines())) <= 60
    assert shown.startswith("overall")
    assert "coleval:" in shown
    assert "\x1b" not in shown


def test_a_corpus_says_task_items_systems_warnings_and_what_to_ask_next(corpus):
    lines = repr(corpus).splitlines()
    assert lines[0] == "coleval corpus: task span, 2 systems"
    assert "  items    2 (spans)" in lines
    assert any(line.startswith("  systems  <b>x, y") for line in lines)
    assert any(line.startswith("  warning  <b>x: `I-B` on `c`") for line in lines)
    calls = lines[lines.index("next:") + 1 :]
    assert len(calls) == 3
    for line in calls[:2]:
        assert eval(line.split("#")[0], {"corpus": corpus}).tables  # noqa: S307


def test_names_are_no_markup_in_a_notebook(corpus):
    html = corpus._repr_html_()
    assert "&lt;b&gt;x" in html
    assert "<b>x" not in html
    assert "corpus.score()" in html


def test_datasets_are_named_where_there_are_any():
    frame = pl.DataFrame({"gold": list("ABAB"), "s": list("ABBB"), "dataset": list("uuvv")})
    corpus = coleval.load(frame, columns={"context": ["dataset"]})
    assert "  datasets  u, v" in repr(corpus).splitlines()


def test_a_long_corpus_is_shown_short():
    systems = {f"system {k}": ["A", "B"] for k in range(40)}
    shown = repr(coleval.load(pl.DataFrame({"gold": ["A", "B"], **systems})))
    assert "and 32 more" in shown
    assert len(shown.splitlines()) < 12


def test_control_characters_of_names_do_not_reach_the_terminal():
    frame = pl.DataFrame({"gold": ["A", "B"], "s\x1b[31m": ["A", "B"]})
    assert "\x1b" not in repr(coleval.load(frame))


def test_the_public_names_are_listed_before_they_are_used():
    assert {"load", "open", "Corpus", "Report"} <= set(dir(coleval))


def test_what_a_report_warns_of_is_a_warning_in_python_too(write):
    gold, system = write("gold.conll", "a\tB-X\nb\tO\n\n"), write("a.conll", "a\tO\nb\tI-X\n\n")
    with pytest.warns(coleval.ColevalWarning, match='repair="begin"') as seen:
        corpus = coleval.load(gold, {"a": system})
    assert [w.filename for w in seen] == [__file__]
    with pytest.warns(coleval.ColevalWarning, match='train="FILE"') as seen:
        corpus.buckets()
    assert [w.filename for w in seen] == [__file__]
    assert not any("repair" in str(w.message) for w in seen)
