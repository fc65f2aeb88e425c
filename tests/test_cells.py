"""Several gold files read into one corpus: what is shared, what is told apart, what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import ColevalError, UsageError

ENGLISH = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"
BLIND = "Ann\tO\nsees\tO\nRome\tB-LOC\n"
GERMAN = "Ute\tB-PER\nliest\tO\n\nUlm\tB-ORG\n"
SILENT = "Ute\tO\nliest\tO\n\nUlm\tO\n"
TEMPLATES = ("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what writes files of the current directory by their names."""
    monkeypatch.chdir(tmp_path)

    def written(files: dict[str, str]) -> None:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return written


def two(here, **systems: tuple[str, str]) -> None:
    here({"gold/en.conll": ENGLISH, "gold/de.conll": GERMAN})
    for name, (english, german) in systems.items():
        here({f"runs/{name}/en.conll": english, f"runs/{name}/de.conll": german})


def refused(*sources: str, **options) -> ColevalError:
    with pytest.raises(ColevalError) as caught:
        coleval.load(sources[0], list(sources[1:]), **options)
    return caught.value


def test_items_say_their_dataset_and_sentences_go_on(here):
    two(here, a=(ENGLISH, SILENT))
    tokens = coleval.load(*TEMPLATES).at("token").frame()
    assert tokens.select("dataset", "sentence", "form").rows() == [
        ("de", 0, "Ute"), ("de", 0, "liest"), ("de", 1, "Ulm"),
        ("en", 2, "Ann"), ("en", 2, "sees"), ("en", 2, "Rome"),
    ]  # fmt: skip


def test_labels_of_one_dataset_only_are_labels_of_all(here):
    two(here, a=(BLIND, GERMAN))
    corpus = coleval.load(*TEMPLATES)
    rows = corpus.score()["labels"].select("label", "tp", "fn").sort("label").rows()
    assert rows == [("LOC", 1, 0), ("ORG", 1, 0), ("PER", 1, 1)]
    by = corpus.score(by="dataset")["by"]
    assert by.select("by", "tp", "fn").rows() == [("de", 2, 0), ("en", 1, 1)]


def test_a_dataset_without_any_span_is_still_one_of_spans(here):
    two(here, a=(BLIND, SILENT))
    here({"gold/de.conll": SILENT})
    corpus = coleval.load(*TEMPLATES)
    assert corpus.task == "span"
    assert corpus.score(by="dataset")["by"].select("by", "tp", "fn").rows() == [
        ("de", 0, 0),
        ("en", 1, 1),
    ]


def test_an_empty_file_of_gold_is_refused_with_its_name(here):
    two(here, a=(ENGLISH, GERMAN))
    here({"gold/fr.conll": "", "runs/a/fr.conll": ""})
    assert "gold/fr.conll" in refused(*TEMPLATES).where


def test_an_empty_run_is_refused_with_its_name(here):
    two(here, a=(ENGLISH, GERMAN))
    here({"runs/a/de.conll": ""})
    assert "runs/a/de.conll" in refused(*TEMPLATES).where


def test_datasets_of_two_tasks_are_refused(here):
    two(here, a=(ENGLISH, GERMAN))
    here({"gold/xx.conll": "the\tDT\n", "runs/a/xx.conll": "the\tDT\n"})
    found = refused(*TEMPLATES)
    assert found.where.endswith("gold/xx.conll")
    assert found.problem == "xx reads as --task tag, de as --task span"


def test_datasets_of_two_formats_are_refused(here):
    tree = "1\tAnn\t_\tPROPN\t_\t_\t0\troot\t_\t_\n\n"
    two(here, a=(ENGLISH, GERMAN))
    here({"gold/xx.conllu": tree, "runs/a/xx.conllu": tree})
    found = refused("gold/{dataset}.*", "runs/{system}/{dataset}.*")
    assert isinstance(found, UsageError)
    assert found.where == "gold/xx.conllu"
    assert found.problem == "looks like format `conllu`, but gold/de.conll like `columns`"
    assert "--format columns" in found.remedy


def test_columns_of_nothing_but_underscores_are_a_dataset_without_spans(here):
    blank = "1\tAnn\t_\t_\n2\tsees\t_\t_\n"
    two(here, a=(ENGLISH, GERMAN))
    here({"gold/xx.conll": blank, "runs/a/xx.conll": blank})
    by = coleval.load(*TEMPLATES).score(by="dataset")["by"]
    assert by.select("by", "tp").rows() == [("de", 2), ("en", 2), ("xx", 0)]


def test_formats_may_be_mixed_where_one_is_named(here):
    """Tabs here, spaces there: columns in both, as the format that is named reads them."""
    two(here, a=(ENGLISH, GERMAN))
    here({"gold/en.conll": ENGLISH.replace("\t", " "), "runs/a/en.conll": BLIND})
    corpus = coleval.load(*TEMPLATES, format="columns")
    assert corpus.score()["overall"]["tp"].to_list() == [3]


def test_a_context_column_may_not_be_called_dataset(here):
    here({f"{place}/en.csv": "id,dataset,label\n1,x,A\n" for place in ("gold", "runs/a")})
    corpus = coleval.load(
        "gold/{dataset}.csv", "runs/{system}/{dataset}.csv",
        task="label", columns="id=id,gold=label,system=label,dataset=dataset",
    )  # fmt: skip
    with pytest.raises(ColevalError, match="a column cannot be called `dataset`"):
        corpus.score()


def test_a_part_is_a_document_unless_the_format_has_its_own(here):
    for place in ("gold", "runs/a"):
        here({f"{place}/en/1.conll": ENGLISH, f"{place}/en/2.conll": BLIND})
    corpus = coleval.load("gold/{dataset}/{part}.conll", "runs/{system}/{dataset}/{part}.conll")
    token = corpus.at("token").context.with_columns(pl.col("document").cast(pl.String))
    assert token["document"].unique(maintain_order=True).to_list() == ["en/1", "en/2"]
    assert token["part"].cast(pl.String).unique(maintain_order=True).to_list() == ["1", "2"]


def test_documents_of_one_name_in_two_datasets_are_told_apart(here):
    tree = "# newdoc id = d{}\n1\tAnn\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    for place in ("gold", "runs/a"):
        here({f"{place}/en.conllu": tree.format(1) + tree.format(2)})
        here({f"{place}/de.conllu": tree.format(1) + tree.format(3)})
    corpus = coleval.load("gold/{dataset}.conllu", "runs/{system}/{dataset}.conllu")
    documents = corpus.at().context["document"].cast(pl.String).to_list()
    assert documents == ["de/d1", "d3", "en/d1", "d2"]


def test_a_part_that_a_system_lacks_is_missing_not_silent(here):
    for place in ("gold", "runs/a", "runs/b"):
        here({f"{place}/en/1.conll": ENGLISH, f"{place}/en/2.conll": ENGLISH})
    Path("runs/b/en/2.conll").unlink()
    corpus = coleval.load("gold/{dataset}/{part}.conll", "runs/{system}/{dataset}/{part}.conll")
    with pytest.raises(ColevalError, match=r"1 run is missing: b \(en/2\)"):
        corpus.score()
    wrong = corpus.score(missing="wrong")["overall"]
    assert wrong.select("system", "tp", "fn", "coverage").rows() == [
        ("a", 4, 0, 1.0), ("b", 2, 2, 0.5)
    ]  # fmt: skip
    left = corpus.score(missing="leave-out")["overall"]
    assert left.select("system", "tp", "fn", "coverage").sort("system").rows() == [
        ("a", 4, 0, 1.0), ("b", 2, 0, 0.5)
    ]  # fmt: skip


@pytest.mark.parametrize(("policy", "said"), [("leave-out", True), ("wrong", False)])
def test_means_over_other_groups_are_said_to_be_that(here, capsys, policy, said):
    two(here, a=(ENGLISH, GERMAN), b=(ENGLISH, GERMAN))
    Path("runs/b/de.conll").unlink()
    sources = ["gold/{dataset}.conll", "runs/{system}/{dataset}.conll"]
    main(["score", *sources, "--by", "dataset", "--missing", policy, "--quiet"])
    assert ("different numbers of groups" in capsys.readouterr().out) is said


@pytest.mark.parametrize("suffix", ["txt", "csv"])
def test_a_dataset_of_instances_that_nobody_has_run_on_is_there_too(here, suffix):
    """Columns of gold's table are context then, as in the other datasets, and no systems."""
    texts = {"txt": "1 A\n2 B\n", "csv": "id,gold,genre\n1,A,x\n2,B,y\n"}
    here({f"gold/{name}.{suffix}": texts[suffix] for name in ("d1", "d2")})
    here({f"runs/a/d2.{suffix}": texts[suffix].replace("gold", "label").replace("B", "A")})
    corpus = coleval.load(
        f"gold/{{dataset}}.{suffix}", f"runs/{{system}}/{{dataset}}.{suffix}",
        task="label", missing="wrong",
    )  # fmt: skip
    assert corpus.systems == ("a",)
    by = corpus.score(by="dataset")["by"].select("by", "correct", "items")
    assert by.rows() == [("d1", 0, 2), ("d2", 1, 2)]


def test_a_dataset_that_nobody_has_run_on_is_missing_for_all(here):
    two(here, a=(ENGLISH, GERMAN))
    here({"gold/fr.conll": GERMAN})
    ranking = coleval.load(*TEMPLATES).score(by="dataset", missing="leave-out")["ranking"]
    assert ranking.select("system", "macro", "groups", "missing").rows() == [("a", 1.0, 2, 1)]


def test_a_system_whose_name_has_a_slash_is_one_column_and_one_file_of_a_store(here):
    two(here, a=(ENGLISH, GERMAN))
    corpus = coleval.load(TEMPLATES[0], {"me/a": "runs/a/{dataset}.conll"})
    corpus.save("store")
    opened = coleval.open("store")
    assert opened.systems == ("me/a",)
    assert opened.score()["overall"].equals(corpus.score()["overall"])


def test_a_thousand_parts_are_read_in_seconds(here):
    import time

    for place in ("gold", "runs/a"):
        here({f"{place}/{part}.conll": ENGLISH for part in range(1000)})
    start = time.process_time()
    corpus = coleval.load("gold/{part}.conll", "runs/{system}/{part}.conll")
    assert corpus.score()["overall"]["tp"].to_list() == [2000]
    assert time.process_time() - start < 20
