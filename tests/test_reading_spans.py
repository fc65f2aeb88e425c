"""Span files in the FairEval layout."""

from __future__ import annotations

import pytest

from coleval.corpus.selection import Selection
from coleval.errors import DataError, UsageError
from coleval.loading.readers.source import Source
from coleval.loading.readers.spans import looks_like_spans, read_spans


def read(tmp_path, text, columns=""):
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_spans(Source(str(path)), Selection.parse(columns))


def test_a_span_is_a_label_with_first_and_last_token(tmp_path):
    file = read(tmp_path, "PER\t2\t2\t2\n\nORG\t6\t7\t6, 7\nPER\t9\t9\t9\n")
    assert file.spans["label"].to_list() == ["PER", "ORG", "PER"]
    assert file.spans["start"].to_list() == [2, 6, 9]
    assert file.spans["end"].to_list() == [2, 7, 9]
    assert file.spans["sentence"].to_list() == [0, 1, 1]
    assert file.spans["line"].to_list() == [1, 3, 4]
    assert file.spans["tokens"].to_list() == [None] * 3


def test_only_spans_with_holes_keep_their_tokens(tmp_path):
    file = read(tmp_path, "VC\t1\t4\t1, 2,4\nNX\t2\t3\t2, 3\nVC\t5\t9\t5,9\n")
    assert file.spans["tokens"].to_list() == [[1, 2, 4], None, [5, 9]]


@pytest.mark.parametrize("row", ["NX\t2\t3", "NX\t2\t3\t", "NX\t2\t3\t2, 3"])
def test_without_token_numbers_a_span_has_no_holes(tmp_path, row):
    file = read(tmp_path, f"{row}\n")
    assert file.spans.select("start", "end", "tokens").rows() == [(2, 3, None)]


@pytest.mark.parametrize("label", ["NONE", "EMPTY"])
def test_a_dummy_keeps_the_place_of_its_sentence_and_is_no_span(tmp_path, label):
    dummy = f"{label}\t999\t999\t999\n\n"
    file = read(tmp_path, dummy + "PER\t1\t1\t1\n\n" + dummy)
    assert file.spans["label"].to_list() == ["PER"]
    assert file.spans["sentence"].to_list() == [1]
    assert file.sentences == 3


def test_a_file_of_dummies_has_sentences_and_no_spans(tmp_path):
    file = read(tmp_path, "NONE\t999\t999\t999\n\nNONE\t999\t999\t999\n")
    assert (len(file), file.sentences) == (0, 2)


def test_a_label_called_none_elsewhere_and_a_real_token_999_are_spans(tmp_path):
    assert len(read(tmp_path, "NONE\t1\t1\t1\nPER\t999\t999\t999\n")) == 2


def test_a_run_of_blank_lines_ends_one_sentence(tmp_path):
    file = read(tmp_path, "\nA\t1\t1\t1\n\n \n\t\n\nB\t1\t1\t1\n\n\n")
    assert file.spans["sentence"].to_list() == [0, 1]
    assert file.sentences == 2
    assert file.spans["line"].to_list() == [2, 7]


def test_windows_line_ends_and_a_mark_are_ordinary(tmp_path):
    file = read(tmp_path, b"\xef\xbb\xbfA\t1\t2\t1, 2\r\n\r\nB\t1\t1\t\r\n")
    assert file.spans["label"].to_list() == ["A", "B"]
    assert file.sentences == 2


BAD = {
    "two columns": ("A\t1\t1\t1\nB\t1\n", 2, "2 columns"),
    "no columns": ("A 1 1\n", 1, "1 column "),
    "five columns": ("A\t1\t1\t1\nB\t1\t1\t1\t1\n", 2, "5 columns"),
    "five columns at once": ("B\t1\t1\t1\t1\n", 1, "5 columns"),
    "no label": ("\t1\t1\t1\n", 1, "label"),
    "a begin that is no number": ("A\tx\t1\t1\n", 1, "begin `x`"),
    "an end that is no number": ("A\t1\t1.5\t1\n", 1, "end `1.5`"),
    "a number without end": ("A\t1\t99999999999\t1\n", 1, "end `99999999999`"),
    "an end before its begin": ("A\t1\t1\t1\n\nA\t3\t2\t3\n", 3, "begins at 3"),
    "tokens that are no numbers": ("A\t1\t2\t1, x\n", 1, "is not a number"),
    "tokens out of order": ("A\t1\t3\t1, 3, 2, 3\n", 1, "not in ascending order"),
    "a token twice": ("A\t1\t2\t1, 1, 2\n", 1, "not in ascending order"),
    "tokens outside": ("A\t1\t2\t1, 2, 3\n", 1, "from begin to end"),
    "tokens that stop short": ("A\t1\t3\t1, 2\n", 1, "from begin to end"),
    "no UTF-8": (b"A\t1\t1\t1\n\xff\t1\t1\t1\n", 2, "UTF-8"),
    "nothing": ("\n\n", None, "is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name):
    text, line, part = BAD[name]
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert caught.value.where == str(tmp_path / "a.csv") + (f":{line}" if line else "")
    assert part in caught.value.problem
    assert caught.value.remedy


def test_columns_cannot_be_chosen(tmp_path):
    with pytest.raises(UsageError):
        read(tmp_path, "A\t1\t1\t1\n", "gold=1")


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        (b"\nPER\t2\t3\t2, 3\n", True),
        (b"PER\t2\t3\r\n", True),
        (b"the\tO\n", False),
        (b"the\t1\tO\tO\n", False),
        (b"", False),
    ],
)
def test_a_span_file_is_known_by_its_first_line(head, answer):
    assert looks_like_spans(head) is answer


@pytest.mark.parametrize(
    ("name", "target", "system", "sentences"),
    [
        ("ner", 6178, 5953, 5100),
        ("chunk", 101304, 100461, 10527),
        ("topofield", 63824, 64413, 10527),
    ],
)
def test_the_faireval_files_have_their_spans_and_sentences(data, name, target, system, sentences):
    for side, spans in (("target", target), ("system", system)):
        path = data(f"faireval/{side}/{name}_spans.csv")
        file = read_spans(Source(str(path)), Selection())
        assert (len(file), file.sentences) == (spans, sentences)
        assert not set(file.spans["label"]) & {"NONE", "EMPTY"}
