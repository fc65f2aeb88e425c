"""CoNLL-U Plus: columns by their names in any order, and PARSEME's expressions as spans."""

from __future__ import annotations

import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError
from coleval.loading.readers.cupt import read_cupt
from coleval.loading.readers.source import Source

HEADER = "# global.columns = DEPREL FORM X:NER HEAD ID UPOS\n"
ROWS = "flat\tNew\tB-LOC\t2\t1\tPROPN\nroot\tYork\tI-LOC\t0\t2\tPROPN\n\n"
PLUS = HEADER + ROWS
CUPT = "# global.columns = ID FORM PARSEME:MWE\n"


def loaded(write, gold, system, **options):
    paths = write("gold.conllup", gold), write("system.conllup", system)
    return coleval.load(str(paths[0]), {"s": str(paths[1])}, **options)


def test_columns_are_found_by_name_in_any_order(write):
    tags = loaded(write, PLUS, PLUS)
    assert (tags.task, tags.items["gold"].to_list()) == ("tag", ["PROPN", "PROPN"])
    spans = loaded(write, PLUS, PLUS, columns="label=X:NER")
    assert spans.items.select("gold", "form").rows() == [("LOC", "New York")]
    trees = loaded(write, PLUS, PLUS.replace("flat", "nmod"), task="dep")
    found = {r["metric"]: r["f1"] for r in trees.score().tables["overall"].to_dicts()}
    assert (found["UAS"], found["LAS"]) == (1, 0.5)


def test_files_with_and_without_other_columns_meet(write):
    conllu = "1\tNew\t_\tPROPN\t_\t_\t2\tflat\t_\t_\n2\tYork\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    for gold, system in ((PLUS, conllu), (conllu, PLUS)):
        corpus = loaded(write, gold, system, task="tag", columns="label=upos", format="conllu")
        assert corpus.score().tables["overall"]["accuracy"].to_list() == [0.5]


@pytest.mark.parametrize(
    ("text", "where", "told"),
    [
        (HEADER.replace("HEAD", "FORM") + ROWS, ":1", "the column FORM is named twice"),
        (HEADER.replace("HEAD", "upos") + ROWS, ":1", "the column UPOS is named twice"),
        (HEADER.replace(" ID", "") + ROWS, ":1", "no column is called ID"),
        (HEADER.replace(" FORM", " WORD") + ROWS, ":1", "no column is called FORM"),
        ("# global.columns =\n" + ROWS, ":1", "no column is called ID"),
        (PLUS + HEADER.replace("X:NER", "Y") + ROWS, ":5", "other than those named in line 1"),
        (HEADER.replace(" UPOS", "") + ROWS, ":2", "there are 6 columns where"),
        (HEADER.replace("UPOS", "UPOS MORE") + ROWS, ":2", "there are 6 columns where"),
        (HEADER.replace("UPOS", "TAG") + ROWS, "", "no column is called UPOS"),
    ],
)
def test_headers_that_cannot_be_right_are_named_with_their_line(write, text, where, told):
    path = write("a.conllup", text)
    with pytest.raises(ColevalError) as error:
        coleval.load(str(path), {"s": str(path)})
    assert str(error.value).startswith(f"{path}{where}: ")
    assert told in str(error.value)


def test_a_misspelt_column_is_named_with_its_near_misses(write, capsys):
    path = str(write("a.conllup", PLUS))
    assert main(["score", path, f"s={path}", "--columns", "label=X:NE"]) == 1
    assert "did you mean x:ner?" in capsys.readouterr().err
    assert main(["score", path, f"s={path}", "--columns", "label=7"]) == 1
    assert "there is no column 7: the line has 6" in capsys.readouterr().err


def cupt(*sentences):
    rows = ("".join(f"{k}\tw{k}\t{code}\n" for k, code in enumerate(codes, start=1))
            for codes in sentences)  # fmt: skip
    return CUPT + "\n".join(rows) + "\n"


EXPRESSION = ("sentence", "start", "end", "label", "tokens")


@pytest.mark.parametrize(
    ("codes", "found"),
    [
        ((["1:VID", "1", "*"],), [(0, 1, 2, "VID", None)]),
        ((["1:VID", "*", "1"],), [(0, 1, 3, "VID", [1, 3])]),
        ((["1:A;2:LVC.full", "1", "2"],), [(0, 1, 2, "A", None), (0, 1, 3, "LVC.full", [1, 3])]),
        ((["*", "_"], ["2:B", "1:A;2"]), [(1, 1, 2, "B", None), (1, 2, 2, "A", None)]),
        ((["1:A", "1:A"],), [(0, 1, 2, "A", None)]),
        ((["*"],), []),
    ],
)
def test_expressions_are_spans_with_holes_and_several_for_a_word(write, codes, found):
    path = write("a.cupt", cupt(*codes))
    read = read_cupt(Source(str(path)), Selection())
    assert read.spans.select(EXPRESSION).rows() == found
    assert read.sentences == len(codes)


@pytest.mark.parametrize(
    ("codes", "line", "told"),
    [
        (["1"], 2, "expression 1 goes on here, but has not begun"),
        (["*", "1:A;2", "1"], 3, "expression 2 goes on here"),
        (["1", "1:A"], 2, "expression 1 goes on here"),
        (["1:A", "1:B"], 2, "expression 1 is both A and B"),
        (["1:A;1"], 2, "expression 1 has a word twice"),
        (["A"], 2, "`A` in PARSEME:MWE is not a multiword expression"),
        (["1:"], 2, "`1:` in PARSEME:MWE"),
        (["1:A;;2:B"], 2, "`` in PARSEME:MWE"),
        (["1:A:B"], 2, "`1:A:B` in PARSEME:MWE"),
        (["*;1:A"], 2, "`*` in PARSEME:MWE"),
    ],
)
def test_codes_that_are_none_are_named_with_their_line(write, codes, line, told):
    path = write("a.cupt", cupt(codes))
    with pytest.raises(DataError) as error:
        read_cupt(Source(str(path)), Selection())
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert told in str(error.value)


def test_expressions_are_those_of_words(write):
    path = write("a.cupt", f"{CUPT}1-2\tab\t1:A\n1\ta\t*\n2\tb\t*\n")
    with pytest.raises(DataError, match=r"a\.cupt:2: `1:A` is on 1-2, which is not a word"):
        read_cupt(Source(str(path)), Selection())


def test_cupt_is_scored_as_spans_and_says_the_words(write, capsys):
    gold = write("g.cupt", cupt(["1:A;2:B", "*", "1", "2"], ["*"]))
    system = write("s.cupt", cupt(["1:A;2:B", "2", "1", "*"], ["1:C"]))
    corpus = coleval.load(str(gold), {"s": str(system)})
    assert corpus.task == "span"
    assert corpus.items.select("form", "tokens", "gold", "s").rows() == [
        ("w1 w2", None, None, "B"), ("w1 w3", "1,3", "A", "A"), ("w1 w4", "1,4", "B", None),
        ("w1", None, None, "C"),
    ]  # fmt: skip
    assert main(["errors", str(gold), f"s={system}"]) == 0
    assert main(["score", str(gold), f"s={system}", "--task", "dep"]) == 2
    assert "--task dep compares" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("system", "told"),
    [
        (cupt(["*"]), "has 1 sentences, gold has 2"),
        (cupt(["1:A", "1"], ["*", "*"]), "sentence 2 has 2 words, in gold 1"),
    ],
)
def test_other_sentences_and_words_than_golds_are_refused(write, system, told):
    gold = write("g.cupt", cupt(["1:A", "1"], ["*"]))
    with pytest.raises(DataError, match=told):
        coleval.load(str(gold), {"s": str(write("s.cupt", system))})


def test_expressions_may_be_in_another_column(write):
    text = cupt(["1:A", "1"]).replace("PARSEME:MWE", "MY:MWE")
    path = str(write("a.cupt", text))
    with pytest.raises(DataError, match=r"no column is called PARSEME:MWE"):
        coleval.load(path, {"s": path}, format="cupt")
    corpus = coleval.load(path, {"s": path}, format="cupt", columns="label=my:mwe")
    assert corpus.items["gold"].to_list() == ["A"]
