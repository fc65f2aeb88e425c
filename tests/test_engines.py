"""Every engine groups items into the same patterns: the tables are the same cell by cell."""

from __future__ import annotations

import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.cli.main import main
from coleval.declare.counting import Engined
from coleval.errors import ColevalError
from conftest import seeds

COUNTING = tuple(name for name, one in ANALYSES.items() if issubclass(one.options, Engined))
NAMES = ("a", "A", "gold 2", "s0", "pattern", 'x"y', "z'w", "sum(n)", "count", "Ünï", "n", "a;b")


def both(corpus, name, **options):
    """Return what each engine makes of an analysis: its report, or the text of its error."""
    found = []
    for engine in ("polars", "duckdb"):
        try:
            found.append(getattr(corpus, name)(**options, engine=engine))
        except ColevalError as error:
            found.append(str(error))
    return found


def check(corpus, name, **options):
    """Compare all tables; return how many."""
    polars, duckdb = both(corpus, name, **options)
    if isinstance(polars, str):
        assert duckdb == polars
        return 0
    assert list(duckdb.tables) == list(polars.tables)
    for table in polars.tables:
        assert_frame_equal(duckdb.tables[table], polars.tables[table], check_exact=True)
    assert duckdb.signature.replace("engine:duckdb|", "") == polars.signature
    return len(polars.tables)


def test_everything_that_counts_has_the_engine():
    assert set(COUNTING) == {
        "score", "bins", "changes", "oracle", "errors", "buckets", "confusion", "agree",
    }  # fmt: skip


def _tags(chance, n, *, spans):
    lines = []
    for at in range(n):
        label = chance.choice(("A", "B", "d-e"))
        tag = "O" if chance.random() < 0.4 else f"{chance.choice('BI')}-{label}" if spans else label
        lines.append(f"w{at % 5}\t{tag}\n" + ("\n" if at % 4 == 3 else ""))
    return "".join(lines)


def _corpus(kind, chance, write):
    """Return a random corpus: few items or more, one system to fifty, hostile names."""
    n = chance.choice((1, 2, 9, 30))
    systems = chance.choice((1, 2, 3, 50) if kind != "span" else (1, 2, 4))
    names = [*chance.sample(NAMES, min(systems, 12)), *(f"m{k}" for k in range(systems - 12))]
    if kind in ("tag", "span"):
        files = {
            name: str(write(f"{k}.conll", _tags(chance, n, spans=kind == "span")))
            for k, name in enumerate(names)
        }
        gold = str(write("gold.conll", _tags(chance, n, spans=kind == "span")))
        return coleval.load(gold, files, task=kind)
    if kind == "matrix":
        rows = {name: [chance.randint(0, 1) for _ in range(n)] for name in names}
        return coleval.load(pl.DataFrame(rows), task="matrix")
    labels = ("A", "B", "c d", "e'f")
    if kind == "label":
        rows = {name: [chance.choice((*labels, None)) for _ in range(n)] for name in names}
        frame = pl.DataFrame({"gold": chance.choices(labels, k=n), **rows},
                             dict.fromkeys(("gold", *names), pl.String))  # fmt: skip
        return coleval.load(frame, task="label", missing="wrong")
    rows = {
        name: [";".join(chance.sample(labels, chance.randint(0, 4))) for _ in range(n)]
        for name in ("gold", *names)
    }
    return coleval.load(pl.DataFrame(rows), task="label", separator=";")


@pytest.mark.parametrize("seed", seeds(1, 9))
@pytest.mark.parametrize("kind", ["tag", "span", "matrix", "label", "sets"])
def test_random_corpora_have_the_same_tables(kind, seed, write, tmp_path):
    chance = random.Random(f"{kind}{seed}")
    corpus = _corpus(kind, chance, write)
    stored = coleval.open(corpus.save(tmp_path / "store"))
    tables = sum(check(one, name) for one in (corpus, stored) for name in COUNTING)
    assert tables > 20


@pytest.mark.parametrize("options", [
    {"where": "item % 3 <> 1"}, {"labels": "A"}, {"exclude": "B"}, {"systems": "m*,a,A,*"},
    {"where": "difficulty > 0", "exclude": "A"}, {"unit": "token"}, {"by": "sentence % 2"},
], ids=str)  # fmt: skip
def test_choices_of_items_labels_and_systems_are_made_over_the_files_too(options, write, tmp_path):
    chance = random.Random(5)
    gold = str(write("gold.conll", _tags(chance, 60, spans=True)))
    files = {n: str(write(f"{k}.conll", _tags(chance, 60, spans=True)))
             for k, n in enumerate(("a", "A", "m1"))}  # fmt: skip
    stored = coleval.open(coleval.load(gold, files, task="span").save(tmp_path / "store"))
    every = [n for n in COUNTING if "by" not in options or n != "buckets"]
    assert sum(check(stored, name, **options) for name in every) > 10


def test_systems_that_only_judge_make_the_bins(write):
    chance = random.Random(3)
    gold = str(write("gold.conll", _tags(chance, 60, spans=False)))
    files = {n: str(write(f"{n}.conll", _tags(chance, 60, spans=False))) for n in "abcd"}
    corpus = coleval.load(gold, files, task="tag")
    assert check(corpus, "bins", systems="a,b", bins_from="b,c,d") > 3
    assert check(corpus, "bins", systems="a", bins_from="c,d") > 3


def test_pairs_in_any_order_and_weights_of_agreement_are_the_same():
    chance = random.Random(9)
    frame = pl.DataFrame({n: [str(chance.randint(1, 5)) for _ in range(99)]
                          for n in ("gold", "a", "b", "c")})  # fmt: skip
    corpus = coleval.load(frame, task="label")
    assert check(corpus, "changes", pairs=[("c", "a"), ("a", "b"), ("c", "a")])
    assert check(corpus, "agree", weights="quadratic", chance="pooled")


def test_a_system_added_to_a_store_of_spans_is_counted(write, tmp_path):
    chance = random.Random(2)
    gold = str(write("gold.conll", _tags(chance, 60, spans=True)))
    files = {n: str(write(f"{n}.conll", _tags(chance, 60, spans=True))) for n in "abc"}
    store = str(tmp_path / "store")
    assert (
        main(["load", gold, files["a"], files["b"], "--task", "span", "-o", store, "--quiet"]) == 0
    )
    assert main(["load", gold, files["c"], "--task", "span", "-o", store, "--quiet"]) == 0
    corpus = coleval.open(store)
    assert corpus.systems == ("a", "b", "c")
    assert sum(check(corpus, name) for name in COUNTING) > 20


def test_datasets_are_counted_apart_and_together(write, tmp_path):
    chance = random.Random(4)
    for dataset in ("d1", "d2"):
        for name in ("gold", "a", "b"):
            if (dataset, name) != ("d2", "b"):
                write(f"{name}/{dataset}.conll", _tags(chance, 40, spans=True))
    gold, runs = str(tmp_path / "gold/{dataset}.conll"), str(tmp_path / "{system}/{dataset}.conll")
    for folder in ("a", "b"):
        (tmp_path / "runs" / folder).mkdir(parents=True)
        for file in (tmp_path / folder).iterdir():
            file.rename(tmp_path / "runs" / folder / file.name)
    runs = str(tmp_path / "runs/{system}/{dataset}.conll")
    corpus = coleval.load(gold, runs, task="span", missing="wrong")
    stored = coleval.open(corpus.save(tmp_path / "store"))
    for name in COUNTING:
        options = {} if name == "buckets" else {"by": "dataset"}
        assert check(stored, name, **options)


def test_the_command_line_says_the_engine_in_the_signature(write, capsys):
    gold = str(write("gold.conll", "a\tX\nb\tY\n"))
    assert main(["score", gold, f"A={gold}", "--task", "tag", "--engine", "sql"]) == 0
    assert "|engine:duckdb|" in capsys.readouterr().out
    assert main(["score", gold, f"A={gold}", "--task", "tag", "--engine", "hadoop"]) == 2
    assert "polars" in capsys.readouterr().err


WNUT = ("wnut17/gold/emerging.test.annotated", "wnut17/submissions/*")
REAL = {
    "entities of tweets": (WNUT, {"task": "span"}),
    "newspapers": (
        ("hipe2022/gold/HIPE-2022-v2.1-hipe2020-test-en.tsv", "hipe2022/responses/*hipe2020_en*"),
        {},
    ),
    "trees": (("conll18-ud/pcm_nsc/gold.conllu", "conll18-ud/pcm_nsc/systems/A*"), {}),
    "tags": (
        ("compareval-en_gum/gold.conllu", "compareval-en_gum/systems/*"),
        {"task": "tag", "columns": {"form": 2, "gold": 4, "system": 4}},
    ),
    "hate speech": (("hatecheck/hatecheck_predictions.csv",), {}),
    "feature sets": (
        ("derived-ud-feats-multilabel/en_gum_feats.tsv",),
        {"columns": "id=item,form=form,gold=gold,system=KParse,system=Uppsala-18",
         "task": "label", "separator": "|"},
    ),
    "exams": (("mmlu-pro/gold.tsv", "mmlu-pro/runs/*.gz"), {"missing": "wrong"}),
    "chemicals": (("differential-evaluation/bc5-c-models.tsv.gz",), {"task": "matrix"}),
    "arguments": (("semeval2018-t12/truth.txt", "semeval2018-t12/submissions/*.txt"),
                  {"task": "label"}),
    "coreference": (
        ("dutch-knack/knack_file7.gold.conll", "dutch-knack/knack_file7.dutchcoref.conll"),
        {"task": "coref"},
    ),
    "events": (
        ("cdcr-event-coref/ecbp/within_doc/gold.conll",
         "cdcr-event-coref/ecbp/within_doc/systems/*"), {"task": "coref"},
    ),
    "two versions of gold": (
        ("conll_sharp/gold/conll_sharp.txt", "conll_sharp/outputs/*_flert_sharp.txt"), {},
    ),
    "nested fields": (
        ("faireval/target/topofield_spans.csv", "faireval/system/topofield_spans.csv"), {},
    ),
    "language models": (
        ("entity-lists-biodivner/gold.conll.gz", "entity-lists-biodivner/tokens/*"), {},
    ),
    "lists": (
        ("entity-lists-biodivner/gold.conll.gz", "entity-lists-biodivner/lists/*random_3*"), {},
    ),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("title", REAL)
def test_real_data_have_the_same_tables(title, data, tmp_path):
    patterns, options = REAL[title]
    try:
        corpus = coleval.load(*(str(data() / pattern) for pattern in patterns), **options)
    except ColevalError as error:
        pytest.fail(str(error))
    stored = coleval.open(corpus.save(tmp_path / "store"))
    assert sum(check(stored, name) for name in COUNTING) > 5
