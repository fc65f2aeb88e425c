"""A line of spaces and TABs is blank in every format, whatever its line end."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.corpus.selection import Selection
from coleval.loading.readers.columns import read_columns
from coleval.loading.readers.formats import FORMATS
from coleval.loading.readers.source import Source

BLANKS = ["", " ", "\t", " \t ", "\t ", "  \t\t", "\t \t \t"]
WORD = "{}\tw\tl\tNOUN\t_\t_\t0\troot\t_\t_"
# The lines of a file, ``None`` where a blank one is, and how its format reads them.
FILES = {
    "conllu": ([None, "# sent_id = 1", WORD.format(1), None, WORD.format(1), None], "tokens"),
    "hipe": ([None, "TOKEN\tNE-COARSE-LIT\tMISC", "x\tB-PER\t_", None, "y\tO\tEndOfSentence", None,
              "z\tO\t_"], "tokens"),
    "spans": ([None, "PER\t1\t2\t1, 2", None, "LOC\t1\t1\t1", None], "spans"),
    "pairs": ([None, "1\tA", None, "2\tB", None], "table"),
    "table": ([None, "id\tgold\tpred", "1\tA\tB", None, "2\tB\tB", None], "table"),
    "matrix": ([None, "item\ta\tb", "x\t0\t1", None, "y\t1\t1", None], "table"),
    "columns": ([None, "token\tgold\tpred", "a\tB-X\tO", None, "b\tB-X\tB-X", None], "merged"),
    "coref": ([None, "#begin document (d); part 000", "a\t(1)", None, "b\t(1)", "#end document"],
              "mentions"),
}  # fmt: skip


def read(path, name, reader, blank, end):
    lines = [blank if line is None else line for line in FILES[name][0]]
    path.write_bytes(end.join([*lines, ""]).encode())
    arguments = ("gold",) if reader == "tokens" else ()
    file = getattr(FORMATS[name], reader)(Source(str(path), "s"), Selection(), *arguments)
    columns = getattr(file, "columns", {})
    values = (
        [file.form, file.sentence]
        if reader in ("tokens", "merged")
        else [file.spans["line"] if reader == "spans" else file.line]
    )
    values += [column for column in columns.values() if hasattr(column, "to_list")]
    return [list(value) for value in values]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", BLANKS)
def test_a_line_of_spaces_and_tabs_is_blank(tmp_path, name, end, blank):
    path, reader = tmp_path / "a.txt", FILES[name][1]
    assert read(path, name, reader, blank, end) == read(path, name, reader, "", "\n")


# -------------------------------------------------------- column files beside a plain loop

LABEL = st.sampled_from(["O", "B-X", "I-X"])
FORM = st.sampled_from(["a", "New York", "\xa0", "#", "-", " a"])
LINE = st.one_of(st.sampled_from(BLANKS), st.tuples(FORM, LABEL).map("\t".join))
END = st.sampled_from(["\n", "\r\n"])
TEXT = st.lists(st.tuples(LINE, END), min_size=1, max_size=8)


def plain(text):
    """Return (form, label, sentence, line) of every token."""
    found, sentence, between = [], -1, True
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.rstrip("\r").split("\t")
        if not line.strip(" \t\r"):
            between = True
            continue
        sentence, between = sentence + between, False
        found.append((fields[0], fields[-1], sentence, number))
    return found


@given(lines=TEXT)
def test_column_files_are_read_as_by_a_plain_loop(tmp_path_factory, lines):
    text = "".join(line + end for line, end in lines)
    path = tmp_path_factory.getbasetemp() / "plain.conll"
    path.write_bytes(text.encode())
    if expected := plain(text):
        file = read_columns(Source(str(path)), Selection())
        columns = (file.form, file.columns["gold"], file.sentence, file.line)
        assert list(zip(*columns, strict=True)) == expected


@given(lines=TEXT, draw=st.data())
def test_a_system_is_read_alike_with_gold_as_a_guide_and_without(tmp_path_factory, lines, draw):
    """Blank lines differ between the files: they say nothing but that a sentence ends."""
    root = tmp_path_factory.getbasetemp()
    gold = "".join(line + end for line, end in lines)
    system = "".join(
        (re.sub(r"(O|[BI]-X)$", lambda _: draw.draw(LABEL), line) if line.strip(" \t")
         else draw.draw(st.sampled_from(BLANKS))) + end
        for line, end in lines
    )  # fmt: skip
    for name, text in {"gold": gold, "system": system}.items():
        (root / f"{name}.conll").write_bytes(text.encode())
    if not plain(gold):
        return
    corpus = coleval.load(str(root / "gold.conll"), {"s": str(root / "system.conll")}, task="tag")
    items = corpus.units["token"]
    labels = [items.labels[code - 1] for code in items.answers["s"]]
    assert labels == [label for _, label, _, _ in plain(system)]


def test_a_non_breaking_space_is_a_token(tmp_path):
    (tmp_path / "a.conll").write_text("\xa0\tO\n \t \nb\tO\n")
    file = read_columns(Source(str(tmp_path / "a.conll")), Selection())
    assert (file.form.to_list(), file.sentence.tolist()) == (["\xa0", "b"], [0, 1])


@pytest.mark.parametrize("comment", ["#", "# ", "#\r", "# of the editor"])
def test_a_bare_hash_is_a_comment_of_hipe_and_before_a_label_a_token(tmp_path, comment):
    path = tmp_path / "a.tsv"
    path.write_text(f"TOKEN\tNE-COARSE-LIT\n{comment}\nx\tB-PER\n#\tO\n")
    corpus = coleval.load(path, {"s": path})
    assert corpus.units["token"].context["form"].to_list() == ["x", "#"]
