"""The benchmarks cannot rot: a tiny run of all of them, of all peers, and the harness by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import limits  # noqa: E402
import plain  # noqa: E402
import scale  # noqa: E402
import showing  # noqa: E402
from measure import Target, faster, least, skipped  # noqa: E402

# Where peers were fetched to, each under the name of its repository.
FETCHED = Path(os.environ.get("COLEVAL_PEERS") or BENCHMARKS.parents[1] / "peers")

# ---------------------------------------------------------------------------------- one tiny run


def ran(script: str, folder: Path, *words: object) -> None:
    command = [sys.executable, str(BENCHMARKS / script), *map(str, words)]
    command += ["--data", str(folder / "data")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> tuple[dict, str]:
    folder = tmp_path_factory.mktemp("suite")
    ran("suite.py", folder, "--size", "tiny", "-o", folder)
    result = json.loads((folder / "results-tiny.json").read_text(encoding="utf-8"))
    return result, (folder / "RESULTS.md").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_every_row_of_the_limits_is_measured_or_says_why_not(tiny):
    rows = tiny[0]["parts"]["limits"]
    assert {row["row"] for row in rows} == set(limits.ROWS)
    for row in rows:
        # What grows, and what starting takes off, may be nothing but noise here.
        noisy = row["name"].startswith(("growth of ", "bins + confusion"))
        figures = (row["ours"], row["other"]) if noisy else (row["ratio"],)
        assert row["skipped"] or min(figures) > 0, row["name"]
        assert row["skipped"] != "see its script", row["row"]


@pytest.mark.nightly
def test_peers_that_are_not_there_are_named_with_the_way_to_get_them(tiny):
    why = {row["name"]: row["skipped"] for row in tiny[0]["parts"]["limits"]}
    assert why["seqeval ÷ coleval"] == ""
    assert why["CoVal ÷ coleval"] == "--coval DIR: github:andreasvc/coval"
    assert why["UD evaluation ÷ coleval"].startswith("--ud FILE: github:ufal/conll2018")


@pytest.mark.nightly
def test_the_results_say_when_where_and_how_to_repeat_them(tiny):
    result, text = tiny
    assert result["machine"].keys() >= {"cpu", "cores", "python", "polars", "seqeval"}
    assert result["date"][:10] in text
    assert result["command"] in text
    assert "| 16  store on disk |" in text


# --------------------------------------------------------------------------- peers that are fetched

# What a peer is called by, answered by plain loops or by ourselves: so that its branch is run where
# nothing was fetched, too.
FAIREVAL = f"""
import sys
sys.path.append({str(Path(__file__).parent)!r})
import oracle_errors

def compare_spans(gold, system):
    sides = [[(label, begin, end, frozenset(own)) for label, begin, end, own in side]
             for side in (gold, system)]
    counts = oracle_errors.by_label(oracle_errors.fair(*sides), "target")
    fair = {{}}
    for (label, kind), n in counts.items():
        row = fair.setdefault(label, dict.fromkeys("TP LE BES BEL BEO LBE FN FP".split(), 0))
        row[kind.upper()] += n
    return {{"per_label": {{"fair": fair}}}}
"""
COVAL_READER = "def get_coref_infos(gold, system, *_): return gold, system\n"
COVAL_EVALUATOR = """
import coleval
muc, b_cubed, ceafe, ceafm, lea = "muc", "b3", "ceafe", "ceafm", "lea"

def evaluate_documents(found, metric, beta):
    rows = coleval.load(*found, task="coref").score()["overall"].to_dicts()
    return next((r["recall"], r["precision"], r["f1"]) for r in rows if r["metric"] == metric)
"""
UD = """
from types import SimpleNamespace
import coleval
NAMES = ("correct", "gold", "predicted", "aligned")

def load_conllu_file(path): return path

def evaluate(gold, system):
    rows = coleval.load(gold, {"s": system}, task="dep").score()["overall"].to_dicts()
    return {r["metric"]: SimpleNamespace(correct=r["correct"], gold_total=r["gold"],
                                         system_total=r["predicted"], aligned_total=r["aligned"])
            for r in rows}
"""
COMPAREVAL = """
import sys
labels = [[line.split()[1] for line in open(path) if line.strip()] for path in sys.argv[1:]]
changes = {}
for gold, a, b in zip(*labels):
    if a != b:
        kind = "new error" if a == gold else "correction" if b == gold else "changed error"
        path = (gold, a, b) if kind == "changed error" else (a, b)
        changes[path, kind] = changes.get((path, kind), 0) + 1
sys.stdout.write("Label changes by frequency:\\n")
for (path, kind), n in changes.items():
    sys.stdout.write("%s 1.0 %% (%d/%d) %s\\n" % (" -> ".join(path), n, n, kind))
"""
STAND_INS = {
    "FairEval/src/FairEval.py": FAIREVAL,
    "coval/coval/conll/reader.py": COVAL_READER,
    "coval/coval/eval/evaluator.py": COVAL_EVALUATOR,
    "conll2018/evaluation_script/conll18_ud_eval.py": UD,
    "ComparEval/pos_tagging/compare_pos_taggers.py": COMPAREVAL,
}
PLACES = {
    "FairEval": ("--faireval", "FairEval/src"),
    "CoVal": ("--coval", "coval"),
    "UD evaluation": ("--ud", "conll2018/evaluation_script/conll18_ud_eval.py"),
    "ComparEval": ("--compareval", "ComparEval"),
}


def part_of(treebank: Path, folder: Path) -> Path:
    """Return two runs of a treebank, and what is expected of them."""
    runs = ("AntNLP", "ArmParser")
    (folder / "systems").mkdir(parents=True)
    for name in ("gold.conllu", *(f"systems/{run}.conllu.gz" for run in runs)):
        (folder / name).symlink_to(treebank / name)
    expected = "expected_conll18_ud_eval.tsv"
    lines = (treebank / expected).read_text(encoding="utf-8").splitlines()
    chosen = [line for line in lines if line.partition("\t")[0] in ("system", *runs)]
    (folder / expected).write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return folder


@pytest.mark.nightly
@pytest.mark.parametrize("there", [False, True], ids=["stand-ins", "fetched"])
def test_every_branch_of_a_fetched_peer_is_measured(tmp_path, data, there):
    if there:
        paths = {name: FETCHED / place for name, (_, place) in PLACES.items()}
        absent = [name for name, path in paths.items() if not path.exists()]
        if absent:
            pytest.skip(f"not fetched to {FETCHED} (COLEVAL_PEERS): {', '.join(absent)}")
    else:
        paths = {name: tmp_path / place for name, (_, place) in PLACES.items()}
        for place, text in STAND_INS.items():
            (tmp_path / place).parent.mkdir(parents=True)
            (tmp_path / place).write_text(text, encoding="utf-8")
    words = [word for name, path in paths.items() for word in (PLACES[name][0], path)]
    words += ["--ud-data", part_of(data("conll18-ud/en_gum"), tmp_path / "en_gum")]
    result = tmp_path / "result.json"
    ran("peers.py", tmp_path, "--tokens", 1000, "--systems", 2, "--rounds", 1, "--sample", 500,
        "--coref-tokens", 4000, *words, "-o", result)  # fmt: skip
    rows = json.loads(result.read_text(encoding="utf-8"))["targets"]
    measured = {row["name"].partition(" ÷")[0] for row in rows if not row["skipped"]}
    assert measured >= {*PLACES, "seqeval", "scikit-learn"}


@pytest.mark.nightly
def test_the_report_is_measured_beside_the_peers_that_do_its_parts(tmp_path, monkeypatch):
    import peers

    (tmp_path / "FairEval.py").write_text(FAIREVAL, encoding="utf-8")
    monkeypatch.setattr(peers, "PARTS", ("seqeval",))
    asked = Namespace(tokens=1000, systems=2, rounds=1, sample=500, data=tmp_path / "data",
                      faireval=tmp_path, systems_measured=1, compareval=None, coval=None,
                      ud=None)  # fmt: skip
    (row,) = (row for row in peers.targets(asked) if row.name == peers.ALL)
    assert (row.row, row.skipped, row.ratio > 0) == (1, "", True)


# ------------------------------------------------------------------------------------ the harness


@pytest.mark.parametrize(
    ("ratio", "at_least", "reached"),
    [(1.5, False, "must"), (2.5, False, "MISSED"), (2.5, True, "must"), (0.5, True, "MISSED")],
)  # fmt: skip
def test_a_figure_reaches_its_must_or_misses_it(ratio, at_least, reached):
    target = Target("x", 1, 1, ratio, 2, at_least=at_least)
    assert target.reached == reached
    assert target.met == (reached != "MISSED")


def test_a_figure_that_was_not_measured_misses_nothing():
    assert skipped("x", "no compiler", row=7).reached == "skipped"
    assert skipped("x", "no compiler", row=7).met


def test_the_least_of_each_side_counts_and_a_scaled_other_is_scaled():
    seconds = {"ours": [2.0, 1.0], "other": [4.0, 5.0]}
    assert least("x", seconds, "ours", "other").ratio == 0.25
    assert faster("x", seconds, "ours", "other", scale=10).ratio == 40
    assert least("x", seconds, "ours", "other").noise == 1.0
    assert Target("x", 1, 1, 1).noise is None


def test_a_bound_that_a_tiny_corpus_misses_is_not_called_missed():
    target = Target("x", 1, 1, 100, 2)
    assert target.plain(1_000)["reached"] == "too small"
    assert target.plain(2_000_000)["reached"] == "MISSED"


@pytest.mark.parametrize(
    ("ratio", "bar"), [(2, "██████┃"), (1, "██████┃█"), (4, "████  ┃"), (1e9, "█     ┃")]
)
def test_a_bar_ends_at_the_bound_or_a_cell_for_each_factor_of_the_root_of_two(ratio, bar):
    assert showing.bar(Target("x", 1, 1, ratio, 2).plain(0)) == bar


def test_rows_come_in_order_and_those_without_a_figure_are_not_forgotten():
    found = limits.in_order([Target("b", 1, 1, 1, row=2), Target("a", 1, 1, 1, row=1),
                             Target("beside", 1, 1, 1)])  # fmt: skip
    assert [target.row for target in found] == list(limits.ROWS)
    assert [target.name for target in found[:2]] == ["a", "b"]
    assert all(target.skipped for target in found[2:])


def test_slopes_of_a_power_law_are_its_exponents():
    points = [(t, s, 1e-6 * t**0.9 * s**0.5, 0) for t in (10, 100, 1000) for s in (4, 24, 100)]
    assert scale.fitted(points) == pytest.approx((0.9, 0.5))


def test_growth_is_measured_before_the_rest_of_the_grid():
    points = scale.grid(Namespace(tokens=2_000_000, systems=24))
    assert points[:2] == [(2_000_000, 24), (10_000_000, 24)]
    assert {(100_000, 4), (20_000_000, 100)} <= set(points)
    assert len(points) == len(set(points))


# ----------------------------------------------------------------------- what we are measured with

TAG = st.sampled_from(["O", "O", "B-A", "I-A", "B-B", "I-B"])
LAYERS = st.lists(st.lists(st.tuples(TAG, TAG), min_size=1, max_size=7), max_size=5)


@given(LAYERS)
def test_the_conlleval_loop_and_the_sets_count_the_same_spans(sentences):
    gold, system = ([[pair[k] for pair in sentence] for sentence in sentences] for k in (0, 1))
    assert plain.conlleval(gold, system) == plain.sets(gold, system)
