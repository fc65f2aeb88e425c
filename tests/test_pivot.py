"""Any column against any other: counts, what chance makes likely, scores."""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError

LABELS = "ABC"
ROW = st.tuples(*(st.sampled_from(LABELS),) * 3, st.sampled_from("xyz"))


def corpus_of(rows):
    gold, one, two, forms = zip(*rows, strict=True)
    table = pl.DataFrame({"id": [str(k) for k in range(len(rows))], "gold": gold, "one": one,
                          "two": two, "kind": forms})  # fmt: skip
    return coleval.load(
        table, task="label", columns="id=id,gold=gold,system=one,system=two,kind=kind"
    )


def slow_residual(n, row, column, whole):
    awaited = row * column / whole
    spread = awaited * (1 - row / whole) * (1 - column / whole)
    return (n - awaited) / math.sqrt(spread) if spread > 1e-12 else None


@given(st.lists(ROW, min_size=1, max_size=40))
def test_a_pivot_is_what_plain_loops_count(rows):
    corpus = corpus_of(rows)
    got = corpus.pivot(rows="gold", cols="one").table("pivot")
    cells = Counter((gold, one) for gold, one, *_ in rows)
    by_row, by_column = Counter(r[0] for r in rows), Counter(r[1] for r in rows)
    slow = {}
    for row in by_row:
        for column in by_column:
            n = cells[row, column]
            awaited = by_row[row] * by_column[column] / len(rows)
            found = slow_residual(n, by_row[row], by_column[column], len(rows))
            slow[row, column] = (n, n / by_row[row], awaited, found)
    assert {(r["row"], r["column"]) for r in got.to_dicts()} == set(slow)
    for r in got.to_dicts():
        n, share, awaited, found = slow[r["row"], r["column"]]
        assert r["n"] == n
        assert r["share"] == pytest.approx(share)
        assert r["expected"] == pytest.approx(awaited)
        assert r["residual"] == (None if found is None else pytest.approx(found, abs=1e-9))


@given(st.lists(ROW, min_size=1, max_size=40))
def test_a_score_of_a_cell_is_the_score_of_its_items(rows):
    corpus = corpus_of(rows)
    for value, systems in (("accuracy:one", [1]), ("accuracy", [1, 2])):
        got = corpus.pivot(rows="gold", cols="kind", value=value).table("pivot")
        for r in got.to_dicts():
            here = [x for x in rows if (x[0], x[3]) == (r["row"], r["column"])]
            right = [x[0] == x[s] for x in here for s in systems]
            assert r["score"] == (pytest.approx(sum(right) / len(right)) if right else None)


@given(st.lists(ROW, min_size=1, max_size=40))
def test_totals_and_layers_add_up(rows):
    corpus = corpus_of(rows)
    report = corpus.pivot(rows="gold", cols="one", third="kind")
    table, totals = report.table("pivot"), report.table("totals")
    for axis in ("row", "column", "third"):
        sums = {r["value"]: r["n"] for r in totals.filter(pl.col("axis") == axis).to_dicts()}
        mine = {str(v): n for v, n in table.group_by(axis).agg(pl.col("n").sum()).rows()}
        assert sums == mine
    assert table["n"].sum() == len(rows)
    for kind in {r[3] for r in rows}:
        alone = corpus.pivot(rows="gold", cols="one", where=f"kind = '{kind}'").table("pivot")
        layer = table.filter(pl.col("third") == kind, pl.col("n") > 0)
        key = ["row", "column"]
        both = layer.join(alone, on=key, how="inner")
        assert len(both) == len(layer)
        assert both["residual"].to_list() == pytest.approx(
            both["residual_right"].to_list(), nan_ok=True
        )


def test_spans_cross_with_errors_difficulty_and_length(data):
    folder = data("hipe2022")
    gold = folder / "gold" / "HIPE-2022-v2.1-hipe2020-test-en.tsv"
    corpus = coleval.load(str(gold), str(folder / "responses" / "team2*hipe2020_en*"))
    system = corpus.systems[0]
    table = corpus.pivot(rows="difficulty", cols=f'"error_gold_{system}"').table("pivot")
    frame = corpus.at().frame(["difficulty", f"error_gold_{system}"])
    slow = Counter(frame.select("difficulty", f"error_gold_{system}").rows())
    assert {(r["row"], r["column"]): r["n"] for r in table.to_dicts() if r["n"]} == dict(slow)
    assert len(corpus.pivot(rows="eLen", cols="gold", third=f'"outcome_{system}"').table("pivot"))


def test_f1_of_a_cell_is_the_f1_of_a_score_there(data):
    folder = data("hipe2022")
    gold = folder / "gold" / "HIPE-2022-v2.1-hipe2020-test-en.tsv"
    corpus = coleval.load(str(gold), str(folder / "responses" / "team2*hipe2020_en*"))
    system = corpus.systems[0]
    table = corpus.pivot(rows="sentence < 100", cols="1", value=f"f1:{system}").table("pivot")
    for row in table.to_dicts():
        word = "<" if row["row"] else ">="
        score = corpus.score(where=f"sentence {word} 100").table("overall")
        assert row["score"] == pytest.approx(score.filter(pl.col("system") == system)["f1"].item())


def test_what_is_surprising_stands_first():
    rows = [("A", "A", "A", "x")] * 30 + [("B", "B", "A", "y")] * 30 + [("B", "A", "A", "z")] * 3
    table = corpus_of(rows).pivot(rows="gold", cols="kind").table("pivot")
    strength = [abs(r) for r in table.filter(pl.col("n") >= 5)["residual"]]
    assert strength == sorted(strength, reverse=True)
    assert {table.row(0)[0], table.row(0)[1]} in ({"A", "x"}, {"B", "x"})


def test_wide_has_a_column_for_each_value():
    rows = [("A", "A", "B", "x"), ("A", "B", "B", "y"), ("B", "B", "B", "x")]
    table = corpus_of(rows).pivot(rows="gold", cols="one", wide=True).table("pivot")
    assert table.columns == ["row", "A", "B", "total"]
    assert table.rows() == [("A", 1, 1, 2), ("B", 0, 1, 1)]


def test_a_misspelt_column_or_value_has_near_misses():
    corpus = corpus_of([("A", "A", "B", "x")])
    with pytest.raises(UsageError, match="did you mean `difficulty`"):
        corpus.pivot(rows="dificulty", cols="gold")
    with pytest.raises(UsageError, match="accuracy"):
        corpus.pivot(rows="gold", cols="one", value="acuracy:one")
    with pytest.raises(UsageError, match="did you mean `one`"):
        corpus.pivot(rows="gold", cols="one", value="accuracy:oni")
    with pytest.raises(UsageError, match="two columns"):
        corpus.pivot(rows="gold")


def test_a_pivot_of_hostile_names_is_drawn_in_a_hundred_cells(capsys, write):
    rows = [
        {"id": str(k), "gold": g, "s": s}
        for k, (g, s) in enumerate(
            [("a\nb", "x\ty"), ("🦊" * 40, "名前" * 30), ("", "x"), ("a\nb", "x")]
        )
    ]
    path = write("all.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    options = """--task label --columns id=id,gold=gold,system=s --rows gold --cols '"all"' -q"""
    assert main(["pivot", str(path), *shlex.split(options)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 100
    assert any(r"a\nb" in line for line in lines)


def test_a_column_may_be_named_without_quotes_whatever_is_in_its_name(data):
    folder = data("compareval-en_gum")
    corpus = coleval.load(str(folder / "gold.conllu"), str(folder / "systems" / "*"))
    table = corpus.pivot(rows="outcome_HIT-SCIR-18", cols="gold").table("pivot")
    assert set(table["row"]) == {"correct", "mislabelled"}


def test_where_leaves_items_out_and_changes_no_error(data):
    folder = data("hipe2022")
    gold = folder / "gold" / "HIPE-2022-v2.1-hipe2020-test-en.tsv"
    corpus = coleval.load(str(gold), str(folder / "responses" / "team2*hipe2020_en*"))
    keys = {"rows": "gold", "cols": f"error_gold_{corpus.systems[0]}"}
    whole = {r[:2]: r[2] for r in corpus.pivot(**keys).table("pivot").rows() if r[2]}
    kept = corpus.pivot(**keys, where="gold is not null").table("pivot")
    got = {r[:2]: r[2] for r in kept.rows() if r[2]}
    assert got == {key: n for key, n in whole.items() if key[0] is not None}
    assert {"bel", "bes"} <= {column for _, column in got}
