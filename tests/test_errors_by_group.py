"""Fair and traditional scores of several datasets in one table, with the kinds of errors."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.analyses.errors.views import by_group, kinds_by_group, views

# Spans are [a b]PER and [d]LOC in both datasets. "news": the label of the second is wrong and one
# word is spurious. "web": the first is a word too short, the second is missed.
GOLD = "a\tB-PER\nb\tI-PER\nc\tO\nd\tB-LOC\ne\tO\n"
NEWS = "a\tB-PER\nb\tI-PER\nc\tO\nd\tB-ORG\ne\tB-LOC\n"
WEB = "a\tB-PER\nb\tO\nc\tO\nd\tO\ne\tO\n"


@pytest.fixture
def report(tmp_path):
    for folder, texts in (
        ("gold", {"news": GOLD, "web": GOLD}),
        ("one", {"news": NEWS, "web": WEB}),
        ("same", {"news": GOLD, "web": GOLD}),
    ):
        for name, text in texts.items():
            path = tmp_path / folder / f"{name}.conll"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    systems = {name: str(tmp_path / name / "{dataset}.conll") for name in ("one", "same")}
    corpus = coleval.load(str(tmp_path / "gold" / "{dataset}.conll"), systems, task="span")
    return corpus.errors(by="dataset")


def rows(report):
    frame = by_group(report).frame
    return {(row["by"], row["system"]): row for row in frame.to_dicts()}


def test_each_dataset_has_both_scores_and_the_shares_of_its_errors(report):
    news, web = (rows(report)[name, "one"] for name in ("news", "web"))
    # news: TP 1, LE 1, FP 1. Traditional 1 of 3 and 1 of 2; fair TP 1, FP 1.5, FN 0.5.
    assert (news["traditional_precision"], news["traditional_recall"]) == pytest.approx(
        (1 / 3, 1 / 2)
    )
    assert (news["precision"], news["recall"]) == pytest.approx((1 / 2.5, 1 / 1.5))
    assert news["traditional_f1"] == pytest.approx(2 / 5)
    assert news["f1"] == pytest.approx(1 / 2)
    assert (news["errors"], news["le_share"], news["fp_share"]) == (2, 0.5, 0.5)
    # web: BE 1, FN 1: no score is above 0.
    assert (web["traditional_f1"], web["f1"]) == (0, 0)
    shares = {kind: web[f"{kind}_share"] for kind in ("le", "be", "lbe", "fn", "fp")}
    assert shares == {"le": 0, "be": 0.5, "lbe": 0, "fn": 0.5, "fp": 0}


def test_shares_of_no_errors_are_undefined(report):
    same = rows(report)["news", "same"]
    assert (same["errors"], same["le_share"], same["f1"]) == (0, None, 1)


def test_the_table_in_print_has_a_row_a_dataset_and_system(report):
    lines = report.to_markdown("by").splitlines()
    heads = [cell.strip() for cell in lines[2].split("|")[1:-1]]
    kinds = ["LE %", "BE %", "LBE %", "FN %", "FP %"]
    assert heads[:10] == ["group", "system", "trad. F1 %", "fair F1 %", "errors", *kinds]
    first = [cell.strip() for cell in lines[5].split("|")[1:-1]]
    assert first[:6] == ["news", "one", "40.00", "50.00", "2", "50.0"]


def test_the_picture_has_the_bars_of_every_group_with_both_scores(report):
    screen = views(report, 100)
    assert [view.title for view in screen] == [
        "errors of each system by kind",
        "traditional and fair F1, and the errors by kind, of each group",
    ]
    rows = [[cell.text for cell in row] for row in screen[1].rows]
    # In "web" the span is smaller than gold's and one is missed.
    assert rows == [
        ["news", "same", "100.00", "100.00", "0", ""],
        ["news", "one", "40.00", "50.00", "2", "L+"],
        ["web", "same", "100.00", "100.00", "0", ""],
        ["web", "one", "0.00", "0.00", "2", "s-"],
    ]


def test_the_figure_has_each_dataset_with_both_scores_and_its_errors(report):
    svg = report.to_svg("by")
    for dataset in ("news", "web"):
        assert f"{dataset}: F1 of each system by way of counting errors" in svg
        assert f"{dataset}: errors of each system by kind" in svg
    drawn = (
        kinds_by_group(report)
        .frame.filter(pl.col("n") > 0)
        .select("by", "system", "error", "n", "share")
    )
    assert sorted(drawn.rows()) == [
        ("news", "one", "fp", 1, 0.5), ("news", "one", "le", 1, 0.5),
        ("web", "one", "bes", 1, 0.5), ("web", "one", "fn", 1, 0.5),
    ]  # fmt: skip


def test_without_groups_there_is_one_picture(tmp_path):
    for name, text in (("gold", GOLD), ("one", NEWS)):
        (tmp_path / name).write_text(text)
    paths = {"one": str(tmp_path / "one")}
    report = coleval.load(str(tmp_path / "gold"), paths, task="span", format="columns").errors()
    assert len(views(report, 100)) == 1


def test_shares_of_a_group_add_up_to_one(report):
    frame = by_group(report).frame.filter(pl.col("errors") > 0)
    shares = frame.select(pl.sum_horizontal(pl.col("^.*_share$")).alias("sum"))["sum"]
    assert shares.to_list() == pytest.approx([1.0] * len(frame))


RUNS = {"team1": "team1_bundle4", "neurbsl": "neurbsl_bundle3"}


@pytest.fixture(scope="module")
def hipe(data):
    """Return the folder, and gold and runs of three datasets."""
    folder = data("hipe2022")
    corpora = {}
    for dataset in ("ajmc_de", "ajmc_en", "ajmc_fr"):
        gold = folder / "gold" / f"HIPE-2022-v2.1-{dataset.replace('_', '-test-')}.tsv"
        systems = {
            run: str(folder / "responses" / f"{prefix}_{dataset}_1.tsv")
            for run, prefix in RUNS.items()
        }
        corpora[dataset] = (str(gold), systems)
    return folder, corpora


def test_three_tasks_of_hipe_are_side_by_side_with_the_published_scores(hipe, tmp_path):
    folder, corpora = hipe
    for dataset, (gold, systems) in corpora.items():
        for name, path in {"gold": gold, **systems}.items():
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / f"{dataset}.tsv").symlink_to(path)
    paths = {name: str(tmp_path / name / "{dataset}.tsv") for name in RUNS}
    loaded = coleval.load(str(tmp_path / "gold" / "{dataset}.tsv"), paths, profile="hipe-strict")
    found = rows(loaded.errors(by="dataset", taxonomy="fair"))
    assert len(found) == 6
    for (dataset, system), row in found.items():
        one = coleval.load(*corpora[dataset], profile="hipe-strict")
        one = one.errors(taxonomy="fair").table("overall")
        alone = {r["method"]: r for r in one.filter(system=system).to_dicts()}
        assert row["traditional_f1"] == alone["traditional"]["f1"]
        assert row["f1"] == alone["fair"]["f1"]
        file = folder / "evaluations" / f"{RUNS[system]}_{dataset}_1_nerc_coarse.tsv"
        assert round(row["traditional_f1"], 3) == pytest.approx(_published(file), abs=6e-4)


def _published(file):
    frame = pl.read_csv(file, separator="\t", infer_schema=False, quote_char=None)
    strict = frame.filter(
        pl.col("Evaluation") == "NE-COARSE-LIT-micro-strict-TIME-ALL-LED-ALL",
        pl.col("Label") == "ALL",
    )
    return float(strict["F1"][0])
