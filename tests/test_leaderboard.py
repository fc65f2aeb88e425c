"""The leaderboard that is published: the numbers of ``score`` and ``compare`` in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.render import text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GOLD = ("B-PER", "O", "B-LOC", "O", "B-PER", "I-PER", "O", "B-LOC")


def conll(tags: tuple[str, ...], sentences: int) -> str:
    lines = "".join(f"w{k}\t{tag}\n" for k, tag in enumerate(tags))
    return f"{lines}\n" * sentences


@pytest.fixture
def corpus(write: Callable[[str, str], Path]) -> coleval.Corpus:
    """Two datasets; one of the systems is better on the first, the other on the second."""
    swapped = tuple({"B-PER": "B-LOC"}.get(tag, tag) for tag in GOLD)
    nothing = ("O",) * len(GOLD)
    files = {"gold": (GOLD, GOLD), "one": (GOLD, nothing), "two": (swapped, GOLD)}
    for name, tags in files.items():
        for dataset, own in zip(("first", "second"), tags, strict=True):
            write(f"{name}-{dataset}.conll", conll(own, 12))
    folder = write("gold-first.conll", conll(GOLD, 12)).parent
    return coleval.load(
        str(folder / "gold-{dataset}.conll"),
        {name: str(folder / f"{name}-{{dataset}}.conll") for name in ("one", "two")},
        task="span",
    )


def test_its_numbers_are_those_of_score_and_compare(corpus: coleval.Corpus) -> None:
    board = corpus.score(leaderboard=True, replicates=200, seed=3)
    ranks = corpus.compare(by="dataset", replicates=200, seed=3).table("ranks")
    frame = board.table("leaderboard")
    for column in ("system", "value", "low", "high", "rank", "group", "worse_than"):
        assert frame[column].to_list() == ranks[column].to_list(), column
    overall = corpus.score().table("overall")
    for row in frame.to_dicts():
        own = overall.row(by_predicate=pl.col("system") == row["system"], named=True)
        assert (row["precision"], row["recall"]) == (own["precision"], own["recall"])
    assert board.table("by").equals(corpus.score(by="dataset").table("by"))


def test_it_has_a_column_for_each_dataset_with_the_best_marked(corpus: coleval.Corpus) -> None:
    report = corpus.score(leaderboard=True, replicates=50)
    printed = text(report, "markdown", table="leaderboard").split("\n")
    head, _, *lines = [line for line in printed if line.startswith("|")]
    assert [name for name in ("first", "second") if name in head] == ["first", "second"]
    rows = {line.split("|")[2].strip(): line for line in lines}
    assert "**100.00**" in rows["one"]
    assert "**100.00**" in rows["two"]


def test_a_page_of_score_is_a_leaderboard(
    corpus: coleval.Corpus, tmp_path: Path, write: Callable[[str, str], Path]
) -> None:
    folder = str(tmp_path)
    gold, one = write("g.conll", conll(GOLD, 6)), write("s.conll", conll(GOLD, 6))
    other = write("t.conll", conll(("O",) * 8, 6))
    page = f"{folder}/board.html"
    assert main(["score", str(gold), str(one), str(other), "--task", "span", "-o", page]) == 0
    with open(page, encoding="utf-8") as file:  # noqa: PTH123
        html = file.read()
    assert "<h1>Leaderboard: 2 systems on g.conll</h1>" in html
    assert html.index("data-table=leaderboard") < html.index("data-table=overall")
    assert "signature" in html
    # Only a page: other forms have what they had.
    table = f"{folder}/board.csv"
    assert main(["score", str(gold), str(one), "--task", "span", "-o", table]) == 0
    with open(table, encoding="utf-8") as file:  # noqa: PTH123
        assert file.read().startswith("system,items,")


def test_where_nothing_can_be_tested_scores_are_left(write: Callable[[str, str], Path]) -> None:
    gold, one = write("g.conll", conll(GOLD, 1)), write("s.conll", conll(GOLD, 1))
    other = write("t.conll", conll(("O",) * 8, 1))
    report = coleval.load(str(gold), [str(one), str(other)], task="span").score(leaderboard=True)
    frame = report.table("leaderboard")
    assert frame["value"].to_list()[0] == 1.0
    assert frame["rank"].to_list() == [1, 2]
    assert "low" in frame.columns
    text(report, "html")


def test_labels_that_never_meet_gold_s_are_named(write: Callable[[str, str], Path]) -> None:
    gold = write("g.conll", conll(GOLD, 2))
    renamed = conll(GOLD, 2).replace("PER", "person").replace("LOC", "place")
    files = {"same": str(write("a.conll", conll(GOLD, 2))),
             "other": str(write("b.conll", renamed)),
             "silent": str(write("c.conll", conll(("O",) * 8, 2)))}  # fmt: skip
    report = coleval.load(str(gold), files, task="span").score()
    (line,) = [line for line in report.warnings if "labels" in line]
    assert line.startswith("other: none of its labels (person, place) is one of gold's (LOC, PER)")


def test_the_file_that_is_taken_for_gold_of_a_directory_is_named(
    write: Callable[[str, str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "golds"
    folder.mkdir()
    (folder / "a.conll").write_text(conll(GOLD, 2))
    (folder / "b.conll").write_text(conll(GOLD, 2))
    system = write("s.conll", conll(GOLD, 2))
    assert main(["score", str(folder), str(system), "--task", "span"]) == 0
    said = capsys.readouterr().err
    assert f"gold is {folder}/a.conll, the first file of the directory" in said
    assert main(["score", str(folder), str(system), "--task", "span", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
