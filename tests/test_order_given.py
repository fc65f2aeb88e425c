"""``--order given``: systems stand as they were given, and the tables keep who was best."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError
from coleval.render.console import render
from test_bins_properties import corpus, tagged

TEXT = "a\tX\nb\tY\nc\tX\n"
# By accuracy: worst 0, best 3, tied 1, last 1.
LAYERS = {"worst": "Y X Y", "best": "X Y X", "tied": "X X Y", "last": "Y Y Y"}
GIVEN = list(LAYERS)


def loaded(write, **options):
    systems = {
        name: write(f"{name}.conll", "".join(f"{w}\t{t}\n" for w, t in zip("abc", tags.split(),
                                                                         strict=True)))
        for name, tags in LAYERS.items()
    }  # fmt: skip
    return coleval.load(write("gold.conll", TEXT), systems, task="tag", **options)


def systems_of(report, name):
    return list(dict.fromkeys(report.table(name)["system"].to_list()))


@pytest.mark.parametrize(
    ("command", "tables"),
    [("score", ["overall", "labels"]), ("bins", ["systems", "tps"])],
)
def test_all_tables_of_systems_are_in_the_order_given(write, command, tables):
    report = getattr(loaded(write), command)(order="given")
    assert [systems_of(report, name) for name in tables] == [GIVEN] * len(tables)


@pytest.mark.parametrize(("command", "name"), [("score", "overall"), ("bins", "systems")])
def test_the_table_that_ranks_keeps_places_and_ties(write, command, name):
    report = getattr(loaded(write), command)(order="given")
    ranks = dict(report.table(name).select("system", "rank").iter_rows())
    assert ranks == {"worst": 4, "best": 1, "tied": 2, "last": 2}


@pytest.mark.parametrize(("command", "name"), [("score", "overall"), ("bins", "systems")])
def test_a_screen_says_the_order_and_shows_the_ranks(write, command, name):
    lines = render(getattr(loaded(write), command)(order="given"), name).splitlines()
    assert "in the order given" in lines[0]
    assert "first" not in lines[0]
    body = [line.split()[:2] for line in lines if line[:1].isdigit()]
    assert body == [["4", "worst"], ["1", "best"], ["2", "tied"], ["2", "last"]]


@pytest.mark.parametrize("command", ["score", "bins"])
def test_the_best_is_first_unless_another_order_is_asked_for(write, command):
    made = loaded(write)
    plain, best = getattr(made, command)(), getattr(made, command)(order="best")
    assert all(plain.tables[name].equals(best.tables[name]) for name in plain.tables)
    assert not any("rank" in frame.columns for frame in plain.tables.values())


def test_intervals_stay_with_their_system(write):
    options = {"intervals": True, "replicates": 20, "unit_of_resampling": "item"}
    best = loaded(write).score(**options)
    as_given = loaded(write).score(**options, order="given")
    assert systems_of(as_given, "overall") == GIVEN
    plain = as_given.table("overall").drop("rank").sort("system")
    assert plain.equals(best.table("overall").sort("system"))


def test_mentions_and_their_keys_are_in_the_order_given(write):
    gold = '{"id": "d", "tokens": ["a", "b", "c"], "clusters": [[[0, 0], [2, 2]]]}\n'
    other = gold.replace("[[0, 0], [2, 2]]", "[[0, 0], [1, 1]]")
    systems = {"bad": write("bad.jsonl", other), "good": write("good.jsonl", gold)}
    made = coleval.load(write("gold.jsonl", gold), systems, task="coref")
    report = made.score(order="given", key="all")
    for name in ("overall", "classes", "keys"):
        assert systems_of(report, name) == ["bad", "good"]
    assert list(dict.fromkeys(report.table("keys")["key"])) == ["bad", "good"]
    assert dict(report.table("overall").select("system", "rank").iter_rows()) == {
        "bad": 2, "good": 1,
    }  # fmt: skip
    assert "systems, in the order given: F1" in render(report, "overall")


@given(tagged())
def test_an_order_changes_no_row(made):
    sentences, systems = made
    whole = corpus(sentences, systems[::-1])
    for command in ("score", "bins"):
        best, as_given = getattr(whole, command)(), getattr(whole, command)(order="given")
        for name, frame in best.tables.items():
            mine = as_given.tables[name]
            shown = mine.drop("rank") if "rank" in mine.columns else mine
            assert shown.sort(pl.all()).equals(frame.sort(pl.all())), name
            if "system" in frame.columns:
                assert systems_of(as_given, name) in ([], systems[::-1])


def test_the_hungarian_table_has_the_names_and_the_order_of_the_paper(data):
    root = data("differential-evaluation")
    lines = (root / "expected" / "paper_table2_hungarian.tsv").read_text().splitlines()[1:-1]
    paper = [line.split("\t") for line in lines]
    columns = {row[0]: at for at, row in enumerate(paper, start=1)}
    path = str(root / "HU-eval-dist-tps.tsv.gz")
    report = coleval.load(path, task="matrix", columns=columns).bins(order="given")
    found = {name: [] for name in systems_of(report, "tps")}
    for name, tp in report.table("tps").select("system", "tp").iter_rows():
        found[name].append(str(tp))
    totals = [str(n) for n in report.table("systems")["tp"]]
    assert [[*row, total] for row, total in zip(
        ([name, *cells] for name, cells in found.items()), totals, strict=True
    )] == paper  # fmt: skip


def test_the_command_line_takes_the_order(write, capsys):
    files = [f"{name}={write(f'{name}.conll', TEXT)}" for name in ("b", "a")]
    arguments = ["score", str(write("gold.conll", TEXT)), *files, "--task", "tag"]
    assert main([*arguments, "--order", "given", "--as", "csv"]) == 0
    assert [line[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["b", "a"]


@pytest.mark.parametrize("command", ["score", "bins"])
def test_an_order_that_is_none_is_refused(write, command):
    with pytest.raises(UsageError, match="giving") as caught:
        getattr(loaded(write), command)(order="giving")
    assert "given" in str(caught.value)
