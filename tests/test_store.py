"""The store: what comes back is what went in, and adding a system touches nothing else."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.disk import StoredCodes
from coleval.store.tables import cuts

WORDS = ["the", "cat", "of", "New", "York", "sat", "on", "Mary", "and", "the", "mat", "of", "Rome"]
GOLD = ["O", "O", "O", "B-LOC", "I-LOC", "O", "O", "B-PER", "O", "O", "O", "O", "B-LOC"]


def _text(tags: list[str], times: int = 4) -> str:
    sentence = "".join(f"{w}\t{t}\n" for w, t in zip(WORDS, tags, strict=True))
    return "\n".join([sentence] * times)


def _variant(changes: dict[int, str]) -> str:
    return _text([changes.get(k, tag) for k, tag in enumerate(GOLD)])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold and four systems with different mistakes."""
    texts = {
        "gold": _text(GOLD),
        "a": _variant({3: "O", 4: "O"}),
        "b": _variant({4: "B-LOC", 1: "B-MISC"}),
        "c": _variant({7: "B-ORG"}),
        "d": _variant({0: "B-AAA", 12: "O"}),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def same(one: coleval.Corpus, two: coleval.Corpus) -> bool:
    reports = zip(_tables(one), _tables(two), strict=True)
    return all(a.equals(b) for a, b in reports) and one.items.equals(two.items)


def _tables(corpus: coleval.Corpus) -> list[pl.DataFrame]:
    tables = [*corpus.score().tables.values(), *corpus.confusion().tables.values()]
    return [*tables, *corpus.score(unit="token").tables.values()]


def test_a_store_gives_back_the_corpus(files):
    corpus = coleval.load("gold.conll", ["a.conll", "b.conll"])
    corpus.save("store")
    opened = coleval.open("store")
    assert same(corpus, opened)
    assert corpus.score().signature == opened.score().signature


def test_the_command_line_opens_a_store_like_files(files, capsys):
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store", "--quiet"])
    capsys.readouterr()
    main(["score", "store", "--as", "json"])
    stored = json.loads(capsys.readouterr().out)
    main(["score", "gold.conll", "a.conll", "b.conll", "--as", "json"])
    assert json.loads(capsys.readouterr().out)["tables"] == stored["tables"]


def test_adding_systems_one_by_one_is_the_same_as_loading_all(files):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    for name in "bcd":
        main(["load", "gold.conll", f"{name}.conll", "-o", "store"])
    whole = coleval.load("gold.conll", [f"{n}.conll" for n in "abcd"])
    assert same(coleval.open("store"), whole)


def test_an_open_store_goes_on_working_when_it_is_loaded_again(files):
    """Its files are there until nobody reads them; then the next load removes them."""
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store"])
    opened = coleval.open("store")
    (files / "a.conll").write_text((files / "c.conll").read_text())
    for more in (["d.conll"], ["a.conll"], ["b.conll", "--fresh"]):
        assert main(["load", "gold.conll", *more, "-o", "store"]) == 0
    whole = coleval.load("gold.conll", {"a": _variant_file(files), "b": "b.conll"})
    assert _tables(opened)[0].equals(_tables(whole)[0])
    assert list(Path("store/old").rglob("*.parquet"))
    del opened
    gc.collect()
    assert main(["load", "gold.conll", "c.conll", "-o", "store"]) == 0
    assert not Path("store/old").exists()


def test_files_that_count_no_more_stay_a_day_at_most(files, monkeypatch):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    opened = coleval.open("store")
    monkeypatch.setattr("coleval.store.files._GRACE", -10)
    main(["load", "gold.conll", "b.conll", "-o", "store"])
    assert not Path("store/old").exists()
    with pytest.raises(coleval.ColevalError, match="is missing\n  open the store again"):
        opened.score()


def _variant_file(files: Path) -> str:
    (files / "was_a.conll").write_text(_variant({3: "O", 4: "O"}))
    return "was_a.conll"


@pytest.mark.parametrize("unit", ["token", "span"])
def test_an_item_keeps_its_id_when_submissions_change_or_come(files, unit):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    before = ids_of_gold(unit)
    main(["load", "gold.conll", "d.conll", "b.conll", "-o", "store"])
    (files / "a.conll").write_text((files / "c.conll").read_text())
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    assert ids_of_gold(unit) == before
    main(["load", "gold.conll", "c.conll", "-o", "store", "--fresh"])
    assert ids_of_gold(unit) == before
    whole = pl.read_parquet(f"store/item/{unit}/*.parquet")
    assert whole["item_id"].is_unique().all()


def ids_of_gold(unit: str) -> list[tuple[int, str]]:
    frame = pl.read_parquet(f"store/item/{unit}/*.parquet").drop_nulls("gold")
    return frame.select("item_id", pl.col("gold").cast(pl.String)).rows()


def test_an_unchanged_system_is_not_read_again(files, capsys):
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store"])
    capsys.readouterr()
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store"])
    assert "of those named 2 are unchanged, 0 will be read" in capsys.readouterr().err


def test_a_changed_system_is_read_again_and_its_old_column_goes(files, capsys):
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store"])
    (files / "a.conll").write_text((files / "c.conll").read_text())
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store"])
    assert "of those named 1 are unchanged, 1 will be read" in capsys.readouterr().err
    whole = coleval.load("gold.conll", ["a.conll", "b.conll"])
    assert _tables(coleval.open("store"))[0].equals(_tables(whole)[0])
    assert len(list(Path("store").rglob("*.parquet"))) == 5


def test_another_gold_or_other_options_are_refused(files, capsys):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    assert main(["load", "b.conll", "c.conll", "-o", "store"]) == 2
    assert "--fresh" in capsys.readouterr().err
    assert main(["load", "gold.conll", "c.conll", "-o", "store", "--repair", "discard"]) == 2
    assert main(["load", "b.conll", "c.conll", "-o", "store", "--fresh"]) == 0
    assert coleval.open("store").systems == ("c",)


def test_reading_options_do_not_apply_to_a_store(files, capsys):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    assert main(["score", "store", "--scheme", "io"]) == 2
    assert "load the files again" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", ["--task span", "--scheme iob2", "--outside O,X --columns label=2"]
)
def test_options_by_which_a_store_was_read_are_accepted(files, capsys, option):
    reading = option.split()[-4:] if "outside" in option else []
    assert main(["load", "gold.conll", "a.conll", "-o", "store", "-q", *reading]) == 0
    capsys.readouterr()
    assert main(["score", "store", *option.split(), "--as", "json"]) == 0
    stored = json.loads(capsys.readouterr().out)
    assert main(["score", "store", "--as", "json"]) == 0
    assert stored == json.loads(capsys.readouterr().out)
    for other in ("--task tag", "--outside X", "--columns label=1"):
        assert main(["score", "store", *other.split()]) == 2
        assert f"{other.split()[0]} sets how files are read" in capsys.readouterr().err


def test_a_profile_that_only_counts_applies_to_a_store(files, capsys):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    capsys.readouterr()
    assert main(["errors", "store", "--profile", "nervaluate", "--as", "json"]) == 0
    stored = json.loads(capsys.readouterr().out)
    main(["errors", "gold.conll", "a.conll", "--profile", "nervaluate", "--as", "json"])
    assert stored == json.loads(capsys.readouterr().out)


def test_a_profile_that_reads_otherwise_comes_too_late_for_a_store(files, capsys):
    main(["load", "gold.conll", "a.conll", "-o", "store"])
    assert main(["score", "store", "--profile", "seqeval-strict"]) == 2
    assert "--profile seqeval-strict (--repair discard)" in capsys.readouterr().err


def test_systems_can_be_chosen_from_a_store(files):
    coleval.load("gold.conll", [f"{n}.conll" for n in "abcd"]).save("store")
    chosen = coleval.open("store").chosen("b,d")
    assert chosen.score().table("overall")["system"].sort().to_list() == ["b", "d"]


def test_other_programs_read_the_store(files):
    coleval.load("gold.conll", ["a.conll", "b.conll"]).save("store")
    table = duckdb.sql("select gold, count(*) n from 'store/item/token/*.parquet' group by 1")
    assert dict(table.fetchall())["B-LOC"] == 8
    span = pl.read_parquet("store/item/span/*.parquet")
    assert span["b"].cast(pl.String).to_list().count("MISC") == 4
    assert span.columns[-3:] == ["gold", "a", "b"]
    run = pl.read_parquet("store/run/*.parquet")
    assert run.select("system", "status").rows() == [("a", "run"), ("b", "run")]


def test_patterns_are_the_distinct_rows_of_answers(files):
    for systems in (["a"], ["a", "b", "d"]):
        main(["load", "gold.conll", *(f"{n}.conll" for n in systems), "-o", "store"])
        items = pl.read_parquet("store/item/token/*.parquet")
        counted = items.group_by("gold", *systems).agg(n=pl.len().cast(pl.UInt32))
        stored = pl.read_parquet("store/pattern/token/*.parquet")
        assert sorted(counted.rows(), key=str) == sorted(stored.rows(), key=str)


@pytest.mark.parametrize("how", [{}, {"systems": "b,a"}, {"systems": "b"}, {"where": "item > 3"}])
def test_counts_of_stored_patterns_are_those_of_the_files(files, how):
    named = {name: f"{name}.conll" for name in "abd"}
    whole = coleval.load("gold.conll", named)
    stored = coleval.open(whole.save("store"))
    for unit in ("token", "span"):
        for analysis in ("bins", "confusion", "oracle", "agree"):
            ours, theirs = (getattr(c, analysis)(unit=unit, **how) for c in (stored, whole))
            for table in theirs.tables:
                assert ours.table(table).equals(theirs.table(table))


def test_bins_of_a_store_read_no_answers_item_by_item(files, monkeypatch):
    coleval.load("gold.conll", {name: f"{name}.conll" for name in "abd"}).save("store")

    def refuse(*_):
        raise AssertionError("a column of answers was read")

    monkeypatch.setattr(StoredCodes, "__getitem__", refuse)
    for name in ("bins", "confusion", "agree"):
        assert getattr(coleval.open("store"), name)(unit="token").tables


def test_systems_whose_names_differ_in_case_have_columns_of_their_own(files):
    coleval.load("gold.conll", {"a": "a.conll", "A": "b.conll"}).save("store")
    assert pl.read_parquet("store/item/span/*.parquet").columns[-2:] == ["a", "A_2"]
    opened = coleval.open("store").score().table()
    assert opened.equals(
        coleval.load("gold.conll", {"a": "a.conll", "A": "b.conll"}).score().table()
    )


def test_a_store_and_its_files_may_be_moved_together(files):
    (files / "data").mkdir()
    for name in ("gold", "a"):
        (files / f"{name}.conll").rename(files / "data" / f"{name}.conll")
    main(["load", "data/gold.conll", "data/a.conll", "-o", "store"])
    moved = files.with_name(f"{files.name}-moved")
    files.rename(moved)
    opened = coleval.open(moved / "store")
    assert opened.gold.origin.path == str(moved / "data" / "gold.conll")
    assert str(files) + "/" not in (moved / "store" / "corpus.json").read_text()


def test_row_groups_end_where_sentences_end(files, monkeypatch):
    monkeypatch.setattr("coleval.store.tables.ROWS", 30)
    corpus = coleval.load("gold.conll", ["a.conll"])
    corpus.save("store")
    assert cuts(corpus.at("token")) == [0, 26, 52]
    meta = pq.read_metadata("store/item/token/0001.parquet")
    assert [meta.row_group(k).num_rows for k in range(meta.num_row_groups)] == [26, 26]


def test_a_missing_file_in_a_store_is_named(files, capsys):
    coleval.load("gold.conll", ["a.conll"]).save("store")
    Path("store/item/span/0001.parquet").unlink()
    assert main(["score", "store"]) == 1
    assert "`item/span/0001.parquet` is missing" in capsys.readouterr().err


def test_a_directory_that_is_no_store_says_so(files):
    with pytest.raises(coleval.ColevalError, match="is not a coleval store"):
        coleval.open(".")


@pytest.mark.parametrize("task", ["label", "multi", "matrix"])
def test_every_task_survives_the_store(tmp_path, task):
    frame = {
        "label": pl.DataFrame({"id": ["1", "2"], "gold": ["x", "y"], "system_a": ["x", "x"],
                               "system_b": ["y", "y"]}),
        "multi": pl.DataFrame({"id": ["1", "2", "3"], "gold": [["x", "y"], [], ["y"]],
                               "system_a": [["x"], ["x"], ["y"]], "system_b": [[], [], ["z"]]},
                              schema_overrides={"gold": pl.List(pl.String),
                                                "system_b": pl.List(pl.String)}),
        "matrix": None,
    }[task]  # fmt: skip
    if frame is None:
        (tmp_path / "m.tsv").write_text("s\tt\n1\t0\n1\t1\n0\t0\n")
        corpus = coleval.load(tmp_path / "m.tsv", task="matrix")
    else:
        corpus = coleval.load(frame, separator="|" if task == "multi" else "")
    corpus.save(tmp_path / "store")
    opened = coleval.open(tmp_path / "store")
    for name, table in corpus.score().tables.items():
        assert opened.score().table(name).equals(table)
