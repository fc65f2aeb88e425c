"""Bundles, run as their platforms run them: gold scores 1, bad submissions get sentences."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from coleval.cli.main import main

DE = "Ute\tB-PER\nliest\tO\n\nUlm\tB-LOC\n"
FR = "Luc\tB-PER\nva\tO\nNice\tB-LOC\n"


@pytest.fixture
def task(tmp_path, monkeypatch):
    """Return a task of two datasets with two systems, which is the current directory."""
    for name, text in (("de", DE), ("fr", FR)):
        for place, content in (
            ("gold", text),
            ("runs/a", text),
            ("runs/b", text.replace("PER", "LOC")),
        ):
            path = tmp_path / place / f"{name}.conll"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    return tmp_path


def called(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True,
                          check=False)  # fmt: skip


def sent(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write a submission, unpacked."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


BAD = {
    "no file": ({"answers.txt": DE}, "The submission has: answers.txt. Expected: {dataset}.conll."),
    "short": ({"de.conll": DE[4:], "fr.conll": FR}, "de is invalid"),
    "pdf": (
        {"de.conll": b"%PDF-1.4\n\x00", "fr.conll": FR},
        "This is a PDF. Is it the right file?",
    ),
    "empty": ({}, "The submission has: no files."),
}


def test_the_bundle_for_codabench_runs_as_codabench_runs_it(task, tmp_path):
    assert main(["adapt", "codabench", "-o", "bundle", "--title", "Names: a task", "--quiet"]) == 0
    bundle = task / "bundle"
    config = yaml.safe_load((bundle / "competition.yaml").read_text(encoding="utf-8"))
    assert config["title"] == "Names: a task"
    (first,), pages = config["tasks"], [page["file"] for page in config["pages"]]
    named = (config["image"], config["terms"], first["scoring_program"], first["reference_data"])
    for name in (*pages, *named):
        assert (bundle / name).exists()
    keys = [column["key"] for column in config["leaderboards"][0]["columns"]]
    assert keys[:4] == ["f1_mean_of_datasets", "f1", "f1_de", "f1_fr"]
    app = tmp_path / "app"
    shutil.copytree(bundle / "reference_data", app / "input/ref")
    command = (
        (bundle / "scoring_program/metadata.yaml").read_text(encoding="utf-8").split(maxsplit=2)
    )
    assert command[:2] == ["command:", "python3"]
    program = bundle / "scoring_program/scoring.py"
    scores = {}
    # A zip with all files in a folder of its own is as usual as one without.
    in_a_folder = {"mine/de.conll": DE.replace("PER", "LOC"), "mine/fr.conll": FR}
    for name, files in (("a", {"de.conll": DE, "fr.conll": FR}), ("b", in_a_folder)):
        sent(app / "input/res", files)
        done = called(program, app / "input", app / "output")
        assert (done.returncode, done.stderr) == (0, "")
        scores[name] = json.loads((app / "output/scores.json").read_text(encoding="utf-8"))
        assert list(scores[name]) == keys
    assert set(scores["a"].values()) == {1.0}
    assert (scores["b"]["f1_fr"], scores["b"]["f1_de"]) == (1.0, 0.5)
    assert "<html" in (app / "output/detailed_results.html").read_text(encoding="utf-8")
    for files, said in BAD.values():
        shutil.rmtree(app / "output")
        sent(app / "input/res", files)
        done = called(program, app / "input", app / "output")
        assert done.returncode == 1
        assert said in done.stdout
        assert "Traceback" not in done.stderr
        assert str(app) not in done.stdout
        assert not (app / "output/scores.json").exists()
        assert said.partition("{")[0] in (app / "output/detailed_results.html").read_text("utf-8")


def test_a_dataset_that_is_not_sent_counts_as_wrong_and_is_named(task, tmp_path):
    assert main(["adapt", "codabench", "--quiet"]) == 0
    app = tmp_path / "app"
    shutil.copytree(task / "bundle/reference_data", app / "input/ref")
    sent(app / "input/res", {"de.conll": DE})
    done = called(task / "bundle/scoring_program/scoring.py", app / "input", app / "output")
    scores = json.loads((app / "output/scores.json").read_text(encoding="utf-8"))
    assert (done.returncode, scores["f1_de"], scores["f1_fr"]) == (0, 1.0, 0.0)
    assert "has no run on 1 of 2 gold files: fr" in done.stdout


def test_the_evaluator_for_tira_writes_the_prototext_that_tira_reads(task, tmp_path):
    assert main(["adapt", "tira", "-o", "bundle", "--quiet"]) == 0
    bundle, out = task / "bundle", tmp_path / "out"
    run = sent(tmp_path / "run", {"de.conll": DE, "fr.conll": FR})
    done = called(bundle / "evaluate.py", bundle / "truth", run, out)
    assert done.returncode == 0
    text = (out / "evaluation.prototext").read_text(encoding="utf-8")
    measures = dict(re.findall(r'measure\{\n  key: "(.*)"\n  value: "(.*)"\n\}\n', text))
    assert measures["f1"] == "1.0"
    sent(run, {"de.conll": DE[4:]})
    done = called(bundle / "evaluate.py", bundle / "truth", run, tmp_path / "bad")
    assert (done.returncode, (tmp_path / "bad/evaluation.prototext").exists()) == (1, False)
    assert "Line" in done.stdout
    docker = (bundle / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"polars==\d", docker)


def test_the_script_for_evalai_has_the_function_that_evalai_calls(task, tmp_path):
    assert main(["adapt", "evalai", "-o", "bundle", "--quiet"]) == 0
    bundle = task / "bundle"
    config = yaml.safe_load((bundle / "challenge_config.yaml").read_text(encoding="utf-8"))
    phase = config["challenge_phases"][0]
    unpacked = tmp_path / "evaluation"
    with zipfile.ZipFile(bundle / config["evaluation_script"]) as script:
        script.extractall(unpacked)
    spec = importlib.util.spec_from_file_location("evaluation", unpacked / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["evaluation"] = module
    spec.loader.exec_module(module)
    packed = shutil.make_archive(
        str(tmp_path / "sent"), "zip", sent(tmp_path / "s", {"de.conll": DE, "fr.conll": FR})
    )
    found = module.evaluate(str(bundle / phase["test_annotation_file"]), packed, phase["codename"],
                            submission_metadata={})  # fmt: skip
    (scores,) = found["result"]
    assert list(scores) == [config["dataset_splits"][0]["codename"]]
    assert scores["test"].keys() == {*config["leaderboard"][0]["schema"]["labels"]}
    assert scores["test"]["f1"] == 1.0
    bad = shutil.make_archive(
        str(tmp_path / "bad"), "zip", sent(tmp_path / "s", {"de.conll": "Ute\tO\n"})
    )
    with pytest.raises(ValueError, match="de is invalid"):
        module.evaluate(str(bundle / phase["test_annotation_file"]), bad, phase["codename"])


def test_a_task_of_one_file_takes_that_file(tmp_path, monkeypatch):
    answers = "id\tlabel\n1\tA\n2\tA\n"
    sent(tmp_path, {"gold.tsv": answers.replace("2\tA", "2\tB"), "runs/x.tsv": answers})
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert main(["adapt", "evalai", "-o", "b", "--quiet"]) == 0
    from coleval.cli.platforms import evalai

    found = evalai(
        Path("b/evaluation_script/settings.json"), "b/annotations/gold.zip", "runs/x.tsv"
    )
    assert found["result"][0]["test"]["accuracy"] == 0.5


def test_a_bundle_counts_by_the_profile_of_the_task(task, tmp_path):
    assert main(["adapt", "tira", "-o", "bundle", "--profile", "conlleval", "--quiet"]) == 0
    settings = json.loads((task / "bundle/settings.json").read_text(encoding="utf-8"))
    assert settings["options"]["profile"] == "conlleval"
    run = sent(tmp_path / "run", {"de.conll": DE, "fr.conll": FR})
    done = called(task / "bundle/evaluate.py", task / "bundle/truth", run, tmp_path / "o")
    assert (done.returncode, done.stderr) == (0, "")
    assert main(["init", "--fresh"]) == 0
    text = (task / "coleval.toml").read_text(encoding="utf-8")
    assert '"gold/{dataset}.conll"' in text


@pytest.mark.parametrize("platform", ["codabench", "tira", "evalai"])
def test_the_page_for_participants_has_nothing_of_gold(task, platform):
    assert main(["adapt", platform, "-o", "bundle", "--quiet"]) == 0
    hidden = {"codabench": "reference_data", "tira": "truth", "evalai": "annotations"}[platform]
    for path in (task / "bundle").rglob("*"):
        if path.is_file() and hidden not in path.parts and path.name != "bundle.zip":
            assert b"Ulm" not in path.read_bytes()
    pages = [*(task / "bundle").glob("task.md"), *(task / "bundle").glob("templates/task.html")]
    assert "`de.conll`, `fr.conll`" in pages[0].read_text(encoding="utf-8")


def test_adapt_refuses_a_folder_with_files_and_an_unknown_platform(task, capsys):
    assert main(["adapt", "codabench", "-o", "gold"]) == 2
    assert main(["adapt", "codabenhc"]) == 2
    assert "did you mean `codabench`" in capsys.readouterr().err
