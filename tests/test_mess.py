"""Forty submissions as they come in: each has its verdict, and what is valid is scored."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import ColevalWarning, DataError
from mess import EXPECTED, INVALID, LOST, MISSING, mess


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Return the templates of gold and the submissions."""
    return mess(tmp_path_factory.mktemp("mess"))


@pytest.fixture
def ran(capsys):
    """Return what runs a command and gives its exit code, its JSON and what it says."""

    def ran(*words: str):
        capsys.readouterr()
        code = main([*map(str, words), "--as", "json"])
        said = capsys.readouterr()
        return code, json.loads(said.out), said.err

    return ran


def test_every_submission_of_the_mess_has_its_verdict(sources, ran):
    code, report, _ = ran("validate", *sources)
    rows = report["tables"]["verdicts"]
    assert code == 1
    assert {r["system"]: r["verdict"] for r in rows if r["dataset"] == "de"} == {
        "gold": "valid", **EXPECTED,
    }  # fmt: skip
    others = {r["system"]: r["verdict"] for r in rows if r["dataset"] == "fr"}
    assert {name for name, verdict in others.items() if verdict != "valid"} == {"leaked", "twin"}


def test_no_file_and_no_fault_of_the_mess_is_silent(sources, ran):
    _, report, _ = ran("validate", *sources)
    problems = report["tables"]["problems"]
    folder = Path(sources[1].partition("/runs/")[0]) / "runs"
    named = {row["file"] for row in problems} | {row["path"] for row in report["tables"]["systems"]}
    assert {str(path) for path in folder.rglob("*") if path.is_file()} <= named
    assert {name for name, verdict in EXPECTED.items() if verdict != "valid"} <= {
        row["system"] for row in problems
    }


def test_all_independent_problems_of_a_file_come_in_one_run(sources, ran, tmp_path):
    broken = Path(sources[1].format(system="unlabelled", dataset="de"))
    lines = broken.read_text(encoding="utf-8").split("\n")
    lines[30], lines[31] = "", lines[31].partition("\t")[0] + "\tB-PRE"
    path = tmp_path / "a.conll"
    path.write_text("\n".join(lines), encoding="utf-8")
    gold = sources[0].format(dataset="de")
    _, report, _ = ran("validate", gold, path)
    kinds = {row["kind"] for row in report["tables"]["problems"]}
    assert kinds == {"reading", "sentence count", "labels"}


def test_after_a_lost_sentence_the_others_are_compared_with_their_own(tmp_path, ran):
    words = ("Ann", "Bob", "Eve", "Jim", "Kim", "Lou", "Sue")
    sentences = [f"{word}\tO\nsaw\tO\n{word}\tB-PER\n" for word in words]
    gold, run = tmp_path / "gold.conll", tmp_path / "a.conll"
    gold.write_text("\n".join(sentences), encoding="utf-8")
    del sentences[1], sentences[4]
    sentences[2] = sentences[2].replace("saw\tO\n", "", 1)
    sentences.append("More\tO\n")
    run.write_text("\n".join(sentences), encoding="utf-8")
    _, report, _ = ran("validate", gold, run)
    problems = [row for row in report["tables"]["problems"] if row["fatal"]]
    assert [(row["line"], row["kind"]) for row in problems] == [
        (9, "sentence count"), (5, "sentences"), (9, "sentences"), (16, "sentences"),
        (20, "sentences"),
    ]  # fmt: skip
    assert "gold's sentence `Bob saw Bob`" in problems[1]["problem"]
    assert "sentence of 2 tokens `Jim Jim` where gold has sentence of 3" in problems[2]["problem"]
    assert "gold's sentence `Lou saw Lou`" in problems[3]["problem"]
    assert "`More` is not in gold" in problems[4]["problem"]


def test_the_valid_are_scored_as_if_the_others_had_not_come(sources, ran, tmp_path):
    code, report, _ = ran("score", *sources, "--skip", "invalid", "--by", "dataset")
    assert code == 0
    clean = tmp_path / "runs"
    bad = {name for name, verdict in EXPECTED.items() if verdict in (INVALID, MISSING, LOST)}
    for name in EXPECTED.keys() - bad:
        shutil.copytree(Path(sources[1].format(system=name, dataset="")).parent, clean / name)
    again = coleval.load(sources[0], str(clean / "{system}/{dataset}.conll")).score(by="dataset")
    ours = {(r["by"], r["system"]): r["f1"] for r in report["tables"]["by"]}
    for row in again["by"].to_dicts():
        assert ours[row["by"], row["system"]] == row["f1"]
    for name in bad:
        assert ours["de", name] == 0
        assert ours["fr", name] > 0


def test_what_is_left_out_and_why_is_in_the_warnings_of_every_report(sources, ran):
    invalid = [name for name, verdict in EXPECTED.items() if verdict == INVALID]
    for command in ("score", "bins", "compare"):
        code, report, said = ran(command, *sources, "--skip", "invalid")
        (warning,) = (text for text in report["warnings"] if "left out" in text)
        assert code == 0
        assert all(f"{name} on de: " in warning for name in invalid)
        assert f"warning: {warning}" in said
    assert ran("score", *sources, "--skip", "invalid", "--strict")[0] == 1


def test_a_store_takes_the_valid_and_says_what_it_lacks(sources, ran, tmp_path):
    store = tmp_path / "store"
    words = [*sources, "--skip", "invalid", "-o", str(store), "--quiet"]
    assert main(["load", *words]) == 0
    _, first, _ = ran("score", store)
    assert "latin1 on de: " in " ".join(first["warnings"])
    late = Path(sources[1].format(system="late", dataset="de"))
    good = Path(sources[1].format(system="good1", dataset="de")).read_bytes()
    late.parent.mkdir()
    try:
        late.write_bytes(good[:200])
        assert main(["load", *words]) == 0
        _, second, _ = ran("score", store)
        said = " ".join(second["warnings"])
        assert "late on de: " in said
        assert "latin1 on de: " in said
        late.write_bytes(good)
        assert main(["load", *words]) == 0
        _, third, _ = ran("score", store, "--by", "dataset")
        assert "late on de" not in " ".join(third["warnings"])
        scores = {(r["by"], r["system"]): r["f1"] for r in third["tables"]["by"]}
        assert scores["de", "late"] == scores["de", "good1"]
        late.write_bytes(good[:200])
        assert main(["load", *words]) == 0
        assert "its earlier run stays" in " ".join(ran("score", store)[1]["warnings"])
    finally:
        shutil.rmtree(late.parent)


def test_encodings_are_detected_file_by_file_and_said(sources, ran):
    _, report, _ = ran("validate", *sources, "--encoding", "auto")
    rows = report["tables"]["verdicts"]
    verdicts = {r["system"]: r["verdict"] for r in rows if r["dataset"] == "de"}
    assert (verdicts["latin1"], verdicts["utf16"]) == ("valid with warnings",) * 2
    said = {r["system"]: r["problem"] for r in report["tables"]["problems"]
            if r["kind"] == "encoding"}  # fmt: skip
    assert said == {
        "latin1": "is not UTF-8: read as cp1252",
        "utf16": "is not UTF-8: read as utf-16",
    }
    assert coleval.load(sources[0].format(dataset="de"), {
        "a": sources[1].format(system="latin1", dataset="de"),
    }, encoding="auto").score()["overall"]["f1"][0] > 0.5  # fmt: skip


def test_a_file_whose_columns_are_swapped_is_told_which_is_which(sources, ran):
    _, report, _ = ran("validate", *sources)
    (remedy,) = (r["remedy"] for r in report["tables"]["problems"]
                 if r["system"] == "swapped" and r["fatal"])  # fmt: skip
    assert "--columns form=2,system=1" in remedy


def test_a_team_is_told_what_to_mend_in_its_lines_and_nothing_of_others(sources, tmp_path):
    note = tmp_path / "note.md"
    assert main(["validate", *sources, "--for", "lost", "-o", str(note)]) == 1
    text = note.read_text(encoding="utf-8")
    assert "- de is invalid: it cannot be scored as it is." in text
    assert "Line 29: sentence 5 has 7 tokens, gold has 8" in text
    assert "sentence 8 has 4 tokens, gold has 6" in text
    assert "--" not in text
    main(["validate", *sources, "--for", "twin", "-o", str(note)])
    assert "good1" not in note.read_text(encoding="utf-8")
    assert main(["validate", *sources, "--for", "lsot"]) == 2


def test_files_that_a_store_has_of_another_system_are_named(sources, ran, tmp_path):
    store = tmp_path / "store"
    gold, run = (text.format(dataset="de", system="good3") for text in sources)
    assert main(["load", gold, run, "-o", str(store), "--quiet"]) == 0
    copy = tmp_path / "again.conll"
    shutil.copy(run, copy)
    _, report, _ = ran("validate", gold, copy, "--earlier", store)
    (problem,) = report["tables"]["problems"]
    assert (problem["kind"], problem["system"]) == ("identical files", "again")
    assert "`de`" in problem["problem"]


def test_gold_that_cannot_be_read_is_never_skipped(sources, tmp_path, capsys):
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann\tO\nsees\n", encoding="utf-8")
    run = sources[1].format(dataset="de", system="good3")
    assert main(["score", str(gold), run, "--skip", "invalid"]) == 1
    assert "gold.conll:2" in capsys.readouterr().err


def test_python_skips_what_is_invalid_too(sources):
    gold = sources[0].format(dataset="de")
    good, bad = (sources[1].format(dataset="de", system=name) for name in ("good1", "pdf"))
    with pytest.warns(ColevalWarning, match="1 file is left out: pdf: is a PDF"):
        corpus = coleval.load(gold, {"good1": good, "pdf": bad}, skip="invalid")
    assert corpus.systems == ("good1",)
    with pytest.raises(DataError, match="none of 1 files can be scored; pdf: is a PDF"):
        coleval.load(gold, {"pdf": bad}, skip="invalid")


def test_strict_fails_on_warnings(sources):
    gold, run = (text.format(dataset="de", system="quotes") for text in sources)
    assert main(["validate", gold, run, "--quiet"]) == 0
    assert main(["validate", gold, run, "--quiet", "--strict"]) == 1
    assert main(["score", gold, run, "--quiet", "--strict"]) == 1
    good = sources[1].format(dataset="de", system="good1")
    assert main(["score", gold, good, "--quiet", "--strict"]) == 0
