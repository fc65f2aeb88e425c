"""``coleval bench``: what is timed, beside whom, and that no time is told for other answers."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import polars as pl
import pytest

import coleval
from coleval.bench import peers, running
from coleval.bench.running import Subject, TimingPlan, bench
from coleval.bench.timing import noise
from coleval.cli.main import main
from coleval.corpus.report import Report
from coleval.render import speed_bars
from coleval.render.console import show

GOLD = "Ann\tB-PER\nsaw\tO\nOslo\tB-LOC\n\nBob\tB-PER\nLee\tI-PER\nleft\tO\n"
GOOD = GOLD.replace("B-LOC", "B-ORG")
POOR = GOLD.replace("I-PER", "O").replace("Ann\tB-PER", "Ann\tO")
STEPS = ("reading", "score", "bins", "confusion", "all pairs", "oracle", "errors", "buckets",
         "bootstrap", "report from text", "report from store")  # fmt: skip


@pytest.fixture
def files(write):
    return write("gold.conll", GOLD), {
        "good": write("good.conll", GOOD),
        "poor": write("poor.conll", POOR),
    }


@pytest.fixture
def subject(files, tmp_path):
    store = coleval.load(*files).save(tmp_path / "store")
    return Subject(lambda: coleval.open(store), lambda: coleval.load(*files))


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Report:
    """Return one run over the three sentences' files and their store."""
    folder = tmp_path_factory.mktemp("bench")
    for name, text in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
        (folder / f"{name}.conll").write_text(text, encoding="utf-8")
    systems = {name: folder / f"{name}.conll" for name in ("good", "poor")}
    read = lambda: coleval.load(folder / "gold.conll", systems)  # noqa: E731
    store = read().save(folder / "store")
    return run(Subject(lambda: coleval.open(store), read))


def rows_of(report: Report, program: str) -> dict[str, dict]:
    rows = report.table("bench").to_dicts()
    return {row["step"]: row for row in rows if row["program"] == program}


def quiet(_: str) -> None:
    return


def run(subject: Subject, rounds: int = 1) -> Report:
    return bench(subject, TimingPlan(rounds, 50), quiet)


def test_every_step_is_timed_and_its_speed_is_answers_over_seconds(report):
    rows = rows_of(report, "coleval")
    assert tuple(rows) == STEPS
    for row in rows.values():
        assert row["answers"] == 12
        assert row["answers_per_second"] == pytest.approx(12 / row["seconds"])
        assert row["ratio"] is None


def test_a_peer_is_as_many_times_slower_as_its_time_for_all_is_longer_than_our_steps(report):
    pytest.importorskip("seqeval")
    ours = rows_of(report, "coleval")
    theirs = rows_of(report, "seqeval")["reading + score"]
    assert theirs["answers"] == 6
    whole = theirs["seconds"] * 12 / 6
    together = ours["reading"]["seconds"] + ours["score"]["seconds"]
    assert theirs["ratio"] == pytest.approx(whole / together)


@pytest.mark.parametrize("name", list(peers.PEERS))
def test_peers_that_are_installed_come_to_our_numbers(report, name):
    if peers.installed(name) == "not installed":
        pytest.skip(f"{name} is not installed")
    row = next(r for r in report.table("bench").to_dicts() if r["program"] == name)
    assert row["seconds"] is not None, row["note"]


def test_a_peer_that_counts_otherwise_gets_no_time(subject, monkeypatch):
    wrong = replace(peers.PEERS["scikit-learn"], ours=lambda _: {"overall": (0.5, 0.5, 0.5)})
    monkeypatch.setitem(peers.PEERS, "scikit-learn", wrong)
    row = rows_of(run(subject), "scikit-learn")["reading + score"]
    assert row["seconds"] is None
    assert row["note"].startswith("counts other labels: B-LOC")


def test_one_number_that_differs_is_named():
    assert (
        peers.unequal({"PER": (1, 2)}, {"PER": (1, 3)})
        == "counts differently: PER: (1, 3), here (1, 2)"
    )
    assert peers.unequal({"PER": (1, 2)}, {"PER": (1, 2)}) == ""


def test_steps_that_the_task_has_not_and_peers_that_are_not_installed_say_so(
    files, tmp_path, monkeypatch
):
    monkeypatch.setattr(peers, "installed", lambda _: "not installed")
    read = lambda: coleval.load(*files, task="tag")  # noqa: E731
    store = read().save(tmp_path / "tags")
    report = run(Subject(lambda: coleval.open(store), read))
    rows = rows_of(report, "coleval")
    assert rows["errors"]["seconds"] is None
    assert rows["errors"]["note"] == "span errors need spans, and the task is tag"
    assert rows["score"]["seconds"] > 0
    notes = {row["program"]: row["note"] for row in report.table("bench").to_dicts()}
    assert notes["seqeval"] == "has nothing for --task tag"
    assert notes["scikit-learn"] == "not installed: pip install scikit-learn"


def test_nothing_is_timed_if_text_and_store_differ(subject, files, monkeypatch):
    other = Subject(
        subject.opened,
        lambda: coleval.load(files[0], {"good": files[1]["poor"], "poor": files[1]["good"]}),
    )
    monkeypatch.setattr(running, "_seconds", pytest.fail)
    with pytest.raises(coleval.ColevalError, match="gives other scores"):
        run(other)


def test_noise_is_how_far_the_second_least_time_lies_above_the_least():
    assert noise([2.0, 1.0, 1.5]) == 0.5
    assert noise([1.0]) is None


# ------------------------------------------------------------------------------------- the console


def table(*rows) -> Report:
    names = (
        "program",
        "step",
        "seconds",
        "answers",
        "answers_per_second",
        "ratio",
        "noise",
        "note",
    )
    return Report("bench", {"bench": pl.DataFrame(rows, schema=names, orient="row")}, "")


TIMED = (
    ("coleval", "reading", 2.0, 100_000_000, 5e7, None, 0.02, ""),
    ("coleval", "score", 0.5, 100_000_000, 2e8, None, 0.03, ""),
    ("seqeval", "reading + score", 0.1, 40_000, 4e5, 100.0, 0.01, "one system"),
    ("nervaluate", "reading + errors", None, None, None, None, None, "not installed"),
)


def test_the_title_tells_the_machine_s_speed_and_a_peer_s():
    assert speed_bars.headline(table(*TIMED[:3]).table().to_dicts()) == (
        "40 M answers/s from text to scores; seqeval 400 k"
    )


def test_each_power_of_ten_is_as_long_as_the_last():
    lengths = [len(speed_bars.bar(value, (3.0, 6.0), 30)) for value in (1e3, 1e4, 1e5, 1e6)]
    assert lengths == [1, 10, 20, 30]


def test_the_screen_has_bars_and_below_them_who_is_left_out_and_why():
    stream = StringIO()
    show(table(*TIMED), stream=stream, width=100, color=False)
    text = stream.getvalue()
    assert "100 ×" in text
    assert "– nervaluate reading + errors: not installed" in text
    assert "the next at most 3% slower" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100


def test_a_screen_without_peers_is_drawn_too():
    assert [v.name for v in speed_bars.views(table(*TIMED[:2], TIMED[3]), 80)] == ["bench"]


# ------------------------------------------------------------------------------------- command line


@pytest.mark.nightly
def test_files_are_made_up_where_none_are_named(capsys):
    assert main(["bench", "--tokens", "600", "--systems", "3", "--rounds", "1", "--as", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("program,step,about,seconds,answers,answers_per_second,ratio,noise")
    assert sum(row.startswith("coleval,") for row in rows) == len(STEPS)
    assert ",1800," in rows[1]


def test_the_user_s_own_files_and_store_are_measured(files, tmp_path, capsys):
    gold, systems = files
    sources = [str(gold), *map(str, systems.values())]
    assert main(["bench", *sources, "--rounds", "1", "--quiet"]) == 0
    assert "report from text" in capsys.readouterr().out
    store = coleval.load(*files).save(tmp_path / "kept")
    assert main(["bench", str(store), "--rounds", "1", "--quiet", "--as", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["bench"]
    untimed = {row["step"]: row["note"] for row in rows
               if row["program"] == "coleval" and row["seconds"] is None}  # fmt: skip
    assert untimed == dict.fromkeys(
        ("reading", "report from text"), "there is no text: the source is a store"
    )


@pytest.mark.parametrize(
    ("options", "problem"),
    [(["--rounds", "0"], "--rounds cannot be 0"), (["--systems", "many"], "is not a number"),
     (["gold.conll", "--tokens", "5"], "--tokens applies to generated data only")],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused(options, problem, capsys):
    assert main(["bench", *options]) == 2
    assert problem in capsys.readouterr().err
