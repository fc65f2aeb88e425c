"""A filter that cannot keep false positives says how many it drops, wherever precision is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import coleval

Write = Callable[[str, str], Path]
GOLD = "a\tB-PER\nb\tO\nc\tO\n\nd\tB-LOC\ne\tO\n"
ONE = "a\tB-PER\nb\tB-LOC\nc\tO\n\nd\tO\ne\tB-PER\n"
TWO = "a\tO\nb\tB-LOC\nc\tB-LOC\n\nd\tB-LOC\ne\tO\n"


@pytest.fixture
def corpus(write: Write) -> coleval.Corpus:
    # Four spurious answers: LOC at b by both, PER at e by one, LOC at c by two.
    files = {"one": write("one.conll", ONE), "two": write("two.conll", TWO)}
    return coleval.load(write("gold.conll", GOLD), files, task="span")


def about_where(report: coleval.Report) -> list[str]:
    return [line for line in report.warnings if "where=" in line and "leaves out" in line]


@pytest.mark.parametrize(
    ("where", "dropped"),
    [
        ("difficulty <= 2", 4),
        ("gold = 'PER'", 4),
        ("gold is not null", 4),
        ("difficulty <= 2 or spurious >= 2", 2),
        # Conditions that are true or false of every item.
        ("one is not null", 1),
        ("two is not distinct from gold", 3),
        ("coalesce(gold, one, two) = 'PER'", 3),
        ("outcome_one = 'correct'", 4),
        ("spurious = 1", 2),
        ("sentence = 0 and spurious = 1", 3),
    ],
)
def test_a_filter_that_drops_spurious_answers_says_how_many(
    corpus: coleval.Corpus, where: str, dropped: int
) -> None:
    (line,) = about_where(corpus.score(where=where))
    assert f"leaves out {dropped} of 4 spurious answers" in line


@pytest.mark.parametrize(
    "where",
    [
        "",
        "sentence = 0",
        "sentence = 1",
        "difficulty <= 2 or gold is null",
        '"end" - start = 1',
        "form = 'a'",
        "form in ('a', 'd')",
        "position = 0",
        "form = 'gold'",
        "form = 'it''s one' or sentence = 0",
        "spurious is not null or gold is not null",
        "one is not null or two is not null or gold is not null",
    ],
)
def test_a_filter_that_keeps_them_or_chooses_sentences_says_nothing(
    corpus: coleval.Corpus, where: str
) -> None:
    assert about_where(corpus.score(where=where)) == []


def test_a_filter_that_nothing_matches_says_so(corpus: coleval.Corpus) -> None:
    (line,) = corpus.score(where="gold = 'person'").warnings
    assert "no item matches where= `gold = 'person'`" in line
    assert corpus.score(where="form = 'a'").warnings == ()


def test_every_command_that_prints_precision_says_so(corpus: coleval.Corpus) -> None:
    where = "difficulty <= 1"
    reports = (
        corpus.errors(where=where),
        corpus.measure(where=where),
        corpus.changes(where=where),
        corpus.buckets(where=where),
        corpus.score(where=where, intervals=True, replicates=20),
        corpus.compare(where=where, replicates=20),
        corpus.pivot(rows="gold", cols="sentence", value="f1:one", where=where),
        corpus.report(where=where, replicates=20),
    )
    assert [len(about_where(report)) for report in reports] == [1] * len(reports)


def test_what_prints_no_precision_does_not(corpus: coleval.Corpus) -> None:
    where = "difficulty <= 1"
    reports = (
        corpus.bins(where=where),
        corpus.oracle(where=where),
        corpus.compare(where=where, metric="recall", replicates=20),
        corpus.pivot(rows="gold", cols="sentence", where=where),
    )
    assert [about_where(report) for report in reports] == [[]] * len(reports)


@pytest.mark.parametrize(("form", "begins"), [("latex", "% warning: "), ("markdown", "warning: ")])
def test_tables_for_a_paper_carry_the_warning(
    corpus: coleval.Corpus, form: str, begins: str
) -> None:
    report = corpus.score(where="difficulty <= 2")
    printed = getattr(report, f"to_{form}")("overall")
    (line,) = [line for line in printed.splitlines() if "leaves out 4 of 4" in line]
    assert line.startswith(begins)


def test_paper_without_warnings_has_none(corpus: coleval.Corpus) -> None:
    assert "warning" not in corpus.score().to_latex() + corpus.score().to_markdown()


HARD = "difficulty <= 2"


@pytest.mark.parametrize(
    ("where", "precision", "tp", "fp"),
    [(HARD, 31.44, 72, 157), (f"({HARD}) or gold is null", 14.97, 72, 409)],
)
def test_precision_on_the_hard_items_of_w_nut_is_14_97_with_what_arcada_invents(
    data: Callable[[str], Path], where: str, precision: float, tp: int, fp: int
) -> None:
    folder = data("wnut17")
    gold = folder / "gold/emerging.test.annotated"
    report = coleval.load(gold, sorted((folder / "submissions").iterdir())).score(where=where)
    row = report.table("overall").row(by_predicate=pl.col("system") == "arcada", named=True)
    assert (round(100 * row["precision"], 2), row["tp"], row["fp"]) == (precision, tp, fp)
    dropped = "leaves out 1,021 of 1,021 spurious answers"
    assert [dropped in line for line in about_where(report)] == ([True] if where == HARD else [])


def test_the_filter_that_the_warning_names_is_that_of_the_docs(corpus: coleval.Corpus) -> None:
    (line,) = about_where(corpus.score(where=HARD))
    kept = f"({HARD}) or gold is null"
    assert f'where="{kept}"' in line
    page = Path(__file__).parent.parent / "docs" / "bins.md"
    assert f'coleval score corpus/ --where "{kept}"' in page.read_text(encoding="utf-8")
