"""Coreference columns: what is read is what a plain loop over the lines knows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from coleval.corpus.selection import Selection
from coleval.errors import DataError
from coleval.loading.readers import coref
from coleval.loading.readers.source import Source

NOTHING = ("-", "_", "*")
FIELDS = ("(1)", "(1|(22)", "(long_name_of_a_chain_7)", "(12)|(3)|(4)", "(a(b)", "(1")


def text_of(seed: int) -> tuple[str, list[tuple]]:
    """Return a file, and its mentions as a plain loop knows them."""
    mixed = random.Random(seed)
    gap, end = mixed.choice(["\t", " ", "   "]), mixed.choice(["\n", "\n", "\r\n", "\r"])
    lines, mentions = [], []
    for document in range(mixed.randrange(1, 9)):
        lines.append(f"#begin document (d{document}); part 000")
        open_: dict[str, list[int]] = {}
        for at in range(mixed.randrange(30)):
            name = mixed.choice(["1", "22", "e-7", "long_name_of_a_chain_7"])
            closing = open_.get(name, [])
            field = mixed.choice([*NOTHING, "-", "-", f"({name})", f"({name}|(5)"])
            if closing and field in NOTHING:
                field = f"{name})"
                mentions.append((f"d{document}#000", closing.pop(), at, name))
            elif field == f"({name})":
                mentions.append((f"d{document}#000", at, at, name))
            elif field not in NOTHING:
                open_.setdefault(name, []).append(at)
                mentions.append((f"d{document}#000", at, at, "5"))
            lines.append(
                gap.join([mixed.choice(["doc", "#begin", "#"]), "0", str(at), "é字", field])
            )
            if mixed.random() < 0.1:
                lines.append(mixed.choice(["", " ", "\t"]))
        left = [(name, start) for name, starts in open_.items() for start in starts[::-1]]
        number = sum(line.count("é字") for line in lines[lines.index(
            f"#begin document (d{document}); part 000"):])  # fmt: skip
        for name, start in left:
            lines.append(gap.join(["doc", "0", "0", "é字", f"{name})"]))
            mentions.append((f"d{document}#000", start, number, name))
            number += 1
        lines.append("#end document")
    return end.join(lines) + mixed.choice(["", end]), mentions


def units_of(text: str) -> list[str]:
    """Return the lines of a file that are units."""
    lines = (line.rstrip() for line in text.replace("\r", "\n").split("\n"))
    return [x for x in lines if x and not x.startswith(("#begin document", "#end document"))]


@pytest.mark.parametrize("seed", range(60))
def test_mentions_are_those_of_a_plain_loop(seed, tmp_path):
    text, expected = text_of(seed)
    path = tmp_path / "a.conll"
    path.write_bytes(text.encode())
    for texts in (True, False):
        file = coref.read_coref(Source(str(path)), Selection(), texts=texts)
        found = [
            (file.documents[d], s, e, file.names[c])
            for d, s, e, c in zip(*(x.tolist() for x in (file.document, file.start, file.end,
                                                         file.chain)), strict=True)
        ]  # fmt: skip
        assert sorted(found) == sorted(expected)
    assert file.units.sum() == len(units_of(text))


@pytest.mark.parametrize("seed", range(30))
def test_columns_of_units_are_those_of_their_lines(seed, tmp_path):
    text, _ = text_of(seed)
    path = tmp_path / "a.conll"
    path.write_bytes(text.encode())
    file = coref.read_coref(Source(str(path)), Selection())
    lines = units_of(text)
    if lines:
        some = np.random.default_rng(seed).integers(0, len(lines), 12)
        columns = (1, 4, 9, -1, -7)
        found = file.texts(some, columns)
        for column, texts in zip(columns, found, strict=True):
            for at, value in zip(some, texts, strict=True):
                cells = lines[at].split()
                there = column < 0 <= len(cells) + column or 0 < column <= len(cells)
                at_ = column - (column > 0)
                assert value == (cells[at_] if there else None)


def test_a_file_that_is_deleted_still_has_its_text(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("#begin document (d);\nd\t0\t0\tword\t(1)\n#end document\n")
    file = coref.read_coref(Source(str(path)), Selection())
    path.unlink()
    assert file.texts(np.array([0]), [4])[0].to_list() == ["word"]


@pytest.mark.parametrize(("text", "problem"), [(b"\x00", "NUL byte"), (b"\xff", "is not UTF-8")])
def test_what_is_no_text_names_its_line(text, problem, tmp_path):
    path = tmp_path / "a.conll"
    head = b"#begin document (d);\n" + b"d\t-\n" * 100
    path.write_bytes(head + text + b"\t-\n#end document\n")
    with pytest.raises(DataError, match=rf"a\.conll:102: .*{problem}"):
        coref.read_coref(Source(str(path)), Selection())
