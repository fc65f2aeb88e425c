"""A profile or ``--undefined`` that promises a number for 0/0 gives it in every table."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from seqeval.metrics import classification_report

import coleval
from conftest import seeds

if TYPE_CHECKING:
    import polars as pl

Write = Callable[[str, str], Path]
KINDS = ("", "macro_", "weighted_")
RATIOS = [kind + ratio for kind in KINDS for ratio in ("precision", "recall", "f1")]
NOTHING = "a\tO\nb\tO\n\nc\tO\n"
SOMETHING = "a\tB-PER\nb\tO\n\nc\tO\n"


def spans(write: Write, gold: str, **systems: str) -> coleval.Corpus:
    files = {name: write(f"{name}.conll", text) for name, text in systems.items()}
    return coleval.load(write("gold.conll", gold), files, task="span")


def values(frame: pl.DataFrame, *names: str) -> set[Any]:
    return {value for name in names for value in frame[name].to_list()}


@pytest.mark.parametrize("profile", ["conlleval", "seqeval", "seqeval-strict", "sklearn"])
def test_nothing_anywhere_is_zero_where_the_program_prints_zero(write: Write, profile: str) -> None:
    files = {"one": write("one.conll", NOTHING), "two": write("two.conll", NOTHING)}
    corpus = coleval.load(write("gold.conll", NOTHING), files, task="span", profile=profile)
    assert values(corpus.score().table("overall"), *RATIOS) == {0.0}


@pytest.mark.parametrize(("undefined", "value"), [("null", None), ("0", 0.0), ("1", 1.0)])
def test_weighted_averages_without_support_are_what_undefined_says(
    write: Write, undefined: str, value: float | None
) -> None:
    corpus = spans(write, NOTHING, one=SOMETHING)
    overall = corpus.score(undefined=undefined).table("overall")
    assert values(overall, "weighted_precision", "weighted_recall", "weighted_f1") == {value}


def test_labels_have_a_row_for_every_system_and_label_also_of_a_silent_one(write: Write) -> None:
    corpus = spans(write, NOTHING, loud=SOMETHING, silent=NOTHING)
    labels = corpus.score(undefined="0").table("labels")
    rows = labels.select("system", "label", "tp", "fp", "fn", "precision", "recall", "f1").rows()
    assert set(rows) == {
        ("loud", "PER", 0, 1, 0, 0.0, 0.0, 0.0),
        ("silent", "PER", 0, 0, 0, 0.0, 0.0, 0.0),
    }


def test_a_silent_system_is_in_the_f_table_of_measure(write: Write) -> None:
    corpus = spans(write, NOTHING, loud=SOMETHING, silent=NOTHING)
    table = corpus.measure(undefined="0").table("f_beta")
    assert set(table["system"]) == {"loud", "silent"}
    assert values(table, "precision", "recall", "f") == {0.0}


def test_comparisons_changes_and_bounds_of_nothing_are_zero_too(write: Write) -> None:
    corpus = spans(write, NOTHING, one=NOTHING, two=NOTHING)
    for metric in ("f1", "macro_f1", "weighted_f1", "macro_precision"):
        ranks = corpus.compare(metric=metric, undefined="0", replicates=20).table("ranks")
        assert values(ranks, "value") == {0.0}
    summary = corpus.changes(undefined="0").table("summary")
    assert values(summary, "accuracy_before", "accuracy_after", "f1_before", "f1_after") == {0.0}
    oracle = corpus.oracle(undefined="0").table("overall")
    assert values(oracle, "oracle", "best", "majority") == {0.0}
    errors = corpus.errors(undefined="0").table("overall")
    assert values(errors, "precision", "recall", "f1") == {0.0}


def test_comparing_averages_over_no_labels_is_undefined_by_default(write: Write) -> None:
    corpus = spans(write, NOTHING, one=NOTHING, two=NOTHING)
    ranks = corpus.compare(metric="macro_f1", replicates=20).table("ranks")
    assert values(ranks, "value") == {None}


def test_conll_takes_an_undefined_muc_as_zero_where_zero_is_promised(write: Write) -> None:
    key = "#begin document (d); part 0\nd 0 0 a (1)\nd 0 1 b (2)\n\n#end document\n"
    corpus = coleval.load(
        write("gold.conll", key), {"same": write("same.conll", key)}, task="coref"
    )
    by_default = dict(corpus.score().table("overall").select("metric", "f1").iter_rows())
    filled = dict(corpus.score(undefined="0").table("overall").select("metric", "f1").iter_rows())
    assert (by_default["muc"], by_default["conll"]) == (None, None)
    assert filled["muc"] == 0.0
    assert filled["conll"] == pytest.approx(2 / 3)


def test_labels_of_trees_have_a_row_for_a_label_that_only_another_system_gives(
    write: Write,
) -> None:
    def tree(relation: str) -> str:
        return f"1\ta\ta\tX\t_\t_\t0\t{relation}\t_\t_\n\n"

    files = {"one": write("one.conllu", tree("dep")), "two": write("two.conllu", tree("root"))}
    corpus = coleval.load(write("gold.conllu", tree("root")), files, task="dep")
    labels = corpus.score().table("labels")
    assert set(labels.select("system", "label", "tp", "fp", "fn").rows()) == {
        ("one", "root", 0, 0, 1),
        ("one", "dep", 0, 1, 0),
        ("two", "root", 1, 0, 0),
        ("two", "dep", 0, 0, 0),
    }


def drawn(rng: random.Random, lengths: list[int], rate: float, kinds: str) -> list[list[str]]:
    def tag() -> str:
        return "O" if rng.random() > rate else f"{rng.choice('BI')}-{rng.choice(kinds)}"

    return [[tag() for _ in range(length)] for length in lengths]


def text(sentences: list[list[str]]) -> str:
    return "\n\n".join("\n".join(f"w\t{tag}" for tag in tags) for tags in sentences) + "\n"


def expected(gold: list[list[str]], said: list[list[str]]) -> dict[str, float]:
    """Return seqeval's averages; its macro mean over no label at all is no number, ours is 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = classification_report(gold, said, output_dict=True)
    named = {"precision": "precision", "recall": "recall", "f1-score": "f1"}
    none = not set(report) - {"micro avg", "macro avg", "weighted avg"}
    return {
        front + ours: 0.0 if none else float(report[f"{kind} avg"][theirs])
        for front, kind in (("", "micro"), ("macro_", "macro"), ("weighted_", "weighted"))
        for theirs, ours in named.items()
    }


@pytest.mark.parametrize("seed", seeds(6, 25))
def test_all_averages_are_those_of_seqeval_on_sparse_random_tags(write: Write, seed: int) -> None:
    rng = random.Random(seed)
    lengths = [rng.randint(1, 4) for _ in range(3)]
    gold = drawn(rng, lengths, rng.choice([0, 0.1, 0.5]), "PQ")
    systems = {
        f"s{rate}": drawn(rng, lengths, rate / 10, kinds)
        for rate, kinds in ((0, "P"), (2, "PQ"), (9, "QR"))
    }
    files = {name: write(f"{name}.conll", text(tags)) for name, tags in systems.items()}
    corpus = coleval.load(write("gold.conll", text(gold)), files, profile="seqeval", task="span")
    for row in corpus.score().table("overall").iter_rows(named=True):
        wanted = expected(gold, systems[row["system"]])
        assert {name: row[name] for name in wanted} == pytest.approx(wanted)
