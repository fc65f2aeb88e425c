"""What a limit says is what it means: points are points, counts are counts, verdicts sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import coleval
from coleval.analyses.changes.gate import parse
from coleval.cli.main import main
from coleval.errors import UsageError

Write = Callable[[str, str], Path]


@pytest.fixture
def fallen(write: Write) -> coleval.Corpus:
    # Of 1,000 tags before has 900 right and after 895: a drop of half a point, 5 new errors.
    def text(right: int) -> str:
        return "".join(f"w\t{'A' if at < right else 'B'}\n" for at in range(1000))

    files = {"before": write("before.tsv", text(900)), "after": write("after.tsv", text(895))}
    return coleval.load(write("gold.tsv", text(1000)), files, task="tag")


@pytest.mark.parametrize(
    ("limit", "holds", "verdict"),
    [
        ("max_drop=0.5pp", True, "accuracy fell by 0.5 points; the limit is 0.5."),
        ("max_drop=0.5%", True, "accuracy fell by 0.5 points; the limit is 0.5."),
        ("max_drop=0.4 pp", False, "accuracy fell by 0.5 points; the limit is 0.4."),
        ("max_drop=0.499pp", False, "accuracy fell by 0.5 points; the limit is 0.499."),
        ("max_drop=50pp", True, "accuracy fell by 0.5 points; the limit is 50."),
        ("max_diff=0.5%", True, "0.5 % of 1,000 answers differ; the limit is 0.5 %."),
        ("max_new_errors=5", True, "5 new errors; the limit is 5."),
        ("max_new_errors=4", False, "5 new errors; the limit is 4, exceeded by 1."),
        ("max_new_errors=0.4%", False, "0.5 % of 1,000 items are new errors; the limit is 0.4 %."),
    ],
)
def test_the_verdict_is_one_plain_sentence(
    fallen: coleval.Corpus, limit: str, holds: bool, verdict: str
) -> None:
    table = fallen.changes(("before", "after"), gate=limit).table("gate")
    assert table.select("holds", "verdict").rows() == [(holds, verdict)]


def test_a_rise_is_no_drop(fallen: coleval.Corpus) -> None:
    table = fallen.changes(("after", "before"), gate="max_drop=0pp").table("gate")
    assert table["verdict"].to_list() == ["accuracy did not fall; the limit is 0."]


def test_a_difference_of_one_item_in_thousands_is_still_seen(write: Write) -> None:
    def text(right: int) -> str:
        return "".join(f"w\t{'A' if at < right else 'B'}\n" for at in range(4000))

    files = {"a": write("a.tsv", text(4000)), "b": write("b.tsv", text(3999))}
    corpus = coleval.load(write("gold.tsv", text(4000)), files, task="tag")
    verdicts = [
        corpus.changes(gate=limit).table("gate")["verdict"][0]
        for limit in ("max_drop=0pp", "max_drop=0.02pp")
    ]
    assert verdicts == [
        "accuracy fell by 0.025 points; the limit is 0.",
        "accuracy fell by 0.025 points; the limit is 0.02.",
    ]


@pytest.mark.parametrize("limit", ["max_drop=0.5", "max_drop=0.005", "max_diff=2"])
def test_a_bare_number_for_a_share_is_refused_with_both_readings(limit: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(limit)
    assert f"{limit}pp" in caught.value.remedy
    assert f"{limit}%" in caught.value.remedy


def test_half_a_point_spelt_as_a_bare_number_lets_no_drop_pass(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [write(f"{n}.tsv", f"w\tA\nv\t{t}\n") for n, t in (("g", "A"), ("a", "A"), ("b", "B"))]
    command = ["changes", *map(str, paths), "--task", "tag", "--gate"]
    assert main([*command, "max_drop=0.5"]) == 2
    assert main([*command, "max_drop=0.5pp"]) == 1
    assert "a → b: accuracy fell by 50 points; the limit is 0.5." in capsys.readouterr().err
    assert main([*command, "max_drop=50pp"]) == 0


def test_an_empty_list_of_limits_is_no_gate_that_holds(fallen: coleval.Corpus) -> None:
    with pytest.raises(UsageError, match="no limit is set"):
        fallen.changes(gate="")


@pytest.mark.parametrize(
    "options", [{}, {"baseline": "a1"}, {"baseline": "a1", "gate": "max_drop=1pp"}]
)
def test_changes_of_one_system_are_an_error_with_its_remedy(
    write: Write, options: dict[str, str]
) -> None:
    corpus = coleval.load(write("g.tsv", "w\tA\n"), {"a1": write("a.tsv", "w\tA\n")}, task="tag")
    with pytest.raises(UsageError, match="there is one system, `a1`"):
        corpus.changes(**options)


# ------------------------------------------------------------------- limits that cannot be checked


def spans(write: Write, **tags: str) -> coleval.Corpus:
    files = {name: write(f"{name}.conll", f"w\t{tag}\n") for name, tag in tags.items()}
    return coleval.load(files.pop("gold"), files, task="span")


def test_spans_are_limited_by_f1_alone_and_an_undefined_one_keeps_no_limit(write: Write) -> None:
    corpus = spans(write, gold="O", a="O", s="B-X")
    rows = corpus.changes(gate="max_drop=50pp").table("gate").select("holds", "found", "verdict")
    assert rows.rows() == [(False, None, "F1 of a is undefined, so max_drop cannot be checked.")]


def test_a_drop_between_two_undefined_scores_is_not_passed_in_silence(write: Write) -> None:
    table = spans(write, gold="O", a="O", b="O").changes(gate="max_drop=0pp").table("gate")
    assert table.select("holds", "verdict").rows() == [
        (False, "F1 of a and b is undefined, so max_drop cannot be checked.")
    ]


@pytest.mark.parametrize("limit", ["max_diff=1pp", "max_new_errors=1%"])
def test_a_share_of_no_items_cannot_be_checked(write: Write, limit: str) -> None:
    table = spans(write, gold="O", a="O", b="O").changes(gate=limit).table("gate")
    name = limit.partition("=")[0]
    assert table["verdict"][0] == f"There are no items, so {name} cannot be checked."
    assert not table["holds"][0]


def test_a_count_of_no_items_is_none_and_a_profile_that_says_0_has_a_score(write: Write) -> None:
    corpus = spans(write, gold="O", a="O", b="O")
    counts = corpus.changes(gate="max_new_errors=0").table("gate")
    assert counts.select("holds", "verdict").rows() == [(True, "0 new errors; the limit is 0.")]
    zero = corpus.changes(gate="max_drop=0pp", undefined="0").table("gate")
    assert zero.select("holds", "verdict").rows() == [(True, "F1 did not fall; the limit is 0.")]


def test_a_limit_that_cannot_be_checked_fails_the_command(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [write(f"{n}.conll", f"w\t{t}\n") for n, t in (("g", "O"), ("a", "O"), ("b", "B-X"))]
    command = ["changes", *map(str, paths), "--task", "span", "--gate", "max_drop=99pp"]
    assert main(command) == 1
    assert "a → b: F1 of a is undefined" in capsys.readouterr().err


@pytest.mark.parametrize("limits", ["max_drop=1pp,max_drop=2pp", "max_diff=1%, max_diff=1%"])
def test_a_limit_that_is_set_twice_is_an_error(limits: str) -> None:
    with pytest.raises(UsageError, match="is set twice"):
        parse(limits)


def test_a_system_is_not_compared_with_itself(fallen: coleval.Corpus) -> None:
    with pytest.raises(UsageError, match="`after` is named twice"):
        fallen.changes(("after", "after"))


def test_a_copy_of_a_system_differs_from_it_nowhere(write: Write) -> None:
    corpus = spans(write, gold="B-X", a="B-Y", b="B-Y")
    (row,) = corpus.changes(("a", "b")).table("summary").to_dicts()
    assert (row["different"], row["corrections"], row["new_errors"]) == (0, 0, 0)


def test_weights_that_are_given_but_empty_are_an_error(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(write(f"{n}.conll", "w\tB-X\n")) for n in ("g", "a")]
    assert main(["errors", *paths, "--task", "span", "--weights", ""]) == 2
    assert "a formula is empty" in capsys.readouterr().err


def _two_systems(tmp_path, wrong_before: int, wrong_after: int, sentences: int = 60):
    """Return a corpus of single-token sentences, of which each system misses the first so many."""

    def text(wrong: int) -> str:
        return "".join(f"w{k} {'O' if k < wrong else 'B-X'}\n\n" for k in range(sentences))

    for name, wrong in (("gold", 0), ("old", wrong_before), ("new", wrong_after)):
        (tmp_path / f"{name}.conll").write_text(text(wrong), encoding="utf-8")
    return coleval.load(
        tmp_path / "gold.conll", [tmp_path / "old.conll", tmp_path / "new.conll"], task="span"
    )


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [
        (0, 20, False),
        # A single sentence in sixty is chance.
        (0, 1, True),
        (20, 0, True),
        (5, 5, True),
    ],
)
def test_a_system_that_is_worse_by_more_than_chance_fails(tmp_path, before, after, holds):
    corpus = _two_systems(tmp_path, before, after)
    row = corpus.changes(pair=("old", "new"), gate="worse=0.05")["gate"].row(0, named=True)
    assert row["holds"] is holds
    p = corpus.chosen(["old", "new"]).compare(metric="f1")["pairs"]["p"][0]
    assert row["found"] == p
    if holds:
        coleval.assert_no_regression(corpus, "old", "new")
    else:
        with pytest.raises(AssertionError, match=r"old → new: F1 fell by .* more than chance"):
            coleval.assert_no_regression(corpus, "old", "new")
        assert "level is 0.05" in row["verdict"]


@pytest.mark.parametrize("limit", ["worse=5%", "worse=0", "worse=1", "worse=0.5pp"])
def test_a_level_of_significance_is_between_0_and_1(tmp_path, limit):
    with pytest.raises(UsageError, match="not a level of significance"):
        _two_systems(tmp_path, 0, 1).changes(gate=limit)
