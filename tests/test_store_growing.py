"""Stores of whole shared tasks: only what is added is read, and nothing is half done."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import duckdb
import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import ColevalError
from coleval.store import opening
from coleval.store import tables as stored_tables
from conftest import seeds
from grids import SUFFIX, made

CASES = seeds(1, 8)
TASKS = ("tag", "span", "dep", "label", "coref")
ENGLISH = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"
BLIND = "Ann\tO\nsees\tO\nRome\tB-LOC\n"
GERMAN = "Ute\tB-PER\nliest\tO\n\nUlm\tB-ORG\n"
SILENT = "Ute\tO\nliest\tO\n\nUlm\tO\n"
ODD = "Ute\tB-MISC\nliest\tB-MISC\n\nUlm\tO\n"
TEMPLATES = ("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")
ANALYSES = {
    "tag": ("score", "bins", "changes", "oracle", "agree", "confusion"),
    "span": ("score", "bins", "changes", "oracle", "agree", "confusion", "errors"),
    "dep": ("score", "bins", "changes", "oracle", "agree", "confusion"),
    "label": ("score", "bins", "changes", "oracle", "agree", "confusion"),
    "coref": ("score", "bins", "changes", "oracle"),
}


def put(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two datasets with two systems in the current directory, and a store of them."""
    monkeypatch.chdir(tmp_path)
    put({"gold/en.conll": ENGLISH, "gold/de.conll": GERMAN})
    put({"runs/a/en.conll": BLIND, "runs/a/de.conll": GERMAN})
    put({"runs/b/en.conll": ENGLISH, "runs/b/de.conll": SILENT})
    load()


def load(*more: str, store: str = "store", sources: tuple[str, ...] = TEMPLATES) -> int:
    return main(["load", *sources, "-o", store, "--quiet", *more])


def tables(corpus: coleval.Corpus, kind: str, **options) -> dict[str, pl.DataFrame]:
    """Return all tables of all analyses, of systems in the order of their names."""
    corpus = corpus.chosen(sorted(corpus.systems)).with_options(missing="wrong")
    found = {}
    for analysis in ANALYSES[kind]:
        if len(corpus.systems) == 1 and analysis in ("changes", "agree", "oracle"):
            continue
        report = getattr(corpus, analysis)(by="dataset", **options)
        found |= {f"{analysis}.{name}": frame for name, frame in report.tables.items()}
    return found


def same(one: coleval.Corpus, two: coleval.Corpus, kind: str = "span") -> None:
    ours, theirs = tables(one, kind), tables(two, kind)
    assert list(ours) == list(theirs)
    assert [name for name in ours if not ours[name].equals(theirs[name])] == []


def as_fresh() -> None:
    """Check that the store is one that was made of all files that there are now."""
    fresh = coleval.load(*TEMPLATES)
    same(coleval.open("store"), fresh)


def states(folder: str = "store") -> dict[str, tuple[int, int]]:
    """Return the inode and time of every file with items."""
    return {
        str(path): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in Path(folder).rglob("*.parquet")
    }


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the files that are read from now on."""
    from coleval.loading.readers.source import Source

    seen: list[str] = []
    whole = Source.stored

    def stored(self: Source) -> bytes:
        seen.append(os.path.relpath(self.path))
        return whole(self)

    monkeypatch.setattr(Source, "stored", stored)
    return seen


def test_a_store_gives_back_the_task(task):
    as_fresh()


def test_a_store_of_a_task_opens_with_its_datasets_and_systems(task):
    opened = coleval.open("store")
    assert opened.systems == ("a", "b")
    assert opened.grid is not None
    assert opened.grid.datasets == ("de", "en")


def test_a_system_is_a_column_more_and_only_its_files_and_gold_are_read(task, reads):
    before = states()
    put({"runs/c/en.conll": BLIND, "runs/c/de.conll": SILENT})
    load()
    assert set(reads) == {"gold/de.conll", "gold/en.conll", "runs/c/de.conll", "runs/c/en.conll"}
    assert len(states()) == len(before)
    as_fresh()


def test_a_system_with_answers_nobody_had_is_put_among_the_others(task):
    put({"runs/c/en.conll": ENGLISH, "runs/c/de.conll": ODD})
    load()
    as_fresh()


def test_a_system_may_lack_a_dataset(task):
    put({"runs/c/de.conll": ODD})
    load()
    as_fresh()
    with pytest.raises(ColevalError, match=r"1 run is missing: c \(en\)"):
        coleval.open("store").score()


def test_the_run_that_was_missing_may_come_later(task):
    put({"runs/c/de.conll": ODD})
    load()
    put({"runs/c/en.conll": ENGLISH})
    load()
    as_fresh()


def test_a_dataset_is_a_table_more_and_only_it_is_read(task, reads):
    before = states()
    put({"gold/fr.conll": GERMAN, "runs/a/fr.conll": GERMAN, "runs/b/fr.conll": SILENT})
    load()
    assert set(reads) <= {"gold/fr.conll", "runs/a/fr.conll", "runs/b/fr.conll"}
    assert {k: v for k, v in before.items() if "/run/" not in k}.items() <= states().items()
    as_fresh()
    assert coleval.open("store").grid.datasets == ("de", "en", "fr")


def test_a_dataset_without_spans_may_come_later(task):
    put({"gold/fr.conll": SILENT, "runs/a/fr.conll": SILENT, "runs/b/fr.conll": SILENT})
    load()
    as_fresh()


def test_a_dataset_without_spans_may_come_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put({"gold/de.conll": SILENT, "runs/a/de.conll": ODD})
    load()
    put({"gold/en.conll": ENGLISH, "runs/a/en.conll": ENGLISH})
    load()
    as_fresh()


def test_the_first_run_on_a_dataset_may_come_after_its_gold(task):
    """With spans that gold lacks: they are rows more, beside those that gold has."""
    put({"gold/fr.conll": GERMAN})
    load()
    put({"runs/a/fr.conll": ODD})
    load()
    put({"runs/b/fr.conll": GERMAN})
    load()
    as_fresh()


def test_a_part_is_a_table_more(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sources = ("gold/{dataset}/{part}.conll", "runs/{system}/{dataset}/{part}.conll")
    put({"gold/en/1.conll": ENGLISH, "runs/a/en/1.conll": BLIND})
    put({"gold/en/3.conll": GERMAN, "runs/a/en/3.conll": ODD})
    load(sources=sources)
    put({"gold/en/2.conll": GERMAN, "runs/a/en/2.conll": SILENT})
    load(sources=sources)
    opened = coleval.open("store")
    same(opened, coleval.load(*sources))
    assert [cell.name for cell in opened.grid.cells] == ["en/1", "en/2", "en/3"]


def test_a_changed_run_is_read_again_with_its_dataset_alone(task, reads):
    put({"runs/b/de.conll": ODD})
    load()
    assert {path for path in reads if "/en." in path} == set()
    as_fresh()


def test_a_changed_gold_is_read_again_with_all_its_runs(task, reads):
    put({"gold/de.conll": GERMAN.replace("ORG", "LOC")})
    load()
    assert set(reads) == {"gold/de.conll", "runs/a/de.conll", "runs/b/de.conll"}
    as_fresh()


def test_a_file_that_was_touched_but_is_the_same_is_not_read(task, reads):
    os.utime("gold/de.conll", ns=(1, 1))
    os.utime("runs/a/de.conll", ns=(1, 1))
    before = states()
    load()
    assert reads == []
    assert states() == before


def test_nothing_new_writes_nothing(task):
    before = states()
    manifest = Path("store/corpus.json").read_bytes()
    load()
    assert states() == before
    assert Path("store/corpus.json").read_bytes() == manifest


def test_naming_one_system_keeps_the_others(task):
    put({"runs/c/en.conll": BLIND, "runs/c/de.conll": ODD})
    load(sources=(TEMPLATES[0], "c=runs/c/{dataset}.conll"))
    as_fresh()


def test_naming_one_dataset_keeps_the_others(task):
    put({"runs/b/de.conll": ODD})
    load(sources=("gold/d{dataset}.conll", "runs/{system}/d{dataset}.conll"), store="other")
    assert coleval.open("other").grid.datasets == ("e",)
    load()
    as_fresh()


def test_fresh_forgets_what_is_not_named(task):
    load("--fresh", sources=(TEMPLATES[0], "b=runs/b/{dataset}.conll"))
    assert coleval.open("store").systems == ("b",)


def test_a_cell_that_must_be_read_again_needs_the_files_of_all_its_systems(task, capsys):
    Path("runs/a/de.conll").unlink()
    put({"gold/de.conll": GERMAN.replace("ORG", "LOC")})
    code = main(["load", TEMPLATES[0], "b=runs/b/{dataset}.conll", "-o", "store", "--quiet"])
    assert code == 2
    assert "`a` was read from a file that no longer exists" in capsys.readouterr().err
    assert coleval.open("store").systems == ("a", "b")


def test_a_store_of_one_gold_is_not_one_of_several(task, capsys):
    main(["load", "gold/en.conll", "runs/a/en.conll", "-o", "one", "--quiet"])
    assert load(store="one") == 2
    assert "the store is of one gold file" in capsys.readouterr().err
    assert main(["load", "gold/en.conll", "runs/a/en.conll", "-o", "store", "--quiet"]) == 2


def test_a_store_of_one_gold_has_no_datasets(task):
    main(["load", "gold/en.conll", "runs/a/en.conll", "-o", "one", "--quiet"])
    opened = coleval.open("one")
    assert opened.grid is None
    assert "dataset" not in opened.items.columns


def test_other_options_than_the_store_was_made_with_are_refused(task, capsys):
    put({"runs/c/en.conll": BLIND, "runs/c/de.conll": ODD})
    assert load("--scheme", "bioes") == 2
    assert "was loaded with other options" in capsys.readouterr().err


def test_a_broken_new_run_leaves_the_store_as_it_was(task, capsys):
    before = states()
    put({"runs/c/en.conll": BLIND, "runs/c/de.conll": "Ute\tO\n"})
    assert load() == 1
    assert states() == before
    assert coleval.open("store").systems == ("a", "b")


@pytest.mark.parametrize("seed", CASES)
def test_trees_of_large_datasets_are_apart_and_rare_labels_are_texts(tmp_path, monkeypatch, seed):
    """However a store grew, as below; here every dataset counts as large, and no label as usual."""
    monkeypatch.setattr(opening, "_APART", 1)
    monkeypatch.setattr(stored_tables, "_FEW", 0)
    monkeypatch.setattr(stored_tables, "_ROWS_A_LABEL", 1 << 20)
    test_however_a_store_grew_it_is_the_one_made_at_once(tmp_path, "dep", f"apart{seed}")
    assert coleval.open(tmp_path / "store").grid.memos
    whole = pl.read_parquet(tmp_path / "store/item/word/*.parquet")
    assert {whole.schema[name] for name in ("gold", "s1")} == {pl.String}


def test_all_tables_of_a_unit_have_the_same_columns_of_the_same_types(task):
    """Whatever came later: a run on one dataset, a label, a dataset with documents."""
    put({"runs/c/de.conll": ODD})
    load()
    put({"gold/fr.conll": f"-DOCSTART-\tO\n\n{GERMAN}", "runs/A/fr.conll": GERMAN})
    load()
    for unit in ("token", "span"):
        files = list(Path(f"store/item/{unit}").iterdir())
        assert len(files) == 3
        assert len({str(pl.read_parquet_schema(file)) for file in files}) == 1
        whole = pl.read_parquet(f"store/item/{unit}/*.parquet")
        assert whole.columns[-5:] == ["gold", "a", "b", "c", "A_2"]
        by_key = duckdb.sql(
            f"select count(*) from 'store/item/{unit}/*.parquet' one join "
            f"'store/item/{unit}/*.parquet' other using (dataset, item_id)"
        )
        assert by_key.fetchall() == [(len(whole),)]
    run = pl.read_parquet("store/run/*.parquet")
    missing = run.filter(pl.col("status") == "not_run").select("dataset", "system")
    assert ("en", "c") in missing.rows()
    assert ("de", "c") not in missing.rows()
    as_fresh()


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("seed", CASES)
def test_however_a_store_grew_it_is_the_one_made_at_once(tmp_path, kind, seed):
    """Cells come in any order, some files change later; in the end all files are those of now."""
    rng = Random(f"store{kind}{seed}")
    whole = made(rng, kind)
    gold, runs = whole.write(tmp_path / "all")
    store, steps = tmp_path / "store", rng.randint(2, 5)
    suffix = SUFFIX[kind]
    files = sorted((tmp_path / "all").rglob(f"*.{suffix}"))
    golds = [path for path in files if path.relative_to(tmp_path / "all").parts[0] == "gold"]
    others = [path for path in files if path not in golds]
    rng.shuffle(golds)
    rng.shuffle(others)
    here = tmp_path / "here"
    loaded = False
    for step in range(steps):
        share = (step + 1) / steps
        for path in (
            *golds[: round(share * len(golds)) or 1],
            *others[: round(share * len(others))],
        ):
            target = here / path.relative_to(tmp_path / "all")
            text = path.read_text()
            if step < steps - 1 and rng.random() < 0.2 and target.exists() and path in others:
                twin = rng.choice([p for p in others if p.name == path.name])
                text = twin.read_text()
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_text() != text:
                target.write_text(text)
                # Clocks of files are coarse: two versions of one length may be of one time.
                os.utime(target, (step, step))
        sources = [text.replace(f"{tmp_path}/all", f"{here}") for text in (gold, runs)]
        there = {p.stem.split("_")[0] + "/" + p.stem.split("_")[1] for p in others
                 if (here / p.relative_to(tmp_path / "all")).exists()}  # fmt: skip
        named = {f"{p.parent.name}/{p.stem}" for p in golds
                 if (here / p.relative_to(tmp_path / "all")).exists()}  # fmt: skip
        if not there & named:
            continue
        code = main(["load", *sources, "-o", str(store), "--quiet", "--task", kind])
        assert code == 0
        loaded = True
    assert loaded
    fresh = coleval.load(*sources, task=kind)
    same(coleval.open(store), fresh, kind)
