"""Tables with a header, whatever they are written in, and tables of tokens."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.source import Source
from coleval.loading.readers.tables import as_tokens, read_table

CELL = st.text(st.sampled_from('ab ",;\n\u00e9\u2028#'), max_size=5)
TOKENS = ("form", "gold", "system")


def read(tmp_path, text, columns="", *, name="a.csv", roles=()):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(Source(str(path)), Selection.parse(columns), roles=roles)


def cells(table):
    return {name: column.to_list() for name, column in table.columns.items()}


def test_columns_are_known_by_their_names(tmp_path):
    table = read(tmp_path, "case_id,kind,label_gold,pred_a,pred_b\n1,x,A,A,B\n2,y,B,A,B\n")
    assert table.id.to_list() == ["1", "2"]
    assert cells(table) == {"gold": ["A", "B"], "pred_a": ["A", "A"], "pred_b": ["B", "B"]}
    assert table.context["kind"].to_list() == ["x", "y"]
    assert table.line.tolist() == [2, 3]


def test_columns_are_chosen_by_name_number_or_glob(tmp_path):
    text = "k,g,a1,a2,b\nx,1,2,3,4\n"
    assert cells(read(tmp_path, text, "id=k,gold=g,system=a*,system=-1")) == {
        "gold": ["1"],
        "a1": ["2"],
        "a2": ["3"],
        "b": ["4"],
    }
    assert cells(read(tmp_path, text, "id=1,gold=2,system=b")) == {"gold": ["1"], "system": ["4"]}


def test_a_glob_takes_no_column_that_plays_another_part(tmp_path):
    table = read(tmp_path, "item,form,gold,A,B\n1,w,x,y,z\n", "system=*")
    assert list(table.columns) == ["gold", "A", "B"]


def test_one_column_of_answers_is_a_label_until_its_role_is_known(tmp_path):
    text = "id,label\n1,A\n"
    assert cells(read(tmp_path, text)) == {"label": ["A"]}
    assert cells(read(tmp_path, text, roles=("gold",))) == {"gold": ["A"]}
    assert cells(read(tmp_path, text, roles=("system",))) == {"system": ["A"]}


def test_the_only_column_left_is_the_answer(tmp_path):
    assert cells(read(tmp_path, "id,stance\n1,A\n", roles=("system",))) == {"system": ["A"]}


def test_a_label_beside_systems_is_gold(tmp_path):
    assert list(read(tmp_path, "id,label,pred_a,pred_b\n1,A,B,C\n").columns) == [
        "gold",
        "pred_a",
        "pred_b",
    ]


def test_a_column_asked_for_another_name_is_context(tmp_path):
    table = read(tmp_path, "id,gold,pred,x\n1,A,B,C\n", "topic=x")
    assert table.context["topic"].to_list() == ["C"]


def test_an_unclear_header_is_listed_with_the_option_to_type(tmp_path):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, "id,foo,bar\n1,A,B\n")
    assert "id, foo, bar" in caught.value.remedy
    assert "--columns id=id,gold=NAME,system=NAME" in caught.value.remedy


@pytest.mark.parametrize("columns", ["gold=glod", "gold=9", "system=z*"])
def test_a_column_that_is_not_there_is_an_error(tmp_path, columns):
    with pytest.raises(ColevalError) as caught:
        read(tmp_path, "id,gold,pred\n1,A,B\n", columns)
    assert caught.value.remedy


def test_text_stays_as_it_is_written(tmp_path):
    table = read(tmp_path, "id,gold,pred\n007,NA,1e5\n1.0,null,true\n")
    assert table.id.to_list() == ["007", "1.0"]
    assert cells(table) == {"gold": ["NA", "null"], "system": ["1e5", "true"]}


def test_an_empty_cell_is_null(tmp_path):
    assert cells(read(tmp_path, 'id,gold,pred\n1,,A\n2,B,""\n3,C,\n')) == {
        "gold": [None, "B", "C"],
        "system": ["A", None, None],
    }


def test_a_csv_cell_may_be_quoted_and_hold_anything(tmp_path):
    table = read(tmp_path, 'id,gold,pred\r\n1,"a, ""b""\nc",x\r\n2,5" d,y\r\n')
    assert cells(table)["gold"] == ['a, "b"\nc', '5" d']
    assert table.line.tolist() == [2, 4]


def test_a_stray_quote_in_a_bare_cell_is_a_plain_character(tmp_path):
    table = read(tmp_path, 'id,gold,pred\n1,5" d,x"\n2,"l\nm",y\n3,z",""\n')
    assert cells(table) == {"gold": ['5" d', "l\nm", 'z"'], "system": ['x"', "y", None]}


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1), st.sampled_from([",", ";"]))
def test_every_table_comes_back_as_it_was_written(rows, separator):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerows([("pred", "gold", "kind"), *((*row[:2], row[2] + "x") for row in rows)])
    with tempfile.TemporaryDirectory() as folder:
        table = read(Path(folder), text.getvalue())
    assert cells(table) == {
        "gold": [gold or None for _, gold, _ in rows],
        "system": [pred or None for pred, _, _ in rows],
    }
    assert table.context["kind"].to_list() == [kind + "x" for _, _, kind in rows]


def test_a_quote_is_a_plain_character_in_tsv(tmp_path):
    table = read(tmp_path, 'id\tgold\tpred\n1\t"\t"x\n2\tA"\tB\n', name="a.tsv")
    assert cells(table) == {"gold": ['"', 'A"'], "system": ['"x', "B"]}


def test_a_header_may_repeat_a_name_or_leave_it_out(tmp_path):
    table = read(tmp_path, "id,gold,text,pred,text,,\n1,A,x,B,y,,\n")
    assert list(table.context) == ["text", "text_2", "column_6", "column_7"]
    assert table.context["text_2"].to_list() == ["y"]


def test_blank_lines_are_no_rows_and_a_semicolon_may_separate(tmp_path):
    table = read(tmp_path, b"\xef\xbb\xbf\r\nid;gold;pred\r\n1;A;B\r\n\r\n2;A;B\r\n \t\r\n")
    assert table.id.to_list() == ["1", "2"]
    assert table.line.tolist() == [3, 5]


BAD = {
    "a short row": ("id,gold,pred\n1,A,B\n2,A\n", 3, "2 columns"),
    "a short row among empty cells": ("id,gold,pred\n1,A,\n2,A\n", 3, "2 columns"),
    "a long row": ("id,gold,pred\n1,A,B,C\n", 2, "4 columns"),
    "a short row below a cell of two lines": ('id,gold,pred\n1,"A\nA",B\n2,A\n', 4, "2 columns"),
    "a quote without end": ('id,gold,pred\n1,A,B\n2,"A,B\n', 3, "not end"),
    "a quote without end in the last cell": ('id,gold,pred\n1,A,B\n2,A,"B\n3,A,B\n', 3, "not end"),
    "too many empty cells": ("id,gold,pred\n1,A,B\n,,,\n", 3, "4 columns"),
    "no id": ("id,gold,pred\n1,A,B\n,A,B\n", 3, "no id"),
    "no UTF-8": (b"id,gold,pred\n1,A,\xff\n", 2, "UTF-8"),
    "no UTF-8 in the header": (b"id,g\xffld,pred\n1,A,B\n", 1, "UTF-8"),
    "a header alone": ("id,gold,pred\n\n", None, "no rows"),
    "nothing": (" \n", None, "is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name):
    text, line, part = BAD[name]
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert caught.value.where == str(tmp_path / "a.csv") + (f":{line}" if line else "")
    assert part in caught.value.problem
    assert caught.value.remedy


def test_json_lines_keep_lists_and_write_numbers_out(tmp_path):
    rows = [
        {"id": 1, "gold": ["a", "b"], "pred": [], "extra": 1.5},
        {"id": 12345678901234567890, "gold": [], "pred": ["a"]},
    ]
    text = json.dumps(rows[0]) + "\n\n" + json.dumps(rows[1]) + "\n"
    table = read(tmp_path, text, name="a.jsonl")
    assert table.id.to_list() == ["1", "12345678901234567890"]
    assert cells(table) == {"gold": [["a", "b"], []], "system": [[], ["a"]]}
    assert table.line.tolist() == [1, 3]


def test_json_values_become_the_text_of_what_they_are(tmp_path):
    text = '{"id":"007","gold":true,"pred":1}\n{"id":"1","gold":false,"pred":2.5}\n{"id":"2"}\n'
    table = read(tmp_path, text, name="a.jsonl")
    assert table.id.to_list() == ["007", "1", "2"]
    assert cells(table) == {"gold": ["true", "false", None], "system": ["1", "2.5", None]}


@pytest.mark.parametrize(
    ("text", "line"), [(b'{"id":1}\n{"id":\n', 2), (b"[1]\n", 1), (b'{"id":1}\n{"a":"\xff"}\n', 2)]
)
def test_a_line_that_is_no_json_object_is_told(tmp_path, text, line):
    with pytest.raises(DataError) as caught:
        read(tmp_path, text, name="a.jsonl")
    assert caught.value.where.endswith(f"a.jsonl:{line}")


FRAME = pl.DataFrame(
    {
        "id": [1, 2],
        "gold": [True, None],
        "pred_a": [0.1, float("nan")],
        "pred_b": pl.Series(["x", "y"], dtype=pl.Categorical),
    }
)
WANTED = {"gold": ["true", None], "pred_a": ["0.1", None], "pred_b": ["x", "y"]}
WRITERS = {
    "a.parquet": FRAME.write_parquet,
    "a.feather": FRAME.write_ipc,
    "a.arrows": FRAME.write_ipc_stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_parquet_and_arrow_files_are_tables(tmp_path, name):
    WRITERS[name](tmp_path / name)
    table = read_table(Source(str(tmp_path / name)), Selection())
    assert (table.id.to_list(), cells(table)) == (["1", "2"], WANTED)
    assert table.at(1).endswith(f"{name} row 2")


class Exporter:
    """What pandas and others offer: nothing but the Arrow stream."""

    def __arrow_c_stream__(self, schema=None):
        return FRAME.to_arrow().__arrow_c_stream__(schema)


@pytest.mark.parametrize(
    "frame",
    [FRAME, FRAME.lazy(), FRAME.to_arrow(), FRAME.to_arrow().to_reader(), Exporter()],
    ids=lambda frame: type(frame).__name__,
)
def test_data_frames_are_tables(frame):
    table = read_table(Source("<frame>", frame=frame), Selection())
    assert (table.id.to_list(), cells(table)) == (["1", "2"], WANTED)


def test_a_duckdb_relation_is_a_table():
    with duckdb.connect() as connection:
        relation = connection.sql("select 'x' as id, 1::hugeint as gold, ['a', 'b'] as pred")
        table = read_table(Source("<relation>", frame=relation), Selection())
    assert cells(table) == {"gold": ["1"], "system": [["a", "b"]]}


def test_what_is_no_frame_is_an_error():
    with pytest.raises(UsageError, match="list"):
        read_table(Source("<frame>", frame=[1]), Selection())


@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"])
def test_damaged_files_are_told(tmp_path, start):
    with pytest.raises(DataError, match="damaged"):
        read(tmp_path, start + b"x" * 40)


def test_rows_without_a_form_end_sentences_and_docstart_begins_documents(tmp_path):
    text = "form,gold,pred\n-DOCSTART-,O,O\n,,\na,B,O\nb,I,O\n\nc,O,O\n-DOCSTART-,O,O\nd,O,O\n"
    tokens = as_tokens(read(tmp_path, text, roles=TOKENS))
    assert tokens.form.to_list() == ["a", "b", "c", "d"]
    assert tokens.sentence.tolist() == [0, 0, 1, 2]
    assert tokens.document.tolist() == [0, 0, 0, 1]
    assert tokens.documents == ("1", "2")
    assert tokens.line.tolist() == [4, 5, 7, 9]
    assert {k: v.to_list() for k, v in tokens.columns.items()} == {
        "gold": ["B", "I", "O", "O"],
        "system": ["O", "O", "O", "O"],
    }


def test_a_sentence_column_and_a_document_column_do_the_same(tmp_path):
    text = "doc,sentence_id,form,gold,pred\nx,1,a,O,O\nx,2,b,O,O\ny,2,c,O,O\ny,2,d,O,O\n"
    tokens = as_tokens(read(tmp_path, text, roles=TOKENS))
    assert tokens.sentence.tolist() == [0, 1, 2, 2]
    assert tokens.document.tolist() == [0, 0, 1, 1]
    assert tokens.documents == ("x", "y")


def test_a_document_that_goes_on_after_another_one_is_told(tmp_path):
    text = "doc,form,gold,pred\nx,a,O,O\ny,b,O,O\nx,c,O,O\n"
    with pytest.raises(DataError) as caught:
        as_tokens(read(tmp_path, text, roles=TOKENS))
    assert caught.value.where.endswith("a.csv:4")


def test_a_table_of_tokens_from_a_frame_counts_rows():
    frame = pl.DataFrame({"form": ["a", None, "b"], "gold": ["O", None, "O"], "pred": ["O"] * 3})
    tokens = as_tokens(read_table(Source("<frame>", frame=frame), Selection(), roles=TOKENS))
    assert tokens.sentence.tolist() == [0, 1]
    assert tokens.line.tolist() == [1, 3]


@pytest.mark.parametrize("text", ["gold,pred\nO,O\n", "form,gold,pred\n,O,O\n"])
def test_tokens_need_forms(tmp_path, text):
    with pytest.raises(ColevalError):
        as_tokens(read(tmp_path, text, roles=TOKENS))


def test_hatecheck_has_its_items_and_systems(data):
    path = data("hatecheck/hatecheck_predictions.csv")
    table = read_table(Source(str(path)), Selection())
    assert len(table) == 3728
    assert list(table.columns) == [
        "gold",
        "pred_BERT_davidson2017_weighted",
        "pred_BERT_founta2018_weighted",
        "pred_perspective",
        "pred_siftninja",
    ]
    gold = table.columns["gold"]
    right = [int((gold == c).sum()) / 3728 for n, c in table.columns.items() if n != "gold"]
    assert [f"{100 * share:.2f}" for share in right] == ["63.17", "60.19", "76.64", "33.23"]
    assert table.context["functionality"].n_unique() == 29
    assert table.context["target_ident"].null_count() > 0


def test_the_multi_label_table_has_its_items_and_systems(data):
    path = data("derived-ud-feats-multilabel/en_gum_feats.tsv")
    table = read_table(Source(str(path)), Selection.parse("system=*"))
    assert len(table) == 13118
    assert len(table.columns) == 12
    assert int((table.columns["gold"] == "_").sum()) == 4367


@pytest.mark.parametrize(
    ("name", "gold", "system", "tokens", "sentences", "documents"),
    [
        ("xlm_flert_03", "conll_03", "xlmr_output", 46435, 3453, 231),
        ("xlm_flert_sharp", "conll#", "xlmr_outputs", 46495, 3390, 231),
        ("luke_sharp", "conll#", "luke_output", 46495, 3390, 231),
        ("asp_sharp", "conll#", "asp_output", 46495, 1, 0),
    ],
)
def test_the_conll_sharp_tables_are_tokens(data, name, gold, system, tokens, sentences, documents):
    path = data(f"conll_sharp/output_csvs/{name}_outputs.csv.gz")
    chosen = Selection.parse(f"form=text,gold={gold},system={system}")
    table = read_table(Source(str(path)), chosen, roles=TOKENS)
    file = as_tokens(table)
    assert (len(file), int(file.sentence[-1]) + 1) == (tokens, sentences)
    assert len(file.documents) == documents
    assert file.columns["gold"].null_count() == 0


def test_a_stream_of_arrow_that_is_cut_off_is_refused_though_its_batches_are_whole(tmp_path):
    into = io.BytesIO()
    pl.DataFrame({"id": [1, 2], "gold": ["X", "Y"], "pred": ["X", "X"]}).write_ipc_stream(into)
    whole = into.getvalue()
    path = tmp_path / "a.arrows"
    path.write_bytes(whole)
    assert len(read_table(Source(str(path)), Selection())) == 2
    path.write_bytes(whole[:-8])
    with pytest.raises(DataError, match="they are cut off"):
        read_table(Source(str(path)), Selection())
