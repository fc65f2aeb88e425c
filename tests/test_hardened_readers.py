"""What fuzzing found in readers, one claim for each class; ``tests/fuzz`` looks for more."""

from __future__ import annotations

import json

import polars as pl
import pytest

import coleval
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.formats import FORMATS, understood
from coleval.loading.readers.json_records import check_halves
from coleval.loading.readers.lines import whole_numbers

WORD = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"
TOKENS = '{"id": "0", "tokens": ["a", "b"], "gold": ["O", "B-X"], "pred": '
# A file, its format, and what is said of it: nothing of this may be read, and the line is named.
BROKEN = {
    "a signed ID": (WORD.replace("1\t", "+1\t", 1), "conllu", ":1: the ID `+1` is not"),
    "a signed HEAD": (WORD.replace("\t0\t", "\t+0\t"), "conllu", ":1: the HEAD `+0` is not a word"),
    "eleven columns": (f"{WORD[:-1]}\tx\n2{WORD[1:]}", "conllu", ":1: there are 11"),
    "a form that is missing": (f"1.1\t\t{WORD[4:]}{WORD}", "conllu", ":1: the FORM is empty"),
    "a return in a line": ("X\t1\r\t1\t1\n", "spans", ":1: there is a carriage return inside"),
    "digits of other scripts": ("X\t\u0663\t\u0663\t\u0663\n", "spans", ":1: the begin `\u0663`"),
    "half a dummy": ("NONE\t999\t999\t99\n", "spans", ":1: `NONE` from 999 is not the line"),
    "no begin": ("X\t\t3\n", "spans", ":1: the begin `` is not a token number"),
    "a header alone": ("id\tlabel\n", "pairs", ": holds no pairs"),
    "a padded cell": ("i,0,01\nj,1,0\n", "matrix", ":1: `01` is neither 0 nor 1"),
    "a signed cell": ("i\t+1\t0\nj\t1\t0\n", "matrix", ":1: `+1` is neither 0 nor 1"),
    "a return in a matrix": ("i\t1\r\t0\nj\t1\t0\n", "matrix", ":1: there is a carriage return"),
    "a word behind quotes": ('id,gold\n1,"A"B\n', "table", ":2: `B` follows the end of a quoted"),
    "quotes that do not end": ('id,gold\n1,"A\n2,B\n', "table", ":2: a quoted cell does not end"),
    "a list among texts": ('{"id":"1","gold":"A"}\n{"id":"2","gold":["A"]}\n', "table",
                           ":2: `gold` holds a list, but text on other lines"),
    "a text among lists": (f'{TOKENS}["O", "O"]}}\n{TOKENS}"O"}}\n', "sequences",
                           ":1: `pred` holds a list, but text on other lines"),
    "a key with a NUL": (TOKENS + '["O", "O"], "a\\u0000": 1}\n', "sequences", "has a NUL"),
    "an empty file": (" \n", "coref-json", ": is empty"),
    "a mention beyond the text": ('{"tokens": ["a"], "clusters": [[[0, 1]]]}\n', "coref-json",
                                  ":1: the mention `[0, 1]` ends after the last token, 0"),
    "half a character": ('{"tokens": ["\\ud800"], "clusters": []}\n', "coref-json",
                         ":1: holds half a character"),
}  # fmt: skip
READERS = ("tokens", "spans", "table", "mentions", "merged")


def read(path, name):
    """Return what the reader of a format finds."""
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

    form = FORMATS[name]
    kind = "table" if name == "table" else "merged" if name == "sequences" else ""
    reader = getattr(form, kind or next(k for k in READERS if getattr(form, k)))
    more = ("gold",) if reader is form.tokens else ()
    return reader(Source(str(path)), Selection(), *more)


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_refused_with_its_line(write, case):
    text, name, said = BROKEN[case]
    with pytest.raises(ColevalError) as caught:
        read(write("file.jsonl" if text[0] == "{" else "file.csv", text), name)
    assert said in str(caught.value)
    assert "file." in caught.value.where


def test_spaces_around_a_label_are_none_however_the_file_is_read(write):
    one, other = "a\tO\nb\tB-X\n", "a\tO \nb\t B-X\n"
    files = [read(write(name, text), "columns") for name, text in (("one", one), ("two", other))]
    assert [file.columns["gold"].to_list() for file in files] == [["O", "B-X"]] * 2


def test_text_that_begins_like_packed_data_is_text(write):
    file = read(write("file", "x^2\tO\na\tB-X\n"), "columns")
    assert file.form.to_list() == ["x^2", "a"]
    assert file.line.tolist() == [1, 2]


def test_a_separator_that_is_the_last_sign_is_seen(write):
    with pytest.raises(DataError, match="has 3 columns where the first line has 2"):
        read(write("file", "a\tO\nb\tO\t"), "columns")


def test_a_quote_inside_a_bare_cell_and_two_in_a_quoted_one_are_signs(write):
    path = write("t.csv", 'id,gold,text\n1,A,5" pipe\n2,B,"say ""x"""\n')
    assert read(path, "table").context["text"].to_list() == ['5" pipe', 'say "x"']


def test_a_blank_line_inside_a_quoted_cell_stays_when_others_go(write):
    path = write("t.csv", 'id,gold,text\n \n1,A,"a\n \nb"\n')
    assert read(path, "table").context["text"].to_list() == ["a\n \nb"]


def test_numbers_beyond_64_bits_are_text(write):
    row = {"id": 1 << 63, "tokens": ["a"], "gold": ["O"], "pred": ["B-X"]}
    assert len(read(write("f.jsonl", json.dumps(row) + "\n"), "sequences").form) == 1


def test_one_pair_of_a_text_and_its_spans_is_one_record(write):
    path = write("g.jsonl", '["In Rome", {"entities": [[3, 7, "LOC"]]}]\n')
    assert coleval.load(path, {"s": path}).score()["overall"]["tp"].to_list() == [1]


def test_pairs_of_halves_are_characters_and_escaped_backslashes_none():
    check_halves(rb'"\ud83d\ude00 \\ud800 \\\\ud800"', "f")
    for text in (rb'"\ud83d"', rb'"\ude00"', rb'"\\\ud800"', rb'"\ud83d\n\ude00"'):
        with pytest.raises(DataError, match="half a character"):
            check_halves(text, "f")


def test_numbers_are_digits_alone():
    texts = pl.Series(["1", "01", "+1", "-1", "1.0", " 1", "\u0663", "", None, "9" * 30])
    assert whole_numbers(texts).to_list() == [1, 1, *[None] * 8]


def test_what_a_library_complains_of_names_the_file_and_mistakes_keep_their_traceback():
    with pytest.raises(DataError, match="file: cannot be read"), understood("file"):
        pl.Series(["a"]).cast(pl.Int64)
    with pytest.raises(DataError, match="surrogates"), understood("file"):
        pl.Series(["\ud800"])
    with pytest.raises(IndexError), understood("file"):
        [].pop()


@pytest.mark.parametrize("name", ["^.*$", "^other$", "*", "a\0", "a\udcff"])
def test_a_system_is_not_called_by_a_pattern_or_what_no_encoding_has(write, name):
    path = write("g", "a\tB-X\n")
    with pytest.raises(UsageError, match="a system cannot be called"):
        coleval.load(path, {name: path})


def test_a_column_called_by_a_pattern_gets_an_underscore(write):
    rows = [
        {"id": str(k), "gold": "ab"[k % 2], "pred": "a", "^.*$": k, "*": 1, "*_": 2}
        for k in range(4)
    ]
    path = write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    items = coleval.load(path, task="label").items
    assert {"^.*$_", "*__", "*_"} <= set(items.columns)
    assert items["^.*$_"].to_list() == [0, 1, 2, 3]


def test_braces_in_a_name_are_no_template(write):
    path = write("g", "a\tB-X\nb\tO\n")
    corpus = coleval.load(path, {"{x}": path, "{0}": path, "{": path})
    for report in (corpus.score(), corpus.changes(), corpus.confusion(), corpus.agree()):
        assert "{x}" in repr(report) or "{0}" in repr(report)


def test_a_name_too_long_for_a_path_is_only_a_name(write):
    path = write("g", "a\tB-X\nb\tO\n")
    long = "x" * 10_000
    corpus = coleval.load(path, {long: path, "s": path})
    assert corpus.audit(against=long, least=1).tables


@pytest.mark.parametrize("command", ["score", "bins", "changes", "compare"])
def test_grouping_what_has_no_items_is_refused(write, command):
    path = write("g", "a\tO\n")
    with pytest.raises(UsageError, match="there are no items to group"):
        getattr(coleval.load(path, {"s": path, "t": path}, task="span"), command)(by="gold")
