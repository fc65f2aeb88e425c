"""CoNLL-U: words, sentences, documents, and the line of whatever is wrong."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import DataError, UsageError
from coleval.loading.readers.conllu import read_conllu
from coleval.loading.readers.source import Source


def row(number, form="w", head=0, misc="_"):
    return f"{number}\t{form}\tlemma\tNOUN\tNN\tCase=Nom\t{head}\troot\t_\t{misc}\n"


def read(tmp_path, text, columns=""):
    path = tmp_path / "a.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_conllu(Source(str(path)), Selection.parse(columns))


def problem(tmp_path, text, columns=""):
    with pytest.raises(DataError) as caught:
        read(tmp_path, text, columns)
    error = caught.value
    assert error.remedy
    return error.where.removeprefix(str(tmp_path) + "/"), error.problem


def test_words_come_in_sentences_with_their_lines(tmp_path):
    file = read(tmp_path, "# text = a b\n" + row(1, "a") + row(2, "b", 1) + "\n" + row(1, "c"))
    assert file.form.to_list() == ["a", "b", "c"]
    assert file.sentence.tolist() == [0, 0, 1]
    assert file.line.tolist() == [2, 3, 5]
    assert file.at(2).endswith("a.conllu:5")
    assert (file.sentence.dtype, file.line.dtype) == (np.int32, np.uint32)


def test_all_columns_are_there_as_text(tmp_path):
    file = read(tmp_path, row(1, head=0, misc="SpaceAfter=No"))
    assert {name: column.to_list() for name, column in file.columns.items()} == {
        "lemma": ["lemma"],
        "upos": ["NOUN"],
        "xpos": ["NN"],
        "feats": ["Case=Nom"],
        "head": ["0"],
        "deprel": ["root"],
        "deps": ["_"],
        "misc": ["SpaceAfter=No"],
    }


def test_a_column_is_chosen_by_name_or_number(tmp_path):
    file = read(tmp_path, row(1), "gold=UPOS,system=5,kind=feats,form=lemma")
    assert file.columns["gold"].to_list() == ["NOUN"]
    assert file.columns["system"].to_list() == ["NN"]
    assert file.columns["kind"].to_list() == ["Case=Nom"]
    assert file.form.to_list() == ["lemma"]


def test_a_label_serves_as_gold_and_as_system(tmp_path):
    file = read(tmp_path, row(1), "label=xpos")
    assert file.columns["gold"].to_list() == file.columns["system"].to_list() == ["NN"]


def test_a_misspelt_column_is_an_error_that_names_the_near_ones(tmp_path):
    with pytest.raises(DataError, match="upos"):
        read(tmp_path, row(1), "gold=upoz")


def test_sentences_cannot_be_chosen(tmp_path):
    with pytest.raises(UsageError, match="sentence"):
        read(tmp_path, row(1), "sentence=1")


def test_multiword_tokens_and_empty_nodes_are_no_words(tmp_path):
    text = row("0.1") + row("1-2", "zum") + row(1, "zu") + row(2, "dem") + row("2.1")
    assert read(tmp_path, text).form.to_list() == ["zu", "dem"]


@pytest.mark.parametrize("form", ["#", '"', "a b", "a\u2028b", "\u00a0", "1", "x\x85y", "NA"])
def test_a_form_may_be_anything(tmp_path, form):
    assert read(tmp_path, row(1, form) + row(2, "z", 1)).form.to_list() == [form, "z"]


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_the_end_of_the_file_does_not_matter(tmp_path, end):
    file = read(tmp_path, (row(1) + "\n" + row(1)).rstrip("\n") + end)
    assert file.sentence.tolist() == [0, 1]


def test_windows_line_ends_a_mark_and_blank_lines_of_spaces_are_ordinary(tmp_path):
    text = ("# newdoc id = x\n" + row(1, "a") + " \t\n\n" + row(1, "b")).replace("\n", "\r\n")
    file = read(tmp_path, b"\xef\xbb\xbf" + text.encode())
    assert file.form.to_list() == ["a", "b"]
    assert file.sentence.tolist() == [0, 1]
    assert file.columns["misc"].to_list() == ["_", "_"]
    assert file.documents == ("x",)


def test_a_comment_may_hold_any_number_of_tabs(tmp_path):
    text = "# a\tb\n" + row(1) + "\n# " + "\t" * 20 + "\n" + row(1) + "\t" * 15 + "\n" + row(1)
    assert read(tmp_path, text).sentence.tolist() == [0, 1, 2]


def test_documents_have_different_names_and_hold_words(tmp_path):
    text = (
        row(1)
        + "\n# newdoc id = x\n"
        + row(1)
        + "\n# newdoc\n# newpar\n"
        + row(1)
        + "\n"
        + row(1)
        + "\n# newdoc id = empty\n\n# newdoc id = x\n"
        + row(1)
    )
    file = read(tmp_path, text)
    assert file.document.tolist() == [0, 1, 2, 2, 3]
    assert file.documents == ("1", "x", "3", "x_2")


def test_without_newdoc_there_are_no_documents(tmp_path):
    file = read(tmp_path, "# newpar\n" + row(1))
    assert file.document is None
    assert file.documents == ()


def test_a_file_without_trees_can_be_read(tmp_path):
    assert read(tmp_path, row(1, head="_")).columns["head"].to_list() == ["_"]


BAD = {
    "nine columns": (row(1) + "2\tb\tc\td\te\tf\t1\th\ti\n", 2, "9 columns"),
    "one column": ("hello\n", 1, "1 column"),
    "eleven columns": (row(1) + row(2).rstrip() + "\tmore\n", 2, "11 columns"),
    "an eleventh, empty column": (row(1).rstrip("\n") + "\t\n", 1, "11 columns"),
    "a short range": (row(1) + "2-3\tb\n", 2, "2 columns"),
    "an ID that is no number": (row(1) + row("x"), 2, "`x`"),
    "no ID": (row(1) + row(""), 2, "``"),
    "IDs that do not start at 1": (row(2), 1, "2 where 1"),
    "IDs with a gap": (row(1) + row(3), 2, "3 where 2"),
    "IDs that turn back": (row(1) + row(2) + row(1), 3, "1 where 3"),
    "a missing blank line": (row(1) + "# text\n" + row(1), 2, "comment"),
    "a HEAD outside": (row(1) + row(2, head=3), 2, "`3`"),
    "a negative HEAD": (row(1, head=-1), 1, "`-1`"),
    "a HEAD that is no number": (row(1, head="x"), 1, "`x`"),
    "no FORM": (row(1, form=""), 1, "FORM"),
    "no words": ("# text\n\n", None, "no words"),
    "nothing": ("\n \n", None, "is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name):
    text, line, part = BAD[name]
    where, found = problem(tmp_path, text)
    assert where == ("a.conllu" if line is None else f"a.conllu:{line}")
    assert part in found


def test_the_first_problem_is_the_one_told(tmp_path):
    assert problem(tmp_path, row(1) + row(3) + row("x") + row(1, head=9))[0] == "a.conllu:2"


def test_bytes_that_are_no_utf8_are_told_with_their_line(tmp_path):
    where, found = problem(tmp_path, row(1).encode() + b"# \xff\n")
    assert (where, "UTF-8" in found) == ("a.conllu:2", True)


def test_an_empty_misc_is_no_short_row(tmp_path):
    assert read(tmp_path, row(1, misc="")).columns["misc"].to_list() == [None]


@pytest.mark.parametrize(
    ("treebank", "words", "sentences", "documents"),
    [("en_gum", 13191, 769, 15), ("fr_spoken", 10010, 726, 0), ("pcm_nsc", 12861, 948, 0)],
)
def test_gold_of_the_2018_task_has_its_size(data, treebank, words, sentences, documents):
    file = read_conllu(Source(str(data(f"conll18-ud/{treebank}/gold.conllu"))), Selection())
    assert (len(file), int(file.sentence[-1]) + 1) == (words, sentences)
    assert len(file.documents) == documents


@pytest.mark.parametrize("treebank", ["en_gum", "fr_spoken", "pcm_nsc"])
def test_every_system_of_the_2018_task_has_the_words_and_sentences_its_scorer_saw(data, treebank):
    with data(f"conll18-ud/{treebank}/expected_conll18_ud_eval.tsv").open() as lines:
        expected = {(r["system"], r["metric"]): r for r in csv.DictReader(lines, delimiter="\t")}
    for path in sorted(data(f"conll18-ud/{treebank}/systems").iterdir()):
        file = read_conllu(Source(str(path)), Selection())
        system = path.name.removesuffix(".conllu.gz")
        seen = [int(expected[system, m]["system_total"]) for m in ("Words", "Sentences")]
        assert seen == [len(file), int(file.sentence[-1]) + 1], system


def test_the_compareval_files_all_have_the_words_of_gold(data):
    folder = data("compareval-en_gum")
    gold = read_conllu(Source(str(folder / "gold.conllu")), Selection())
    assert (len(gold), int(gold.sentence[-1]) + 1) == (9375, 518)
    systems = sorted((folder / "systems").iterdir())
    assert len(systems) == 24
    for path in systems:
        file = read_conllu(Source(str(path)), Selection())
        assert np.array_equal(file.sentence, gold.sentence), path.name


CORPUS = """# newdoc id = a
# meta::genre = news
# meta::date = 2020
# sent_id = a-1
# s_type = decl
# text = x y
1\tx\t_\tNOUN\t_\t_\t0\troot\t_\t_
2\ty\t_\tNOUN\t_\t_\t1\tdep\t_\t_

# s_type = decl
1\tx\t_\tVERB\t_\t_\t0\troot\t_\t_

# no type
1\tx\t_\tVERB\t_\t_\t0\troot\t_\t_

# newdoc id = b
# meta::genre = talk
# s_type = q
1\tx\t_\tVERB\t_\t_\t0\troot\t_\t_

# s_type = q
1\tx\t_\tVERB\t_\t_\t0\troot\t_\t_
"""


@pytest.mark.parametrize("task", ["tag", "dep"])
def test_comments_above_documents_and_sentences_are_columns_of_their_words(tmp_path, task):
    path = tmp_path / "gold.conllu"
    path.write_text(CORPUS)
    bare = tmp_path / "s.conllu"
    bare.write_text("".join(f"{x}\n" for x in CORPUS.split("\n") if not x.startswith("#")))
    corpus = coleval.load(path, [bare], task=task)
    context = next(iter(corpus.units.values())).context
    assert {name: context[name].to_list() for name in ("genre", "date", "s_type")} == {
        "genre": ["news"] * 4 + ["talk"] * 2,
        "date": ["2020"] * 4 + [None] * 2,
        "s_type": ["decl", "decl", "decl", None, "q", "q"],
    }
    assert not {"sent_id", "text"} & set(context.columns)
    by = corpus.score(by="genre").table("by")
    assert set(by["by"].drop_nulls()) == {"news", "talk"}


def test_comments_of_hipe_are_columns_of_their_documents(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text(
        "TOKEN\tNE-COARSE-LIT\n# hipe2022:document_id = a\n# hipe2022:date = 1790\n"
        "# hipe2022:dataset = ajmc\nx\tB-PER\ny\tO\n"
        "# hipe2022:document_id = b\n# hipe2022:genre = news\nz\tB-PER\n"
    )
    context = coleval.load(path, {"s": path}).units["token"].context
    assert context["date"].to_list() == ["1790", "1790", None]
    assert context["genre"].to_list() == [None, None, "news"]
    assert context["dataset_"].to_list() == ["ajmc", "ajmc", None]
    grid = coleval.load(str(tmp_path / "{dataset}.tsv"), {"s": str(tmp_path / "{dataset}.tsv")})
    assert grid.units["token"].context["date"].to_list() == ["1790", "1790", None]
