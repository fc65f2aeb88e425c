"""``validate`` over a whole shared task: what is missing, what is too much, and whose it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coleval.cli.main import main

ENGLISH = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"
GERMAN = "Ute\tB-PER\nliest\tO\n\nUlm\tB-ORG\n"
ERRED = ENGLISH.replace("B-LOC", "O")
TEMPLATES = ("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what writes files of the current directory by their names."""
    monkeypatch.chdir(tmp_path)

    def written(files: dict[str, str]) -> None:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return written


@pytest.fixture
def validated(capsys):
    """Return what gives the exit code, the problems and the verdicts of some sources."""

    def validated(*sources: str):
        code = main(["validate", *sources, "--as", "json", "--quiet"])
        tables = json.loads(capsys.readouterr().out)["tables"]
        return code, tables["problems"], tables["systems"]

    return validated


def test_a_sound_task_has_no_problems(here, validated):
    here({"gold/en.conll": ENGLISH, "runs/a/en.conll": ERRED})
    here({"gold/de.conll": GERMAN, "runs/a/de.conll": GERMAN})
    code, problems, systems = validated(*TEMPLATES)
    assert (code, problems) == (0, [])
    assert [(row["system"], row["tokens"]) for row in systems] == [
        ("gold", 3), ("a", 3), ("gold", 3), ("a", 3),
    ]  # fmt: skip


def test_missing_runs_are_listed_by_system_and_are_fatal(here, validated):
    here({f"gold/{name}.conll": ENGLISH for name in ("d1", "d2", "d10")})
    here({"runs/a/d2.conll": ERRED, "runs/b/d1.conll": ENGLISH, "runs/b/d2.conll": ERRED})
    code, problems, _ = validated(*TEMPLATES)
    assert code == 1
    assert [(p["kind"], p["problem"], p["n"], p["fatal"]) for p in problems] == [
        ("missing run", "`a` has no run on 2 of 3 gold files: d1, d10", 2, True),
        ("missing run", "`b` has no run on 1 of 3 gold files: d10", 1, True),
    ]


def test_runs_without_gold_are_listed_and_not_fatal(here, validated):
    here({"gold/en.conll": ENGLISH, "runs/a/en.conll": ERRED, "runs/a/fr.conll": ENGLISH})
    here({"runs/b/en.conll": ENGLISH.replace("B-PER", "O"), "runs/b/fr.conll": ENGLISH})
    code, problems, _ = validated(*TEMPLATES)
    assert code == 0
    assert [(p["kind"], p["problem"]) for p in problems] == [
        ("runs without gold", "2 runs are for no gold file: runs/a/fr.conll, runs/b/fr.conll")
    ]


def test_every_file_that_no_template_matches_is_listed_and_not_fatal(here, validated):
    here({f"{place}/en.conll": ENGLISH for place in ("gold", "runs/a", "runs/a/final", "runs/b")})
    here({f"runs/b/{k}.txt": ENGLISH for k in range(4)})
    code, problems, _ = validated(*TEMPLATES)
    assert code == 0
    assert {(p["kind"], p["problem"]) for p in problems} == {
        ("unread files", "matches no template"),
        ("identical answers", "every answer is that of gold"),
    }
    assert [p["file"] for p in problems if p["kind"] == "unread files"] == [
        "runs/a/final/en.conll", *(f"runs/b/{k}.txt" for k in range(4))
    ]  # fmt: skip


def test_a_label_that_gold_of_another_dataset_has_is_no_problem(here, validated):
    here({"gold/en.conll": ENGLISH, "runs/a/en.conll": ENGLISH.replace("LOC", "ORG")})
    here({"gold/de.conll": GERMAN, "runs/a/de.conll": GERMAN.replace("ORG", "ROG")})
    code, problems, _ = validated(*TEMPLATES)
    assert code == 0
    assert [(p["file"], p["problem"]) for p in problems] == [
        ("runs/a/de.conll", "`ROG` is a label that gold never has")
    ]


def test_every_broken_run_is_listed_with_its_file_and_line(here, validated):
    here({"gold/en.conll": ENGLISH, "gold/de.conll": GERMAN})
    here({"runs/a/en.conll": ENGLISH.replace("sees", "saw"), "runs/a/de.conll": "Ute\tO\n"})
    here({"runs/b/en.conll": "Ann B PER\n", "runs/b/de.conll": GERMAN})
    code, problems, systems = validated(*TEMPLATES)
    assert code == 1
    assert {p["file"] for p in problems if p["fatal"]} == {"runs/a/de.conll", "runs/b/en.conll"}
    verdicts = {row["path"]: row["verdict"] for row in systems}
    assert verdicts["runs/b/de.conll"] == "valid"
    assert verdicts["runs/b/en.conll"] == "invalid"


def test_ids_that_nobody_expects_and_ids_that_are_missing_are_listed_by_system(here, validated):
    here({"gold/x.txt": "1 A\n2 B\n3 A\n", "gold/y.txt": "4 A\n5 B\n"})
    here({"runs/a/x.txt": "1 A\n2 B\n9 A\n", "runs/a/y.txt": "4 A\n5 C\n"})
    here({"runs/b/x.txt": "1 A\n2 B\n3 B\n", "runs/b/y.txt": "5 A\n"})
    code, problems, _ = validated("gold/{dataset}.txt", "runs/{system}/{dataset}.txt", "--task",
                                  "label")  # fmt: skip
    assert code == 1
    found = sorted((Path(p["file"]).parent.name, p["kind"], p["problem"], p["n"]) for p in problems)
    assert found == [
        ("a", "labels", "`C` is a label that gold never has", 1),
        ("a", "reading", "1 id is not in gold: `9`; it lacks 1 of gold's 3: `3`", 1),
        ("b", "missing", "lacks 1 of gold's 2 ids: `4`", 1),
    ]


def test_ids_that_nobody_expects_are_still_an_error_of_every_other_command(here, capsys):
    here({"gold/x.txt": "1 A\n2 B\n", "runs/a/x.txt": "1 A\n9 B\n8 B\n"})
    assert main(["score", "gold/{dataset}.txt", "runs/{system}/{dataset}.txt", "--task", "label",
                 "--missing", "wrong"]) == 1  # fmt: skip
    assert "2 ids are not in gold: `9`, `8`" in capsys.readouterr().err


def test_a_submission_that_is_gold_or_another_on_every_dataset_is_flagged(here, validated):
    here({"gold/en.conll": ENGLISH, "gold/de.conll": GERMAN})
    for name, english, german in (("a", ENGLISH, GERMAN), ("b", ERRED, GERMAN),
                                  ("c", ERRED, GERMAN), ("d", ENGLISH, ERRED)):  # fmt: skip
        here({f"runs/{name}/en.conll": english, f"runs/{name}/de.conll": german})
    code, problems, _ = validated(*TEMPLATES)
    assert code == 1  # d has other words
    same = [(p["file"], p["problem"]) for p in problems if p["kind"] == "identical answers"]
    assert same == [
        ("runs/a/de.conll", "every answer is that of gold"),
        ("runs/c/de.conll", "every answer is that of `b` (runs/b/de.conll)"),
    ]
