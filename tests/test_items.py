"""``items``: what is said of dead items, of odd ones, and where nothing can be known."""

from __future__ import annotations

import json

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError


def matrix(*rows: str) -> coleval.Corpus:
    """Return the corpus of rows of 0 and 1, a place for each system."""
    frame = {f"s{k}": [row[k] for row in rows] for k in range(len(rows[0]))}
    columns = {"gold": "gold", "system": list(frame)}
    return coleval.load(pl.DataFrame({"gold": ["1"] * len(rows), **frame}), columns=columns)


# The better systems are on the left; only the worst solves the fifth item.
FIVE = ("1111", "1110", "1100", "1000", "0001", "0000", "1111", "1110", "1100")


def overall(corpus, **options):
    return corpus.item_statistics(**options)["overall"].row(0, named=True)


def test_items_that_all_or_none_solve_order_no_system():
    row = overall(matrix(*FIVE))
    assert (row["items"], row["solved_by_all"], row["solved_by_none"]) == (9, 2, 1)
    assert (row["measuring"], row["measuring_share"]) == (6, 6 / 9)


def test_the_best_systems_have_dead_items_of_their_own():
    row = overall(matrix(*FIVE), best=2)
    assert (row["best"], row["solved_by_all_best"], row["solved_by_none_best"]) == (2, 6, 2)
    assert overall(matrix(*FIVE), best=4)["best"] is None


def test_what_only_the_worst_system_solves_is_listed_first():
    items = matrix(*FIVE).item_statistics()["items"]
    first = items.row(0, named=True)
    assert (first["item"], first["flag"], first["systems"]) == (4, "negative", "s3")
    assert first["discrimination"] < 0
    assert items["flag"].to_list() == ["negative", "none", "", "", "", "", "", "all", "all"]


def test_a_list_is_cut_after_the_items_to_look_at_first():
    items = matrix(*FIVE).item_statistics(limit=2)["items"]
    assert items["item"].to_list() == [4, 5]
    assert len(matrix(*FIVE).item_statistics(limit=0)["items"]) == 9


def test_reliability_of_a_table_by_hand():
    # p(1-p) of the rows: 0, 3/16, 1/4, 3/16; totals 4 3 2 1, variance 5/4; KR-20 = 4/3 (1 - 1/2).
    assert overall(matrix("1111", "1110", "1100", "1000"))["alpha"] == pytest.approx(2 / 3)


def test_labels_say_which_items_measure():
    frame = pl.DataFrame({
        "gold": ["A", "A", "B", "B"],
        "x": ["A", "A", "B", "-"], "y": ["A", "-", "B", "-"], "z": ["A", "-", "B", "-"],
    })  # fmt: skip
    table = coleval.load(frame).item_statistics()["labels"]
    rows = {row["label"]: row for row in table.to_dicts()}
    assert (rows["A"]["measuring"], rows["A"]["solved_by_all"]) == (1, 1)
    assert (rows["B"]["measuring"], rows["B"]["solved_by_none"]) == (0, 1)
    assert rows["A"]["discrimination"] is None


def test_a_weak_system_that_solves_what_none_else_does_surprises_in_the_low_bin():
    rows = ["1111"] * 5 + ["1110"] * 20 + ["1100"] * 20 + ["1000"] * 10 + ["0001"] * 8
    report = matrix(*rows).item_statistics()
    systems = {row["system"]: row for row in report["systems"].to_dicts()}
    assert systems["s3"]["above_bin"] == 1
    assert systems["s3"]["above"] > 3
    fit = report["fit"].filter(pl.col("bin").is_in([0, 4]))
    assert fit["residual"].null_count() == len(fit)


@pytest.mark.parametrize("rows", [("11", "10", "01"), ("1", "0")])
def test_fewer_than_three_systems_have_counts_and_no_statistics(rows):
    report = matrix(*rows).item_statistics()
    row = report["overall"].row(0, named=True)
    assert (row["items"], row["solved_by_all"]) == (len(rows), 1)
    assert [row[k] for k in ("alpha", "split_half", "negative")] == [None] * 3
    assert report["items"]["discrimination"].null_count() == len(rows)
    assert report["fit"]["expected"].null_count() == len(report["fit"])
    assert "need 3 systems or more" in report.warnings[0]


def test_systems_that_are_all_alike_have_no_order_and_say_so():
    report = matrix("1111", "0000", "1111").item_statistics()
    row = report["overall"].row(0, named=True)
    assert (row["measuring"], row["alpha"], row["split_half"]) == (0, None, None)
    assert any("no item orders the systems" in text for text in report.warnings)
    assert any("4 systems solve the very same items" in text for text in report.warnings)


def test_equal_totals_leave_reliability_undefined():
    report = matrix("100", "010", "001").item_statistics()
    assert report["overall"]["alpha"][0] is None
    assert any("equally many" in text for text in report.warnings)


def test_a_corpus_without_gold_items_has_zeros_and_nulls():
    frame = pl.DataFrame({"id": ["1"], "gold": ["A"], "x": ["A"], "y": ["B"], "z": ["A"]})
    report = coleval.load(frame).item_statistics(where="item > 5", patterns=True)
    assert report["overall"]["items"][0] == 0
    assert report["items"].is_empty()
    assert report["overall"]["measuring_share"][0] is None


def test_no_smaller_set_than_all_is_refused():
    with pytest.raises(UsageError, match="not a smaller test set"):
        matrix(*FIVE).item_statistics(subset=9)


def test_random_choice_is_always_next_to_the_others_and_few_systems_say_why_there_is_no_error():
    report = matrix(*FIVE).item_statistics(subset=3)
    assert report["subset"]["method"].to_list() == ["random", "random + regression", "bins",
                                                    "greedy"]  # fmt: skip
    few = matrix("110", "100", "011").item_statistics(subset=2)
    assert few["subset"].is_empty()
    assert len(few["chosen"]) == 2
    assert any("cannot be estimated" in text for text in few.warnings)


def test_the_signature_says_how_p_was_found_and_what_halves_are_of():
    assert "|p:exact|correct:bh|halves:instance/200|" in matrix(*FIVE).item_statistics().signature
    wide = matrix("1" * 10 + "0" * 10, "1" * 9 + "0" * 11, "1" * 20)
    assert "|p:permutations/9999|" in wide.item_statistics().signature


def test_groups_have_the_first_table_each(tmp_path, capsys):
    path = tmp_path / "all.csv"
    path.write_text("id,kind,gold,p_a,p_b,p_c\n1,x,1,1,1,0\n2,x,1,1,1,1\n3,y,1,0,0,0\n")
    columns = "id=id,gold=gold,system=p_*"
    assert main(["items", str(path), "--columns", columns, "--by", "kind", "--as", "json"]) == 0
    by = json.loads(capsys.readouterr().out)["tables"]["by"]
    assert [(row["by"], row["items"], row["measuring"]) for row in by] == [("x", 2, 1), ("y", 1, 0)]


def test_items_have_the_words_around_them(write):
    gold = write("gold.conll", "the O\nold B-X\nman I-X\nsat O\n")
    systems = {n: write(f"{n}.conll", f"the O\nold {t}\nman I-X\nsat O\n")
               for n, t in (("a", "B-X"), ("b", "B-X"), ("c", "B-Y"))}  # fmt: skip
    row = coleval.load(gold, systems).item_statistics()["items"].row(0, named=True)
    assert row["context"] == "the [old man] sat"
    assert (row["gold"], row["solved_by"]) == ("X", 2)
