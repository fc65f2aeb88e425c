"""Templates: the files that ``gold/{dataset}.conll`` and its like stand for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coleval
from coleval.errors import DataError, UsageError
from coleval.loading.cells import cells_of
from coleval.loading.readers.source import Source
from coleval.loading.templates import (
    Place,
    Template,
    gold_files,
    is_template,
    runs_without_gold,
    system_files,
)

GOLD = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"
BLIND = "Ann\tO\nsees\tO\nRome\tB-LOC\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what writes files of the current directory, gold's text in each unless told."""
    monkeypatch.chdir(tmp_path)

    def written(*names: str, text: str = GOLD) -> None:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return written


def paths(cells) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the path of gold and of every system, by the name of the place."""
    return {
        str(place): (one.gold.path, {name: s.path for name, s in one.systems.items()})
        for place, one in cells.inputs.items()
    }


@pytest.mark.parametrize(("files", "template", "places"), [
    # A name in braces is one stretch of a path without a slash, the same wherever it is.
    ("gold/en.conll gold/de.conll gold/deep/fr.conll gold/en.txt", "gold/{dataset}.conll",
     {"de": "gold/de.conll", "en": "gold/en.conll"}),
    ("gold/en/en.conll gold/de/en.conll gold/de/de.conll", "gold/{dataset}/{dataset}.conll",
     {"de": "gold/de/de.conll", "en": "gold/en/en.conll"}),
    # A star is any stretch and names nothing, a question mark one character.
    ("gold/2018-en.conll gold/2019-de.conll.gz gold/x/2020-fr.conll", "gold/*-{dataset}.conll*",
     {"de": "gold/2019-de.conll.gz", "en": "gold/2018-en.conll"}),
    ("gold/1en.conll gold/22de.conll", "gold/?{dataset}.conll",
     {"2de": "gold/22de.conll", "en": "gold/1en.conll"}),
    ("gold[1]/en.conll gold1/de.conll", "gold[1]/{dataset}.conll", {"en": "gold[1]/en.conll"}),
])  # fmt: skip
def test_a_template_stands_for_these_files(here, files, template, places):
    here(*files.split())
    found = gold_files(Template(template))
    assert {str(place): path for place, path in found.items()} == places


def test_datasets_and_parts_are_in_natural_order(here):
    here(*(f"gold/{d}/{p}.conll" for d in ("en10", "en2") for p in ("p10", "p9", "p1")))
    every = gold_files(Template("gold/{dataset}/{part}.conll"))
    assert [str(place) for place in every] == [
        "en2/p1", "en2/p9", "en2/p10", "en10/p1", "en10/p9", "en10/p10",
    ]  # fmt: skip


def test_the_path_need_not_have_a_folder(here):
    here("gold_en.conll", "run_en_a.conll")
    found = cells_of(["gold_{dataset}.conll", "run_{dataset}_{system}.conll"], "utf-8")
    assert paths(found) == {"en": ("gold_en.conll", {"a": "run_en_a.conll"})}


def test_systems_are_in_natural_order_too(here):
    here("gold/en.conll", *(f"runs/{name}/en.conll" for name in ("s10", "s9", "a")))
    found = cells_of(["gold/{dataset}.conll", "runs/{system}/{dataset}.conll"], "utf-8")
    assert found.systems == ("a", "s9", "s10")


def test_other_names_make_up_the_name_of_the_system(here):
    here("gold/ajmc-en.conll", "gold/ajmc-de.conll")
    here("runs/team1_bundle4_ajmc_en_1.conll", "runs/team1_bundle4_ajmc_en_2.conll")
    here("runs/neurbsl_bundle3_ajmc_de_1.conll")
    found = cells_of(
        ["gold/{dataset}-{part}.conll", "runs/{team}_{bundle}_{dataset}_{part}_{run}.conll"],
        "utf-8",
    )
    assert found.systems == ("neurbsl_bundle3_1", "team1_bundle4_1", "team1_bundle4_2")
    assert paths(found)["ajmc/de"][1] == {
        "neurbsl_bundle3_1": "runs/neurbsl_bundle3_ajmc_de_1.conll"
    }


@pytest.mark.parametrize("name", ["crf_en_gum", "en_en_gum", "crf_2_en_gum"])
def test_a_dataset_is_found_in_a_name_by_those_that_gold_has(here, name):
    """``crf_en_gum`` is not the system ``crf_en`` on ``gum``, which gold does not have."""
    here("gold/en_gum.conll", "gold/en.conll", f"runs/{name}.conll")
    gold = gold_files(Template("gold/{dataset}.conll"))
    found = system_files(Template("runs/{system}_{dataset}.conll"), "", gold)
    assert found == {name.removesuffix("_en_gum"): {Place("en_gum"): f"runs/{name}.conll"}}


def test_several_templates_of_systems_and_names_of_one(here):
    here("gold/en.conll", "gold/de.conll")
    here("runs/a/en.conll", "runs/a/de.conll", "old/en-b.conll", "mine/de.out")
    found = cells_of(
        [
            "gold/{dataset}.conll",
            "runs/{system}/{dataset}.conll",
            "old/{dataset}-{run}.conll",
            "best=mine/{dataset}.out",
        ],
        "utf-8",
    )
    assert found.systems == ("a", "b", "best")
    assert paths(found) == {
        "de": ("gold/de.conll", {"a": "runs/a/de.conll", "best": "mine/de.out"}),
        "en": ("gold/en.conll", {"a": "runs/a/en.conll", "b": "old/en-b.conll"}),
    }


def test_a_path_with_braces_that_exists_stands_for_itself(here):
    here("{dataset}.conll", "{system}.conll")
    assert not is_template("{dataset}.conll")
    corpus = coleval.load("{dataset}.conll", ["{system}.conll"])
    assert corpus.grid is None
    assert corpus.systems == ("{system}",)


def test_folders_are_paired_by_the_names_of_their_files(here):
    here("gold/d1.conll", "gold/d2.conll", "gold/d10.conll", "crf/d10.txt", "crf/d1.conll.out")
    here("crf/d2.iob", "crf/extra.iob", "lstm/d1.conll")
    found = cells_of(["gold", "crf", "new=lstm/"], "utf-8")
    assert found.systems == ("crf", "new")
    assert paths(found) == {
        "d1": ("gold/d1.conll", {"new": "lstm/d1.conll"}),
        "d2": ("gold/d2.conll", {"crf": "crf/d2.iob"}),
        "d10": ("gold/d10.conll", {"crf": "crf/d10.txt"}),
    }
    assert [note.problem for note in found.notes] == [
        "2 runs are for no gold file: crf/d1.conll.out, crf/extra.iob"
    ]


def test_a_folder_of_gold_is_parts_that_are_documents(here):
    here("gold/d1.conll", "gold/d2.conll", "crf/d1.conll", "crf/d2.conll")
    corpus = coleval.load("gold", ["crf"])
    assert corpus.at("token").context["document"].to_list() == ["d1"] * 3 + ["d2"] * 3
    assert corpus.at("token").context["part"].to_list() == ["d1"] * 3 + ["d2"] * 3


def test_python_takes_a_template_for_each_system(here):
    here("gold/en.conll", "gold/de.conll", "a/en.conll", "a/de.conll", "b/en.conll", "b/de.conll")
    corpus = coleval.load(
        "gold/{dataset}.conll", {"one": "a/{dataset}.conll", "two": Path("b/{dataset}.conll")}
    )
    assert corpus.systems == ("one", "two")
    assert corpus.grid is not None
    assert corpus.grid.datasets == ("de", "en")


def test_python_takes_mappings_of_paths_and_frames(here):
    import polars as pl

    here("gold/en.conll", "b/en.conll")
    frame = pl.DataFrame({"token": ["Ann", "sees", "Rome"], "tag": ["B-PER", "O", "B-LOC"]})
    corpus = coleval.load(
        {"en": frame, "de": frame}, {"a": {"en": frame, "de": frame}, "b": {"de": frame}},
        missing="leave-out", columns={"form": "token", "gold": "tag", "system": "tag"},
    )  # fmt: skip
    assert corpus.grid is not None
    assert corpus.grid.datasets == ("en", "de")
    assert corpus.score()["overall"]["f1"].to_list() == [1.0, 1.0]


RUNS = "runs/{system}/{dataset}.conll"
GOLDS = "gold/{dataset}.conll"


@pytest.mark.parametrize(("files", "sources", "kind", "error"), [
    ("runs/a/en.conll", [GOLDS, RUNS], DataError, "gold/{dataset}.conll: no file matches"),
    ("gold/en.conll", [GOLDS, RUNS], DataError, "runs/{system}/{dataset}.conll: no file matches"),
    ("gold/en.conll", [GOLDS], UsageError,
     "there is gold but no system to compare with it\n{…}runs/{system}/{dataset}.conll"),
    ("gold/en_gum.conll runs/a/en-gum.conll runs/b/en-gum.conll", [GOLDS, RUNS], DataError,
     "no file belongs to a gold file (en_gum)\n  it matches 2 others, such as runs/a/en-gum"),
    ("gold/en.conll gold/en.conll.gz runs/a/en.conll", ["gold/{dataset}.conll*", RUNS], UsageError,
     "two files are for en: gold/en.conll and gold/en.conll.gz"),
    ("gold/en.conll runs/a/en_1.conll runs/a/en_2.conll",
     [GOLDS, "runs/{system}/{dataset}_*.conll"], UsageError,
     "two files are for en of `a`: runs/a/en_1.conll and runs/a/en_2.conll\n{…}{run}"),
    ("gold/en.conll runs/a/en.conll old/a/en.conll", [GOLDS, RUNS, "old/{system}/{dataset}.conll"],
     UsageError, "two templates have files of `a`"),
    # A name on one side only.
    ("gold/en.conll runs/a/en.conll", [GOLDS, "runs/{system}/en.conll"], UsageError,
     "gold has {dataset}{…}in both"),
    ("gold/en/1.conll runs/a/en/1.conll",
     ["gold/en/{part}.conll", "runs/{system}/{dataset}/{part}.conll"], UsageError,
     "has {dataset}{…}in both"),
    ("gold/en.conll runs/a/en.conll", [GOLDS, "runs/{system}/{dataset}_{part}.conll"], UsageError,
     "has {part}{…}in both"),
    # What systems are called.
    ("gold/en.conll run-en.conll", [GOLDS, "run-{dataset}.conll"], UsageError,
     "does not say what the system is called\n{…}NAME=run-{dataset}.conll"),
    ("gold/en.conll runs/a/en.conll runs/b/en.conll", [GOLDS, f"mine={RUNS}"], UsageError,
     "`mine` would name every {system}"),
    ("gold/en.conll runs/gold/en.conll", [GOLDS, RUNS], UsageError,
     "a system cannot be called `gold`"),
    ("a/gold/en.conll", ["{system}/gold/{dataset}.conll", RUNS], UsageError,
     "gold cannot depend on {system}"),
    ("a/gold/en.conll", ["{team}/gold/{dataset}.conll", RUNS], UsageError,
     "gold cannot depend on {team}"),
    # One file beside a template, and folders.
    ("gold.conll runs/a/en.conll", ["gold.conll", RUNS], UsageError,
     "gold is one file, but runs/{system}/{dataset}.conll is a template"),
    ("gold/en.conll a.conll", [GOLDS, "a.conll"], UsageError,
     "is one path, but gold is a template"),
    ("gold/1.conll crf/2.conll", ["gold", "crf"], DataError, "no file is called as one in gold"),
    ("gold/1.conll gold/1.txt crf/1.conll", ["gold", "crf"], UsageError,
     "several files are called `1` but for their suffixes\n{…}gold/{part}.SUFFIX"),
], ids=lambda value: value if isinstance(value, str) and " " in value else "")  # fmt: skip
def test_files_that_fit_no_task_are_refused(here, files, sources, kind, error):
    here(*files.split())
    with pytest.raises(kind) as caught:
        cells_of(sources, "utf-8")
    # What stands between is not of interest here.
    assert re.search(".*".join(map(re.escape, error.split("{…}"))), str(caught.value), re.DOTALL)


def test_some_runs_without_gold_are_a_warning_that_lists_them(here):
    here("gold/en.conll", "runs/a/en.conll", *(f"runs/a/x{k}.conll" for k in range(1, 8)))
    corpus = coleval.load("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")
    [warning] = corpus.warnings
    assert warning.startswith(
        "gold: 7 runs are for no gold file: runs/a/x1.conll, runs/a/x2.conll, runs/a/x3.conll, "
        "runs/a/x4.conll, runs/a/x5.conll and 2 more"
    )


@pytest.mark.parametrize("moved", ["runs/a/final/de.conll", "runs/a/de.txt", "runs/de.conll"])
def test_a_file_that_no_template_matches_is_a_warning_that_names_it(here, moved):
    here("gold/en.conll", "gold/de.conll", "runs/a/en.conll", "runs/a/.git/de.conll", moved)
    corpus = coleval.load("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")
    [warning] = corpus.warnings
    assert warning.startswith(f"gold: 1 file matches no template: {moved} (runs); not read")
    mapped = coleval.load({"en": "gold/en.conll"}, {"a": "runs/a/{dataset}.conll"})
    assert [moved in warning for warning in mapped.warnings] == [True] * ("/a/" in moved)


def test_of_many_files_that_no_template_matches_three_are_named(here):
    here("gold/en.conll", "gold/README", *(f"gold/x{k}.txt" for k in (1, 2, 10)))
    here("run_a/en.conll", "run_a/b/c/en.conll", "notes.md", "elsewhere/en.conll")
    several, one = coleval.load("gold/{dataset}.conll", "run_{system}/{dataset}.conll").warnings
    assert several.startswith(
        "gold: 4 files match no template: gold/README, gold/x1.txt, gold/x2.txt and 1 more (gold)"
    )
    assert one.startswith("gold: 1 file matches no template: run_a/b/c/en.conll (.); not read")


def test_a_dataset_that_no_system_has_run_on_is_listed(here):
    here("gold/en.conll", "gold/de.conll", "runs/a/en.conll")
    corpus = coleval.load("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")
    with pytest.raises(DataError, match=r"1 run is missing: a \(de\)"):
        corpus.score()


@pytest.mark.parametrize(
    ("path", "name"),
    [("runs/NEW/{dataset}.conll", "NEW"), ("runs/{dataset}/NEW.conll.gz", "NEW"),
     ("{dataset}/v2/{dataset}.conll", "v2"), ("../NEW/{dataset}*.conll", "NEW")],
)  # fmt: skip
def test_a_template_of_one_system_is_called_as_its_file_or_its_folder(path, name):
    assert Template(path).fixed_name == name


def test_a_folder_names_the_system_of_its_files(here):
    here("gold/en.conll", "runs/NEW/en.conll")
    assert coleval.load("gold/{dataset}.conll", "runs/NEW/{dataset}.conll").systems == ("NEW",)


def test_a_file_for_a_place_that_gold_lacks_is_told_apart_from_those_it_has(here):
    here("gold/en.conll", "gold/de.conll", "runs/a/en.conll", "runs/a/fr.conll")
    gold = gold_files(Template("gold/{dataset}.conll"))
    template = Template("runs/{system}/{dataset}.conll")
    assert runs_without_gold(template, gold) == ["runs/a/fr.conll"]


def test_a_thousand_parts_and_ten_systems_are_found_in_a_second(here):
    import time

    for part in range(1000):
        here(f"gold/en/{part}.conll", *(f"runs/s{k}/en_{part}.conll" for k in range(10)), text="")
    start = time.process_time()
    found = cells_of(
        ["gold/{dataset}/{part}.conll", "runs/{system}/{dataset}_{part}.conll"], "utf-8"
    )
    assert time.process_time() - start < 2
    assert len(found.inputs) == 1000
    assert all(len(one.systems) == 10 for one in found.inputs.values())
    assert isinstance(found.inputs[Place("en", "7")].gold, Source)


# A mean over groups: d0 and d1 have a span, d2 has none; B has not run on d1.
SPAN, NONE = "a\tB-X\nb\tO\n\n", "a\tO\nb\tO\n\n"
TASK = ("gold/{dataset}.txt", "runs/{system}/{dataset}.txt")


@pytest.fixture
def three(here):
    here("gold/d0.txt", "gold/d1.txt", "runs/A/d0.txt", "runs/A/d1.txt", "runs/B/d0.txt", text=SPAN)
    here("gold/d2.txt", "runs/A/d2.txt", "runs/B/d2.txt", text=NONE)
    return here


def means(corpus, **options) -> list[tuple]:
    found = corpus.score(by="dataset", **options)["ranking"]
    names = ("system", "macro", "groups", "missing", "not_applicable")
    return sorted(found.select(names).rows())


def test_a_dataset_without_gold_spans_is_in_nobodys_mean(three):
    corpus = coleval.load(*TASK, task="span")
    assert means(corpus, systems="A") == [("A", 1.0, 2, 0, 1)]
    assert means(corpus, missing="wrong") == [("A", 1.0, 2, 0, 1), ("B", 0.5, 2, 1, 1)]
    assert means(corpus, missing="leave-out") == [("A", 1.0, 2, 0, 1), ("B", 1.0, 1, 1, 1)]
    # Whatever 0/0 is asked to be.
    assert means(corpus, missing="wrong", undefined="1")[1] == ("B", 0.5, 2, 1, 1)


def test_answers_where_gold_has_none_are_of_the_pooled_score_alone(three):
    three("runs/A/d2.txt", text=SPAN)
    corpus = coleval.load(*TASK, task="span")
    assert means(corpus, missing="wrong")[0] == ("A", 1.0, 2, 0, 1)
    report = corpus.score(by="dataset", missing="wrong")
    assert report["ranking"]["pooled"][0] == pytest.approx(4 / 5)
    assert report["ranking"]["best_in"].to_list() == ["d0, d1", "d0"]


def test_a_mean_over_groups_is_one_number_wherever_it_stands(three):
    three("runs/A/d2.txt", text=SPAN)
    corpus = coleval.load(*TASK, task="span")
    ranks = corpus.compare(by="dataset", missing="wrong")["ranks"]
    report = corpus.report(missing="wrong")
    corpus.save("store")
    sql = coleval.open("store").sql("dataset-means")
    assert dict(ranks.select("system", "value").rows()) == {"A": 1.0, "B": 0.5}
    assert dict(report["score.ranking"].select("system", "macro").rows()) == {"A": 1.0, "B": 0.5}
    assert dict(report["compare.ranks"].select("system", "value").rows()) == {"A": 1.0, "B": 0.5}
    # SQL counts no answers of runs that do not exist, as `--missing leave-out` does.
    assert sql.rows() == [("A", 2, 1.0, 0.8), ("B", 1, 1.0, 1.0)]
    # No replicate has a group without gold either: who is always right is so in all of them.
    assert ranks.row(0, named=True)["low"] == 1.0


def test_the_groups_that_are_drawn_are_those_with_gold(three):
    corpus = coleval.load(*TASK, task="span")
    found = corpus.compare(by="dataset", missing="wrong", resample="groups")
    assert found["ranks"]["value"].to_list() == [1.0, 0.5]
    assert found["power"]["units"].to_list() == [2]


def test_a_system_that_has_run_on_nothing_refuses_nobody(three):
    three("runs/C/d1.txt", text=SPAN)
    corpus, first = coleval.load(*TASK, task="span"), "dataset = 'd0'"
    overall = corpus.score(missing="leave-out", where=first)["overall"]
    rows = overall.select("system", "f1", "coverage").rows()
    assert rows == [("A", 1.0, 1.0), ("B", 1.0, 1.0), ("C", None, 0.0)]
    compared = corpus.compare(missing="leave-out", where=first)
    assert compared["ranks"]["system"].to_list() == ["A", "B"]
    assert "left out, as they have not run on anything: C" in compared.warnings
    assert means(corpus, missing="leave-out")[2] == ("C", 1.0, 1, 1, 1)


def test_a_leaderboard_to_publish_leaves_out_what_is_left_out(three):
    corpus = coleval.load(*TASK, task="span")
    report = corpus.score(leaderboard=True, missing="leave-out")
    assert report["leaderboard"].select("system", "value").rows() == [("A", 1.0), ("B", 1.0)]
    assert any("2 of 3 gold files are used" in text for text in report.warnings)


def test_runs_that_are_missing_elsewhere_are_no_concern_of_a_filter_of_files(three):
    corpus = coleval.load(*TASK, task="span")
    with pytest.raises(DataError, match="1 run is missing"):
        corpus.compare()
    assert corpus.compare(where="dataset = 'd0'")["ranks"]["value"].to_list() == [1.0, 1.0]


def test_a_dataset_that_nobody_has_run_on_is_missing_only_if_gold_has_something(here):
    here("gold/d0.txt", "gold/d1.txt", "runs/A/d0.txt", text=SPAN)
    here("gold/d2.txt", text=NONE)
    corpus = coleval.load(*TASK, task="span")
    assert means(corpus, missing="leave-out") == [("A", 1.0, 1, 1, 1)]
    assert means(corpus, missing="wrong") == [("A", 0.5, 2, 1, 1)]


def test_a_dataset_whose_spans_are_in_a_part_that_nobody_has_run_on_is_applicable(here):
    here("gold/d0_p.txt", "gold/d1_p.txt", "runs/A/d0_p.txt", text=SPAN)
    here("gold/d1_q.txt", "runs/A/d1_q.txt", text=NONE)
    task = ("gold/{dataset}_{part}.txt", "runs/{system}/{dataset}_{part}.txt")
    corpus = coleval.load(*task, task="span")
    assert means(corpus, missing="leave-out") == [("A", 1.0, 1, 0, 0)]
    assert means(corpus, missing="wrong") == [("A", 0.5, 2, 0, 0)]


def test_elas_is_a_mean_over_the_treebanks_that_have_deps(here):
    """CoNLL 2018: 13 of 78 treebanks have enhanced trees; HUJI has 49.55 there, not 8.26."""
    row = "1\ta\ta\tN\t_\t_\t0\troot\t{}\t_\n\n"
    for at, (gold, system) in enumerate([("0:root", "0:root"), ("0:root", "_"), ("_", "_")]):
        here(f"gold/d{at}.txt", text=row.format(gold))
        here(f"runs/A/d{at}.txt", text=row.format(system))
    corpus = coleval.load(*TASK, task="dep", format="conllu")
    found = corpus.score(by="dataset", missing="wrong")["ranking"].to_dicts()
    [elas] = [one for one in found if one["metric"] == "ELAS"]
    assert (elas["macro"], elas["groups"], elas["not_applicable"]) == (0.5, 2, 1)


def test_a_missing_run_has_no_words_in_the_pooled_las_of_compare_either(here):
    row = "1\ta\ta\tN\t_\t_\t0\troot\t_\t_\n\n"
    here("gold/d0.txt", "gold/d1.txt", "runs/A/d0.txt", "runs/A/d1.txt", "runs/B/d0.txt", text=row)
    corpus = coleval.load(*TASK, task="dep", format="conllu")
    ranks = corpus.compare(missing="wrong", metric="las")["ranks"]
    assert dict(ranks.select("system", "value").rows()) == {"A": 1.0, "B": pytest.approx(2 / 3)}


def test_a_system_without_an_answer_in_a_group_has_not_run_there(here):
    here("gold.csv", text="id,genre,label\n1,x,a\n2,x,a\n3,y,b\n")
    here("A.csv", text="id,label\n1,a\n2,b\n3,b\n")
    here("B.csv", text="id,label\n3,b\n")
    corpus = coleval.load("gold.csv", ["A.csv", "B.csv"], task="label")
    found = {m: corpus.score(by="genre", missing=m)["ranking"] for m in ("wrong", "leave-out")}
    columns = ("system", "macro", "groups", "missing")
    assert sorted(found["wrong"].select(columns).rows()) == [("A", 0.75, 2, 0), ("B", 0.5, 2, 1)]
    assert sorted(found["leave-out"].select(columns).rows()) == [
        ("A", 0.75, 2, 0), ("B", 1.0, 1, 1),
    ]  # fmt: skip


def test_sets_of_labels_that_are_missing_can_be_counted_as_wrong(here):
    here("gold.csv", text="id,genre,labels\n1,x,a;b\n2,y,a\n")
    here("A.csv", text="id,labels\n2,a\n")
    corpus = coleval.load("gold.csv", ["A.csv"], task="label", separator=";")
    found = corpus.score(by="genre", missing="wrong")["ranking"]
    assert found.select("macro", "groups").rows() == [(0.5, 2)]
