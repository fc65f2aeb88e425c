"""Generated text: what is read as segments, and what is scored and compared of them."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import Result, _paired_ar_test, _paired_bs_test

import coleval
from coleval.cli.main import main
from coleval.errors import DataError, UsageError
from coleval.loading.tasks.segments import parting

GOLD = ["The cat sat on the mat .", "It is raining today .", "", "Nobody knows why it is so ."]
GOOD = ["The cat sat on the mat .", "It rains today .", "", "Nobody knows why that is so ."]
BAD = ["A cat on a mat", "", "Something", "Why is it so ?"]
SECOND = ["The cat was on the mat .", "It rains today .", "", "Why it is so nobody knows ."]


def lines(folder, name, texts, end="\n"):
    path = folder / name
    path.write_bytes("".join(f"{text}{end}" for text in texts).encode())
    return path


@pytest.fixture
def files(tmp_path):
    named = {"gold": GOLD, "good": GOOD, "bad": BAD, "second": SECOND}
    return {name: lines(tmp_path, name, texts) for name, texts in named.items()}


@pytest.fixture
def corpus(files):
    return coleval.load(files["gold"], [files["good"], files["bad"]], task="text")


def scores(report, metric="bleu"):
    frame = report.table("overall").filter(metric=metric)
    return dict(zip(frame["system"], frame["value"], strict=True))


def test_a_line_is_a_segment_and_an_empty_line_an_empty_one(corpus):
    assert len(corpus.items) == 4
    assert corpus.items["gold"].to_list() == GOLD
    assert corpus.items["bad"].to_list() == BAD


def test_scores_are_those_of_sacrebleu_best_system_first(corpus):
    report = corpus.score()
    assert report.table("overall")["system"].unique(maintain_order=True).to_list() == [
        "good",
        "bad",
    ]
    for metric, library in (("bleu", BLEU()), ("chrf", CHRF())):
        expected = {name: library.corpus_score(texts, [GOLD]).score / 100
                    for name, texts in (("good", GOOD), ("bad", BAD))}  # fmt: skip
        assert scores(report, metric) == pytest.approx(expected)


def test_further_references_count_as_sacrebleu_counts_them(files):
    corpus = coleval.load(files["gold"], [files["good"]], task="text",
                          references=[str(files["second"])])  # fmt: skip
    expected = BLEU().corpus_score(GOOD, [GOLD, SECOND]).score / 100
    assert scores(corpus.score()) == pytest.approx({"good": expected})
    assert "|references:2|" in corpus.score().signature


def test_the_signature_has_that_of_the_library(corpus):
    assert "bleu:case:mixed,eff:no,tok:13a,smooth:exp,version:" in corpus.score().signature
    assert "|ter:case:lc,tok:tercom," in corpus.score(metric="ter").signature


def test_systems_are_ranked_by_the_lowest_error_rate(corpus):
    report = corpus.score(metric="wer", order="best")
    found = scores(report, "wer")
    assert list(found) == ["good", "bad"]
    assert found["good"] < found["bad"]
    ranks = corpus.compare(metric="wer").table("ranks")
    assert ranks["system"].to_list() == ["good", "bad"]
    assert ranks["value"].to_list() == pytest.approx(list(found.values()))
    assert (ranks["low"] <= ranks["value"]).all()
    assert (ranks["value"] <= ranks["high"]).all()
    pairs = corpus.compare(metric="wer").table("pairs")
    assert pairs["delta"][0] == pytest.approx(found["good"] - found["bad"])


def test_lines_may_end_as_on_windows_but_only_line_feeds_end_them(tmp_path):
    texts = ["one\x0btwo", "three\u2028four", "five\x85"]
    gold, other = (lines(tmp_path, name, texts, end="\r\n") for name in ("gold", "a"))
    corpus = coleval.load(gold, [other], task="text")
    assert corpus.items["gold"].to_list() == texts
    assert corpus.score(metric="exact_match").table("overall")["value"][0] == 1


def test_another_number_of_lines_is_an_error_with_both_and_the_place(tmp_path):
    texts = [f"{'word ' * (2 + 7 * at % 23)}end" for at in range(40)]
    gold = lines(tmp_path, "gold", texts)
    short = lines(tmp_path, "short", texts[:17] + texts[18:])
    with pytest.raises(DataError) as error:
        coleval.load(gold, [short], task="text")
    assert error.value.where == f"{short}:18"
    assert "has 39 segments" in error.value.problem
    assert "has 40" in error.value.problem


def test_texts_part_where_they_are_most_alike_in_all():
    texts = ["a" * size for size in (10, 80, 30, 55, 20, 70, 15, 44)]
    words = ["one a", "two a", "six a", "ten a", "old a", "new a", "big a", "few a"]
    for at in range(8):
        for every in (texts, words):
            less = every[:at] + every[at + 1 :]
            assert parting(every, less) == at + 1
            assert parting(less, every) == at + 1


def test_tables_have_texts_in_columns_and_lists_of_gold_answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": "q1", "gold": ["Paris", "the city of Paris"], "one": "Paris!", "two": "Rome"},
        {"id": "q2", "gold": ["1990"], "one": "in 1990", "two": "1990"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    corpus = coleval.load(path, task="text", columns={"gold": "gold", "system": ["one", "two"]})
    assert corpus.items["reference_2"].to_list() == ["the city of Paris", None]
    report = corpus.score(metric="token_f1")
    assert scores(report, "token_f1") == pytest.approx({"one": (1 + 2 / 3) / 2, "two": 0.5})
    frame = corpus.score(metric="exact_match").table("overall").filter(metric="exact_match")
    assert set(frame["value"]) == {0.5}


def test_squad_has_all_gold_answers_and_systems_answer_by_id(tmp_path):
    asked = [
        {"id": "a", "question": "Where?", "answers": [{"text": "Rome"}, {"text": "in Rome"}]},
        {"id": "b", "question": "Why?", "answers": []},
    ]
    gold = tmp_path / "dev.json"
    gold.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [{"qas": asked}]}]}))
    answers = tmp_path / "run.json"
    answers.write_text(json.dumps({"b": "", "a": "in Rome"}))
    corpus = coleval.load(gold, [answers])
    assert corpus.task == "text"
    assert corpus.items["form"].to_list() == ["Where?", "Why?"]
    assert scores(corpus.score(metric="exact_match"), "exact_match") == {"run": 1.0}


def test_a_missing_output_is_an_error_unless_it_counts_as_an_empty_text(tmp_path):
    frame = pl.DataFrame({"id": ["1", "2"], "gold": ["a b c d", "e f g h"],
                          "one": ["a b c d", None], "two": ["a b c d", "e f"]})  # fmt: skip
    corpus = coleval.load(frame, task="text", columns={"gold": "gold", "system": ["one", "two"]})
    with pytest.raises(DataError, match="has no output for 1 of 2 segments"):
        corpus.score()
    found = scores(corpus.score(missing="wrong"))
    expected = BLEU().corpus_score(["a b c d", ""], [["a b c d", "e f g h"]]).score / 100
    assert found["one"] == pytest.approx(expected)


def test_sources_and_documents_are_columns_and_documents_are_resampled(files, tmp_path):
    sources = lines(tmp_path, "src", ["s1", "s2", "s3", "s4"])
    documents = lines(tmp_path, "docs", ["d1", "d1", "d2", "d2"])
    corpus = coleval.load(files["gold"], [files["good"], files["bad"]], task="text",
                          source_text=str(sources), documents=str(documents))  # fmt: skip
    assert corpus.items["form"].to_list() == ["s1", "s2", "s3", "s4"]
    report = corpus.compare()
    assert report.table("pairs")["unit"][0] == "document"
    assert report.table("pairs")["units"][0] == 2


def test_counts_by_document_add_up_to_those_by_segment(files, tmp_path):
    documents = lines(tmp_path, "docs", ["x", "y", "x", "y"])
    corpus = coleval.load(files["gold"], [files["good"], files["bad"]], task="text",
                          documents=str(documents))  # fmt: skip
    both = [corpus.compare(unit_of_resampling=unit).table("ranks")["value"].to_list()
            for unit in ("document", "item")]  # fmt: skip
    assert both[0] == pytest.approx(both[1])


def test_templates_have_several_references_and_datasets(tmp_path):
    for dataset in ("x", "y"):
        lines(tmp_path, f"{dataset}.ref.A", GOLD)
        lines(tmp_path, f"{dataset}.src", [dataset] * 4)
        lines(tmp_path, f"{dataset}.hyp.good", GOOD)
        lines(tmp_path, f"{dataset}.hyp.bad", BAD)
    lines(tmp_path, "y.ref.B", SECOND)
    corpus = coleval.load(f"{tmp_path}/{{dataset}}.ref.*", f"{tmp_path}/{{dataset}}.hyp.{{system}}",
                          task="text", source_text=f"{tmp_path}/{{dataset}}.src")  # fmt: skip
    assert corpus.items["reference_2"].to_list() == [None] * 4 + SECOND
    assert corpus.items["form"].to_list() == ["x"] * 4 + ["y"] * 4
    by = corpus.score(by="dataset").table("by").filter(metric="bleu", system="good")
    expected = [BLEU().corpus_score(GOOD, known).score / 100
                for known in ([GOLD], [GOLD, SECOND])]  # fmt: skip
    assert by["value"].to_list() == pytest.approx(expected)


def test_a_store_keeps_texts_and_counts(corpus, tmp_path, monkeypatch):
    stored = coleval.open(corpus.save(tmp_path / "store"))
    assert stored.score().table("overall").equals(corpus.score().table("overall"))
    compared = corpus.compare(seed=3).table("pairs")
    monkeypatch.setattr("coleval.counts.segments.extract", None)
    again = coleval.open(tmp_path / "store")
    assert again.compare(seed=3).table("pairs").equals(compared)
    assert again.items.equals(corpus.items)


def test_only_segments_that_a_condition_keeps_are_scored(corpus):
    found = scores(corpus.score(where="gold like '%so%'"))
    assert found["good"] == pytest.approx(BLEU().corpus_score(GOOD[3:], [GOLD[3:]]).score / 100)


def test_a_metric_that_texts_lack_is_refused_with_those_they_have(corpus):
    with pytest.raises(UsageError, match="no metric is called `f1`") as error:
        corpus.compare(metric="f1")
    assert "token_f1" in error.value.remedy
    with pytest.raises(UsageError):
        coleval.load(pl.DataFrame({"gold": ["a"], "pred": ["a"]}), task="label").score(
            metric="bleu"
        )


def test_bootstrap_p_of_the_profile_is_that_of_differences_without_signs(files):
    plain = coleval.load(files["gold"], [files["good"], files["bad"]], task="text")
    other = coleval.load(files["gold"], [files["good"], files["bad"]], profile="sacrebleu")
    rng = np.random.default_rng(0)
    p, folded = (c.compare(test="bootstrap", replicates=200, seed=1).table("pairs")["p"][0]
                 for c in (plain, other))  # fmt: skip
    assert 0 < folded <= p
    from coleval.statistics.paired import folded_p

    drawn = rng.normal(0.1, 1, (2, 500))
    size = np.abs(drawn[0] - drawn[1])
    expected = (1 + sum(one - size.mean() > 0.4 for one in size)) / 501
    found = folded_p(drawn, np.array([[0, 1]]), np.array([-0.4]))
    assert found.tolist() == pytest.approx([expected])


def test_items_have_the_sentence_scores_of_the_metric_that_is_asked_for(corpus):
    library = CHRF()
    expected = {name: [library.sentence_score(o, [g]).score / 100
                       for o, g in zip(texts, GOLD, strict=True)]
                for name, texts in (("good", GOOD), ("bad", BAD))}  # fmt: skip
    overall = corpus.oracle(metric="chrf").table("overall")
    best = [max(pair) for pair in zip(*expected.values(), strict=True)]
    assert overall.row(0, named=True)["value"] == pytest.approx(np.mean(best))
    summary = corpus.changes(metric="chrf", pair=("bad", "good")).table("summary")
    better = [good > bad for good, bad in zip(expected["good"], expected["bad"], strict=True)]
    assert summary["improved"][0] == sum(better)
    assert summary["equal"][0] + summary["declined"][0] == 4 - sum(better)


def test_fewer_errors_are_better_segments(corpus):
    summary = corpus.changes(metric="wer", pair=("bad", "good")).table("summary")
    # WER of the empty reference is 0 where nothing is said, 1 where something is.
    assert summary.row(0, named=True)["improved"] == 4
    assert summary.row(0, named=True)["declined"] == 0


def test_a_threshold_makes_right_and_wrong_of_sentence_scores(corpus):
    bins = corpus.bins(metric="exact_match", above=1.0).table("systems")
    assert dict(zip(bins["system"], bins["tp"], strict=True)) == {"good": 2, "bad": 0}


def test_segments_are_cut_by_their_lengths(corpus):
    report = corpus.buckets(attributes="reference_words", buckets={"reference_words": "discrete 9"})
    sizes = report.table("buckets").filter(system="good")
    assert dict(zip(sizes["bucket"], sizes["items"], strict=True)) == {"0": 1, "5": 1, "7": 2}


def test_examples_mark_the_words_that_differ(corpus):
    texts = corpus.examples(limit=1, metric="chrf").table("texts")
    row = texts.filter(text_of="good", item=1).row(0, named=True) if 1 in texts["item"] else None
    from coleval.analyses.examples.texts import marked

    assert marked("a b c d", "a x c d e") == "a [-b-] {+x+} c d {+e+}"
    assert marked("", "") == ""
    assert row is None or "[-raining-]" in row["text"]


def test_marked_words_have_colours_on_a_page(corpus, tmp_path):
    page = tmp_path / "page.html"
    corpus.examples(metric="chrf").save(page)
    text = page.read_text()
    assert "<ins>" in text
    assert "<del>" in text


def test_words_are_found_as_often_as_both_texts_have_them(tmp_path):
    gold = lines(tmp_path, "gold", ["the cat the dog", "A the"])
    one = lines(tmp_path, "one", ["the the the dog", "b"])
    corpus = coleval.load(gold, [one], task="text")
    row = corpus.score(unit="word").table("overall").row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == (3, 2, 3)
    buckets = corpus.buckets(unit="word", attributes="frequency").table("buckets")
    found = {r["bucket"]: (r["tp"], r["gold"], r["predicted"]) for r in buckets.to_dicts()}
    assert found["3"] == (2, 3, 3)
    assert found["1"] == (1, 3, 1)
    assert found["0"] == (0, 0, 1)


def test_words_have_the_frequencies_of_a_list_of_counts(tmp_path):
    gold = lines(tmp_path, "gold", ["the cat"])
    one = lines(tmp_path, "one", ["the Cat"])
    counts = lines(tmp_path, "counts", ["the\t120", "cat\t4"])
    corpus = coleval.load(gold, [one], task="text")
    report = corpus.buckets(unit="word", attributes="frequency", train=str(counts))
    found = {r["bucket"]: r["gold"] for r in report.table("buckets").to_dicts()}
    assert found["4"] == 1
    assert found["100–999"] == 1


def test_f1_of_words_by_frequency_is_that_of_compare_mt(data):
    folder = data("compare-mt")
    corpus = coleval.load(folder / "ted.ref.eng.gz", {"sys1": folder / "ted.sys1.eng.gz"},
                          task="text")  # fmt: skip
    report = corpus.buckets(unit="word", attributes="frequency",
                            train=folder / "ted.train.counts.gz")  # fmt: skip
    # As compare_mt 0.2.10 counts them (b6d8f79), from the first bucket, words that are not in
    # training, to the last: matches, words of the reference, of the output.
    expected = [
        (114, 871, 1398), (67, 400, 202), (89, 341, 178), (82, 274, 176), (103, 275, 197),
        (273, 871, 619), (2544, 5446, 5059), (4500, 8398, 8020), (19492, 31307, 29823),
    ]  # fmt: skip
    found = [(r["tp"], r["gold"], r["predicted"]) for r in report.table("buckets").to_dicts()]
    assert found[: len(expected)] == expected


def test_n_grams_are_right_as_often_as_both_texts_have_them(tmp_path):
    gold = lines(tmp_path, "gold", ["a b a b", "c d"])
    one, two = lines(tmp_path, "one", ["a b a", "d c"]), lines(tmp_path, "two", ["b a b", "c d"])
    corpus = coleval.load(gold, [one, two], task="text")
    param = {"before": "one", "after": "two", "longest": 3, "limit": 100}
    table = corpus.sql("text-ngrams", param=param)
    expected = []
    for ngram in ("a", "b", "c", "d", "a b", "b a", "c d", "a b a", "b a b"):
        right = [
            sum(
                min(_times(ngram, ref), _times(ngram, out))
                for ref, out in zip(golds, own, strict=True)
            )
            for golds, own in ((("a b a b", "c d"), ("a b a", "d c")),
                               (("a b a b", "c d"), ("b a b", "c d")))
        ]  # fmt: skip
        expected.append((ngram, *right, (right[1] + 1) / (sum(right) + 2)))
    found = table.select("ngram", "before_right", "after_right", "share").rows()
    assert sorted(found) == sorted(expected)
    assert table["share"].is_sorted(descending=True)


def _times(ngram, text):
    words, part = text.split(), ngram.split()
    return sum(words[at : at + len(part)] == part for at in range(len(words)))


def test_n_grams_that_differ_are_those_of_compare_mt(data):
    folder = data("compare-mt")
    corpus = coleval.load(folder / "sum.ref.eng.gz", {
        name: folder / f"sum.{name}.eng.gz" for name in ("sys1", "sys2")}, task="text")  # fmt: skip
    table = corpus.sql("text-ngrams", param={"before": "sys2", "after": "sys1", "limit": 10**6})
    # Of compare_mt 0.2.10 (b6d8f79): how many n-grams either system has right, and how often.
    assert table.height == 6304
    assert table.filter(ngram="crude").row(0)[2:] == (3, 0, 0.2)
    assert table.filter(ngram="belgium").row(0)[2:] == (0, 2, 0.75)


def test_metrics_are_correlated_with_people_by_system_and_segment(files, tmp_path):
    human = tmp_path / "human.tsv"
    people = {"good": [4.0, 3.0, 5.0, 4.0], "bad": [2.0, 1.0, 5.0, None]}
    rows = zip(range(1, 5), *people.values(), strict=True)
    human.write_text("id\tgood\tbad\n" + "".join(
        "\t".join("" if v is None else str(v) for v in row) + "\n" for row in rows))  # fmt: skip
    corpus = coleval.load(files["gold"], [files["good"], files["bad"]], task="text")
    table = corpus.measure(meta=str(human)).table("meta")
    row = table.filter(level="segment", metric="chrf").row(0, named=True)
    library = CHRF()
    pairs = [
        (library.sentence_score(texts[at], [GOLD[at]]).score, score)
        for name, texts in (("good", GOOD), ("bad", BAD))
        for at, score in enumerate(people[name]) if score is not None
    ]  # fmt: skip
    assert row["n"] == len(pairs) == 7
    assert row["pearson"] == pytest.approx(np.corrcoef(*zip(*pairs, strict=True))[0, 1])
    # On segments 1 and 2 both are ordered as people order them; on 3 people tie them, and so does
    # chrF, which is 0 where the reference is empty. On 4 there is no pair.
    assert row["accuracy"] == 1.0
    whole = table.filter(level="system", metric="bleu").row(0, named=True)
    assert (whole["n"], whole["accuracy"]) == (2, 1.0)


def test_pairwise_accuracy_is_the_best_over_all_epsilons():
    from coleval.analyses.measure.meta import pairwise_accuracy

    rng = np.random.default_rng(11)
    for _ in range(20):
        metric = np.round(rng.normal(size=(4, 6)), 1)
        human = rng.integers(0, 3, size=(4, 6)).astype(float)
        human[rng.random((4, 6)) < 0.2] = np.nan
        best = 0.0
        for epsilon in [0.0, *np.abs(metric[:, None] - metric[None]).ravel()]:
            means = []
            for at in range(6):
                own = [
                    (0 if abs(metric[a, at] - metric[b, at]) <= epsilon
                     else np.sign(metric[a, at] - metric[b, at]))
                    == np.sign(human[a, at] - human[b, at])
                    for a in range(4) for b in range(a + 1, 4)
                    if not np.isnan(human[[a, b], at]).any()
                ]  # fmt: skip
                means += [np.mean(own)] if own else []
            best = max(best, float(np.mean(means)))
        assert pairwise_accuracy(metric, human)[0] == pytest.approx(best)


def test_logs_have_answers_as_texts_with_all_that_are_right(tmp_path):
    paths = []
    for model, answers in (("small", ["Paris", "in 1990"]), ("large", ["the city", "1990"])):
        records = [
            {"doc_id": at, "doc": {"question": f"q{at}"}, "target": gold, "resps": [[text]],
             "filtered_resps": [text], "exact_match": 0.0}
            for at, gold, text in zip(range(2), [["Paris", "City"], "1990"], answers, strict=True)
        ]  # fmt: skip
        folder, date = tmp_path / model, "2026-01-01T00-00-00.0"
        folder.mkdir()
        (folder / f"results_{date}.json").write_text(json.dumps({"model_name": model}))
        path = folder / f"samples_qa_{date}.jsonl"
        path.write_text("\n".join(map(json.dumps, records)))
        paths.append(path)
    corpus = coleval.load(paths[0], paths[1:], task="text")
    assert corpus.items["reference_2"].to_list() == ["City", None]
    assert corpus.items["form"].to_list() == ["q0", "q1"]
    found = scores(corpus.score(metric="exact_match"), "exact_match")
    assert found == {"small": 0.5, "large": 1.0}


def test_texts_have_no_labels_that_could_be_confused(corpus):
    with pytest.raises(UsageError, match="texts have no labels"):
        corpus.confusion()
    assert corpus.audit().table("suspects").height == 0


def test_of_some_systems_the_scores_are_those_they_have_among_all(corpus, files):
    alone = coleval.load(files["gold"], [files["bad"]], task="text")
    assert scores(corpus.score(systems="bad")) == scores(alone.score())
    assert "word" not in corpus.units._made
    assert scores(corpus.score(systems="bad", metric="wer"), "wer") == scores(
        alone.score(metric="wer"), "wer"
    )


@pytest.mark.parametrize("sets", [12, pytest.param(200, marks=pytest.mark.nightly)])
def test_p_values_are_those_of_sacrebleu_but_for_chance(data, sets):
    """Over resampled sets: both draw replicates, so that differences are those of two draws."""
    folder = data("wmt23")
    texts = [_packed_lines(folder / f"{name}.en.gz") for name in
             ("references/he-en.ref.refA", "systems/he-en.hyp.ONLINE-G",
              "systems/he-en.hyp.ONLINE-Y")]  # fmt: skip
    rng = np.random.default_rng(7)
    apart = {"bootstrap": [], "randomisation": []}
    for seed in range(sets):
        rows = rng.integers(len(texts[0]), size=200)
        gold, one, two = ([own[row] for row in rows] for own in texts)
        frame = pl.DataFrame({"gold": gold, "one": one, "two": two})
        corpus = coleval.load(frame, profile="sacrebleu",
                              columns={"gold": "gold", "system": ["one", "two"]})  # fmt: skip
        for test, theirs, n in (("bootstrap", _paired_bs_test, 1000),
                                ("randomisation", _paired_ar_test, 2000)):  # fmt: skip
            library = BLEU(references=[gold])
            counts = np.array(library._extract_corpus_statistics(two, None))
            score = library._aggregate_and_compute(counts.tolist()).score
            before = {"BLEU": (counts, Result(score))}
            _, found = theirs(before, "one", one, None, {"BLEU": library}, n, -1, seed)
            p = found["BLEU"].p_value
            own = corpus.compare(test=test, replicates=n, seed=seed).table("pairs")["p"][0]
            apart[test].append((own - p) / np.sqrt((2 * p * (1 - p) + 1 / n) / n))
    for differences in apart.values():
        assert np.abs(differences).max() < 4
        assert abs(np.mean(differences)) < 4 / np.sqrt(sets)


def _packed_lines(path):
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


def test_a_screen_has_a_row_a_system_and_a_column_a_metric(files, capsys):
    assert main(["score", *(str(files[name]) for name in ("gold", "good", "bad")),
                 "--task", "text", "--quiet"]) == 0  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("good", "bad"))] == [
        "good",
        "bad",
    ]
    head = " ".join(lines[:4])
    assert all(name in head for name in ("BLEU", "chrF", "length"))
