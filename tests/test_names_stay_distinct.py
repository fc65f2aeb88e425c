"""Names that are shortened for a screen stay two names: at any width, in any table."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.render import show
from coleval.render.visible import distinct, width

Write = Callable[[str, str], Path]
LONG = "bert-large-cased-whole-word-masking-finetuned-on-{}-seed-0-epoch-20-final-checkpoint"
SYSTEMS = [LONG.format(f"conll{k:02}") for k in range(9)]


def test_names_that_differ_in_the_middle_show_where() -> None:
    assert distinct(["model-of-team-a-with-crf-v2", "model-of-team-b-with-crf-v2"], 16) == {
        "model-of-team-a-with-crf-v2": "mode…-a-with-cr…",
        "model-of-team-b-with-crf-v2": "mode…-b-with-cr…",
    }


def test_a_name_that_fits_is_left_alone() -> None:
    assert distinct(["short", "a-name-that-is-much-too-long"], 10)["short"] == "short"


@given(st.lists(st.text("ab…~12", min_size=1, max_size=24), max_size=30), st.integers(6, 20))
def test_no_two_names_become_one_and_none_is_too_wide(names: list[str], cells: int) -> None:
    short = distinct(names, cells)
    assert len(set(short.values())) == len(set(names))
    assert all(width(text) <= cells for text in short.values())


@given(st.integers(2, 60), st.integers(8, 40))
def test_many_long_names_with_one_letter_of_difference_stay_apart(n: int, cells: int) -> None:
    names = [f"{'x' * 40}{chr(0x3B1 + k % 20)}{'y' * (k // 20)}{'z' * 40}" for k in range(n)]
    assert len(set(distinct(names, cells).values())) == n


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> coleval.Corpus:
    folder = tmp_path_factory.mktemp("long")
    labels = [
        f"organisation-of-the-public-sector-{kind}-level" for kind in ("city", "land", "state")
    ]

    def text(step: int) -> str:
        tags = (f"B-{labels[(k * step) % 3]}" if k % 2 else "O" for k in range(40))
        return "".join(f"w{k}\t{tag}\n{'' if k % 4 else chr(10)}" for k, tag in enumerate(tags))

    (folder / "gold.conll").write_text(text(1))
    for k, name in enumerate(SYSTEMS):
        (folder / f"{name}.conll").write_text(text(k + 1))
    files = {name: folder / f"{name}.conll" for name in SYSTEMS}
    return coleval.load(folder / "gold.conll", files, task="span")


def lines(report: coleval.Report, cells: int) -> list[str]:
    stream = io.StringIO()
    show(report, stream=stream, width=cells, color=False)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("cells", [60, 80, 100])
@pytest.mark.parametrize(
    ("command", "table"),
    [("score", "overall"), ("bins", "systems"), ("errors", "overall"), ("measure", "purity")],
)
def test_every_row_of_a_table_of_systems_has_its_own_name(
    corpus: coleval.Corpus, command: str, table: str, cells: int
) -> None:
    report = getattr(corpus, command)()
    only = coleval.Report(command, {table: report.table(table)}, report.signature)
    rows = [line for line in lines(only, cells) if "bert" in line]
    names = [next(word for word in line.split() if word.startswith("bert")) for line in rows]
    assert len(set(names)) == len(SYSTEMS)


def test_columns_of_systems_and_labels_have_their_own_names(corpus: coleval.Corpus) -> None:
    header = next(
        line for line in lines(corpus.confusion(), 200) if "gold" in line and "all" in line
    )
    names = [word for word in header.split() if word.startswith("be")]
    assert len(names) == len(set(names)) == len(SYSTEMS)


def test_a_title_that_names_a_system_wraps_and_is_not_cut(corpus: coleval.Corpus) -> None:
    two = corpus.chosen(SYSTEMS[:2]).confusion()
    text = "".join(line.strip() for line in lines(two, 60))
    assert all(name in text for name in SYSTEMS[:2])


def test_runs_of_two_models_are_told_by_both_ends_before_they_are_numbered():
    names = [f"clustering_with_{model}_clustering-seed{k}" for model in ("gold", "kmeans")
             for k in range(3)]  # fmt: skip
    short = distinct(names, 26)
    assert len(set(short.values())) == len(names)
    assert not any("~" in text for text in short.values())
    assert all(text.endswith(name[-5:]) for name, text in short.items())
