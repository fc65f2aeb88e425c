"""Folders of submissions: ``init`` recognises them, ``board`` keeps pages, ``adapt`` bundles."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path

import pytest

from coleval.cli.main import main
from coleval.loading.recognising import recognise
from mess import EXPECTED, mess


@pytest.fixture
def task(tmp_path, monkeypatch):
    """Return the folder of the mess, which is the current directory."""
    mess(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def placed(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


GOLD = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"


def test_init_recognises_the_mess_and_commands_need_no_source_then(task, capsys):
    assert main(["init"]) == 0
    said = capsys.readouterr().out
    text = Path("coleval.toml").read_text(encoding="utf-8")
    assert 'sources = ["gold/{dataset}.conll", "runs/{system}/{dataset}.conll"]' in text
    assert 'task = "span"' in text
    assert 'encoding = "auto"' in text
    assert "gold/{dataset}.conll (2 files)" in said
    assert main(["score", "--table", "overall", "--as", "csv"]) == 0
    names = {line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]}
    assert names == set(EXPECTED)
    assert main(["init"]) == 2
    assert main(["init", "--fresh"]) == 0


def test_sources_of_the_file_are_found_from_a_folder_below_it(task, monkeypatch, capsys):
    main(["init"])
    (task / ".git").mkdir()
    monkeypatch.chdir(task / "runs")
    assert main(["score", "--table", "overall", "--as", "csv", "--quiet"]) == 0
    assert "good1," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "sources"),
    [
        (("gold.tsv", "runs/a.tsv", "runs/b.tsv"), ("gold.tsv", "runs/*.tsv")),
        (("ref/x/1.txt", "ref/y/1.txt", "out/a/x/1.txt", "out/b/y/1.txt"),
         ("ref/{dataset}/1.txt", "out/{system}/{dataset}/1.txt")),
        (("gold/x_de.tsv", "gold/y_fr.tsv", "sub/t1_x_de_run1.tsv", "sub/t1_x_de_run2.tsv",
          "sub/team2_y_fr_run1.tsv"), ("gold/{dataset}.tsv", "sub/{system}_{dataset}_{run}.tsv")),
        (("x.key", "y.key", "x.a", "y.a", "x.b"), ("{dataset}.key", "{dataset}.{system}")),
        (("gold/x.tsv", "gold/y.tsv", "runs/one/x.tsv"),
         ("gold/{dataset}.tsv", "runs/{system}/{dataset}.tsv")),
    ],
)  # fmt: skip
def test_init_recognises_usual_folders(tmp_path, files, sources):
    placed(tmp_path, dict.fromkeys(files, GOLD))
    placed(tmp_path, {"README.md": "no data", "notes/plan.txt": "not a token column\n"})
    assert main(["init", str(tmp_path)]) == 0
    text = (tmp_path / "coleval.toml").read_text(encoding="utf-8")
    assert f"sources = {json.dumps(list(sources))}" in text


def test_init_says_what_it_does_not_recognise(tmp_path, capsys):
    placed(tmp_path, {"a.tsv": GOLD, "b.tsv": GOLD})
    assert main(["init", str(tmp_path)]) == 2
    assert "no file or folder is called gold" in capsys.readouterr().err
    placed(tmp_path, {"gold/x.tsv": GOLD})
    assert main(["init", str(tmp_path)]) in (0, 2)


@pytest.mark.parametrize(
    ("name", "sources"),
    [
        ("hipe2022", ["gold/HIPE-2022-v2.1-{dataset}-test-{part}.tsv",
                      "responses/{system}_{dataset}_{part}_{run}.tsv"]),
        ("mmlu-pro", ["gold.tsv", "runs/*.tsv.gz"]),
        ("novels-ner", ["files/{dataset}.gs", "files/{dataset}.{system}"]),
        ("wnut17", ["gold/emerging.test.annotated", "submissions/*"]),
        ("conll18-ud", ["{dataset}/gold.conllu*", "{dataset}/systems/{system}.conllu.gz"]),
        ("wmt23", ["references/{dataset}.ref.*", "systems/{dataset}.hyp.{system}.*"]),
    ],
)  # fmt: skip
def test_init_knows_real_shared_tasks(data, name, sources):
    assert list(recognise(Path(data(name))).sources) == sources


def test_board_writes_pages_and_reads_only_what_is_new(task, capsys):
    teams = {"good1", "good2", "good3", "lost", "latin1", "subfolder"}
    for name in EXPECTED.keys() - teams:
        shutil.rmtree(task / "runs" / name)
    main(["init"])
    assert main(["board", "--quiet"]) == 0
    pages = {name: Path("board", name) for name in ("index.html", "compare.html", "validate.html")}
    assert all(page.is_file() for page in pages.values())
    scores = json.loads(Path("board/scores.json").read_text(encoding="utf-8"))
    assert len(scores["tables"]["overall"]) == len(teams)
    assert "Line 29: sentence 5" in Path("board/notes/lost.md").read_text(encoding="utf-8")
    assert not Path("board/notes/good1.md").exists()
    before = pages["index.html"].stat().st_mtime_ns
    capsys.readouterr()
    assert main(["board"]) == 0
    assert "nothing is new" in capsys.readouterr().err
    assert pages["index.html"].stat().st_mtime_ns == before
    late = Path("runs/late")
    shutil.copytree("runs/good3", late)
    # What was found in other files is remembered: nothing is read of a file that is unchanged.
    state = Path("runs/good2/de.conll").stat()
    Path("runs/good2/de.conll").write_bytes(b"x" * state.st_size)
    os.utime("runs/good2/de.conll", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert main(["board", "--quiet"]) == 0
    assert not Path("board/notes/good2.md").exists()
    names = {row["system"] for row in json.loads(
        Path("board/scores.json").read_text(encoding="utf-8"))["tables"]["overall"]}  # fmt: skip
    assert names == {*teams, "late"}
    assert "every answer is that of `good3`" in Path("board/validate.html").read_text("utf-8")


def test_a_submission_to_one_gold_file_that_comes_later_is_on_the_board(tmp_path, monkeypatch):
    for place, tag in (("gold", "B-PER"), ("runs/a", "B-PER"), ("runs/b", "O")):
        (tmp_path / place).mkdir(parents=True)
        text = f"John {tag}\nsings O\n\n" * 5
        (tmp_path / place / "en.conll").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    settings = tomllib.loads((tmp_path / "coleval.toml").read_text(encoding="utf-8"))
    assert settings["sources"] == ["gold/{dataset}.conll", "runs/{system}/{dataset}.conll"]
    assert main(["board", "-o", "board", "--quiet"]) == 0
    (tmp_path / "runs/late").mkdir()
    shutil.copy(tmp_path / "runs/a/en.conll", tmp_path / "runs/late/en.conll")
    assert main(["board", "-o", "board", "--quiet"]) == 0
    assert "late" in (tmp_path / "board/scores.json").read_text(encoding="utf-8")
    # What is published has neither gold nor answers.
    for page in (tmp_path / "board").glob("*.html"):
        assert "data-items=" not in page.read_text(encoding="utf-8")
