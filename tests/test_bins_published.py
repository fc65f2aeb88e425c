"""The tables of Gianola et al. (2021), cell for cell, from the raw files; and the matrices."""

from __future__ import annotations

import csv

import pytest

import coleval

ROOT = "differential-evaluation"
FILES = {
    "CharBertFromGenN2V": "enhanced-characterbert-from_general-128+node2vec-s1",
    "CharBertFromGen": "characterbert-from_general-128-s1",
    "CharBertGenN2V": "characterbert-general+node2vec-s1",
    "CharBertGen": "characterbert-general-s1",
    "fastTextGigawordN2V": "fasttext-gigaword+node2vec-s1",
    "fastTextGigaword": "fasttext-gigaword-s1",
    "fastTextMimicN2V": "fasttext-mimic+node2vec-s1",
    "fastTextMimic": "fasttext-mimic-s1",
    "fastTextPubMedN2V": "fasttext-pubmed+node2vec-s1",
    "fastTextPubMed": "fasttext-pubmed-s1",
    "fastTextRandomN2V": "fasttext-random+node2vec-s1",
    "fastTextRandom": "fasttext-random-s1",
}
TASKS = {"chemical": ("3", "5", "bc5-c-models"), "disease": ("4", "6", "bc5-d-models")}
BINS = {
    "chemical": [178, 41, 105, 112, 185, 188, 187, 207, 244, 309, 489, 876, 3894],
    "disease": [340, 156, 168, 174, 208, 178, 226, 230, 296, 327, 419, 822, 3617],
}


def system_of(printed):
    """Return the file of a system by its name in the paper (``Enh.`` and ``Enhanced`` are one)."""
    return FILES[printed.removeprefix("Enhanced").removeprefix("Enh.")]


def printed(path):
    """Return the header and the rows of a table of the paper."""
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    return header, rows


@pytest.fixture(scope="module")
def corpora(data):
    """Return both corpora of BC5, read from the merged files."""
    found = {}
    for task in TASKS:
        files = sorted(data(f"{ROOT}/bc5-{task}").glob("*.gz"))
        first, *rest = files
        found[task] = coleval.load(first, rest, merged=True)
    return found


def solved(report):
    """Return the true positives of each system, bin by bin."""
    found = {}
    for row in report.tables["tps"].to_dicts():
        found.setdefault(row["system"], []).append(row["tp"])
    return found


def shares(report):
    found = {}
    for row in report.tables["tps"].to_dicts():
        found.setdefault(row["system"], []).append(row["share"])
    return found


@pytest.mark.parametrize("task", TASKS)
def test_bins_of_bc5_hold_as_many_tokens_as_published(corpora, task):
    bins = corpora[task].bins(unit="token").tables["bins"]
    assert bins["bin"].to_list() == list(range(13))
    assert bins["items"].to_list() == BINS[task]


@pytest.mark.parametrize("task", TASKS)
def test_tables_3_and_4_cell_for_cell(corpora, data, task):
    report = corpora[task].bins(unit="token")
    _, rows = printed(data(f"{ROOT}/expected/paper_table{TASKS[task][0]}_{task}.tsv"))
    *systems, total = rows
    counts = solved(report)
    totals = dict(report.tables["systems"].select("system", "tp").iter_rows())
    assert len(systems) == 12
    for name, *cells, whole in systems:
        assert counts[system_of(name)] == [int(cell) for cell in cells], name
        assert totals[system_of(name)] == int(whole), name
    assert report.tables["bins"]["items"].to_list() == [int(cell) for cell in total[1:-1]]
    assert report.tables["systems"]["items"].unique().to_list() == [int(total[-1])]


@pytest.mark.parametrize("task", TASKS)
def test_tables_5_and_6_rounded_half_to_even(corpora, data, task):
    report = corpora[task].bins(unit="token")
    _, rows = printed(data(f"{ROOT}/expected/paper_table{TASKS[task][1]}_{task}_percent.tsv"))
    found = shares(report)
    recalls = dict(report.tables["systems"].select("system", "recall").iter_rows())
    assert len(rows) == 12
    for name, *cells, recall in rows:
        system = system_of(name)
        assert [round(100 * share) for share in found[system][1:12]] == list(map(int, cells)), name
        decimals = len(recall.partition(",")[2])
        assert f"{100 * recalls[system]:.2f}"[: 3 + decimals] == recall.replace(",", "."), name


@pytest.mark.parametrize("task", TASKS)
def test_the_console_prints_tables_5_and_6(corpora, data, task):
    from coleval.analyses.bins.views import rounded

    report = corpora[task].bins(unit="token")
    _, rows = printed(data(f"{ROOT}/expected/paper_table{TASKS[task][1]}_{task}_percent.tsv"))
    counts = solved(report)
    for name, *cells, _ in rows:
        pairs = zip(counts[system_of(name)][1:12], BINS[task][1:12], strict=True)
        assert [rounded(tp, items) for tp, items in pairs] == list(map(int, cells)), name


def test_table_7_calcium_over_the_bins(corpora, data):
    words = corpora["chemical"].bins(unit="token", words=["calcium"]).tables["words"]
    _, rows = printed(data(f"{ROOT}/expected/paper_table7_calcium.tsv"))
    assert words["form"].unique().to_list() == ["calcium"]
    assert words["n"].to_list() == [int(cell) for cell in rows[0][1:]]


def test_table_2_from_the_hungarian_matrix(data):
    corpus = coleval.load(data(f"{ROOT}/HU-eval-dist-tps.tsv.gz"), task="matrix")
    report = corpus.bins()
    _, rows = printed(data(f"{ROOT}/expected/paper_table2_hungarian.tsv"))
    *systems, total = rows
    counts = {sum(row): row for row in solved(report).values()}
    assert len(counts) == 9  # totals tell the unnamed columns apart
    for name, *cells, whole in systems:
        assert counts[int(whole)] == [int(cell) for cell in cells], name
    assert report.tables["bins"]["items"].to_list() == [int(cell) for cell in total[1:-1]]


@pytest.mark.parametrize("task", TASKS)
def test_the_matrices_of_bc5_say_what_the_raw_files_say(corpora, data, task):
    matrix = coleval.load(data(f"{ROOT}/{TASKS[task][2]}.tsv.gz"), task="matrix").bins()
    raw = corpora[task].bins(unit="token")
    assert matrix.tables["bins"]["items"].to_list() == BINS[task]
    assert sorted(solved(matrix).values()) == sorted(solved(raw).values())


def test_the_output_of_the_reference_program(data, corpora):
    text = data(f"{ROOT}/expected/bc5-c-models.out").read_text(encoding="utf-8")
    numbers = [float(n) for n in text.replace("[", " ").replace("]", " ").split()]
    bins, tps = numbers[:13], numbers[13 : 13 + 12 * 13]
    percent = numbers[13 + 12 * 13 : 13 + 2 * 12 * 13]
    totals, recalls = numbers[-24:-12], numbers[-12:]
    report = coleval.load(data(f"{ROOT}/bc5-c-models.tsv.gz"), task="matrix").bins()
    assert report.tables["bins"]["items"].to_list() == bins
    rows = [tps[k : k + 13] for k in range(0, len(tps), 13)]
    assert sorted(solved(report).values()) == sorted(rows)
    rounded = [[float(round(100 * s)) for s in row] for row in shares(report).values()]
    assert sorted(rounded) == sorted(percent[k : k + 13] for k in range(0, len(percent), 13))
    systems = report.tables["systems"]
    assert sorted(systems["tp"].to_list()) == sorted(totals)
    assert sorted(round(100 * r, 2) for r in systems["recall"]) == sorted(recalls)


def test_the_annotated_output_holds_every_chemical_token_with_its_bin(corpora):
    items = corpora["chemical"].bins(unit="token", items=True).tables["items"]
    bins = items["difficulty"].drop_nulls().value_counts().sort("difficulty")
    assert bins["count"].to_list() == BINS["chemical"]
    assert {"item", "form", "gold", "left", "right", *corpora["chemical"].systems} <= {
        *items.columns
    }


def test_real_tasks_bin_all_gold_items(data):
    gold = data("wnut17/gold/emerging.test.annotated")
    corpus = coleval.load(gold, sorted(data("wnut17/submissions").iterdir()))
    assert sizes(corpus) == [562, 110, 82, 70, 129, 126]
    assert sum(sizes(corpus, unit="token")) == 1740
    runs = sorted(data("hipe2022/responses").glob("*ajmc_en*"))
    gold = data("hipe2022/gold/HIPE-2022-v2.1-ajmc-test-en.tsv")
    hipe = coleval.load(gold, runs, profile="hipe-strict")
    assert sum(sizes(hipe, profile=True)) == 348
    gum = data("compareval-en_gum/gold.conllu")
    pos = coleval.load(gum, sorted(data("compareval-en_gum/systems").iterdir()))
    bins = pos.bins().tables["bins"]
    assert bins.height == 25
    assert bins["items"].sum() == 9375


def sizes(corpus, **options):
    return corpus.bins(**options).tables["bins"]["items"].to_list()
