"""Bad input: one clear error with place, problem and remedy; no traceback, nothing left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coleval.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

GOLD = "".join(f"w{k}\t{'B-X' if k % 5 == 0 else 'O'}\n" + "\n" * (k % 10 == 9) for k in range(100))

CORE = "# global.Entity = eid-etype-head\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-x-1-)\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold, sound systems, and everything that can be wrong with a file."""
    lines = GOLD.splitlines(keepends=True)
    texts = {
        "gold": GOLD,
        "s1": GOLD,
        "s2": GOLD,
        "s3": "".join(lines[:57] + lines[58:]),
        "empty": "",
        "blank": "\n \n\t\n",
        "short": GOLD.replace("w42\tO", "w42"),
        "nolabel": GOLD.replace("w42\tO", "w42\t"),
        "long": GOLD.replace("w42\tO", "w42\tO\tO"),
        "other": "".join(f"x{line}" if line.strip() else line for line in lines),
        "one": "".join(line.split("\t")[0] + "\n" for line in lines),
        "mixed": GOLD.replace("w43\tO", "w43\t,"),
        "core.conllu": CORE,
        "open.conllu": CORE.replace("(e1-x-1-)", "(e1-x-1-"),
        "head.conllu": CORE.replace("(e1-x-1-)", "(e1-x-2-)"),
        "bare.conllu": CORE.split("\n", 1)[1],
        "plus.conllup": "# global.columns = ID FORM UPOS\n1\ta\tX\n",
        "twice.conllup": "# global.columns = ID FORM FORM\n1\ta\tX\n",
        "on.cupt": "# global.columns = ID FORM PARSEME:MWE\n1\ta\t1\n",
        "g.jsonl": '{"text":"In Rome","spans":[{"start":3,"end":7,"label":"X"}]}\n',
        "b.jsonl": '{"text":"In Rome","spans":[{"start":3,"end":8,"label":"X"}]}\n',
        "c.jsonl": '{"text":"In Rome","spans":[{"start":3,\n',
        "t.ann": "T1\tX 0 2\tIn\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    rows = {"few": '"gold": ["O"]', "sound": '"gold": ["O", "O"]', "codes": '"gold": [0, 1]'}
    for name, tags in rows.items():
        row = f'"id": "x", "tokens": ["a", "b"], {tags}, "pred": ["O", "B-X"]'
        (tmp_path / f"{name}.jsonl").write_text(f"{{{row}}}\n", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\x7fELF\x00\x01" * 50)
    (tmp_path / "latin").write_bytes(GOLD.replace("w42", "é").encode("latin-1"))
    (tmp_path / "utf16").write_bytes(GOLD.encode("utf-16"))
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b\x08\x00nonsense")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


CASES = {
    "a missing file": ("gold nope", 1, "nope: no such file"),
    "a misspelt file": ("gold s11", 1, "did you mean s1"),
    "a missing gold": ("nope s1", 1, "nope: no such file"),
    "an empty system": ("gold empty", 1, "empty: is empty"),
    "an empty gold": ("empty s1", 1, "empty: is empty"),
    "only blank lines": ("gold blank", 1, "blank: is empty"),
    "a token missing in system 3": ("gold s1 s2 s3", 1, "s3:58: sentence 6 has 9 tokens"),
    "an empty directory": ("gold folder", 1, "folder: the directory holds no files"),
    "a binary file": ("gold binary", 1, "binary:1: is not a text file"),
    "a column that is not there": ("gold s1 --columns gold=7", 1, "gold:1: there is no column 7"),
    "a column name that is not there": ("gold s1 --columns gold=tag", 1, "no column is called"),
    "column 0": ("gold s1 --columns gold=0", 1, "there is no column 0"),
    "columns that are no map": ("gold s1 --columns gold", 2, "is not part=column"),
    "one column for two parts": ("gold s1 --columns gold=1", 2, "both as form and as gold"),
    "two systems of one name": ("gold a=s1 a=s2", 2, "two systems are called `a`"),
    "a name that coleval needs": ("gold form=s1", 2, "a system cannot be called `form`"),
    "another text": ("gold other", 1, "other:1: 100 of 100 tokens differ from gold's"),
    "a row without label": ("gold short", 1, "short:47: `w42` has 1 column where"),
    "an empty label": ("gold nolabel", 1, "nolabel:47: the label of token `w42` is empty"),
    "a row too long": ("gold long", 1, "long:47: `w42 O O` has 3 columns where"),
    "a file of words": ("gold one", 1, "one:1: `w0` is a single column"),
    "invalid UTF-8": ("gold latin", 1, "latin:47: byte 0xe9 is not UTF-8"),
    "UTF-16": ("gold utf16", 1, "utf16: is UTF-16"),
    "a damaged archive": ("gold broken.gz", 1, "broken.gz: the gzip data are damaged"),
    "gold of two kinds": ("mixed s1", 1, "mixed:48: gold has tags such as `B-X`, but `,`"),
    "tags fewer than tokens": ("few.jsonl", 1, "few.jsonl:1: `gold` has 1 values where `tokens`"),
    "codes without names": ("codes.jsonl", 2, "codes.jsonl:1: column `gold` holds integers"),
    "a code without a name": ("codes.jsonl --names O", 1, "`gold[1]` is 1, but there are 1 names"),
    "a file of names that is not there": ("codes.jsonl --names no/t.txt", 1, "no/t.txt: no such"),
    "a list that is not there": ("sound.jsonl --columns gold=tag", 1, "no column is called `tag`"),
    "sequences of another text": ("gold sound.jsonl", 1, "sound.jsonl:1"),
    "an open mention": ("core.conllu open.conllu", 1, "open.conllu:2: `(e1` is never closed"),
    "a head that is no word": ("core.conllu head.conllu", 1, "head.conllu:2: the head `2`"),
    "entities without fields": ("core.conllu bare.conllu", 1, "comes before any `# global.Entity`"),
    "one name of two columns": (
        "plus.conllup twice.conllup",
        1,
        "twice.conllup:1: the column FORM",
    ),
    "a misspelt column": ("plus.conllup a=plus.conllup --columns label=uposs", 1, "mean upos?"),
    "an expression in the middle": ("on.cupt a=on.cupt", 1, "on.cupt:2: expression 1 goes on here"),
    "a span beyond its text": (
        "g.jsonl b.jsonl",
        1,
        "b.jsonl:1 (record 1) spans[0].end: the span ends at 8",
    ),
    "a record cut off": ("g.jsonl c.jsonl", 1, "c.jsonl:1 (record 1): is not JSON"),
    "brat without its text": ("g.jsonl t.ann", 1, "t.ann: there is no text for it: t.txt"),
    "spans on another text": ("gold g.jsonl", 1, "record 1: the text differs from gold's at"),
    "spans as labels of tokens": (
        "g.jsonl x=g.jsonl --task tag --format offsets",
        2,
        "task tag does not have spans by",
    ),
    "no system": ("gold", 2, "no system to compare with"),
    "an unknown scheme": ("gold s1 --scheme iob9", 2, "did you mean `iob"),
    "an unknown label": ("gold s1 --labels Y", 2, "no label is called `Y`"),
    "an unknown column in where": ("gold s1 --where sentense=1", 2, "--where"),
    "an unknown form": ("gold s1 --as jsn", 2, "did you mean `json`"),
    "an unknown option": ("gold s1 --scema x", 2, "--scema"),
    "an unknown system": ("gold s1 --systems s9", 2, "no system is called `s9`"),
    "an unknown encoding": ("gold s1 --encoding klingon", 2, "klingon"),
    "nowhere to write": ("gold s1 -o nodir/out.json", 1, "nodir"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_gives_one_clear_error(files, capsys, case):
    arguments, code, message = CASES[case]
    before = {p.name for p in files.iterdir()}
    assert main(["score", *arguments.split()]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert len(err.splitlines()) >= 2, "a remedy is missing"
    assert "Traceback" not in err
    assert {p.name for p in files.iterdir()} == before


def test_latin_1_is_read_when_said_so(files):
    (files / "goldlatin").write_bytes((files / "latin").read_bytes())
    assert main(["score", "goldlatin", "latin", "--encoding", "latin-1"]) == 0
    assert main(["score", "utf16", "utf16b=utf16", "--encoding", "utf-16"]) == 0


def test_a_failed_load_leaves_no_store_and_no_rest(files, capsys):
    before = {p.name for p in files.iterdir()}
    assert main(["load", "gold", "s1", "s3", "-o", "store"]) == 1
    assert {p.name for p in files.iterdir()} == before
    assert "s3:58" in capsys.readouterr().err


def test_a_store_is_not_written_over_something_else(files, capsys):
    (files / "folder" / "precious").write_text("x")
    assert main(["load", "gold", "s1", "-o", "folder"]) == 1
    assert "is not a coleval store" in capsys.readouterr().err
    assert (files / "folder" / "precious").read_text() == "x"
