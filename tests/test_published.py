"""Numbers that others published or that their own programs print, from the real data.

Counts are compared exactly, ratios to the digits that were printed.
"""

from __future__ import annotations

import csv
import json
import re
import statistics
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import coleval
import oracle
from coleval.errors import DataError
from conftest import DATA


def table(path):
    with Path(path).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@cache
def scored(gold, systems=(), **options):
    """Return the rows of ``overall`` by system and of ``labels`` by (system, label)."""
    named = dict(systems) or None
    corpus = coleval.load(gold, named, **{k: v for k, v in options.items() if v is not None})
    report = corpus.score()
    overall = {row["system"]: row for row in report.table("overall").to_dicts()}
    by_label = report.tables["labels"].to_dicts() if "labels" in report.tables else []
    labels = {(row["system"], row["label"]): row for row in by_label}
    return overall, labels


def row_of(found, system, label):
    overall, labels = found
    nothing = {"tp": 0, "fp": 0, "fn": 0, "precision": 0.0, "recall": 0.0, "f1": 0.0}
    return overall[system] if label == "ALL" else labels.get((system, label), nothing)


def printed(value, text, scale=100.0):
    """Tell whether a ratio is what was printed, to as many digits as were."""
    digits = len(text.partition(".")[2])
    shown = 0.0 if value is None else value * scale
    return abs(shown - float(text)) <= 0.5 * 10**-digits * (1 + 1e-9) + 1e-9


RATIOS = ("precision", "recall", "f1")


def agrees(row, expected, scale=100.0):
    for name in RATIOS:
        assert printed(row[name], expected[name], scale), (name, row[name], expected[name])


# ------------------------------------------------------------------------------ wnut17, conll_sharp

PROFILE = {
    "conlleval.pl": "conlleval",
    "seqscore-0.9.0/conlleval": "conlleval",
    "seqscore-0.9.0/discard": "seqscore-discard",
    "seqeval-1.2.2/default": "seqeval",
    "seqeval-1.2.2/strict-IOB2": "seqeval-strict",
}
WNUT = ("arcada", "drexel_cci", "flytxt", "sjtu_adapt", "uh_ritual")
SHARP = {
    "xlm_flert_03": ("conll_03", "expected_peer_scores_03"),
    "xlm_flert_sharp": ("conll_sharp", "expected_peer_scores_sharp"),
    "luke_sharp": ("conll_sharp", "expected_peer_scores_sharp"),
    "asp_sharp": ("conll_sharp_asp_order_", ""),
}
SHARP_EVALS = {
    "xlm_flert_03": "xlm_flert/03/03",
    "xlm_flert_sharp": "xlm_flert/sharp/sharp",
    "luke_sharp": "luke/sharp/sharp",
    "asp_sharp": "asp/sharp/asp_sharp",
}


def like_the_peer(found, system, rows):
    assert rows
    for expected in rows:
        row = row_of(found, system, expected["type"])
        agrees(row, expected)
        for name, n in (
            ("reference", row["tp"] + row["fn"]),
            ("predicted", row["tp"] + row["fp"]),
            ("correct_or_counts", row["tp"]),
        ):
            assert not expected[name] or int(expected[name]) == n, (expected["type"], name)


def peer_rows(path, system, scorer):
    return [r for r in table(path) if r["system"] == system and r["scorer"] == scorer]


@pytest.mark.parametrize("system", WNUT)
@pytest.mark.parametrize("scorer", PROFILE)
def test_wnut17_is_scored_as_its_peers_score_it(data, scorer, system):
    folder = data("wnut17")
    paths = tuple((p.stem, str(p)) for p in sorted((folder / "submissions").iterdir()))
    found = scored(str(folder / "gold/emerging.test.annotated"), paths, profile=PROFILE[scorer])
    like_the_peer(found, system, peer_rows(folder / "expected_peer_scores.tsv", system, scorer))


@pytest.mark.parametrize("system", [name for name in SHARP if name != "asp_sharp"])
@pytest.mark.parametrize("scorer", PROFILE)
def test_conll_sharp_is_scored_as_its_peers_score_it(data, scorer, system):
    folder = data("conll_sharp")
    gold, expected = SHARP[system]
    rows = peer_rows(folder / f"{expected}.tsv", system, scorer)
    systems = ((system, str(folder / f"outputs/{system}.txt")),)
    found = scored(str(folder / f"gold/{gold}.txt"), systems, profile=PROFILE[scorer])
    like_the_peer(found, system, rows)


@pytest.mark.parametrize("system", SHARP_EVALS)
def test_conll_sharp_comes_out_as_published(data, system):
    folder = data("conll_sharp")
    text = (folder / f"evals/{SHARP_EVALS[system]}.txt").read_text("utf-8").split("\n\n")[0]
    head, _, *rows = [
        [c.strip() for c in line.strip("| ").split("|")] for line in text.splitlines()
    ]
    systems = ((system, str(folder / f"outputs/{system}.txt")),)
    found = scored(str(folder / f"gold/{SHARP[system][0]}.txt"), systems, profile="conlleval")
    assert len(rows) == 5
    for values in rows:
        expected = dict(zip(head, values, strict=True))
        row = row_of(found, system, expected["Type"])
        agrees(row, {name.lower(): value for name, value in expected.items()})
        counts = [row["tp"] + row["fn"], row["tp"] + row["fp"], row["tp"]]
        assert counts == [int(expected[n]) for n in ("Reference", "Predicted", "Correct")]


def test_an_output_for_the_other_gold_is_refused(data):
    folder = data("conll_sharp")
    # Typing errors of the text are mended in this one: the characters part where the first is.
    with pytest.raises(
        DataError,
        match=r"luke_sharp\.txt:8667: the text differs from gold's .* `FANSE`.*conll_03\.txt:8678",
    ):
        coleval.load(folder / "gold/conll_03.txt", {"luke": folder / "outputs/luke_sharp.txt"})


# --------------------------------------------------------------------------------------- novels-ner

NOVELS = (
    "AStudyInScarlet", "AliceInWonderland", "DavidCopperfield", "Dracula", "Frankenstein",
    "HuckleberryFinn", "PrideAndPrejudice", "TheCallOfTheWild", "TheCountOfMonteCristo",
    "TheThreeMusketeers", "TheWayWeLiveNow",
)  # fmt: skip
TOOLS = ("booknlpoutput", "illconllout", "ixa-conllout", "stanfordout")
# The first line on which the gold column holds a token: Illinois wrote the token in another way.
SHIFTED = {
    "AStudyInScarlet": 0, "AliceInWonderland": 1705, "HuckleberryFinn": 0, "PrideAndPrejudice": 0,
    "TheCallOfTheWild": 0, "TheCountOfMonteCristo": 0, "TheThreeMusketeers": 0,
}  # fmt: skip
IO = {"merged": True, "scheme": "io", "profile": "conlleval", "task": "span"}
WHOLE = [(n, t) for n in NOVELS for t in TOOLS if t != "illconllout" or n not in SHIFTED]


@pytest.mark.parametrize(("novel", "tool"), WHOLE)
def test_a_merged_novel_is_scored_as_conlleval_scores_it(data, novel, tool):
    rows = [
        r
        for r in table(data("novels-ner/expected_conlleval.tsv"))
        if (r["novel"], r["system"]) == (novel, tool)
    ]
    found = scored(str(data(f"novels-ner/files/{novel}.{tool}")), **IO)
    for expected in rows:
        row = row_of(found, novel, "ALL" if expected["type"] == "OVERALL" else expected["type"])
        agrees(row, expected)
        assert not expected["n_found"] or row["tp"] + row["fp"] == int(expected["n_found"])
    named = {r["type"] for r in rows} - {"OVERALL"}
    assert {label for _, label in found[1]} <= named | {"PERSON"}


def first_shifted(data, novel):
    """Return the first line of a file whose gold column is not as in ``<novel>.gs``."""
    folder = data("novels-ner/files")
    lines = [
        [line.split(" ")[1] for line in (folder / f"{novel}{end}").read_text("utf-8").splitlines()]
        for end in (".gs", ".illconllout")
    ]
    return next(k for k, (a, b) in enumerate(zip(*lines, strict=True), 1) if a != b)


@pytest.mark.parametrize("novel", SHIFTED)
def test_a_novel_with_a_shifted_column_is_refused_by_itself(data, novel):
    where = rf"{novel}\.illconllout:{first_shifted(data, novel)}: .*is a column shifted"
    with pytest.raises(DataError, match=rf"(?s){where}"):
        coleval.load(data(f"novels-ner/files/{novel}.illconllout"), **IO)


@pytest.mark.parametrize("novel", SHIFTED)
def test_a_novel_with_a_shifted_column_is_refused_beside_another_tool(data, novel):
    folder = data("novels-ner/files")
    where = rf"{novel}\.illconllout:{first_shifted(data, novel)}: gold is .* tokens differ"
    with pytest.raises(DataError, match=where):
        coleval.load(
            folder / f"{novel}.stanfordout", {"ill": folder / f"{novel}.illconllout"}, **IO
        )


@pytest.mark.parametrize("novel", SHIFTED)
def test_a_shifted_column_is_found_without_saying_what_the_task_is(data, novel):
    options = {k: v for k, v in IO.items() if k not in ("task", "outside")}
    with pytest.raises(DataError, match=rf"{novel}\.illconllout:{first_shifted(data, novel)}: "):
        coleval.load(data(f"novels-ner/files/{novel}.illconllout"), **options)


@pytest.mark.parametrize("novel", NOVELS)
def test_tools_that_ran_on_one_novel_agree_on_its_gold(data, novel):
    folder = data("novels-ner/files")
    others = {tool: folder / f"{novel}.{tool}" for tool in TOOLS[2:]}
    corpus = coleval.load(folder / f"{novel}.booknlpoutput", others, **IO)
    gold = oracle.parse((folder / f"{novel}.gs").read_text("utf-8"))
    assert len(corpus.systems) == 3
    assert {len(oracle.corpus_spans(gold, "io")[0])} == {
        row["items"] for row in corpus.score().table("overall").to_dicts()
    }


# ----------------------------------------------------------------------------------- classification

SEMEVAL = {
    "GIST": ".712", "blcu_nlp": ".606", "ECNU": ".604", "NLITrans": ".590", "Joker": ".586",
    "YNU_Deep": ".583", "mingyan": ".581", "ArcNet": ".577", "UniMelb": ".577", "TRANSRW": ".570",
    "lyb3b": ".568", "SNU_IDS": ".565", "ArgEns-GRU": ".556", "ITNLP-ARC": ".552",
    "YNU-HPCC": ".550", "TakeLab": ".541", "HHU": ".534", "Random bsl.": ".527",
    "Deepfinder": ".525", "ART": ".518", "RW2C": ".500", "ztangfdu": ".464", "rgtjf": ".613",
}  # fmt: skip


@pytest.mark.parametrize("team", SEMEVAL)
def test_semeval_accuracies_are_those_published(data, team):
    folder = data("semeval2018-t12")
    people = ET.parse(folder / "submissions/metadata-public.xml").getroot()  # noqa: S314 - our file
    ids = {
        p.get("shownName") or p.get("systemName") or p.get("username"): p.get("submissionID")
        for p in people
    }
    paths = tuple((p.stem, str(p)) for p in sorted((folder / "submissions").glob("*.txt")))
    overall, _ = scored(str(folder / "truth.txt"), paths, task="label")
    assert len(overall) == 23
    row = overall[ids[team]]
    assert (row["items"], row["accuracy"]) == (444, row["correct"] / 444)
    assert printed(row["accuracy"], SEMEVAL[team], 1)


HATE = ("BERT_davidson2017_weighted", "BERT_founta2018_weighted", "perspective", "siftninja")


@pytest.mark.parametrize("system", HATE)
def test_hatecheck_is_scored_as_its_authors_report(data, system):
    folder = data("hatecheck")
    report = (folder / "expected_notebook_outputs.txt").read_text("utf-8")
    part = report[report.index(f"\n{system.upper()}\n") :]
    overall, labels = scored(str(folder / "hatecheck_predictions.csv"), profile="sklearn")
    name = f"pred_{system}"
    row = overall[name]
    found = re.findall(
        r"^ *(non-hateful|hateful|accuracy|macro avg|weighted avg) +(.+)$", part, re.MULTILINE
    )
    numbers = {label: shares.split() for label, shares in found[:5]}
    assert len(numbers) == 5
    assert printed(row["accuracy"], numbers["accuracy"][0], 1)
    for label in ("non-hateful", "hateful"):
        found = labels[name, label]
        agrees(found, dict(zip(RATIOS, numbers[label], strict=False)), 1)
        assert found["support"] == int(numbers[label][3])
    for kind in ("macro", "weighted"):
        for what, text in zip(RATIOS, numbers[f"{kind} avg"], strict=False):
            assert printed(row[f"{kind}_{what}"], text, 1), (kind, what)


def test_an_instance_with_one_label_is_one_item(data):
    corpus = coleval.load(data("hatecheck/hatecheck_predictions.csv"))
    frame = corpus.confusion().table("confusion")
    assert len(corpus.items) == 3728
    assert frame["gold"].null_count() == frame["answer"].null_count() == 0
    assert len(frame) == 4 * 2 * 2


@pytest.mark.parametrize("system", HATE)
def test_hatecheck_accuracy_by_functionality_is_that_of_its_authors(data, system):
    folder = data("hatecheck")
    report = (folder / "expected_notebook_outputs.txt").read_text("utf-8")
    first, second = report.split("\n\n")[:2]
    names = [line.split()[1] for line in first.splitlines()[2:]]
    block = (first if system.startswith("BERT") else second).replace("\\", "").splitlines()
    head, *lines = (line.split() for line in block if line.strip() and not line.startswith("#"))
    place = head.index(system) - len(head)
    corpus = coleval.load(folder / "hatecheck_predictions.csv")
    right = pl.col("gold") == pl.col(f"pred_{system}")
    shares = corpus.items.group_by("functionality").agg(right.mean())
    found = dict(shares.iter_rows())
    assert len(found) == len(names) == len(lines) == 29
    for functionality, line in zip(names, lines, strict=True):
        assert printed(found[functionality], line[place].rstrip("%")), functionality


FEATS = (
    "ArmParser", "CEA-LIST", "IBM-NY", "ICS-PAS", "KParse", "NLP-Cube", "Stanford-18",
    "TurkuNLP-18", "UDPipe-Future", "Uppsala-18", "conll18-baseline",
)  # fmt: skip
SKLEARN = {
    "subset_accuracy": "accuracy", "hamming_loss": "hamming_loss", "micro_p": "precision",
    "micro_r": "recall", "micro_f1": "f1", "macro_p": "macro_precision", "macro_r": "macro_recall",
    "macro_f1": "macro_f1", "weighted_f1": "weighted_f1", "samples_p": "samples_precision",
    "samples_r": "samples_recall", "samples_f1": "samples_f1", "samples_jaccard": "samples_jaccard",
    "exact_matches": "correct",
}  # fmt: skip


def feats(data, **options):
    columns = "id=item,form=form,gold=gold," + ",".join(f"system={name}" for name in FEATS)
    path = str(data("derived-ud-feats-multilabel/en_gum_feats.tsv"))
    return scored(path, columns=columns, task="label", separator="|", profile="sklearn", **options)


@pytest.mark.parametrize("system", FEATS)
def test_multi_label_averages_are_scikit_learns(data, system):
    rows = table(data("derived-ud-feats-multilabel/expected_sklearn.tsv"))
    expected = next(r for r in rows if r["system"] == system)
    row = feats(data)[0][system]
    for theirs, ours in SKLEARN.items():
        assert printed(row[ours], expected[theirs], 1), theirs


@pytest.mark.parametrize("system", FEATS)
def test_empty_against_empty_can_count_as_right_as_in_scikit_learn(data, system):
    rows = table(data("derived-ud-feats-multilabel/expected_sklearn.tsv"))
    expected = next(r for r in rows if r["system"] == system)
    row = feats(data, undefined="1")[0][system]
    assert printed(row["samples_f1"], expected["samples_f1_zd1"], 1)
    assert printed(row["samples_jaccard"], expected["samples_jaccard_zd1"], 1)


@pytest.mark.parametrize("system", FEATS)
def test_multi_label_scores_by_label_are_scikit_learns(data, system):
    rows = table(data("derived-ud-feats-multilabel/expected_sklearn_per_label.tsv"))
    _, labels = feats(data)
    mine = [r for r in rows if r["system"] == system]
    assert {r["label"] for r in mine} == {label for s, label in labels if s == system}
    for expected in mine:
        agrees(labels[system, expected["label"]], expected, 1)
        assert labels[system, expected["label"]]["support"] == int(expected["support"])


# ----------------------------------------------------------------------------------------- hipe2022

HIPE_RUNS = sorted(p.stem for p in (DATA / "hipe2022/responses").glob("*_bundle*.tsv")) or ["none"]
STRICT = "NE-COARSE-LIT-micro-strict-TIME-ALL-LED-ALL"


@cache
def hipe(folder, corpus, language):
    gold = folder / f"gold/HIPE-2022-v2.1-{corpus}-test-{language}.tsv"
    runs = sorted((folder / "responses").glob(f"*_{corpus}_{language}_*.tsv"))
    return scored(str(gold), tuple((run.stem, str(run)) for run in runs), profile="hipe-strict")


@pytest.mark.parametrize("run", HIPE_RUNS)
def test_hipe_strict_counts_are_those_of_the_task(data, run):
    """By label the scorer books false alarms in a way of its own: they are compared overall."""
    folder = data("hipe2022")
    found = hipe(folder, *run.split("_")[2:4])
    rows = table(folder / f"evaluations/{run}_nerc_coarse.tsv")
    rows = [row for row in rows if row["Evaluation"] == STRICT]
    assert len(rows) > 2
    for expected in rows:
        label = expected["Label"]
        row = row_of(found, run, label if label == "ALL" else label.casefold())
        assert (row["tp"], row["fn"]) == (int(expected["TP"]), int(expected["FN"])), label
        assert printed(row["recall"], expected["R"], 1), label
        if label == "ALL":
            assert row["fp"] == int(expected["FP"])
            agrees(row, dict(zip(RATIOS, (expected[n] for n in ("P", "R", "F1")), strict=True)), 1)


# ------------------------------------------------------ matrices, spans with holes, parts of speech


def test_the_totals_of_the_hungarian_matrix_are_those_of_table_2(data):
    folder = data("differential-evaluation")
    rows = table(folder / "expected/paper_table2_hungarian.tsv")
    totals = sorted(int(r["total"]) for r in rows if not r["system"].startswith("Total"))
    overall, _ = scored(str(folder / "HU-eval-dist-tps.tsv.gz"), task="matrix")
    assert sorted(row["correct"] for row in overall.values()) == totals
    assert {row["items"] for row in overall.values()} == {97537}


@pytest.mark.parametrize(
    ("matrix", "paper"), [("bc5-c", "table3_chemical"), ("bc5-d", "table4_disease")]
)
def test_the_totals_of_the_biomedical_matrices_are_those_of_the_paper(data, matrix, paper):
    folder = data("differential-evaluation")
    rows = table(folder / f"expected/paper_{paper}.tsv")
    totals = sorted(int(r["total"]) for r in rows if not r["system"].startswith("Total"))
    overall, _ = scored(str(folder / f"{matrix}-models.tsv.gz"), task="matrix")
    assert sorted(row["correct"] for row in overall.values()) == totals


@pytest.mark.parametrize(
    ("part", "totals"), [("chemical", "table3_chemical"), ("disease", "table4_disease")]
)
def test_tokens_of_the_merged_files_add_up_to_the_paper(data, part, totals):
    folder = data(f"differential-evaluation/bc5-{part}")
    rows = table(data(f"differential-evaluation/expected/paper_{totals}.tsv"))
    expected = sorted(int(r["total"]) for r in rows if not r["system"].startswith("Total"))
    first, *others = sorted(folder.glob("*.tsv.gz"))
    corpus = coleval.load(first, others, merged=True, task="tag", outside="O")
    row = corpus.score().table("overall").to_dicts()
    assert len(row) == 12
    assert sorted(r["tp"] for r in row) == expected


@pytest.mark.parametrize("system", ["LATTICE-18", "Stanford-18"])
def test_part_of_speech_accuracy_is_that_of_compareval(data, system):
    folder = data("compareval-en_gum")
    text = (folder / f"expected/pos.eval.{system}.txt").read_text("utf-8")
    paths = tuple(
        (p.name.removesuffix(".conllu.gz"), str(p)) for p in sorted((folder / "systems").iterdir())
    )
    overall, labels = scored(str(folder / "gold.conllu"), paths)
    row = overall[system]
    assert len(overall) == 24
    right, items = map(int, re.search(r"Overall accuracy:.*\((\d+)/(\d+)\)", text).groups())
    assert (row["correct"], row["items"]) == (right, items)
    right, items = map(int, re.search(r"Correctly tagged.*\((\d+)/(\d+)\)", text).groups())
    assert (row["sentences_correct"], row["sentences"]) == (right, items)
    parts = re.findall(r"^(\w+) +[\d.]+ +\((\d+)/(\d+)\)$", text, re.MULTILINE)
    assert len(parts) == 17
    for label, right, items in parts:
        found = labels[system, label]
        assert (found["tp"], found["support"]) == (int(right), int(items)), label


@pytest.mark.parametrize("system", ["LATTICE-18", "Stanford-18"])
def test_parts_of_speech_are_confused_as_compareval_prints(data, system):
    folder = data("compareval-en_gum")
    text = (folder / f"expected/pos.eval.{system}.txt").read_text("utf-8")
    corpus = coleval.load(folder / "gold.conllu", {system: folder / f"systems/{system}.conllu.gz"})
    cells = {(r["gold"], r["answer"]): r["n"] for r in corpus.confusion().table().to_dicts()}
    errors = re.findall(r"^(\S+) -> (\S+) +[\d.]+ +\((\d+)/\d+\)", text, re.MULTILINE)
    assert errors
    for gold, answer, n in errors:
        assert cells[gold, answer] == int(n)


@pytest.mark.parametrize(
    ("name", "file"), [("ner", "ner"), ("chunk", "chunks"), ("topofield", "topofields")]
)
def test_traditional_counts_are_those_of_faireval(data, name, file):
    text = data(f"faireval/expected/eval_{file}.csv").read_text("utf-8")
    part = text.split("### Traditional evaluation:\n")[1].split("\n\n")[0]
    rows = [line.split("\t") for line in part.splitlines()[1:] if line.strip()]
    gold, system = (data(f"faireval/{side}/{name}_spans.csv") for side in ("target", "system"))
    found = scored(str(gold), (("s", str(system)),))
    assert len(rows) > 2
    for label, tp, fp, fn, *shares in rows:
        row = row_of(found, "s", "ALL" if label == "overall" else label)
        assert (row["tp"], row["fp"], row["fn"]) == (int(tp), int(fp), int(fn)), label
        agrees(row, dict(zip(RATIOS, shares, strict=True)))


# --------------------------------------------------------------------------------------- peer-tests

MERGED = {"merged": True, "columns": "form=1,gold=3,system=4", "profile": "conlleval"}


@pytest.mark.parametrize(
    ("file", "options"), [("ground_truth", {}), ("ground_truth_inv", {"suffix": True})]
)
def test_seqevals_ground_truth_scores_as_conlleval_prints(peer, file, options):
    text = peer("seqeval/ground_truth.conlleval_pl.txt").read_text("utf-8")
    found = scored(str(peer(f"seqeval/tests/data/{file}.txt")), **MERGED, **options)
    row = found[0][file]
    assert (row["tp"], row["tp"] + row["fp"], row["tp"] + row["fn"]) == (371, 539, 459)
    assert f"{100 * row['f1']:.6f}" == "74.348697"
    number = r"([\d.]+)%?"
    for label, *shares, n in re.findall(
        rf"^ *(\w+): precision: +{number}; recall: +{number}; FB1: +{number} +(\d+)$",
        text,
        re.MULTILINE,
    ):
        part = row_of(found, file, label)
        agrees(part, dict(zip(RATIOS, shares, strict=True)))
        assert part["tp"] + part["fp"] == int(n)


def test_a_suffix_file_read_naively_scores_what_conlleval_gives_it(peer):
    found, _ = scored(str(peer("seqeval/tests/data/ground_truth_inv.txt")), **MERGED)
    assert found["ground_truth_inv"]["f1"] != pytest.approx(0.74348697)


def click_cases(command):
    path = DATA.parent / "peer-tests/seqscore/expected_click_tests.json"
    cases = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {
        name.partition("::")[2]: case
        for name, case in cases.items()
        if case["cmd"] == command and case["args"]
    } or {"none": None}


def option(case, name, default=None):
    args = case["args"]
    return args[args.index(name) + 1] if name in args else default


def seqscore_options(case):
    method = option(case, "--repair-method", "conlleval")
    scheme = {"BIO": "iob2", "BIOES": "bioes", "IO": "io"}[option(case, "--labels")]
    repair = {"conlleval": "begin", "discard": "discard", "none": "error"}[method]
    return {"scheme": scheme, "repair": repair, "task": "span", "undefined": "0"}


@pytest.mark.parametrize("name", click_cases("score"))
def test_seqscore_scores(peer, name):
    peer("seqscore")
    case = click_cases("score")[name]
    gold = peer(f"seqscore/{option(case, '--reference')}")
    systems = {"s": peer(f"seqscore/{case['args'][-1]}")}
    if case["exit_code"] != "== 0":
        with pytest.raises(DataError, match=r"(?s):7: .*repair="):
            coleval.load(gold, systems, **seqscore_options(case) | {"repair": "error"})
        return
    found = scored(str(gold), (("s", str(systems["s"])),), **seqscore_options(case))
    rows = [
        line.split("\t") for line in case["output_contains"] if line[:3] in ("ALL", "LOC", "ORG")
    ]
    assert rows or name == "test_score_entity_type_not_in_reference"
    for label, p, r, f1, reference, predicted, correct in rows:
        row = row_of(found, "s", label)
        agrees(row, {"precision": p, "recall": r, "f1": f1})
        counts = (row["tp"] + row["fn"], row["tp"] + row["fp"], row["tp"])
        assert counts == (int(reference), int(predicted), int(correct))


def test_seqscore_a_type_that_gold_has_not_is_spurious(peer):
    gold = peer("seqscore/tests/conll_annotation/minimal.bio")
    system = peer("seqscore/tests/conll_predictions/incorrect_type_not_in_reference.bio")
    found = scored(str(gold), (("s", str(system)),), profile="conlleval")
    row = row_of(found, "s", "SPURIOUS")
    assert (row["tp"], row["fp"], row["fn"], row["recall"]) == (0, 1, 0, 0.0)


def test_seqscore_scores_several_files(peer):
    gold = peer("seqscore/tests/conll_annotation/minimal.bio")
    names = ("correct1", "incorrect1")
    paths = tuple((n, str(peer(f"seqscore/tests/conll_predictions/{n}.bio"))) for n in names)
    f1 = [100 * row["f1"] for row in scored(str(gold), paths, profile="conlleval")[0].values()]
    assert f"{statistics.mean(f1):.2f} {statistics.stdev(f1):.2f}" == "78.57 30.30"


@pytest.mark.parametrize("name", click_cases("validate"))
def test_seqscore_validates(peer, name):
    peer("seqscore")
    case = click_cases("validate")[name]
    files = [peer(f"seqscore/{arg}") for arg in case["args"] if arg.startswith("tests/")]
    options = seqscore_options(case) | {"repair": "error"}
    told = []
    for file in files:
        try:
            coleval.load(file, {"same": file}, **options)
        except DataError as error:
            told.append(str(error))
    assert bool(told) == (case["exit_code"] != "== 0")
    if name == "test_invalid_bio":
        assert re.search(r":7: `I-ORG` on `University`", told[0])


UNREPAIRED = {
    ("University of Pennsylvania", "ORG"),
    ("West Philadelphia", "LOC"),
    ("Pennsylvania", "LOC"),
}


@pytest.mark.parametrize(
    ("repair", "spans"),
    [("begin", UNREPAIRED), ("discard", set())],
)  # fmt: skip
def test_seqscore_counts_what_is_left_of_an_invalid_file(peer, repair, spans):
    file = peer("seqscore/tests/conll_annotation/invalid1.bio")
    corpus = coleval.load(file, {"same": file}, repair=repair, task="span")
    assert set(corpus.items.select("form", "gold").iter_rows()) == spans
    assert corpus.score().table("overall")["repairs"].to_list() == [3]


@pytest.mark.parametrize(
    ("file", "scheme"), [("minimal.bio", "iob2"), ("minimal.bioes", "bioes"), ("minimal.io", "io")]
)
def test_seqscore_counts_the_spans_of_every_scheme(peer, file, scheme):
    path = peer(f"seqscore/tests/conll_annotation/{file}")
    corpus = coleval.load(path, {"same": path}, scheme=scheme, task="span")
    reference = peer("seqscore/tests/test_files/count_minimal_ref.txt").read_text("utf-8")
    expected = Counter(tuple(line.split("\t")[1:]) for line in reference.splitlines())
    assert Counter(corpus.items.select("gold", "form").iter_rows()) == expected
    assert corpus.score().table("overall")["repairs"].to_list() == [0]
