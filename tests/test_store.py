"""The store: what comes back is what went in, and adding a system touches nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

import coleval
from coleval.cli.main import main
from coleval.store.columns import cuts

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


def test_adding_a_system_rewrites_no_other_file(files):
    main(["load", "gold.conll", "a.conll", "b.conll", "-o", "store"])
    before = {p: p.read_bytes() for p in Path("store").glob("*/*.parquet")}
    main(["load", "gold.conll", "d.conll", "-o", "store"])
    assert all(path.read_bytes() == data for path, data in before.items())


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
    assert len(list(Path("store/token").glob("*-a.parquet"))) == 1


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
    base = duckdb.sql("select gold, count(*) n from 'store/token/base-000.parquet' group by 1")
    assert dict(base.fetchall())["B-LOC"] == 8
    assert (
        pl.read_parquet("store/span/*-b.parquet")["b"].cast(pl.String).to_list().count("MISC") == 4
    )
    assert pq.read_table("store/span/base-000.parquet").column_names[-1] == "gold"


def test_row_groups_end_where_sentences_end(files, monkeypatch):
    monkeypatch.setattr("coleval.store.columns.ROWS", 30)
    corpus = coleval.load("gold.conll", ["a.conll"])
    corpus.save("store")
    assert cuts(corpus.at("token")) == [0, 26, 52]
    meta = pq.read_metadata("store/token/base-000.parquet")
    assert [meta.row_group(k).num_rows for k in range(meta.num_row_groups)] == [26, 26]


def test_a_missing_file_in_a_store_is_named(files, capsys):
    coleval.load("gold.conll", ["a.conll"]).save("store")
    next(Path("store/span").glob("*-a.parquet")).unlink()
    assert main(["score", "store"]) == 1
    assert "0000-a.parquet` is missing" in capsys.readouterr().err


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
