"""Metrics of generated text: those of their libraries, from whole numbers that add up."""

from __future__ import annotations

import csv
import gzip
import sys

import jiwer
import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER

import coleval
from coleval.counts.extraction import extract
from coleval.errors import UsageError
from coleval.metrics.text import METRICS

REFERENCES = [
    "The cat sat on the mat.", "", "It is raining today, isn't it?", "Hello", "a b c d e f",
    "An answer", "one two three four five six seven",
]  # fmt: skip
SECOND = [
    "A cat was sitting on the mat.", "Nothing", "It rains today.", "Hi there", "a b c e d f g",
    "the Answer!", "one two four three five",
]  # fmt: skip
OUTPUTS = [
    "The cat is on the mat.", "Something", "It rains today, does it not?", "", "a b d c e f",
    "answer", "one two three four five six seven",
]  # fmt: skip


def segments(*references):
    return [([output], list(known)) for output, *known in zip(OUTPUTS, *references, strict=True)]


def corpus_score(name, *references):
    metric = METRICS[name]
    counts = extract(metric.statistic, segments(*references))
    return float(metric.score(counts.sum(axis=0).astype(float)))


def segment_scores(name, *references):
    metric = METRICS[name]
    counts = extract(metric.statistic, segments(*references)).astype(float)
    return metric.of_segments(counts.T).tolist()


@pytest.mark.parametrize("references", [(REFERENCES,), (REFERENCES, SECOND)])
@pytest.mark.parametrize(
    ("name", "library"),
    [("bleu", BLEU()), ("chrf", CHRF()), ("chrf++", CHRF(word_order=2)), ("ter", TER())],
)
def test_corpus_scores_are_those_of_sacrebleu(name, library, references):
    expected = library.corpus_score(OUTPUTS, list(references)).score
    assert corpus_score(name, *references) == pytest.approx(expected / 100, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "library"),
    [("bleu", BLEU(effective_order=True)), ("chrf", CHRF()), ("ter", TER())],
)
def test_segment_scores_are_those_of_sacrebleu_with_effective_order(name, library):
    expected = [
        library.sentence_score(output, [one, other]).score / 100
        for output, one, other in zip(OUTPUTS, REFERENCES, SECOND, strict=True)
    ]
    assert segment_scores(name, REFERENCES, SECOND) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
def test_rouge_is_the_mean_of_the_best_reference_of_each_segment(kind):
    scorer = RougeScorer([kind])
    each = [
        scorer.score_multi([one, other], output)[kind].fmeasure
        for output, one, other in zip(OUTPUTS, REFERENCES, SECOND, strict=True)
    ]
    assert corpus_score(kind, REFERENCES, SECOND) == pytest.approx(np.mean(each), abs=1e-11)


@pytest.mark.parametrize(("name", "library"), [("wer", jiwer.wer), ("cer", jiwer.cer)])
def test_error_rates_are_those_of_jiwer(name, library):
    known = [at for at, text in enumerate(REFERENCES) if text]
    references, outputs = ([texts[at] for at in known] for texts in (REFERENCES, OUTPUTS))
    counts = extract(METRICS[name].statistic,
                     [([o], [r]) for o, r in zip(outputs, references, strict=True)])  # fmt: skip
    found = float(METRICS[name].score(counts.sum(axis=0).astype(float)))
    assert found == pytest.approx(library(references, outputs), abs=1e-12)


def test_answers_are_compared_as_squad_does():
    gold = [["The Eiffel Tower", "Eiffel tower, Paris"], ["42"], [""], ["in 1990"]]
    outputs = ["eiffel tower!", "43", "", "1990"]
    counts = extract("answer", [([o], g) for o, g in zip(outputs, gold, strict=True)])
    parts = 10**12
    assert counts.tolist() == [
        [parts, parts, 1], [0, 0, 1], [parts, parts, 1], [0, round(parts * 2 / 3), 1],
    ]  # fmt: skip


def test_the_length_ratio_is_words_of_outputs_over_words_of_references():
    words = [sum(len(text.split()) for text in texts) for texts in (["a b c", "d"], ["a b", "c d"])]
    counts = extract("bleu", [(["a b c"], ["a b"]), (["d"], ["c d"])]).sum(axis=0).astype(float)
    assert float(METRICS["length_ratio"].score(counts)) == words[0] / words[1]


def test_processes_count_what_one_process_counts():
    rng = np.random.default_rng(3)
    vocabulary = np.array(["a", "b", "cc", "ddd", "e,", "f."])
    texts = [" ".join(rng.choice(vocabulary, size=rng.integers(0, 9))) for _ in range(1400)]
    many = [(sorted({texts[at], texts[at + 700]}), [texts[-1 - at]]) for at in range(700)]
    steps = []
    whole = extract("bleu", many, progress=steps.append)
    halves = [extract("bleu", part) for part in (many[:200], many[200:450], many[450:])]
    assert (whole == np.concatenate(halves)).all()
    assert steps[-1] == "bleu 100 %"


def test_chunks_are_counted_here_where_no_process_can_be_started(monkeypatch):
    many = [([f"a b {at}", f"c {at}"], ["a b c"]) for at in range(600)]
    expected = np.concatenate(
        [extract("wer", part) for part in (many[:200], many[200:400], many[400:])]
    )
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert (extract("wer", many) == expected).all()


def test_a_tokeniser_that_is_misspelt_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match="no tokeniser is called `13b`"):
        extract("bleu", [(["a"], ["a"])], "13b")


@pytest.mark.parametrize(
    ("metric", "library"),
    [("bleu", "sacrebleu"), ("rouge1", "rouge_score"), ("wer", "rapidfuzz")],
)
def test_without_the_extra_the_error_says_what_to_install(metric, library, monkeypatch, tmp_path):
    for name in [n for n in sys.modules if n.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    for name in ("gold", "a"):
        (tmp_path / name).write_text("a text\n")
    corpus = coleval.load(tmp_path / "gold", [tmp_path / "a"], task="text")
    with pytest.raises(UsageError, match=f"{library}, which is not installed") as error:
        corpus.score(metric=metric)
    assert error.value.remedy == "pip install 'coleval[text]'"


def test_a_system_of_each_pair_of_wmt23_has_the_scores_published(data):
    assert _published(data("wmt23"), {"CUNI-GA", "UvA-LTL", "AIRC"}) == 6


@pytest.mark.nightly
def test_all_scores_of_wmt23_are_those_published(data):
    assert _published(data("wmt23"), set()) == 84


def _published(folder, systems):
    """Check every score of some systems (of all for none); return how many were published."""
    with (folder / "expected_sacrebleu.tsv").open(encoding="utf-8") as file:
        every = list(csv.DictReader(file, delimiter="\t"))
    rows = [row for row in every if not systems or row["system"] in systems]
    published = 0
    for pair, which in sorted({(row["pair"], row["references"]) for row in rows}):
        own = [row for row in rows if (row["pair"], row["references"]) == (pair, which)]
        language = pair[3:]
        outputs = [_lines(folder / f"systems/{pair}.hyp.{r['system']}.{language}.gz") for r in own]
        known = [_lines(folder / f"references/{pair}.ref.{r}.{language}.gz")
                 for r in which.split("+")]  # fmt: skip
        texts = zip(*outputs, strict=True), zip(*known, strict=True)
        several = [(list(o), list(r)) for o, r in zip(*texts, strict=True)]
        for metric in ("bleu", "chrf"):
            counts = extract(metric, several).reshape(len(several), len(own), -1)
            scores = 100 * METRICS[metric].score(counts.sum(axis=0).T.astype(float))
            for row, score in zip(own, scores, strict=True):
                assert score == pytest.approx(float(row[metric]), abs=1e-9)
                if which == "refA":
                    assert score == pytest.approx(float(row[f"published_{metric}"]), abs=1e-9)
                    published += 1
    return published


def _lines(path):
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]
